"""Asks the interpreter about modules without readable source: built in, compiled, or created at import time.

In: an environment and a module's name.  Out: `model.Module`.  `inspect_script.py` imports the module in a separate
process; answers are cached on disk by module, version of its file, and interpreter.  `locations.py` decides whether a
module may be imported at all.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, get_args

from palimpsest.languages.modules import EntryKind, ModuleEntry
from palimpsest.languages.python.packages.environment import Environment, run_python
from palimpsest.languages.python.packages.model import Module
from palimpsest.system.reading import stamp

INSPECT_SECONDS = 10.0
_SCRIPT = Path(__file__).with_name("inspect_script.py")
_FORMAT = 1
_MAX_BYTES = 4_000_000
_KINDS: tuple[EntryKind, ...] = get_args(EntryKind)


def inspect(environment: Environment, name: str, file: Path | None, cache: Path | None) -> Module | None:
    """None if the module cannot be imported.  Runs a process: too slow for a keystroke."""
    kept = None if cache is None else cache / _key(environment, name, file)
    data = _read(kept) if kept is not None else None
    if data is None:
        request = json.dumps({"module": name, "path": [str(folder) for folder in environment.importable]})
        arguments = (*environment.flags, "-B", str(_SCRIPT))
        answer = run_python(environment.python, arguments, request, INSPECT_SECONDS)
        data = _parsed(answer or "")
        if data is not None and kept is not None:
            _write(kept, data)
    return _module(name, data) if data is not None else None


def _key(environment: Environment, name: str, file: Path | None) -> str:
    """The file's name in the cache."""
    about = [
        _FORMAT,
        str(environment.python),
        environment.version,
        name,
        str(file),
        stamp(environment.python),
        stamp(file) if file is not None else None,
    ]
    key = hashlib.blake2b(json.dumps(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{key}.json"


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text) if len(text) < _MAX_BYTES else None
    except ValueError:
        return None
    return data if isinstance(data, dict) and isinstance(data.get("entries"), list) else None


def _read(file: Path) -> dict[str, Any] | None:
    try:
        return _parsed(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _write(file: Path, data: dict[str, Any]) -> None:
    """Write atomically; failures are ignored, since this is a cache."""
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(data), "utf-8")
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)


def _module(name: str, data: dict[str, Any]) -> Module | None:
    try:
        entries = [_entry(item) for item in data["entries"]]
    except ValueError:
        return None
    listed = data.get("exports")
    exports = tuple(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else None
    return Module(name, str(data.get("doc") or ""), exports, members={entry.name: entry for entry in entries})


def _entry(data: Any) -> ModuleEntry:
    """Lenient: values that are not strings become empty.  Raises ValueError if it is not an entry at all."""
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise ValueError("not an entry")
    kind = data.get("kind")
    text = {key: data[key] for key in ("signature", "doc", "target") if isinstance(data.get(key), str)}
    members = data.get("members")
    return ModuleEntry(
        data["name"],
        next((known for known in _KINDS if known == kind), "value"),
        **text,
        members=tuple(_entry(member) for member in members) if isinstance(members, list) else (),
    )
