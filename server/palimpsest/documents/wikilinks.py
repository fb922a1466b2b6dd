"""What `[[links]]` mean: which document of a workspace, and which heading of it.

In: a text; a link, the folder it is in, the known documents.  Out: links with their places; `Found`, `Several` or
`Missing`.  A link names a document by its path (with or without suffix, from the top, from its own folder, or the end
of it), by title, by alias, or a heading that only one document has; `[[page#heading]]` names a heading in it,
`[[page#^id]]` the paragraph or item that ends with `^id`.  The first of these ways that finds something counts.  Of
several documents the one nearest by folder is meant if it is the only one there; else the answer is all of them.  Pure:
paths are relative to the workspace, with forward slashes.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from palimpsest.documents.outline import Heading, Outline
from palimpsest.text.alike import n_alike

SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc"})
LONGEST = 300
_LINK = re.compile(rf"(?<!\[)(?<!(?<!\\)\\)\[\[([^\[\]\n]{{1,{LONGEST}}})(?<!\\)\]\](?!\])")
"""Not behind a backslash, with which Markdown has it as text."""
MOST_MARKS = 4
"""Number signs in a link that may be part of a name."""
_DRIVE = re.compile(r"[A-Za-z]:")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Link:
    """`target` is empty for a heading of the same document; `shown` is what is written instead of it, or "";
    `start..end` is the whole link in its text.  `name` is target and heading as they are written."""

    target: str
    heading: str = ""
    shown: str = ""
    start: int = 0
    end: int = 0
    name: str = ""

    @property
    def unplaced(self) -> "Link":
        """The same wherever it stands."""
        return Link(self.target, self.heading, name=self.name)


State = Literal["read", "unread", "kept back"]


@dataclass(frozen=True, slots=True)
class Document:
    """`state`: of one that is `unread`, as it is too large, nobody knows the headings; one that is `kept back` no link
    leads to."""

    path: str
    outline: Outline
    state: State = "read"


@dataclass(frozen=True, slots=True)
class Found:
    document: Document
    heading: Heading | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """What the link may mean, in order of the paths."""

    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """`document` is the one that lacks the heading; None if there is no document.  `why`: what is there may not be
    read, a sentence without its stop; "" where nothing is there."""

    document: Document | None = None
    why: str = ""


Resolved = Found | Several | Missing


class DocumentNames:
    """All documents of a workspace folder, by what links call them.  Immutable."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.by_path = {document.path: document for document in documents}
        self._by_ending: dict[str, list[Document]] = defaultdict(list)
        self._by_title: dict[str, list[Document]] = defaultdict(list)
        self._by_alias: dict[str, list[Document]] = defaultdict(list)
        self._by_heading: dict[str, list[Document]] = defaultdict(list)
        for _, document in sorted(self.by_path.items()):
            for name in _names_of(document.path):
                self._by_ending[name.rpartition("/")[2]].append(document)
            self._by_title[_folded(document.outline.title)].append(document)
            for alias in {_folded(alias) for alias in document.outline.aliases}:
                self._by_alias[alias].append(document)
            for heading in {_folded(heading.title) for heading in document.outline.headings}:
                self._by_heading[heading].append(document)

    def at(self, path: str) -> list[Document]:
        """The document at exactly this path, with or without its suffix; several if only suffixes differ."""
        wanted = _folded(path)
        return [one for one in self._ending(wanted) if wanted in _names_of(one.path)]

    def below_any(self, path: str) -> list[Document]:
        """The documents whose path ends with this one, at a whole name."""
        wanted = _folded(path)
        return [
            one
            for one in self._ending(wanted)
            if any(f"/{name}".endswith(f"/{wanted}") for name in _names_of(one.path))
        ]

    def called(self, name: str) -> list[Document]:
        """Those with the title; else those with the alias; else those with the heading, if that is one."""
        wanted = _folded(name)
        if not wanted:
            return []
        with_heading = self._by_heading.get(wanted, [])
        found = self._by_title.get(wanted) or self._by_alias.get(wanted)
        return found or (with_heading if len(with_heading) == 1 else [])

    def is_titled(self, document: Document, name: str) -> bool:
        return _folded(name) in map(_folded, (document.outline.title, *document.outline.aliases))

    def _ending(self, wanted: str) -> Sequence[Document]:
        return self._by_ending.get(wanted.rpartition("/")[2], ())


