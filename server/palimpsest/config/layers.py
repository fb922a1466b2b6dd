"""Settings merged from layers: defaults < the user's file < the workspace's file < the editor.

In: dictionaries (`initializationOptions`, `workspace/configuration`, TOML files).  Out: `Settings`, and an error for
each wrong value, whose default is used, and each unknown name.  `from_file` drops what `config/permissions.py` does not
allow a file to set.  Reads TOML files and nothing else.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from palimpsest.config.settings import Settings, permission
from palimpsest.errors import PalimpsestError, SettingsError, shown
from palimpsest.system import folders
from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, read

Layer = Mapping[str, Any]
"""Settings from one origin: sections with names, or dotted names."""
MOST_ITEMS = 1_000
"""A list has at most this many items, and each of its strings this many characters."""
MOST_DOTS, MOST_LINES = 2_000, 10_000
"""A file of settings has at most so many dots and so many lines: `tomllib` takes quadratic time for keys of many parts,
a minute for a line of 100 KB."""
OF_CLIENTS = frozenset(
    (
        "server.command",
        "server.useWorkspaceEnvironment",
        "completion.trigger",
        "completion.delay_ms",
        "completion.show",
        "nextEdit.automatic",
        "trace.server",
    )
)
"""Settings of editors' extensions, which have the same prefix: an editor that is asked for ours sends them along."""
INTRODUCTIONS = frozenset(("editorInfo", "editorPluginInfo", "networkProxy", "copilotIntegrationId"))
"""What clients of copilot-language-server say of themselves, beside settings or in place of them."""
KEY_HINT = "Put it into the environment variable that `engine.api_key_env` names, or into your editor's secret store."
TRUST_HINT = "Set it in your editor or in your configuration folder."
FILE = "palimpsest.toml"
MOVED = {"next_edit.model": "Whether the model for completions is asked is `next_edit.ask` now."}
"""Switches whose names mean something else now."""


class WorkspaceLayer(dict[str, Any]):
    """The workspace's file after `from_file`.  `merged` adds its entries to the lists that a workspace may only extend,
    whatever later layers say."""


def _checked(name: str, value: Any, item: Any) -> Any:
    """`value` in the type of the field's default; raises SettingsError that says what is expected."""
    default, choices, low = item.default, item.metadata["choices"], item.metadata["low"]
    if isinstance(default, tuple):
        if not isinstance(value, (list, tuple)) or not all(isinstance(x, str) for x in value):
            raise SettingsError(name, f"expected a list of strings, got {shown(value)}.")
        if len(value) > MOST_ITEMS or any(len(x) > MOST_ITEMS for x in value):
            most = f"expected at most {MOST_ITEMS:,} strings of at most {MOST_ITEMS:,} characters."
            raise SettingsError(name, most)
        if choices and not set(value) <= set(choices):
            raise SettingsError(name, f"expected a list of {', '.join(choices)}, got {shown(value)}.")
        return tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    got = type(value).__name__ if item.metadata["secret"] else shown(value)
    if type(value) is not type(default):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}
        raise SettingsError(name, f"expected {names[type(default)]}, got {got}.", hint=_moved(name, value))
    if isinstance(value, str) and not _is_text(value):
        raise SettingsError(name, f"expected text without zeros and halves of characters, got {got}.")
    if choices and value not in choices:
        raise SettingsError(name, f"expected one of {', '.join(choices)}, got {shown(value)}.")
    if isinstance(value, float) and not isfinite(value):  # which no bound stops
        raise SettingsError(name, f"expected a number, got {shown(value)}.")
    if low is not None and value < low:
        raise SettingsError(name, f"expected {low} or more, got {shown(value)}.")
    if (high := item.metadata["high"]) is not None and value > high:
        raise SettingsError(name, f"expected {high} or less, got {shown(value)}.")
    return value


def _is_text(value: str) -> bool:
    """Whether a path, an argument or an address may have it."""
    try:
        return b"\0" not in value.encode()
    except UnicodeEncodeError:
        return False


def _moved(name: str, value: Any) -> str:
    """What to write for a setting as it was in earlier versions."""
    return MOVED.get(name, "") if isinstance(value, bool) else ""


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
    """Whether it has none of our sections: some clients send every server settings of their own."""
    sections = {f.name for f in fields(Settings)}
    return bool(layer) and all(section not in sections for section, _, _ in _flat(layer))


