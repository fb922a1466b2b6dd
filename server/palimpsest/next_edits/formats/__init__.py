"""How models that write next edits are asked, and how they answer: a file for each format, by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from palimpsest.next_edits.formats.format import NextEditFormat
from palimpsest.next_edits.formats.sweep import Sweep
from palimpsest.next_edits.formats.zeta_2 import Zeta2
from palimpsest.next_edits.formats.zeta_2_1 import Zeta21

_ALL: tuple[NextEditFormat, ...] = (Sweep(), Zeta2(), Zeta21())

FORMATS: Mapping[str, NextEditFormat] = MappingProxyType({one.name: one for one in _ALL})
