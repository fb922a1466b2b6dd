"""What was found out about a model on this machine, and what its engine makes of it.

In: a model file, settings.  Out: a `Profile`, and settings in which whatever a person left to the machine is as the
profile says.  Profiles are kept in the user's state folder: the model's own may be read-only, and is shared with other
programs.
"""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from palimpsest.calibration import AS_SAID, FARTHEST, FLATTEST, STEEPEST, Calibration
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.json_data import Range, from_json, to_json
from palimpsest.system import folders
from palimpsest.system.reading import Refused, open_regular

BEGINNING = 1 << 20
"""Bytes of the file by which its profile is found again: header and vocabulary."""
SAMPLES, SAMPLE = 64, 4096
"""Pieces of its weights besides, and bytes of one."""
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Profile:
    """`verdict`: sentences for a person.  `made`: the day, as in 2026-11-30; `tried_on`: whose code.  What follows
    is "" or 0 where the machine's own choice stays.

    layout       a layout that fills in the middle better than the family's own; `none`: the model does not fill in
    mode         `whole-prompt` where a cache that is edited in place costs the model much of what blocks give
    calibration  how often what it says comes true
    figures      what it was concluded from
    """

    model: str
    made: str
    verdict: list[str]
    tried_on: str = ""
    layout: Literal["", "spm", "isolated", "psm", "none"] = ""
    mode: Literal["", "whole-prompt"] = ""
    n_threads: Annotated[int, Range(0, 512)] = 0
    flash_attention: Literal["", "on", "off"] = ""
    calibration: Calibration = AS_SAID
    figures: dict[str, float] = field(default_factory=dict)

    def applied(self, settings: EngineSettings) -> EngineSettings:
        """The settings, with what they leave to the machine as it is best for this model."""
        mode = self.mode if settings.mode == "auto" else ""
        is_needed = settings.type_v.startswith("q")  # by a quantized V
        flash = self.flash_attention if settings.flash_attention == "auto" and not is_needed else ""
        return replace(
            settings,
            mode=mode or settings.mode,
            n_threads=settings.n_threads or self.n_threads,
            flash_attention=flash or settings.flash_attention,
        )

    @property
    def is_sound(self) -> bool:
        slope, offset = self.calibration.slope, self.calibration.offset
        return FLATTEST <= slope <= STEEPEST and -FARTHEST <= offset <= FARTHEST


def of_file(path: Path) -> Profile | None:
    """None where none was made of this file, or its record cannot be read."""
    try:
        with open_regular(place_of(path)) as file:
            profile = from_json(json.loads(file.read(MOST_BYTES)), Profile)
    except (OSError, Refused, ValueError, InvalidArgument, RecursionError):
        return None
    return profile if profile.is_sound else None


def watched(path: Path) -> Callable[[], bool]:
    """A function that says whether a profile of this file was made, changed or forgotten since now.  It reads no more
    than the record's facts."""
    try:
        record = place_of(path)
    except (OSError, Refused):
        return lambda: False

    def facts() -> tuple[int, int] | None:
        try:
            found = record.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    before = facts()
    return lambda: facts() != before


def keep(record: Path, profile: Profile) -> Path:
    """Kept at a file's `place_of`, for the file wherever it may be moved.  Raises ModelError."""
    try:
        folders.state()
        record.parent.mkdir(exist_ok=True)
        new = record.with_name(f"{record.name}.{os.getpid()}")
        try:
            new.write_text(json.dumps(to_json(profile), indent=1), encoding="utf-8")
            new.replace(record)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise ModelError(
            f"The profile of {profile.model} cannot be kept in {record.parent}: {why}.", hint="Make room there."
        ) from error
    return record


def forget(path: Path) -> bool:
    """Whether there was one.  Raises ModelError."""
    try:
        place_of(path).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ModelError(f"The profile of {path.name} cannot be forgotten: {folders.refusal(error)}.") from error
    return True


def place_of(path: Path) -> Path:
    """Named by the file's size, beginning, and samples throughout.  Raises OSError."""
    with open_regular(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        made = hashlib.blake2b(file.read(BEGINNING), digest_size=12)
        for i in range(SAMPLES):
            file.seek(size * i // SAMPLES)
            made.update(file.read(SAMPLE))
    made.update(str(size).encode())
    return folders.state_place() / "profiles" / f"{made.hexdigest()}.json"
