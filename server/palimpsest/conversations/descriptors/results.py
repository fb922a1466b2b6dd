"""Descriptors as a model and a program read them (the formats' "Descriptors").

In: descriptors and what is read of them.  Out: fields and XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.descriptors.matches import Match, SearchResult
from palimpsest.conversations.descriptors.pages import Reading
from palimpsest.conversations.descriptors.sections import Section
from palimpsest.text.markup import attribute, escape_closing

Result = tuple[dict[str, Any], str]
"""Fields, and the XML."""
FROM_USER = "user_input"
"""The source of a person's message."""
_WHAT = {"file": "The file", "selection": "The selection", "terminal": "What the terminal said"}


def descriptor_fields(one: Descriptor) -> dict[str, Any]:
    created = datetime.fromtimestamp(one.created).isoformat(timespec="seconds")
    return {
        "fd": one.id, "name": one.name, "source": one.source, "language": one.language, "created": created,
        "pages": one.pages, "total_lines": one.total_lines, "chars": one.n_chars, "page_size": one.page_size,
        "summary": one.summary,
    }  # fmt: skip


def created(
    one: Descriptor, preview: Reading, threshold: int | None = None, about: Mapping[str, str] | None = None
) -> Result:
    """What stands in the place of a text that became a descriptor; `preview` is its first page.  `threshold`: what it
    exceeds, where that is why.  `about`: what is told of it besides."""
    told = {
        "fd": one.id, **(about or {}), "pages": one.pages, "truncated": preview.truncated, "lines": preview.lines,
        "total_lines": one.total_lines,
    }  # fmt: skip
    what = "Large user input" if one.source == FROM_USER else _WHAT.get(one.source.partition(":")[0], "Output")
    if threshold is None or one.source == FROM_USER:
        message = f"{what} has been stored in a file descriptor. Use read_fd to access the content."
    else:
        message = f"{what} exceeds {threshold} characters. Use read_fd to read more pages."
    summary = f"\n  <summary>{escape_closing(one.summary, 'summary')}</summary>" if one.summary else ""
    shown = escape_closing(escape_closing(preview.content, "preview"), "fd_result")
    xml = (
        f"<fd_result {_written(told)}>\n  <message>{message}</message>{summary}\n  <preview>\n{_ended(shown)}"
        "  </preview>\n</fd_result>"
    )
    return {**descriptor_fields(one), **told, "preview": preview.content}, xml


def read(part: Reading, about: Mapping[str, str] | None = None) -> Result:
    """`about`: what is told of the text besides."""
    told: dict[str, Any] = {"fd": part.fd, **(about or {})}
    if part.page is not None:
        told["page"] = part.page
    told |= {
        "pages": part.pages, "continued": part.continued, "truncated": part.truncated, "lines": part.lines,
        "total_lines": part.total_lines,
    }  # fmt: skip
    more = {"page": part.page, "content": part.content, "start_char": part.start, "end_char": part.end}
    return {**told, **more}, _element("fd_content", told, part.content)


def section_read(part: Reading, name: str) -> Result:
    fields, _ = read(part)
    about = {"fd": part.fd, "ref_id": name, "lines": part.lines, "total_lines": part.total_lines}
    return {**fields, "ref_id": name}, _element("fd_section", about, part.content)


def found(answer: SearchResult) -> Result:
    about = {"fd": answer.fd, "query": answer.query, "count": answer.count, "shown": len(answer.matches)}
    rows = [_element("match", {"line": one.line, "page": one.page}, _match(one)) for one in answer.matches]
    matches = [
        {"line": one.line, "text": one.text, "before": list(one.before), "after": list(one.after), "page": one.page,
         "char": one.char}
        for one in answer.matches
    ]  # fmt: skip
    return {**about, "matches": matches}, _listed("fd_search", about, rows)


def listed(ones: Sequence[Descriptor]) -> Result:
    rows = [f"<fd {_written(_shown(one))} />" for one in ones]
    fields = {"count": len(ones), "descriptors": [descriptor_fields(one) for one in ones]}
    return fields, _listed("fd_list", {"count": len(ones)}, rows)


def renamed(ones: Sequence[Descriptor]) -> Result:
    rows = [f"<fd {_written({'fd': one.id, 'name': one.name})} />" for one in ones]
    return {"renamed": {one.id: one.name for one in ones}}, _listed("fd_renamed", {"count": len(ones)}, rows)


def closed(ids: Sequence[str]) -> Result:
    rows = [f"<fd {_written({'fd': id})} />" for id in ids]
    return {"closed": list(ids)}, _listed("fd_closed", {"count": len(ids)}, rows)


def marked(one: Section) -> Result:
    fields = section_fields(one)
    return fields, f"<fd_section_marked {_written(fields)} />"


def unmarked(one: Section) -> Result:
    fields = {"fd": one.fd, "ref_id": one.name}
    return fields, f"<fd_section_deleted {_written(fields)} />"


def sections(fd: str, ones: Sequence[Section]) -> Result:
    about = {"fd": fd, "count": len(ones)}
    rows = [f"<section {_written(section_fields(one))} />" for one in ones]
    return {**about, "sections": [section_fields(one) for one in ones]}, _listed("fd_sections", about, rows)


def section_fields(one: Section) -> dict[str, Any]:
    return {"fd": one.fd, "ref_id": one.name, "start_line": one.start_line, "end_line": one.end_line}


def written(fd: str, file_path: str, mode: str, n_bytes: int, lines: int) -> Result:
    about = {"fd": fd, "file_path": file_path, "success": True, "mode": mode}
    message = escape_closing(f"Content of {fd} successfully written to {file_path}", "message")
    xml = (
        f"<fd_write {_written(about)}>\n  <message>{message}</message>\n  <stats>\n    <bytes>{n_bytes}</bytes>\n"
        f"    <lines>{lines}</lines>\n  </stats>\n</fd_write>"
    )
    return {"fd": fd, "file_path": file_path, "mode": mode, "bytes": n_bytes, "lines": lines}, xml


def _match(one: Match) -> str:
    first = one.line - len(one.before)
    around = [*((first + n, text) for n, text in enumerate(one.before)), (one.line, one.text)]
    around += [(one.line + 1 + n, text) for n, text in enumerate(one.after)]
    return "\n".join(f"{'>' if number == one.line else ' '} {number}: {text}" for number, text in around)


def _shown(one: Descriptor) -> dict[str, Any]:
    about = {
        "fd": one.id, "name": one.name, "source": one.source, "pages": one.pages, "total_lines": one.total_lines,
        "summary": one.summary,
    }  # fmt: skip
    return {key: value for key, value in about.items() if value != ""}


def _element(name: str, about: Mapping[str, Any], content: str) -> str:
    return f"<{name} {_written(about)}>\n{_ended(escape_closing(content, name))}</{name}>"


def _ended(content: str) -> str:
    """With exactly one line end that is not content behind it."""
    return f"{content}\n"


def _listed(name: str, about: Mapping[str, Any], rows: Sequence[str]) -> str:
    inner = "".join(f"  {escape_closing(row, name)}\n" for row in rows)
    return f"<{name} {_written(about)}>\n{inner}</{name}>"


def _written(about: Mapping[str, Any]) -> str:
    values = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in about.items()}
    return " ".join(f"{key}={attribute(value)}" for key, value in values.items())
