"""Server-sent events, as far as these servers use what the HTML standard defines: their data.

In: lines without their ends.  Out: the data of each event.  Knows no JSON and no connection.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator


async def events(lines: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """An event that is cut off is dropped.  Comments (a server's pings) and other fields are ignored, except for
    llama-server's `error:`, whose data is an event like any other."""
    data: list[str] = []
    async for line in lines:
        if not line:
            if data:
                yield "\n".join(data)
            data = []
            continue
        name, _, value = line.partition(":")
        if name in ("data", "error"):
            data.append(value.removeprefix(" "))
