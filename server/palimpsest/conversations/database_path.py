"""Where the conversations of a workspace are kept.  Knows nothing of what is in them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from palimpsest.errors import StorageError
from palimpsest.system import folders


def path_of(roots: Iterable[Path]) -> Path:
    """Where the conversations of these folders are, in whichever order they were opened.  Raises StorageError."""
    name = hashlib.blake2b("\0".join(sorted(map(str, roots))).encode(), digest_size=8).hexdigest()
    try:
        return folders.state() / "conversations" / f"{name}.sqlite"
    except OSError as error:
        raise StorageError(f"There is no folder for conversations: {folders.refusal(error)}.") from error
