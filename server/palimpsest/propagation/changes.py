"""What an edit amounts to, and the sites that follow from it.

In: nothing.  Out: immutable data.  `uri` is always the edited document, `scope` a qualified name (`Cart.add`, empty for
the file).  Changes compare by value, so that one that was dismissed is recognised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.syntax.calls import Parameter

RenameKind = Literal["local", "variable", "parameter", "attribute", "function", "class", "import"]
SiteKind = Literal["rename", "signature", "swap", "import", "async", "model"]


@dataclass(frozen=True, slots=True)
class Rename:
    """`scope` binds the name; of an attribute (methods are attributes, too) it is the class."""

    uri: str
    kind: RenameKind
    scope: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """`scope` is the class of a method, or where the function stands; `renamed` are parameters, (old, new)."""

    uri: str
    scope: str
    name: str
    is_method: bool
    before: tuple[Parameter, ...]
    after: tuple[Parameter, ...]
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AsyncChange:
    """A function became one whose calls are awaited."""

    uri: str
    scope: str
    name: str
    is_method: bool


@dataclass(frozen=True, slots=True)
class ImportChange:
    """A name is imported from another module, as written in absolute imports."""

    uri: str
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Swap:
    """Two elements of `head` (what is called, or an operator) change places: `before` becomes `target`.

    `now` is what stands at the edited place: `target`, or half of it, where one element stands twice.
    """

    uri: str
    scope: str
    head: str
    before: tuple[str, ...]
    now: tuple[str, ...]
    target: tuple[str, ...]


EditPattern = Rename | SignatureChange | AsyncChange | ImportChange | Swap


@dataclass(frozen=True, slots=True)
class Site:
    """`text` replaces the bytes `start..end`, which read `before`.

    `hole` is an offset (characters) in `text` where a value for the parameter `wants` has to be written, which a tree
    cannot tell; `where` names the scope it is in; `sure` is False where only its own text tells whether it has
    followed already.
    """

    uri: str
    start: int
    end: int
    before: str
    text: str
    kind: SiteKind
    message: str
    where: str = ""
    hole: int | None = None
    wants: str = ""
    sure: bool = True
