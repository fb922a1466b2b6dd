"""Server-sent events, as far as these servers use what the HTML standard defines: what they
are called, and their data.

In: lines without their ends.  Out: name and data of each event.  Knows no JSON and no connection.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator


async def events(lines: AsyncIterator[str]) -> AsyncGenerator[tuple[str, str], None]:
    """An event that is cut off is dropped.  Comments (a server's pings) and other fields are ignored, except for
    llama-server's `error:`, whose data is an event with that name."""
    data, called = list[str](), ""
    async for line in lines:
        if not line:
            if data:
                yield called, "\n".join(data)
            data, called = [], ""
            continue
        name, _, value = line.partition(":")
        if name in ("data", "error"):
            data.append(value.removeprefix(" "))
        if name in ("event", "error"):
            called = value.strip() if name == "event" else name
