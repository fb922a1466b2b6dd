"""Answers and errors as a model reads them (docs/formats.md, "Results and errors").

In: values, errors.  Out: XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from palimpsest.conversations.operations.host import Answer
from palimpsest.conversations.operations.operation import ToolResult
from palimpsest.errors import Denied, InvalidArgument, OutsideWorkspace, PalimpsestError
from palimpsest.text.markup import attribute, escape_closing


def element(name: str, attributes: Mapping[str, object], content: str | None = None) -> str:
    """`content` on the tags' line if it is one line, else on lines of its own."""
    head = "".join(f" {key}={attribute(_written(value))}" for key, value in attributes.items())
    if content is None:
        return f"<{name}{head} />"
    inner = escape_closing(content, name)
    return f"<{name}{head}>\n{inner}\n</{name}>" if "\n" in content else f"<{name}{head}>{inner}</{name}>"


def listed(name: str, attributes: Mapping[str, object], rows: Sequence[str]) -> str:
    """An element whose content is other elements, each on lines of its own."""
    rows = [escape_closing(row, name) for row in rows]
    head = "".join(f" {key}={attribute(_written(value))}" for key, value in attributes.items())
    return "\n".join([f"<{name}{head}>", *(f"  {row}" for row in rows), f"</{name}>"])


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
