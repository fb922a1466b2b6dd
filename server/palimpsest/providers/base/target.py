"""The engine that a server wants: a model with settings, and the address of such an engine on this machine.

In: settings, paths.  Out: an address, a command's arguments.  Starts nothing.
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from palimpsest import __version__
from palimpsest.config.settings import EngineSettings, Settings
from palimpsest.errors import ModelError
from palimpsest.models import next_edit_models
from palimpsest.models.files import model_path
from palimpsest.system import folders
from palimpsest.system.engine_address import Address, address, identity, of_the_process

UNQUANTIZED = ("f32", "f16", "bf16")
SMALLEST_BATCH = 16


@dataclass(frozen=True, slots=True)
class Target:
    """`next_edit_model`: a second file, for next edits; in safe mode it is left out."""

    model: Path
    settings: EngineSettings
    next_edit_model: Path | None = None

    @property
    def identity(self) -> str:
        return identity(self.model, dataclasses.asdict(self.settings), __version__, self.next_edit_model)

    @property
    def is_remote(self) -> bool:
        """Others keep it running, with a model of theirs."""
        kind, url = self.settings.kind, self.settings.url
        return kind in ("llama-server", "openai") or (kind == "in-place" and bool(url))

    def address(self) -> Address:
        """Where such an engine is now; a model file that changed makes it another engine."""
        return address(folders.runtime(), self.identity)

    def arguments(self, address: Address) -> list[str]:
        """Of `palimpsest`, to start such an engine at `address`."""
        own = of_the_process(dataclasses.asdict(self.settings))
        settings = json.dumps(own)  # others can read a process's arguments: no key among them
        name = address.name.removeprefix("engine-")
        second = ["--next-edit-model", str(self.next_edit_model)] if self.next_edit_model is not None else []
        return ["engine", "--model", str(self.model), *second, "--settings", settings, "--identity", name]

    def in_safe_mode(self) -> "Target":
        """The same model without what native faults come from: a GPU's driver, repacked buffers (AMX), flash attention
        (unless quantized V needs it), large batches.  It is another engine, since its settings differ."""
        flash = "off" if self.settings.type_v in UNQUANTIZED else self.settings.flash_attention
        settings = dataclasses.replace(
            self.settings,
            n_gpu_layers=0,
            extra_bufts="off",
            flash_attention=flash,
            n_batch=max(SMALLEST_BATCH, self.settings.n_batch // 2),
        )
        return Target(self.model, settings)


def target_of(settings: Settings) -> Target:
    """The engine that these settings mean, without a model for next edits that is of no use (`palimpsest doctor` says
    why, and so does the window that asks it)."""
    alone = Target(model_path(settings.model), settings.engine)
    try:
        second = None if alone.is_remote else next_edit_models.inspect(settings.next_edit.model)
    except ModelError:
        second = None
    return alone if second is None else dataclasses.replace(alone, next_edit_model=second.file.path)
