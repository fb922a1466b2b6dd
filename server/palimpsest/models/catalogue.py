"""Every model that a person can choose by a short name: what each is good for, what it takes, whether it is here.

In: the settings, a machine.  Out: rows for a list in an editor, and the file that a name stands for.  Fetches nothing.
"""

from dataclasses import dataclass
from pathlib import Path

from palimpsest.config.settings import EngineSettings, ModelSettings
from palimpsest.errors import ModelError
from palimpsest.models import default_model, files
from palimpsest.models.header import GgufFile
from palimpsest.models.hub import HUB, Hub, source_of
from palimpsest.models.known import KNOWN, NEXT_EDIT, KnownModel, Machine, fits

EMBEDDED = "embedded"
NAMES = (default_model.NAME, EMBEDDED, *(known.name for known in KNOWN))
SMALL_GIB = 0.5
"""What the default and the embedded model take at most, cache included."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """`size_gb` is the download or the file, in 10⁹ bytes; `memory_gib` what it takes to run, 0 if unknown."""

    name: str
    title: str
    purpose: str
    size_gb: float
    memory_gib: float
    licence: str
    here: bool
    path: str
    fits: bool


def listed(settings: ModelSettings, machine: Machine) -> tuple[str, list[ListedModel]]:
    """The name of the model in use, and the rows: those of this package, the known ones, other files that are here."""
    rows = [_default(), _embedded(), *(_known(known, machine) for known in KNOWN)]
    if not default_model.can_be_had():
        del rows[0]
    used = files.model_path(settings)
    paths = {row.path for row in rows}
    others = dict.fromkeys((*files.downloaded(), used))
    rows += [_file(path) for path in others if str(path) not in paths and path.is_file()]
    return next((row.name for row in rows if row.path == str(used)), str(used)), rows


def elsewhere(settings: EngineSettings) -> str:
    """Which setting has another engine answer than the one that loads a model here; "" where none does."""
    if settings.url:
        return f"the setting engine.url names {settings.url}"
    return "" if settings.kind == "in-place" else f"the setting engine.kind is {settings.kind}"


def use(name: str) -> GgufFile:
    """Record the model of this name, or of this path, as the one to use.  Raises ModelError."""
    if name == EMBEDDED:
        return files.use_embedded()
    if name == default_model.NAME:
        return files.use_default()
    if name in {known.name for known in NEXT_EDIT}:
        raise ModelError(
            f"{name} is for next edits alone.", hint=f'Use it beside your model: next_edit.model = "{name}".'
        )
    if (path := _path(name)) is not None and not path.is_file():
        raise ModelError(f"{name} is not here yet.", hint=f"palimpsest model get {name}")
    return files.use(path or files.find(name))


def _path(name: str) -> Path | None:
    """Where a known model lies once it was fetched."""
    return source_of(name, Hub(HUB)).target if name in {known.name for known in KNOWN} else None


def _default() -> ListedModel:
    here, path = default_model.is_here(), default_model.path()
    size = path.stat().st_size if here else default_model.WHEEL.size
    title = "SmolLM2 135M, trained for Palimpsest"
    return ListedModel(
        default_model.NAME, title, "completion", _gb(size), SMALL_GIB, "Apache-2.0", here, str(path), True
    )


def _embedded() -> ListedModel:
    path = files.embedded()
    title = "The small model in the package"
    return ListedModel(
        EMBEDDED, title, "demonstration", _gb(path.stat().st_size), SMALL_GIB, "Apache-2.0", True, str(path), True
    )


def _known(known: KnownModel, machine: Machine) -> ListedModel:
    path = _path(known.name)
    assert path is not None
    words = known.name.split("-")
    title = " ".join(word.upper() if word[0].isdigit() else word[0].upper() + word[1:] for word in words)
    return ListedModel(
        known.name,
        title,
        known.purpose,
        known.size_gb,
        known.memory_gib,
        known.licence,
        path.is_file(),
        str(path),
        fits(known, machine),
    )


def _file(path: Path) -> ListedModel:
    return ListedModel(str(path), path.stem, "a file of yours", _gb(path.stat().st_size), 0, "", True, str(path), True)


def _gb(size: int) -> float:
    return round(size / 1e9, 2)
