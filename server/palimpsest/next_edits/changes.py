"""Pure: kinds of edits, and the sites that follow from them.

Out: immutable data.  `uri` is the edited document, `scope` a qualified name (`Cart.add`, empty for
the file).  Changes compare by value, so that a dismissed one is recognised.
"""

from dataclasses import dataclass
from typing import Literal

from palimpsest.next_edits.repeats import Rule
from palimpsest.syntax.calls import Parameter

RenameKind = Literal["local", "variable", "parameter", "attribute", "function", "class", "import"]
SiteKind = Literal["rename", "signature", "swap", "import", "async", "repeat", "model"]


@dataclass(frozen=True, slots=True)
class Rename:
    """`scope` binds the name; for an attribute (including methods) it is the class."""

    uri: str
    kind: RenameKind
    scope: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """`scope` is the class of a method, or the scope around the function; `renamed` are parameters, (old, new);
    `in_namespace`: there are only namespaces around it."""

    uri: str
    scope: str
    name: str
    is_method: bool
    before: tuple[Parameter, ...]
    after: tuple[Parameter, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    in_namespace: bool = False


@dataclass(frozen=True, slots=True)
class AsyncChange:
    """A function became asynchronous, so its calls must be awaited."""

    uri: str
    scope: str
    name: str
    is_method: bool
    in_namespace: bool = False


@dataclass(frozen=True, slots=True)
class ImportChange:
    """A name is imported from a different module; modules are as written in absolute imports."""

    uri: str
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Swap:
    """Two elements of `head` (what is called, or an operator) change places: `before` becomes `target`.

    `now` is the current text of the edited place: `target`, or a half-finished swap in which one element occurs twice.
    """

    uri: str
    scope: str
    head: str
    before: tuple[str, ...]
    now: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagChange:
    """A tag of markup has another name than its `partner`: numbers among all tags, `of` which there were that many."""

    uri: str
    old: str
    new: str
    edited: int
    partner: int
    of: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same tokens become the same ones as before, in whatever document."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class MissingImport:
    """A name is used now that the document does not import."""

    uri: str
    name: str


EditPattern = Rename | TagChange | SignatureChange | AsyncChange | ImportChange | Swap


Change = EditPattern | Repeat | MissingImport
"""What a next edit follows from."""


@dataclass(frozen=True, slots=True)
class Site:
    """`text` replaces the bytes `start..end`, which contain `before`.

    `hole` is an offset (characters) in `text` where a value for the parameter `wants` must be written, which the tree
    does not determine; `where` names the scope it is in; `sure` is False if only the site's own text shows whether it
    has already been changed.
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