def from_editor(layer: Layer) -> Layer:
    """The layer without what only the editor's extension reads, and without what a client says of itself."""
    ours = dict[str, dict[str, Any]]()
    for section, name, value in _flat(layer):
        if f"{section}.{name}" not in OF_CLIENTS and not INTRODUCTIONS & {section, name}:
            ours.setdefault(section, {})[name] = value
    return {**ours.pop("", {}), **ours}


def merged(layers: Iterable[Layer]) -> tuple[Settings, list[SettingsError]]:
    """Apply layers in order, the last winning; wrong entries are skipped and returned as errors."""
    settings, problems = Settings(), list[SettingsError]()
    added = dict[tuple[str, str], tuple[str, ...]]()  # by workspaces' files
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
            allowed = permission(full)
            if isinstance(layer, WorkspaceLayer) and allowed is not None and allowed.set_by == "adds":
                added[section, name] = added.get((section, name), ()) + checked
                continue
            settings = replace(settings, **{section: replace(current, **{name: checked})})
    for (section, name), more in added.items():
        current = getattr(settings, section)
        both = tuple(dict.fromkeys([*getattr(current, name), *more]))
        settings = replace(settings, **{section: replace(current, **{name: both})})
    return settings, problems


def from_file(layer: Layer, *, whose: Literal["user", "workspace"]) -> tuple[Layer, list[SettingsError]]:
    """The layer without the settings that this file may not set, and an error for each of those."""
    allowed_here, problems = dict[str, dict[str, Any]](), list[SettingsError]()
    for section, name, value in _flat(layer):
        full = f"{section}.{name}" if section else name
        allowed = permission(full)
        if allowed is not None and allowed.set_by == "editor":
            problems.append(SettingsError(full, "a key is not read from a file.", hint=KEY_HINT))
        elif allowed is not None and allowed.set_by == "user" and whose == "workspace":
            reason = f"is not read from a workspace's file: {allowed.why}."
            problems.append(SettingsError(full, reason, hint=_moved(full, value) or TRUST_HINT))
        elif allowed is not None and allowed.set_by == "off" and whose == "workspace" and value is not False:
            problems.append(SettingsError(full, "can only be switched off by a workspace's file.", hint=TRUST_HINT))
        else:
            allowed_here.setdefault(section, {})[name] = (
                value  # not by its full name: that could be read in another way
            )
    return (WorkspaceLayer(allowed_here) if whose == "workspace" else allowed_here), problems


def read_toml(path: Path, within: Path | None = None) -> tuple[dict[str, Any], list[SettingsError]]:
    """The file's table, empty if there is no such file; an error if it cannot be read or is not TOML.

    A symlink may not lead out of `within`.  Blocks on the disk: not for the event loop.
    """
    try:
        data = read(path, MOST_OF_SETTINGS, None if within is None else (within,))
        if data.count(b".") > MOST_DOTS or data.count(b"\n") > MOST_LINES:
            raise Refused(f"has more than {MOST_DOTS:,} dots or {MOST_LINES:,} lines")
        return tomllib.loads(data.decode()), []
    except (FileNotFoundError, NotADirectoryError):
        return {}, []
    except Refused as error:
        return {}, [SettingsError(str(path), f"{error.message}.", hint="The defaults are used.")]
    except (OSError, ValueError, RecursionError) as error:
        return {}, [SettingsError(str(path), f"cannot be read: {error}.", hint="The defaults are used.")]


def own_settings() -> Settings:
    """A person's own: what the server would take, where neither editor nor workspace say otherwise.  What is wrong in
    their file `palimpsest doctor` says."""
    table, _ = read_toml(folders.config() / FILE)
    return merged([from_file(table, whose="user")[0]])[0]


def file_layers(own: Path, roots: Iterable[Path]) -> tuple[list[Layer], list[PalimpsestError]]:
    """`own`: the folder of the user's configuration."""
    layers, problems = list[Layer](), list[PalimpsestError]()
    for folder in (own, *reversed(tuple(roots))):
        table, wrong = read_toml(folder / FILE, within=None if folder == own else folder)
        layer, refused = from_file(table, whose="user" if folder == own else "workspace")
        layers.append(layer)
        problems += [*wrong, *refused]
    return layers, problems
