"""Refs, and files that were written, as a model and a program read of them (docs/formats.md, "Refs"; "Results and
errors").

In: refs, what was written.  Out: answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.conversations.answers import Answer, element, listed, opening, passage, time_written
from palimpsest.conversations.refs.refs import Ref
from palimpsest.text.markup import escape_closing


def fields_of(ref: Ref) -> dict[str, Any]:
    return {
        "id": ref.id,
        "created": time_written(ref.created),
        "lines": ref.lines,
        "chars": ref.chars,
        "turn": ref.turn,
        "language": ref.language,
        "category": ref.category,
        "path": ref.path,
        "version": ref.version,
        "versions": ref.n_versions,
        "attributes": ref.attributes,
    }


def refs(every: Sequence[Ref]) -> Answer:
    rows = [element("ref", _attributes(ref)) for ref in every]
    fields = {"count": len(every), "refs": [fields_of(ref) for ref in every]}
    return Answer(listed("ref_list", {"count": len(every)}, rows), fields)


def content(ref: Ref, text: str) -> Answer:
    version = {"version": ref.version} if ref.n_versions > 1 else {}
    xml = passage("ref_content", {"id": ref.id, **version}, text)
    return Answer(xml, {**fields_of(ref), "content": text}, text)


_DONE = {"write": "successfully written to", "append": "successfully appended to", "insert": "successfully inserted in"}


def written(ref_id: str, file_path: str, mode: str, n_bytes: int, n_lines: int) -> Answer:
    message = f"Reference content {_DONE[mode]} {file_path}"
    return file_written("ref_write", {"ref_id": ref_id}, file_path, mode, n_bytes, n_lines, message)


def file_written(
    name: str, id: Mapping[str, str], file_path: str, mode: str, n_bytes: int, n_lines: int, message: str
) -> Answer:
    """What was written to a file, in an element called `name`; `id` is that of the ref or descriptor."""
    head = opening(name, {**id, "file_path": file_path, "success": True, "mode": mode})
    xml = (
        f"<{head}>\n  <message>{escape_closing(message, 'message')}</message>\n  <stats>\n"
        f"    <bytes>{n_bytes}</bytes>\n    <lines>{n_lines}</lines>\n  </stats>\n</{name}>"
    )
    return Answer(xml, {**id, "file_path": file_path, "mode": mode, "bytes": n_bytes, "lines": n_lines})


def _attributes(ref: Ref) -> dict[str, object]:
    known = {"id": ref.id, "created": time_written(ref.created), "lines": ref.lines, "chars": ref.chars}
    more = {"language": ref.language, "category": ref.category}
    versions = {"versions": ref.n_versions} if ref.n_versions > 1 else {}
    return known | {name: value for name, value in more.items() if value} | versions
