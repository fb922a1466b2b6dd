"""Refs as a model and a program read them (docs/formats.md, "Refs"; "Results and errors").

In: refs.  Out: XML and fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from palimpsest.conversations.refs.refs import Ref
from palimpsest.text.markup import attribute, escape_closing


def time_written(created: float) -> str:
    """Local time, to the second, as the formats have it."""
    return datetime.fromtimestamp(created).isoformat(timespec="seconds")


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


def list_fields(refs: Sequence[Ref]) -> dict[str, Any]:
    return {"count": len(refs), "refs": [fields_of(ref) for ref in refs]}


def list_xml(refs: Sequence[Ref]) -> str:
    rows = [f"  <ref {_written(_shown(ref))} />" for ref in refs]
    return "\n".join([f'<ref_list count="{len(refs)}">', *rows, "</ref_list>"])


def content_fields(ref: Ref, content: str) -> dict[str, Any]:
    return {**fields_of(ref), "content": content}


def content_xml(ref: Ref, content: str) -> str:
    version = {"version": str(ref.version)} if ref.n_versions > 1 else {}
    return (
        f"<ref_content {_written({'id': ref.id} | version)}>\n{escape_closing(content, 'ref_content')}\n</ref_content>"
    )


def write_fields(ref_id: str, file_path: str, mode: str, n_bytes: int, lines: int) -> dict[str, Any]:
    return {"ref_id": ref_id, "file_path": file_path, "mode": mode, "bytes": n_bytes, "lines": lines}


DONE = {"write": "successfully written to", "append": "successfully appended to", "insert": "successfully inserted in"}


def write_xml(ref_id: str, file_path: str, mode: str, n_bytes: int, lines: int) -> str:
    head = _written({"ref_id": ref_id, "file_path": file_path, "success": "true", "mode": mode})
    message = escape_closing(f"Reference content {DONE[mode]} {file_path}", "message")
    return (
        f"<ref_write {head}>\n  <message>{message}</message>\n  <stats>\n    <bytes>{n_bytes}</bytes>\n"
        f"    <lines>{lines}</lines>\n  </stats>\n</ref_write>"
    )


def _shown(ref: Ref) -> dict[str, str]:
    known = {"id": ref.id, "created": time_written(ref.created), "lines": str(ref.lines), "chars": str(ref.chars)}
    more = {"language": ref.language, "category": ref.category}
    versions = {"versions": str(ref.n_versions)} if ref.n_versions > 1 else {}
    return known | {name: value for name, value in more.items() if value} | versions


def _written(attributes: Mapping[str, str]) -> str:
    return " ".join(f"{name}={attribute(value)}" for name, value in attributes.items())
