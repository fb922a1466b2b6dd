"""Settings put together: defaults < the user's file < the workspace's file < the editor.

In: dictionaries (from `initializationOptions`, `workspace/configuration`, TOML files).  Out: `Settings`, and the names
of what was wrong.  A wrong value is reported and its default used; an unknown name is reported.  Where code is sent and
what is run is not for a workspace's file to say, and a key is not for any file (`from_file`).  This room reads two TOML
files and knows nothing else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal

from palimpsest.errors import SettingsError
from palimpsest.settings import Settings

Layer = Mapping[str, Any]
"""What one giver says: sections with settings, or dotted names."""
KEY_HINT = "Put it into the environment variable that `engine.api_key_env` names, or into your editor's secret store."
TRUST_HINT = "It decides where your code goes or what is run: set it in your editor or in your configuration folder."


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
        got = type(value).__name__ if item.metadata["giver"] == "editor" else repr(value)
        raise SettingsError(name, f"expected {names[type(default)]}, got {got}.")
    if choices and value not in choices:
        raise SettingsError(name, f"expected one of {', '.join(choices)}, got {value!r}.")
    if low is not None and value < low:
        raise SettingsError(name, f"expected {low} or more, got {value!r}.")
    if (high := item.metadata["high"]) is not None and value > high:
        raise SettingsError(name, f"expected {high} or less, got {value!r}.")
    return value


def _flat(layer: Layer) -> Iterator[tuple[str, str, Any]]:
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


def of_others(layer: Layer) -> bool:
    """Whether nothing in it is in one of our sections: some clients send settings of their own to every server."""
    sections = {f.name for f in fields(Settings)}
    return bool(layer) and all(section not in sections for section, _, _ in _flat(layer))


def merged(layers: Iterable[Layer]) -> tuple[Settings, list[SettingsError]]:
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


def from_file(layer: Layer, *, whose: Literal["person", "workspace"]) -> tuple[Layer, list[SettingsError]]:
    """The layer without what a file of this kind may not say, and an error for each of these.

    A workspace comes from anywhere: it must not redirect the person's code and key to another machine, nor name a
    program that is run.
    """
    kept, problems = dict[str, dict[str, Any]](), list[SettingsError]()
    sections = {f.name: {x.name: x.metadata["giver"] for x in fields(f.default)} for f in fields(Settings)}  # type: ignore[arg-type]
    for section, name, value in _flat(layer):
        giver = sections.get(section, {}).get(name, "anyone")
        full = f"{section}.{name}" if section else name
        if giver == "editor":
            problems.append(SettingsError(full, "a key is not read from a file.", hint=KEY_HINT))
        elif giver == "person" and whose == "workspace":
            problems.append(SettingsError(full, "is not read from a workspace's file.", hint=TRUST_HINT))
        else:
            kept.setdefault(section, {})[name] = value  # not by its full name: that could be read in another way
    return kept, problems


def read_toml(path: Path) -> tuple[dict[str, Any], list[SettingsError]]:
    """The file's table, empty when there is no such file; a file that is not TOML is an error that names it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [SettingsError(str(path), f"cannot be read: {error}.", hint="The defaults are used.")]
