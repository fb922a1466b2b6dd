"""What is answered to a model and to a program, and how the XML of it is written (docs/formats.md, "Results and
errors").

In: values.  Out: XML and fields; how much of a text fits where results have only so much room.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from palimpsest.errors import Denied, InvalidArgument, OutsideWorkspace, PalimpsestError
from palimpsest.text.markup import attribute, escape_closing


def time_written(created: float) -> str:
    """Local time, to the second, as the formats have it."""
    return datetime.fromtimestamp(created).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Answer:
    """`xml` is what a model reads, `fields` what a program does.  `text` is what a descriptor would hold, if not the
    XML."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`error` is the code of what went wrong, or empty; `descriptor` is where a long result went."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    descriptor: str | None = None
    error: str = ""


def element(name: str, attributes: Mapping[str, object], content: str | None = None) -> str:
    """`content` on the tags' line if it is one line, else on lines of its own."""
    head = opening(name, attributes)
    if content is None:
        return f"<{head} />"
    inner = escape_closing(content, name)
    return f"<{head}>\n{inner}\n</{name}>" if "\n" in content else f"<{head}>{inner}</{name}>"


def listed(name: str, attributes: Mapping[str, object], rows: Sequence[str]) -> str:
    """An element whose content is other elements, each on lines of its own."""
    inner = "".join(f"  {escape_closing(row, name)}\n" for row in rows)
    return f"<{opening(name, attributes)}>\n{inner}</{name}>"


def passage(name: str, attributes: Mapping[str, object], text: str) -> str:
    """An element whose content is a text, on lines of its own: the line end before the closing tag is not of it."""
    return f"<{opening(name, attributes)}>\n{escape_closing(text, name)}\n</{name}>"


def opening(name: str, attributes: Mapping[str, object]) -> str:
    """What stands between the brackets of an opening tag."""
    return name + "".join(f" {key}={attribute(_written(value))}" for key, value in attributes.items())


def answered(name: str, attributes: Mapping[str, object], content: str | None = None) -> Answer:
    return Answer(element(name, attributes, content), dict(attributes))


def failed(tool: str, error: PalimpsestError, line: int | None = None) -> ToolResult:
    """What a call that went wrong answers."""
    kind = Denied.code if isinstance(error, OutsideWorkspace) else error.code
    about: dict[str, object] = {"type": kind, "tool": tool} if tool else {"type": kind}
    if isinstance(error, InvalidArgument):
        about["argument"] = error.field
    if line is not None:
        about["line"] = line + 1
    xml = listed("error", about, [element("message", {}, " ".join(str(error).split()))])
    return ToolResult(xml, {"error": kind, "message": str(error), **about}, error=kind)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class ResultRoom:
    """`tokens` of the next results; `count` counts those of a text."""

    tokens: int
    count: Callable[[str], Awaitable[int]]

    def chars(self, text: str, n_tokens: int) -> int:
        """Of a text of so many tokens that does not fit: how many characters would."""
        return max(0, len(text) * self.tokens // n_tokens)
