"""What the editors' clients say of settings and commands, made from the server's table and from clients/shared/.

In: `config/settings.py`, `config/permissions.py`, clients/shared/{settings,commands}.json.  Out: parts of
clients/vscode/package.json with their texts in package.nls.json, and of clients/nvim/doc/palimpsest.txt, all of
clients/nvim/lua/palimpsest/generated.lua; what else is in those files stays.  `python scripts/clients.py [--check]`
writes them, or says which is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palimpsest.config.permissions import SetBy
from palimpsest.config.schema import TYPES, shape
from palimpsest.config.settings import described

ROOT = Path(__file__).parent.parent
PREFIX = "palimpsest.client."
LUA_WIDTH = 120
"""As stylua is told in clients/nvim."""
SCOPES: Mapping[SetBy, str] = {
    "editor": "machine",
    "user": "machine",
    "adds": "machine-overridable",
    "off": "machine-overridable",
    "anyone": "window",
}
"""Not `resource`: a window has one server, whose settings are the same in all of its folders."""


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    page: str
    type: Any
    default: Any
    doc: str
    scope: str
    choices: Mapping[str, str]
    """With what each means; empty texts where the setting's own says it."""
    low: float | None = None
    high: float | None = None
    secret: bool = False
    only: str = ""


def settings(only: str) -> list[Setting]:
    """The server's and the clients', by page; the clients' stand first on each."""
    both = [it for it in (*_of_clients(), *_of_server()) if it.only in ("", only)]
    order = {page: place for place, page in enumerate(pages())}
    return sorted(both, key=lambda it: order[it.page])


def pages() -> list[str]:
    """Of VS Code's settings, in their order: one of the clients' own, then those that the server's sections declare."""
    server = [it.page for it in described()]
    return list(dict.fromkeys([*(it.page for it in _of_clients() if it.page not in server), *server]))


def _of_server() -> Iterator[Setting]:
    for it in described():
        default = list(it.default) if isinstance(it.default, tuple) else it.default
        yield Setting(
            name=it.name,
            page=it.page,
            type=TYPES[type(it.default)],
            default=default,
            doc=it.doc,
            scope=SCOPES[it.by.set_by],
            choices=dict.fromkeys(it.choices, ""),
            low=it.low,
            high=it.high,
            secret=it.secret,
        )


def _of_clients() -> Iterator[Setting]:
    for row in json.loads((ROOT / "clients/shared/settings.json").read_text(encoding="utf-8")):
        yield Setting(choices=row.pop("choices", {}), **row)


