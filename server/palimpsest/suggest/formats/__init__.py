"""The edit formats by the names that the setting `suggestion.format` gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from palimpsest.suggest.formats.ast_edits import Ast
from palimpsest.suggest.formats.format import Format
from palimpsest.suggest.formats.ln_diff import LnDiff
from palimpsest.suggest.formats.search_replace import SearchReplace
from palimpsest.suggest.formats.udiff import Udiff
from palimpsest.suggest.formats.whole import Whole

_ALL: tuple[Format, ...] = (LnDiff(), Whole(), SearchReplace(), Udiff(), Ast())

FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _ALL})
