"""The edit formats by their names in the setting `suggestion.format`."""

from collections.abc import Mapping
from types import MappingProxyType

from palimpsest.edits.formats.ast_edits import Ast
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.ln_diff import LnDiff
from palimpsest.edits.formats.search_replace import SearchReplace
from palimpsest.edits.formats.udiff import Udiff
from palimpsest.edits.formats.whole import Whole

_ALL: tuple[EditFormat, ...] = (LnDiff(), Whole(), SearchReplace(), Udiff(), Ast())

FORMATS: Mapping[str, EditFormat] = MappingProxyType({one.name: one for one in _ALL})
