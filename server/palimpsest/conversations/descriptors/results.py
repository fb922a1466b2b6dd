"""Descriptors as a model and a program read them (the formats' "Descriptors").

In: descriptors and what is read of them.  Out: fields and XML.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.conversations.answers import Answer, element, listed, opening, passage, time_written
from palimpsest.conversations.descriptors.descriptors import Descriptor, DescriptorSection, SearchResult
from palimpsest.conversations.descriptors.reader import Match, PageReading
from palimpsest.text.markup import escape_closing

FROM_USER = "user_input"
"""The source of a person's message."""
_WHAT = {"file": "The file", "selection": "The selection", "terminal": "What the terminal said"}


def descriptor_fields(one: Descriptor) -> dict[str, Any]:
    return {
        "fd": one.id, "name": one.name, "source": one.source, "language": one.language,
        "created": time_written(one.created),
        "pages": one.pages, "total_lines": one.total_lines, "chars": one.n_chars, "page_size": one.page_size,
        "summary": one.summary,
    }  # fmt: skip


def created(
    one: Descriptor, preview: PageReading, threshold: int | None = None, about: Mapping[str, str] | None = None
) -> Answer:
    """What stands in the place of a text that became a descriptor; `preview` is its first page.  `threshold`: what it
    exceeds, where that is why.  `about`: what is told of it besides."""
    attributes = {
        "fd": one.id, **(about or {}), "pages": one.pages, "truncated": preview.truncated, "lines": preview.lines,
        "total_lines": one.total_lines,
    }  # fmt: skip
    what = "Large user input" if one.source == FROM_USER else _WHAT.get(one.source.partition(":")[0], "Output")
    if threshold is None or one.source == FROM_USER:
        message = f"{what} has been stored in a file descriptor. Use read_fd to access the content."
    else:
        message = f"{what} exceeds {threshold} characters. Use read_fd to read more pages."
    summary = f"\n  <summary>{escape_closing(one.summary, 'summary')}</summary>" if one.summary else ""
    text = escape_closing(escape_closing(preview.content, "preview"), "fd_result")
    xml = (
        f"<{opening('fd_result', attributes)}>\n  <message>{message}</message>{summary}\n  <preview>\n{text}\n"
        "  </preview>\n</fd_result>"
    )
    return Answer(xml, {**descriptor_fields(one), **attributes, "preview": preview.content})


def read(part: PageReading, about: Mapping[str, str] | None = None) -> Answer:
    """`about`: what is told of the text besides."""
    attributes: dict[str, Any] = {"fd": part.fd, **(about or {})}
    if part.page is not None:
        attributes["page"] = part.page
    attributes |= {
        "pages": part.pages, "continued": part.continued, "truncated": part.truncated, "lines": part.lines,
        "total_lines": part.total_lines,
    }  # fmt: skip
    more = {"page": part.page, "content": part.content, "start_char": part.start, "end_char": part.end}
    return Answer(passage("fd_content", attributes, part.content), {**attributes, **more})


def section_read(part: PageReading, name: str) -> Answer:
    about = {"fd": part.fd, "ref_id": name, "lines": part.lines, "total_lines": part.total_lines}
    return Answer(passage("fd_section", about, part.content), {**read(part).fields, "ref_id": name})


def found(answer: SearchResult) -> Answer:
    about = {"fd": answer.fd, "query": answer.query, "count": answer.count, "shown": len(answer.matches)}
    rows = [passage("match", {"line": one.line, "page": one.page}, _match(one)) for one in answer.matches]
    matches = [
        {"line": one.line, "text": one.text, "before": list(one.before), "after": list(one.after), "page": one.page,
         "char": one.char}
        for one in answer.matches
    ]  # fmt: skip
    return Answer(listed("fd_search", about, rows), {**about, "matches": matches})


def descriptors(ones: Sequence[Descriptor]) -> Answer:
    rows = [element("fd", _attributes(one)) for one in ones]
    fields = {"count": len(ones), "descriptors": [descriptor_fields(one) for one in ones]}
    return Answer(listed("fd_list", {"count": len(ones)}, rows), fields)


def renamed(ones: Sequence[Descriptor]) -> Answer:
    rows = [element("fd", {"fd": one.id, "name": one.name}) for one in ones]
    return Answer(listed("fd_renamed", {"count": len(ones)}, rows), {"renamed": {one.id: one.name for one in ones}})


def closed(ids: Sequence[str]) -> Answer:
    rows = [element("fd", {"fd": id}) for id in ids]
    return Answer(listed("fd_closed", {"count": len(ids)}, rows), {"closed": list(ids)})


def sections(fd: str, ones: Sequence[DescriptorSection]) -> Answer:
    about, rows = {"fd": fd, "count": len(ones)}, [section_fields(one) for one in ones]
    xml = listed("fd_sections", about, [element("section", row) for row in rows])
    return Answer(xml, {**about, "sections": rows})


def section_fields(one: DescriptorSection) -> dict[str, Any]:
    return {"fd": one.fd, "ref_id": one.name, "start_line": one.start_line, "end_line": one.end_line}


def _match(one: Match) -> str:
    first = one.line - len(one.before)
    lines = enumerate([*one.before, one.text, *one.after], first)
    return "\n".join(f"{'>' if number == one.line else ' '} {number}: {text}" for number, text in lines)


def _attributes(one: Descriptor) -> dict[str, Any]:
    about = {
        "fd": one.id, "name": one.name, "source": one.source, "pages": one.pages, "total_lines": one.total_lines,
        "summary": one.summary,
    }  # fmt: skip
    return {key: value for key, value in about.items() if value != ""}
