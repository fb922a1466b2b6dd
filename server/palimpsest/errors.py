"""Every exception of ours, as one tree.

    PalimpsestError                 the root: `str(error)` can be shown to the user, `hint` says what to do
    ├── InvalidArgument             a caller's value is wrong; `field` names it     (LSP −32602, HTTP 400)
    │   ├── NotFound                nothing has this name; the hint says what there is
    │   ├── OutOfRange              a page, line or character that is not there; the hint says what there is
    │   └── AlreadyExists           it would be overwritten, and that was not asked for
    ├── SettingsError               a settings file or option is wrong; `field` names it
    ├── OutsideWorkspace            a path or URI is not inside a workspace folder
    ├── StaleDocument               the document has changed since the version that was asked about
    ├── StorageError                the conversations' database cannot be read or written
    ├── Denied                      the person or a setting does not allow it
    ├── GitError                    git is missing, fails, or finds no repository
    └── EngineError                 the engine cannot do what was requested
        ├── EngineUnavailable       there is no engine: not installed, not started, given up, unreachable
        │   ├── EngineRefused       the engine refuses the key
        │   └── EngineSilent        the engine does not answer in time
        ├── EngineLoading           the model is still being loaded
        ├── EngineDied              the process ended during the request
        ├── ModelError              the model file is missing, truncated or unsuitable
        ├── ContextTooLarge         the prompt does not fit; `fitting` is how many tokens would
        ├── UnknownText             texts named by their hash are not known (any more); `hashes` are theirs
        ├── UnknownTail             a tail with that name is not kept (any more)
        ├── DecodeError             llama_decode failed; `code` is its return code
        └── Cancelled               the request was cancelled or replaced by a newer one

Out: exceptions.  `code` is the stable word that crosses the wire between server and engine.  A message about a value
that somebody gave begins with the name of its field, setting or option and a colon, and says what was expected:
`engine.n_ctx: expected a whole number, got 'x'.`
"""

from collections.abc import Sequence
from typing import Any

LONGEST_SHOWN = 60


class PalimpsestError(Exception):
    """The root.  `message` is one sentence for the user; `hint` is the next step, or empty."""

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class _FieldError(PalimpsestError):
    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{field}: {message}", hint=hint)
        self.field = field


class InvalidArgument(_FieldError):
    code = "invalid_argument"


class SettingsError(_FieldError):
    code = "settings"


class OutsideWorkspace(PalimpsestError):
    code = "outside_workspace"


class StaleDocument(PalimpsestError):
    code = "stale_document"


class StorageError(PalimpsestError):
    code = "storage"


class NotFound(InvalidArgument):
    code = "not_found"


class OutOfRange(InvalidArgument):
    code = "out_of_range"


class AlreadyExists(InvalidArgument):
    code = "exists"


class Denied(PalimpsestError):
    code = "denied"


class GitError(PalimpsestError):
    code = "git"


class EngineError(PalimpsestError):
    code = "engine"


class EngineUnavailable(EngineError):
    code = "unavailable"


class EngineRefused(EngineUnavailable):
    code = "refused"


class EngineSilent(EngineUnavailable):
    """It may be busy, or hang.  `code` is that of EngineUnavailable."""


class EngineLoading(EngineError):
    code = "loading"


class EngineDied(EngineError):
    code = "died"


class ModelError(EngineError):
    code = "model"


class ContextTooLarge(EngineError):
    code = "context_too_large"

    def __init__(self, message: str, *, fitting: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.fitting = fitting


class UnknownText(EngineError):
    code = "unknown_text"

    def __init__(self, hashes: Sequence[str]) -> None:
        super().__init__(f"{len(hashes)} texts are not known by their hash.", hint="Send them in full.")
        self.hashes = tuple(hashes)


class UnknownTail(EngineError):
    code = "unknown_tail"

    def __init__(self, name: str) -> None:
        super().__init__(f"No tail is kept under the name {name!r}.", hint="Send its text again, under that name.")
        self.name = name


class DecodeError(EngineError):
    code = "decode"

    def __init__(self, message: str, *, return_code: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.return_code = return_code


class Cancelled(EngineError):
    code = "cancelled"


def shown(value: Any) -> str:
    """A value as a message shows it, whatever somebody sent."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return "what is nested too deeply, or too large"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
