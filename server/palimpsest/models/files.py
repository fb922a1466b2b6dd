"""Selects the GGUF file to use: the setting's, else the one chosen with `palimpsest model use`, else the default model
if it was downloaded, else the small embedded one.

In: settings, the user's folders.  Out: paths.  `download.py` and `default_model.py` do the downloading.  Does not know
about engines.
"""

import json
import os
from importlib import resources
from pathlib import Path

from palimpsest.config.settings import ModelSettings
from palimpsest.errors import ModelError
from palimpsest.models import default_model
from palimpsest.models.header import GgufFile, read_header
from palimpsest.system import folders

EMBEDDED = "palimpsest-embedded.gguf"
CHOOSE = "Choose another with `palimpsest model use PATH`, or `palimpsest model use embedded`."
_EMBEDDED = "embedded"  # recorded by this name because the package may move


def model_path(settings: ModelSettings) -> Path:
    """The file to load; it may be missing or damaged, which `inspect` reports."""
    if settings.path:
        return folders.expanded(settings.path).absolute()
    return chosen() or (default_model.path() if default_model.is_here() else default_model.earlier() or embedded())


def may_have_better(settings: ModelSettings) -> bool:
    """Whether the embedded model is used only because nothing was chosen and the default one was not downloaded."""
    return default_model.can_be_had() and model_path(settings) == embedded() and chosen() is None


def inspect(path: Path) -> GgufFile:
    """Describes the file.  Raises ModelError, with a hint, if it is missing, not GGUF, or incomplete."""
    try:
        return read_header(path)
    except ModelError as error:
        raise ModelError(error.message, hint=error.hint or CHOOSE) from error


def embedded() -> Path:
    """The model that comes with Palimpsest."""
    return Path(str(resources.files("palimpsest") / "assets" / EMBEDDED))


def chosen() -> Path | None:
    """The file that `use` recorded last; None if the record cannot be read."""
    try:
        record = json.loads(_record().read_text(encoding="utf-8"))
        return embedded() if record["path"] == _EMBEDDED else Path(record["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def use(path: Path) -> GgufFile:
    """Records this file as the model to use from now on.  Raises ModelError, and records nothing, if it is not a
    complete GGUF file."""
    file = inspect(path.expanduser().absolute())
    _write({"path": str(file.path)})
    return file


def use_embedded() -> GgufFile:
    """Records the model in the package as the one to use, wherever the package may be later."""
    _write({"path": _EMBEDDED})
    return inspect(embedded())


def use_default() -> GgufFile:
    """Forgets the choice.  Raises ModelError, and changes nothing, if the default model was not downloaded."""
    file = inspect(_default())
    try:
        _record().unlink(missing_ok=True)
    except OSError as error:
        raise ModelError(f"The choice in {_record()} cannot be forgotten: {error.strerror or error}.") from error
    return file


def _default() -> Path:
    if not default_model.is_here():
        raise ModelError("The default model is not here yet.", hint=f"palimpsest model get {default_model.NAME}")
    return default_model.path()


def downloaded() -> list[Path]:
    """The GGUF files in the models folder; none where there is no such folder."""
    try:
        return sorted(path for path in folders.models().rglob("*.gguf") if path.is_file())
    except OSError:
        return []


def find(name: str) -> Path:
    """Finds a file by `default` or `embedded`, by its path, or by its name in the models folder (with or without
    `.gguf`).

    Raises a ModelError that lists the available names.
    """
    if name == _EMBEDDED:
        return embedded()
    if name == default_model.NAME:
        return _default()
    try:
        path = Path(name).expanduser()
        if path.exists():
            return path
    except (OSError, ValueError, RuntimeError) as error:  # too long, no path at all, nobody's home
        raise ModelError(f"{name[:80]!r} is no path: {getattr(error, 'strerror', None) or error}.") from error
    there = downloaded()
    for file in there:
        if name in (file.name, file.stem):
            return file
    ours = [default_model.NAME] if default_model.is_here() else []
    names = ", ".join([*ours, _EMBEDDED, *(file.stem for file in there)])
    raise ModelError(f"There is no model file {name}.", hint=f"Here: {names}; `palimpsest model list` says more.")


def _record() -> Path:
    return folders.config() / "model.json"


def _write(record: dict[str, str]) -> None:
    """Writes the record atomically: a server may be reading it.  Raises ModelError."""
    target = _record()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f"{target.name}.{os.getpid()}")
        new.write_text(json.dumps(record), encoding="utf-8")
        new.replace(target)
    except OSError as error:
        raise ModelError(f"The choice cannot be kept in {target}: {error.strerror or error}.") from error
