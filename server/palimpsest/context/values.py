"""The value of each kind of block: the one table by which blocks compete for room.

In: nothing.  Out: numbers; the highest is chosen first.  A kind is worth more the more often its blocks alone tell what
the next tokens are: first the members of the enclosing class, then those of other classes, a package's names, the
module's own names (some of which the editing block shows), prose, and the tree of files.

    kind                                                       value
    a pinned file                                              120    (chosen first in any case)
    the class around the cursor                                100
    an earlier cell of the notebook, the nearest first          98
    the class of a parameter's annotation                       92
    another class that the editing block names                  90
    a base of the class around the cursor                       88
    a module of the workspace that the block uses               80
    an installed package that the block uses                    76
    the class of one of its attributes                          72
    put from outside, priority 0                                70    plus ten times its priority
    names visible at the cursor                                 64
    a file of the project's rules                               52
    the module's docstring                                      36
    a section of the README                                     32
    the tree of files                                           28

`choice/selection.py` subtracts one point for every `TOKENS_PER_POINT` tokens, so that the smaller of two similar blocks
comes first, and adds `RESIDENT_BONUS` to a resident block: keeping it costs nothing, decoding it again its tokens.
"""

from __future__ import annotations

PINNED_FILE = 120.0
ENCLOSING_CLASS = 100.0
EARLIER_CELL = 98.0
ANNOTATION_CLASS = 92.0
USED_CLASS = 90.0
BASE_CLASS = 88.0
WORKSPACE_MODULE = 80.0
PACKAGE = 76.0
ATTRIBUTE_CLASS = 72.0
OUTSIDE = 70.0
SCOPE = 64.0
RULES = 52.0
"""Completions and suggestions share one choice of blocks: separate ones would attach other blocks, and decode tails
again, whenever the user goes from typing to asking.  Rules rarely help a completion, which needs names, so they come
behind all code and before other prose: even a resident block of rules (`RESIDENT_BONUS`) comes behind a block of names
that is not resident, both being of `context.block_tokens`.  If code fills the budget, there are no rules."""
FOLLOWED_RULES = 95.0
"""For a model that follows instructions (`Chooser.fits`): only the class at the cursor comes first."""
MODULE_DOCUMENTATION = 36.0
README_SECTION = 32.0
FILESYSTEM = 28.0

PER_PRIORITY = 10.0
PER_RANK = 0.01
"""Subtracted for each rank behind the first in a source's own order."""
TOKENS_PER_POINT = 200
RESIDENT_BONUS = 8.0
