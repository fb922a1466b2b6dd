"""A program that the workspace's own interpreter runs: imports one module and prints what it offers, as JSON.

In, on standard input: `{"module", "path"}`, where `path` is the `sys.path` to use.  Out: `{"doc", "exports",
"entries"}`.  Uses only the standard library and supports Python 3.8 and later; the server never imports it.  Anything
the module prints during its import is discarded.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import sys
from typing import Any

MAX_ENTRIES = 600
MAX_MEMBERS = 60
SHORTEST = 60


def first_line(doc: Any, name: str) -> str:
    """The first line of a docstring, after the signature that many C functions put at its beginning."""
    lines = [line.strip() for line in (doc if isinstance(doc, str) else "").strip().splitlines()]
    if lines and name and lines[0].startswith(name + "("):
        lines = lines[lines.index("") :] if "" in lines else lines[1:]
    return next((line[:200] for line in lines if line and line != "--"), "")


def signature(obj: Any, name: str) -> str:
    try:
        text = str(inspect.signature(obj))
    except (TypeError, ValueError, AttributeError):
        text = documented(getattr(obj, "__doc__", None), name)
    text = re.sub(r"=\s*<[^<>]*>", "=...", text)  # a default's repr with an address would differ from run to run
    return re.sub(r"\((\$?self|cls|type), /(, )?", "(", re.sub(r"\s+", " ", text).replace("-->", "->"))[:300]


def documented(doc: Any, name: str) -> str:
    """The signature at the beginning of a docstring, which may go on over several lines."""
    lines = [line.strip() for line in (doc if isinstance(doc, str) else "").strip().splitlines()]
    start = next((i for i, line in enumerate(lines[:3]) if line.startswith(name + "(")), len(lines))
    for end in range(start + 1, min(start + 10, len(lines)) + 1):
        text = " ".join(lines[start:end])[len(name) :]
        if text.count("(") == text.count(")"):
            return text
    return "(...)"


def value(obj: Any) -> str:
    shown = repr(obj) if isinstance(obj, (bool, int, float, str, bytes)) else ""
    return ": " + type(obj).__name__ + (" = " + shown if shown and len(shown) < SHORTEST else "")


def entry(name: str, obj: Any, deep: bool) -> dict[str, Any]:
    doc = first_line(getattr(obj, "__doc__", None), name)
    if inspect.ismodule(obj):
        return {"name": name, "kind": "module", "target": str(obj.__name__), "doc": doc}
    if inspect.isclass(obj):
        members: list[dict[str, Any]] = []
        if deep:
            for key in sorted(vars(obj)):
                if not key.startswith("_") and len(members) < MAX_MEMBERS:
                    members.append(entry(key, getattr(obj, key, None), False))
        text = signature(obj, name)
        text = "" if text == "(...)" else text  # it is obvious that a class can be called
        return {"name": name, "kind": "class", "signature": text, "doc": doc, "members": members}
    if callable(obj):
        text = signature(obj, name)
        return {"name": name, "kind": "function", "signature": text, "doc": doc}
    return {"name": name, "kind": "value", "signature": value(obj)}


def main() -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    request = json.loads(sys.stdin.read())
    sys.path[:] = request["path"]
    module = importlib.import_module(request["module"])
    exports = getattr(module, "__all__", None)
    exports = [name for name in exports if isinstance(name, str)] if isinstance(exports, (list, tuple)) else None
    entries: list[dict[str, Any]] = []
    for name in exports or [name for name in dir(module) if not name.startswith("__")]:
        if len(entries) < MAX_ENTRIES:
            try:
                entries.append(entry(name, getattr(module, name), True))
            except Exception:  # a third-party descriptor may do anything
                continue
    json.dump({"doc": first_line(module.__doc__, ""), "exports": exports, "entries": entries}, out)
    out.flush()
    os._exit(0)  # skip whatever the module would do when the interpreter exits


if __name__ == "__main__":
    main()
