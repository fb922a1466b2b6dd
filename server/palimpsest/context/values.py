"""The value of each block: the one table by which blocks compete for room.

In: what a block has, how far from the cursor that is defined, how the editing block mentions it.  Out: numbers; the
highest is chosen first.

    value = kind + distance + mention - 1 for each newer one of its kind (where a kind has an age)
                                      + 0.5 for each name used, up to 6, of a module whose names all are at hand

A kind is worth more the more often its blocks alone tell what the next tokens are: members of classes, then a module's
names, the file's own names (some of which the editing block shows), prose, and the tree of files.  What is defined near
the cursor is used again more often than what is defined far away; of what is far away, it is less certain that it is
meant at all.  What the signature names is what the function is about; what it does not name itself but something that
it names (a base class, the class of an attribute) may be needed, or not.

So the blocks that there are have these values:

    the class around the cursor                                100
    an earlier cell of the notebook, the nearest one            98
    a class of the same file in the signature                   94
    an imported class in the signature                          92
    a class of the same file in the editing block               92
    an imported class in the editing block                      90
    what other files define and the lines around use            90
    an imported base of the class around the cursor             88
    an imported class that one of these is derived from         84
    a fixture that the test takes                               82
    a module of the workspace that the editing block uses       80
    a class that only one file of the workspace defines         78
    an installed package that the editing block uses            76
    names of the function that the editing block leaves out     74
    put from outside, priority 0                                70    plus ten times its priority
    what is wrong in the cursor's line                          70
    a function that only one file of the workspace defines      68
    the last edit of the function                               68
    a class that is imported and not used yet                   68
    the imported class of an attribute                          66
    names of the file                                           64
    what is wrong in the file                                   60
    a test of the function, what the test is of                 60
    the last edit elsewhere in the file                         58
    a header of which the editing block uses nothing            58
    a module that is imported and not used yet                  58
    a file of the project's rules                               52
    code of the file that the person worked with lately         52
    a document that a comment links to                          46
    the documentation of a function of the file that is called  46
    the documentation of an imported function that is called    44
    the last edit of another file                               44
    the documentation of a function of a package                40
    code of another file that the person worked with            38
    the module's docstring                                      36
    what of the file is not committed                           34
    a section of the README or of another document              32
    the last commits of the function                            30
    the tree of files                                           28

`choice/selection.py` subtracts one point for every `TOKENS_PER_POINT` tokens, so that the smaller of two similar blocks
comes first, and adds `RESIDENT_BONUS` to a resident block: keeping it costs nothing, decoding it again its tokens.
What is pinned comes before everything; what was chosen before and is no candidate now comes behind everything, what was
one last before the others.
"""

from collections.abc import Mapping
from typing import Literal

Kind = Literal[
    "cell",
    "class",
    "module",
    "outside",
    "scope",
    "test",
    "problem",
    "edit",
    "rules",
    "recent",
    "documentation",
    "history",
    "files",
]
Distance = Literal["function", "class", "file", "imported", "installed", "elsewhere"]
Mention = Literal["signature", "named", "base", "inherited", "unnamed", "attribute", "unused"]

KINDS: Mapping[Kind, float] = {
    "cell": 96.0,
    "class": 90.0,
    "module": 80.0,
    "outside": 70.0,
    "scope": 62.0,
    "test": 60.0,
    "problem": 58.0,
    "edit": 56.0,
    "rules": 52.0,
    "recent": 50.0,
    "documentation": 44.0,
    "history": 42.0,
    "files": 28.0,
}
DISTANCES: Mapping[Distance, float] = {
    "function": 12.0,
    "class": 10.0,
    "file": 2.0,
    "imported": 0.0,
    "installed": -4.0,
    "elsewhere": -12.0,
}
MENTIONS: Mapping[Mention, float] = {
    "signature": 2.0,
    "named": 0.0,  # in the editing block
    "base": -2.0,  # of what is named
    "inherited": -6.0,  # by that
    "unnamed": -10.0,  # nowhere
    "attribute": -24.0,  # as what an attribute is
    "unused": -22.0,  # among all names of a module, none of them used; as an import not used yet
}
PER_NEWER = 1.0
"""Subtracted for each newer block of a kind whose blocks have an age."""
PER_RANK = 0.01
"""Subtracted for each rank behind the first in a source's own order, which decides between equals only."""
PER_NAME, MOST_NAMES = 0.5, 6
"""Added for each name that the editing block uses of a module whose names all are at hand, and for how many at most."""
PER_PRIORITY = 10.0
TOKENS_PER_POINT = 200
RESIDENT_BONUS = 8.0


def worth(
    kind: Kind,
    distance: Distance | None = None,
    mention: Mention = "named",
    *,
    rank: int = 0,
    newer: int = 0,
    used: int = 0,
) -> float:
    """`distance` is None where a block is about no place; `rank` is its place in its source's order, `newer` the number
    of blocks of its kind that are newer, `used` that of names used of a module whose names all are at hand."""
    near = 0.0 if distance is None else DISTANCES[distance]
    by_use = PER_NAME * min(used, MOST_NAMES)
    return KINDS[kind] + near + MENTIONS[mention] + by_use - PER_RANK * rank - PER_NEWER * newer


FIXTURE = worth("module", "imported", "signature")
FILE_NAMES = worth("module", "class")
TEST = worth("test", "imported")
"""Tests and what they are of know each other, whatever they import."""
PINNED_FILE = 120.0
"""A pinned file is chosen first in any case; its value only places it in lists of blocks."""
OUTSIDE = worth("outside")
RULES = worth("rules")
"""Completions and suggestions share one choice of blocks: separate ones would attach other blocks, and decode tails
again, whenever the user goes from typing to asking.  Rules rarely help a completion, which needs names, so they come
behind all code and before other prose: even a resident block of rules (`RESIDENT_BONUS`) comes behind a block of names
that is not resident, both being of `context.block_tokens`.  If code fills the budget, there are no rules."""
FOLLOWED_RULES = 95.0
"""The value of rules for a model that follows instructions (`Chooser.fits`): only the class at the cursor comes
first."""
MODULE_DOCUMENTATION = worth("documentation", "file", "unnamed")
UNCOMMITTED = worth("history", "file", "unnamed")
LINKED = worth("documentation", "imported", "signature")
"""A link says that the document is meant, as a signature says what a function is about."""
README_SECTION = worth("documentation", "elsewhere")
COMMITS = worth("history", "elsewhere")
"""An old version is not what the file says now, so it counts as text from elsewhere."""
FILESYSTEM = worth("files")
