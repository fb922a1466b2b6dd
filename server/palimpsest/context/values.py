"""What each kind of block is worth: the one table by which they compete for room.

In: nothing.  Out: numbers.  Higher is chosen first.  The order is by how often the next tokens can only be known from
the block: members of `self` before those of another class, those before a package's names, those before the module's
own names (which the model sees in part in the editing block), those before prose and the tree of files.

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

`selection.py` takes one point off for every `TOKENS_PER_POINT` tokens, so that of two alike the smaller comes first,
and gives a resident block `RESIDENT_BONUS`: to keep it costs nothing, to bring it back costs its tokens.
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
"""Completions and suggestions share one choice of blocks: one for each would change what is attached, and decode tails
anew, whenever a person goes from typing to asking.  So rules come right behind the code, first of all prose: even when
they are resident (`RESIDENT_BONUS`) and a block of names is not, both of `context.block_tokens`, it goes first, since a
completion lives from names, and a rule helps it rarely.  Where code takes the whole budget there are no rules."""
FOLLOWED_RULES = 95.0
"""For a model that was taught to do what it is told (`Chooser.fits`): only the class at the cursor goes before."""
MODULE_DOCUMENTATION = 36.0
README_SECTION = 32.0
FILESYSTEM = 28.0

PER_PRIORITY = 10.0
PER_RANK = 0.01
"""Taken off for each place behind the first in a source's own order."""
TOKENS_PER_POINT = 200
RESIDENT_BONUS = 8.0
