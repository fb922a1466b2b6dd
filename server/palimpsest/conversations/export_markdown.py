"""A conversation as one Markdown document, to be read by people.

In: what `export.py` has gathered.  Out: text.  Contents stand between fences that they cannot end.  Pure.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.conversations.documents.reference import problem_told
from palimpsest.conversations.transcript.writing import call_written, escaped, folded, lines_of
from palimpsest.documents.markdown import closing, fence_mark
from palimpsest.text.markup import attribute


def markdown(gathered: Mapping[str, Any]) -> str:
    talk = gathered["conversation"]
    # not `id`: that says that a document is the conversation
    front = {"conversation": talk["id"], "name": talk["name"], "model": talk["model"]}
    rows = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    parts = ["\n".join(["---", *rows, "---"]), f"# {_escaped(talk['name'] or talk['id'])}"]
    for turn in gathered["turns"]:
        parts += _turn(turn)
    if gathered["refs"]:
        parts.append("# Refs")
        for ref in gathered["refs"]:
            for one in ref["versions"]:
                parts += [f"## ref {_inline(ref['id'])}, version {one['version']}", _fence(one, one["language"])]
    if gathered["descriptors"]:
        parts.append("# Descriptors")
        for one in gathered["descriptors"]:
            parts += _descriptor(one)
    if gathered["experiences"]:
        parts.append("# Experiences")
        parts += [f"- {_inline(one['id'])}: {_line(one['text'])}" for one in gathered["experiences"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def _turn(turn: Mapping[str, Any]) -> Iterator[str]:
    state = "" if turn["state"] == "complete" else f" ({turn['state']})"
    yield f"## {turn['role']} <!-- turn {turn['id']} -->{state}"
    yield _said(str(turn["text"]), cut=turn["truncated"])
    if turn["thought"]:
        yield folded("Thought", turn["thought"])
    if turn["documents"]:
        rows = ["Referenced documents:"]
        for one in turn["documents"]:
            where = f"({one['path']})" if one["path"] is not None else f"({problem_told(one['problem'])})"
            how = ", read" if one["read"] else ", found" if one["kind"] == "search" else ""
            about = f": {_line(one['summary'])}" if one["summary"] else ""
            rows.append(f"- {_line(one['wikilink'])} {_line(where)}{how}{about}")
        yield "\n".join(rows)
    for call in turn["calls"]:
        yield f"<details><summary>call {_escaped(call['name'])} ({_escaped(call['status'])})</summary>"
        yield _fence({"content": call_written(call["name"], call["arguments"]), "truncated": False})
        yield _fence({"content": call["result"], "truncated": call.get("truncated", False)})
        yield "</details>"


def _said(text: str, *, cut: bool) -> str:
    """A turn's text, none of whose lines are headings of turns; a fence or comment that it leaves open ends with it."""
    shown = escaped(lines_of(text)) + (" …" if cut else "")
    return shown + closing(shown)


def _descriptor(one: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {one['id']}" + (f" {_inline(one['name'])}" if one["name"] else "")
    told = [
        f"from {_line(one['source'])}" if one["source"] else "",
        "closed" if one["closed"] else "",
        _line(one["summary"]),
    ]
    told += [f"section {_inline(it['name'])}: lines {it['start_line']}-{it['end_line']}" for it in one["sections"]]
    yield "; ".join(part for part in told if part)
    yield _fence(one, one["language"])


def _fence(one: Mapping[str, Any], language: str = "") -> str:
    text = str(one["content"])
    fence = fence_mark(text)
    cut = "\n(cut here)" if one["truncated"] else ""
    return f"{fence}{''.join(char for char in language if char.isalnum() or char in '+-#')}\n{text}\n{fence}{cut}"


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _inline(text: str) -> str:
    return f"`{_line(text).replace('`', '')}`"


def _escaped(text: str) -> str:
    return attribute(_line(text))[1:-1]
