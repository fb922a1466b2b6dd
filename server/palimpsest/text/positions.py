"""The only conversion between our columns and the character offsets of LSP.

In: one line without its line end.  Out: columns (code points), or units of the negotiated `PositionEncodingKind`: bytes
of UTF-8, code units of UTF-16, code points of UTF-32.  Knows no document and no editor.
"""

from typing import Literal

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]


def utf8(text: str) -> bytes:
    """UTF-8 that allows lone surrogates, which an editor may send while the user types an emoji."""
    return text.encode("utf-8", "surrogatepass")


def joined(text: str) -> str:
    """The text with each surrogate pair replaced by the character that it encodes."""
    return text if text.isascii() else _utf16(text).decode("utf-16-le", "surrogatepass")


def well_formed(text: str) -> str:
    """`joined`, with U+FFFD for lone surrogates: text that can be encoded."""
    return text if text.isascii() else _utf16(text).decode("utf-16-le", "replace")


def halves(char: str) -> tuple[str, str]:
    """The two surrogates of a character beyond U+FFFF."""
    raw = _utf16(char)
    return raw[:2].decode("utf-16-le", "surrogatepass"), raw[2:].decode("utf-16-le", "surrogatepass")


def is_high(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


def is_low(char: str) -> bool:
    return "\udc00" <= char <= "\udfff"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def column_to_units(line: str, column: int, encoding: PositionEncoding) -> int:
    """The offset, in units of `encoding`, of the code point at `column`, which is clamped to the line."""
    before = line[: max(0, column)]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-8":
        return len(utf8(before))
    return len(before) + sum(char > "\uffff" for char in before)


def units_to_column(line: str, units: int, encoding: PositionEncoding) -> int:
    """The column of the code point that contains the unit at offset `units`, which is clamped to the line."""
    units = max(0, units)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    end = 0
    for column, char in enumerate(line):
        end += column_to_units(char, 1, encoding)
        if units < end:
            return column
    return len(line)