def links(text: str) -> Iterator[Link]:
    """The links of a text, in order."""
    for found in _LINK.finditer(text):
        name, _, shown = found.group(1).replace("\\|", "|").partition("|")
        target, _, heading = name.partition("#")
        heading = heading.rpartition("#")[2]
        if target.strip() or heading.strip():
            yield Link(target.strip(), heading.strip(), shown.strip(), found.start(), found.end(), name.strip())


def resolve(link: Link, near: str, documents: DocumentNames) -> Resolved:
    """`near` is the path of the file that the link is in; "" if it is in none.  Of the ways in which a name with
    several number signs can be read, the one with the longest target that is there counts."""
    for target, heading in _readings(link.name):
        if isinstance(found := _resolved(target, heading, near, documents), Found):
            return found
    return _resolved(link.target, link.heading, near, documents)


def _readings(name: str) -> Iterator[tuple[str, str]]:
    """Target and heading: each number sign may part them, or be in a name (`C#`)."""
    signs = [at for at, char in enumerate(name) if char == "#"][:MOST_MARKS]
    if signs and signs[0] > 0:
        yield name, ""
    for at in reversed(signs):
        if at == signs[0] or signs[0] > 0:
            yield name[:at].strip(), name[at + 1 :].strip()


def _resolved(target: str, heading: str, near: str, documents: DocumentNames) -> Resolved:
    if not target:
        here = documents.by_path.get(near)
        return Missing() if here is None else _with_heading(here, heading)
    found, by_heading = _meant(target, near, documents), False
    if not found:
        found = documents.called(target)
        by_heading = len(found) == 1 and not documents.is_titled(found[0], target)
    only = found[0] if len(found) == 1 else _nearest(found, near)
    if only is None:
        return Several(tuple(found)) if found else Missing()
    return _with_heading(only, heading or (target if by_heading else ""))


def _meant(target: str, near: str, documents: DocumentNames) -> list[Document]:
    """What a target means as a path."""
    target = target.replace("\\", "/")
    if target.startswith(("/", "~")) or _DRIVE.match(target):
        return []
    folder = PurePosixPath(near).parent.parts if near else ()
    here, top = _normal((*folder, *target.split("/"))), _normal(target.split("/"))
    is_relative = target.startswith(("./", "../"))
    for path in (here,) if is_relative else (here, top):
        if path and (found := documents.at(path)):
            return found
    return documents.below_any(top) if top and not is_relative else []


def _normal(parts: Iterable[str]) -> str:
    """The path without `.` and `..`; "" if it leads out of the workspace."""
    found = list[str]()
    for part in parts:
        if part == ".." and not found:
            return ""
        if part == "..":
            found.pop()
        elif part not in ("", "."):
            found.append(part)
    return "/".join(found)


def _nearest(found: Sequence[Document], near: str) -> Document | None:
    """The only one that shares more folders with `near` than all others; None if there is no such document."""
    folder = PurePosixPath(near).parent.parts if near else ()
    shared = [n_alike(PurePosixPath(one.path).parent.parts, folder) for one in found]
    most = max(shared, default=0)
    return found[shared.index(most)] if most > 0 and shared.count(most) == 1 else None


def _with_heading(document: Document, heading: str) -> Resolved:
    if not heading or document.state == "unread":
        return Found(document)
    wanted, anchor = _folded(heading), _anchor(heading)
    if heading.startswith("^"):
        marked = next((one for one in document.outline.blocks if _folded(one.title) == wanted), None)
        return Missing(document) if marked is None else Found(document, marked)
    same = [one for one in document.outline.headings if _folded(one.title) == wanted]
    same = same or [one for one in document.outline.headings if _anchor(one.title) == anchor]
    return Found(document, same[0]) if same else Missing(document)


def _names_of(path: str) -> list[str]:
    """The path with and without its suffix, as they are compared."""
    folded = _folded(path)
    suffix = PurePosixPath(folded).suffix
    return [folded, folded.removesuffix(suffix)] if suffix in SUFFIXES else [folded]


def _folded(name: str) -> str:
    """As names are compared: macOS writes those of files with accents apart from their letters."""
    return " ".join(unicodedata.normalize("NFC", name).split()).casefold()


def _anchor(title: str) -> str:
    """A heading as links to it in web pages write it."""
    return _NOT_IN_ANCHOR.sub("", _folded(title)).replace(" ", "-")
