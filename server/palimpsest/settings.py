"""Settings: one table, read from defaults < the user's file < the workspace's file < the editor.

In: dictionaries (from `initializationOptions`, `workspace/configuration`, TOML files).  Out: a frozen
`Settings`, and the names of what was wrong.  A wrong value is reported and its default used; an unknown name is
reported.  This room reads two TOML files and knows nothing else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from palimpsest.errors import SettingsError


def _setting(default: Any, doc: str, *, choices: tuple[str, ...] = (), low: float | None = None) -> Any:
    metadata = {"doc": doc, "choices": choices, "low": low}
    if isinstance(default, (list, tuple)):
        return field(default=tuple(default), metadata=metadata)
    return field(default=default, metadata=metadata)


KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    kind: str = _setting(
        "in-place", "The engine: `in-place`, or `none` to run without one.", choices=("in-place", "none")
    )
    mode: str = _setting(
        "auto",
        "Edit the cache in place, or decode whole prompts with their longest common prefix reused.",
        choices=("auto", "in-place", "whole-prompt"),
    )
    n_ctx: int = _setting(
        0, "Cells of the KV cache, in tokens. 0: what the model was trained with, 16,384 at most.", low=0
    )
    n_gpu_layers: int = _setting(-1, "Layers on the GPU. -1: all, where llama.cpp was built with one.", low=-1)
    n_threads: int = _setting(0, "Threads for decoding. 0: one for each physical core.", low=0)
    n_batch: int = _setting(512, "Tokens of a micro-batch: a waiting keystroke waits for one of these at most.", low=16)
    type_k: str = _setting(
        "f16", "Type of K in the cache; quantized K is re-quantized by every move.", choices=KV_TYPES
    )
    type_v: str = _setting("f16", "Type of V in the cache; quantized V needs flash attention.", choices=KV_TYPES)
    flash_attention: str = _setting("auto", "Flash attention.", choices=("auto", "on", "off"))
    extra_bufts: str = _setting(
        "auto",
        "llama.cpp's CPU repacking (AMX and others); `auto` leaves it off after a native fault.",
        choices=("auto", "on", "off"),
    )
    store_mb: int = _setting(512, "Host memory for the KV of evicted blocks, in MiB.", low=0)
    memory_mb: int = _setting(0, "Upper bound of the KV cache's memory, in MiB. 0: nine tenths of what is free.", low=0)
    idle_exit_s: int = _setting(300, "The engine leaves after so many seconds without an editor.", low=1)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    path: str = _setting("", "A GGUF file. Empty: the one chosen with `palimpsest model use`, else the embedded one.")


@dataclass(frozen=True, slots=True)
class ContextSettings:
    budget: int = _setting(0, "Tokens for all blocks together. 0: half of the cache.", low=0)
    block_tokens: int = _setting(700, "The most tokens one block may have; longer ones are cut.", low=32)
    editing_tokens: int = _setting(
        900, "The most tokens of an editing block; a longer function is cut around the cursor.", low=64
    )
    sources: tuple[str, ...] = _setting(
        ["filesystem", "class", "scope", "package", "documentation", "file"], "The kinds of context that are gathered."
    )
    python: str = _setting(
        "", "The interpreter whose packages are described. Empty: the workspace's own virtual environment."
    )
    exclude: tuple[str, ...] = _setting([], "Further files that never enter a block, as gitignore patterns.")


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    enabled: bool = _setting(True, "Inline completion while typing.")
    disabled_languages: tuple[str, ...] = _setting([], "Language ids without inline completion, e.g. `markdown`.")
    layout: str = _setting(
        "auto", "Where the text after the cursor goes in the prompt.", choices=("auto", "spm", "isolated", "psm")
    )
    heal: bool = _setting(True, "Token healing: the piece being typed constrains the answer.")
    max_tokens: int = _setting(64, "The most tokens of one inline completion.", low=1)
    time_ms: int = _setting(1500, "The most time for generating one inline completion.", low=1)
    multiline: str = _setting(
        "auto",
        "More than one line: where the cursor's line is empty, always, or never.",
        choices=("auto", "always", "never"),
    )
    n: int = _setting(1, "Alternatives of an explicitly invoked inline completion.", low=1)


@dataclass(frozen=True, slots=True)
class SuggestionSettings:
    enabled: bool = _setting(True, "Edits as code actions.")
    format: str = _setting("ln-diff", "How the model writes an edit.", choices=("ln-diff",))
    instructions: str = _setting(
        "auto",
        "Explain the blocks and the format to the model; `auto`: where the model has a chat template.",
        choices=("auto", "always", "never"),
    )
    max_tokens: int = _setting(400, "The most tokens of one reply.", low=8)
    time_ms: int = _setting(60_000, "The most time for one reply.", low=100)
    n: int = _setting(1, "Replies asked for; edits that several of them make come first.", low=1)
    temperature: float = _setting(0.0, "Sampling temperature; replies after the first use 0.7 at least.", low=0.0)


@dataclass(frozen=True, slots=True)
class LogSettings:
    level: str = _setting("info", "What goes to the log.", choices=("debug", "info", "warning", "error"))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section: `settings.engine.n_ctx` is `engine.n_ctx` in a file."""

    engine: EngineSettings = EngineSettings()
    model: ModelSettings = ModelSettings()
    context: ContextSettings = ContextSettings()
    completion: CompletionSettings = CompletionSettings()
    suggestion: SuggestionSettings = SuggestionSettings()
    log: LogSettings = LogSettings()