def commands(only: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((ROOT / "clients/shared/commands.json").read_text(encoding="utf-8"))
    return [row for row in rows if row.get("only", only) == only]


# VS Code ------------------------------------------------------------------------------------------------------


def package(text: str) -> str:
    """package.json with the parts that are made here."""
    data = json.loads(text)
    contributes = data.setdefault("contributes", {})
    contributes["commands"] = _contributed(contributes.get("commands", []))
    on_pages: dict[str, dict[str, Any]] = {page: {} for page in pages()}
    shown = _shown()
    for it in shown:
        on_pages[it.page][f"palimpsest.{it.name}"] = _property(it)
    contributes["configuration"] = [
        {"title": f"%{_page(page)}%", "properties": them} for page, them in on_pages.items() if them
    ]
    untrusted = data.setdefault("capabilities", {}).setdefault("untrustedWorkspaces", {})
    untrusted.setdefault("supported", "limited")
    untrusted["restrictedConfigurations"] = [f"palimpsest.{it.name}" for it in shown if it.scope != "machine"]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _shown() -> list[Setting]:
    return [it for it in settings("vscode") if not it.secret]  # a secret is kept by the editor's own store


def texts(text: str) -> str:
    """package.nls.json: what package.json names between `%`."""
    made = {_page(page): page for page in pages()}
    made |= {PREFIX + row["id"]: row["title"] for row in commands("vscode")}
    for it in _shown():
        made[f"palimpsest.{it.name}"] = it.doc
        made |= {f"palimpsest.{it.name}.{choice}": doc for choice, doc in it.choices.items() if doc}
    others = {name: it for name, it in json.loads(text).items() if not name.startswith(("palimpsest.", "page."))}
    return json.dumps(others | made, indent=2, ensure_ascii=False) + "\n"


def _page(title: str) -> str:
    return f"page.{title.lower().replace(' ', '_')}"


def _contributed(before: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ours with the icons and conditions that they have in the file, then those that we do not know."""
    there = {it["command"]: it for it in before}
    ours = [
        {**there.pop(name, {}), "command": name, "title": f"%{name}%", "category": "Palimpsest", **_enabled(row)}
        for row in commands("vscode")
        for name in [PREFIX + row["id"]]
    ]
    return ours + [it for name, it in there.items() if not name.startswith(PREFIX)]


def _enabled(row: Mapping[str, Any]) -> dict[str, str]:
    """What needs a command that the server may lack is not shown where it does (`lacks` in src/server.ts)."""
    return {"enablement": f"!palimpsest.lacks.{row['needs']}"} if "needs" in row else {}


def _property(it: Setting) -> dict[str, Any]:
    made = shape(it.type, it.choices, it.low, it.high)
    if "enum" in made and all(it.choices.values()):
        made["markdownEnumDescriptions"] = [f"%palimpsest.{it.name}.{choice}%" for choice in it.choices]
    text = f"%palimpsest.{it.name}%"
    return {**made, "default": it.default, "scope": it.scope, "markdownDescription": text}


# Neovim -------------------------------------------------------------------------------------------------------


def lua(_: str) -> str:
    """lua/palimpsest/generated.lua, as stylua would write it."""
    parts = ["-- Made by scripts/clients.py; changed there and in clients/shared/.", "return {", "  commands = {"]
    for row in commands("nvim"):
        keys = [key for key in ("id", "title", "doc", "modes", "needs") if key in row]
        parts += ["    {", *(f"      {key} = {_lua(row[key])}," for key in keys), "    },"]
    parts += ["  },", "  settings = {"]
    for it in settings("nvim"):
        fields = {"name": it.name, "type": it.type, "default": it.default, "doc": it.doc}
        fields |= {"choices": list(it.choices)} if it.choices else {}
        fields |= {key: value for key, value in (("low", it.low), ("high", it.high)) if value is not None}
        fields |= {"secret": True} if it.secret else {}
        parts += ["    {", *(line for key, value in fields.items() for line in _lua_field(key, value)), "    },"]
    return "\n".join([*parts, "  },", "}", ""])


def _lua_field(key: str, value: Any) -> list[str]:
    line = f"      {key} = {_lua(value)},"
    if len(line) <= LUA_WIDTH or not isinstance(value, list):
        return [line]
    return [f"      {key} = {{", *(f"        {_lua(item)}," for item in value), "      },"]


def _lua(value: Any) -> str:
    if isinstance(value, list):
        return "{ " + ", ".join(map(_lua, value)) + " }" if value else "{}"
    if isinstance(value, str):
        quote = "'" if value.count('"') > value.count("'") else '"'
        escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace(quote, "\\" + quote)
        return f"{quote}{escaped}{quote}"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def manual(text: str) -> str:
    """doc/palimpsest.txt: what is between a heading with one of our tags and the next line of `=`."""
    return _section(_section(text, "commands", _manual_commands()), "settings", _manual_settings())


def _section(text: str, tag: str, made: str) -> str:
    section = re.compile(rf"(?m)^([^\n]*\*palimpsest-{tag}\*\n)(?:.*?)(?=^====|^ ?vim:|\Z)", re.DOTALL)
    return section.sub(lambda found: f"{found[1]}\n{made}\n", text, count=1)


def _manual_commands() -> str:
    return "\n".join(
        f"{_headed(':Palimpsest ' + row['id'], ':Palimpsest-' + row['id'])}{_wrapped(row['title'] + '. ' + row['doc'])}"
        for row in commands("nvim")
    )


def _manual_settings() -> str:
    return "\n".join(
        f"{_headed(it.name, 'palimpsest-' + it.name)}{_wrapped(_sentences(it))}"
        for it in settings("nvim")
        if not it.secret
    )


def _headed(text: str, tag: str) -> str:
    """A line with its tag at the end, as Vim's own help has them, or above it where both are too long for one line."""
    if len(text) + len(tag) > 75:
        return f"{f'*{tag}*'.rjust(78)}\n{text}\n"
    return f"{text} {f'*{tag}*'.rjust(77 - len(text))}\n"


def _sentences(it: Setting) -> str:
    choices = f" {'Any' if it.type == 'array' else 'One'} of {', '.join(map(_lua, it.choices))}." if it.choices else ""
    return f"{it.doc}{choices} Default: {_lua(it.default)}"


def _wrapped(text: str) -> str:
    plain = text.replace("*", "").replace("|", "")
    return textwrap.fill(plain, 78, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False) + "\n"


FILES: Mapping[str, tuple[Callable[[str], str], str]] = {
    "clients/vscode/package.json": (package, '{"name": "palimpsest"}'),
    "clients/vscode/package.nls.json": (texts, "{}"),
    "clients/nvim/lua/palimpsest/generated.lua": (lua, ""),
    "clients/nvim/doc/palimpsest.txt": (manual, ""),
}
"""What makes each, and what it is where it is not there yet."""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("clients.py", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where a file differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder in which clients/ is written")
    options = parser.parse_args(argv)
    status = 0
    for name, (make, empty) in FILES.items():
        path: Path = options.root / name
        text = path.read_text(encoding="utf-8") if path.exists() else empty
        new = make(text)
        same = json.loads(new) == json.loads(text) if name.endswith(".json") else new == text
        if same and (path.exists() or not new):
            continue
        if options.check:
            print(f"{name} is not as the tables say; run `make docs`", file=sys.stderr)
            status = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(new, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
