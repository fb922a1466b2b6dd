"""A file of the workspace of any size, read piece by piece.

In: a path.  Out: its text.  Which files may be read is `files.py`'s to say; a secret with a format ends the reading,
others are masked.
"""

import codecs
from collections.abc import Iterator
from pathlib import Path

from palimpsest.system.reading import Refused, open_regular
from palimpsest.text import tokens
from palimpsest.workspace.files import WorkspaceFiles

PIECE = 1 << 20
OVERLAP = 4_096
"""Characters of the piece before in which a secret may begin."""


def pieces(path: Path, files: WorkspaceFiles) -> Iterator[str]:
    """Raises Refused, also amid the text, and OSError."""
    return tokens.masked_pieces(_pieces(path, files))


def _pieces(path: Path, files: WorkspaceFiles) -> Iterator[str]:
    if (reason := files.kept_out(path)) is not None:
        raise Refused(reason)
    decoder, before = codecs.getincrementaldecoder("utf-8-sig")(), ""
    with open_regular(path.resolve()) as file:
        while True:
            data = file.read(PIECE)
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError:
                raise Refused("is no UTF-8 text") from None
            if secret := tokens.found(before + text):
                raise Refused(f"holds what looks like {secret}")
            before = text[-OVERLAP:]
            if text:
                yield text
            if not data:
                return