@dataclass(frozen=True, slots=True)
class Described:
    """One row of the settings table in the README."""

    name: str
    default: Any
    doc: str
    choices: tuple[str, ...]


def described() -> Iterator[Described]:
    for section in fields(Settings):
        for item in fields(section.default):  # type: ignore[arg-type]
            yield Described(f"{section.name}.{item.name}", item.default, item.metadata["doc"], item.metadata["choices"])


def _checked(name: str, value: Any, item: Any) -> Any:
    """`value` in the type of the field's default, or SettingsError that says what would be right."""
    default, choices, low = item.default, item.metadata["choices"], item.metadata["low"]
    if isinstance(default, tuple):
        if not isinstance(value, (list, tuple)) or not all(isinstance(x, str) for x in value):
            raise SettingsError(name, f"expected a list of strings, got {value!r}.")
        return tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}
        raise SettingsError(name, f"expected {names[type(default)]}, got {value!r}.")
    if choices and value not in choices:
        raise SettingsError(name, f"expected one of {', '.join(choices)}, got {value!r}.")
    if low is not None and value < low:
        raise SettingsError(name, f"expected {low} or more, got {value!r}.")
    return value


def _flat(layer: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """(section, name, value) of a layer whose keys are nested or dotted."""
    for key, value in layer.items():
        if isinstance(value, Mapping):
            for inner, x in value.items():
                yield key, str(inner), x
        elif "." in key:
            section, _, inner = key.partition(".")
            yield section, inner, value
        else:
            yield "", key, value


def merged(layers: Iterable[Mapping[str, Any]]) -> tuple[Settings, list[SettingsError]]:
    """Apply layers in order, the last winning; what is wrong is left out and returned as errors."""
    settings, problems = Settings(), list[SettingsError]()
    sections = {f.name: f for f in fields(Settings)}
    for layer in layers:
        for section, name, value in _flat(layer):
            full = f"{section}.{name}" if section else name
            if section not in sections:
                problems.append(SettingsError(full, f"no such section; there are {', '.join(sections)}."))
                continue
            current = getattr(settings, section)
            known = {f.name: f for f in fields(current)}
            if name not in known:
                problems.append(SettingsError(full, f"no such setting; {section} has {', '.join(known)}."))
                continue
            if value is None:  # an editor's way to say "not set"
                continue
            try:
                checked = _checked(full, value, known[name])
            except SettingsError as problem:
                problems.append(problem)
                continue
            settings = replace(settings, **{section: replace(current, **{name: checked})})
    return settings, problems


def read_toml(path: Path) -> tuple[dict[str, Any], list[SettingsError]]:
    """The file's table, empty when there is no such file; a file that is not TOML is an error that names it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [SettingsError(str(path), f"cannot be read: {error}.", hint="The defaults are used.")]
