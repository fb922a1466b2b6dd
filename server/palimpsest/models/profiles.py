"""What was found out about a model on this machine, and what its engine makes of it.

In: a model file, settings.  Out: a `Profile`, and settings in which whatever a person left to the machine is as the
profile says.  Profiles are kept in the user's state folder: the model's own may be read-only, and is shared with other
programs.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from palimpsest.calibration import AS_SAID, Calibration
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.json_data import from_json, to_json
from palimpsest.system import folders

BEGINNING = 1 << 20
"""Bytes of the file by which its profile is found again: header and vocabulary."""
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
    n_threads: int = 0
    flash_attention: Literal["", "on", "off"] = ""
    calibration: Calibration = AS_SAID
    figures: dict[str, float] = field(default_factory=dict)

    def applied(self, settings: EngineSettings) -> EngineSettings:
        """The settings, with what they leave to the machine as it is best for this model."""
        return replace(
            settings,
            mode=self.mode if self.mode and settings.mode == "auto" else settings.mode,
            n_threads=settings.n_threads or self.n_threads,
            flash_attention=self.flash_attention
            if self.flash_attention and settings.flash_attention == "auto"
            else settings.flash_attention,
        )


def of_file(path: Path) -> Profile | None:
    """None where none was made of this file, or its record cannot be read."""
    try:
        record = _record(path)
        with record.open(encoding="utf-8") as file:
            return from_json(json.loads(file.read(MOST_BYTES)), Profile)
    except (OSError, ValueError, InvalidArgument, RecursionError):
        return None


def keep(path: Path, profile: Profile) -> Path:
    """Kept for the file, wherever it may be moved.  Raises ModelError."""
    try:
        record = _record(path)
        folders.state()
        record.parent.mkdir(exist_ok=True)
        new = record.with_name(f"{record.name}.{os.getpid()}")
        new.write_text(json.dumps(to_json(profile), indent=1), encoding="utf-8")
        new.replace(record)
    except OSError as error:
        raise ModelError(f"The profile of {path.name} cannot be kept: {folders.refusal(error)}.") from error
    return record


def forget(path: Path) -> bool:
    """Whether there was one.  Raises ModelError."""
    try:
        _record(path).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ModelError(f"The profile of {path.name} cannot be forgotten: {folders.refusal(error)}.") from error
    return True


def _record(path: Path) -> Path:
    """Named by the file's size and beginning.  Raises OSError."""
    with path.open("rb") as file:
        made = hashlib.blake2b(file.read(BEGINNING), digest_size=12)
    made.update(str(path.stat().st_size).encode())
    return folders.state_place() / "profiles" / f"{made.hexdigest()}.json"
