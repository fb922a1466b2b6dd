"""Whatever a language calls an import: nothing comes from outside the workspace, from files that git ignores, that
`.palimpsestignore` names, and no block has their names; of a file with a secret in it, not the secret.

Each language has a file that takes the same class, or function, from eight places, and from another that it may see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from context_workspace import CURSOR, Workspace

Make = Callable[..., Workspace]
TOKEN = "ghp_" + "A1b2C3d4" * 5
KEYS = "id_rsa_keys"
BAD = ("Linked", "Climbed", "Ignored", "Hushed", "Secret", "Minified", "Binary", KEYS)
"""Linked from outside, outside by `..`, ignored by git, named in `.palimpsestignore`, with a token in it, with a line
of minified code, with a zero byte, called like a file of keys."""
STOLEN, WANTED = "stolen_member", "wanted_member"


@dataclass(frozen=True)
class Case:
    """`unit` is a file that defines something called `@` with a member; `take` takes it from the file called `@`, and
    `use` uses it; `head` and `tail` are around them.  `climb` takes it from the folder above, where the language can
    say so."""

    suffix: str
    unit: str
    head: str
    take: str
    body: str
    use: str
    tail: str
    climb: str = ""
    files: tuple[tuple[str, str], ...] = ()
    folder: str = ""

    def name(self, name: str) -> str:
        return f"{self.folder}{name}{self.suffix}"

    @property
    def main(self) -> str:
        taken = "".join(self.take.replace("@", name) for name in ("Wanted", *BAD) if name != "Climbed")
        used = "".join(self.use.replace("@", name) for name in ("Wanted", *BAD))
        return f"{self.head}{taken}{self.climb}{self.body}{used}{CURSOR}{self.tail}"


JS = Case(
    ".js",
    "export class @ {\n  $() {\n    return 1;\n  }\n}\n",
    "",
    'import { @ } from "./@.js";\n',
    "export function f() {\n",
    "  new @();\n",
    "\n}\n",
    climb='import { Climbed } from "../Climbed.js";\n',
)
TS = Case(
    ".ts",
    "export class @ {\n  $(): number {\n    return 1;\n  }\n}\n",
    "",
    'import { @ } from "./@";\n',
    "export function f(): void {\n",
    "  new @();\n",
    "\n}\n",
    climb='import { Climbed } from "../Climbed";\n',
)


def like(case: Case, suffix: str) -> Case:
    return replace(case, suffix=suffix, take=case.take.replace(".js", suffix), climb=case.climb.replace(".js", suffix))


CASES = {
    "python": Case(
        ".py",
        "class @:\n    def $(self): ...\n",
        "",
        "from .@ import @\n",
        "def f():\n",
        "    @()\n",
        "\n    return None\n",
        climb="from ..Climbed import Climbed\n",
        files=(("pkg/__init__.py", ""),),
        folder="pkg/",
    ),
    "javascript": JS,
    "jsx": like(JS, ".jsx"),
    "typescript": TS,
    "tsx": like(TS, ".tsx"),
    "rust": Case(
        ".rs",
        "pub struct @ {\n    pub $: u32,\n}\n",
        "",
        "mod @;\n",
        '#[path = "../../Climbed.rs"]\nmod Climbed;\nfn f() {\n',
        "    let _: @::@;\n",
        "\n}\n",
        files=(("Cargo.toml", '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'),),
        folder="src/",
    ),
    "go": Case(
        ".go",
        "package shop\n\ntype @ struct {\n\t$ int\n}\n",
        "package shop\n\n",
        "",
        "func f() {\n",
        "\t_ = @{}\n",
        "\n}\n",
        files=(("go.mod", "module example.com/shop\n\ngo 1.22\n\nreplace example.com/away => ../away\n"),),
    ),
    "c": Case(
        ".h",
        "struct @ {\n    int $;\n};\n",
        "",
        '#include "@.h"\n',
        "void f(void) {\n",
        "    struct @ @_value;\n",
        "\n}\n",
        climb='#include "../Climbed.h"\n',
    ),
    "cpp": Case(
        ".hpp",
        "class @ {\npublic:\n    int $;\n};\n",
        "",
        '#include "@.hpp"\n',
        "void f() {\n",
        "    @ @_value;\n",
        "\n}\n",
        climb='#include "../Climbed.hpp"\n',
    ),
    "java": Case(
        ".java",
        "package shop;\n\npublic class @ {\n    public int $;\n}\n",
        "package shop;\n\nclass Main {\n",
        "",
        "    void f() {\n",
        "        new @();\n",
        "\n    }\n}\n",
        folder="shop/",
    ),
    "csharp": Case(
        ".cs",
        "namespace Shop;\n\npublic class @ {\n    public int $;\n}\n",
        "namespace Shop;\n\nclass Program {\n",
        "",
        "    void F() {\n",
        "        new @();\n",
        "\n    }\n}\n",
    ),
    "ruby": Case(
        ".rb",
        "class @\n  def $\n    1\n  end\nend\n",
        "",
        'require_relative "@"\n',
        "def f\n",
        "  @.new\n",
        "\nend\n",
        climb='require_relative "../Climbed"\n',
    ),
    "php": Case(
        ".php",
        "<?php\nnamespace Shop;\n\nclass @\n{\n    public int $$;\n}\n",
        "<?php\nnamespace Shop;\n\n",
        "",
        "require '../Climbed.php';\nfunction f(): void\n{\n",
        "    new @();\n",
        "\n}\n",
        files=(("composer.json", '{"autoload": {"psr-4": {"Shop\\\\": ["src/", "../"]}}}'),),
        folder="src/",
    ),
    "lua": Case(
        ".lua",
        "local @ = {}\n\nfunction @.$(a)\n  return a\nend\n\nreturn @\n",
        "",
        'local @ = require("@")\n',
        "local function f()\n",
        "  @.new()\n",
        "\nend\n",
        climb='local Climbed = dofile("../Climbed.lua")\n',
    ),
    "kotlin": Case(
        ".kt",
        "package shop\n\nclass @ {\n    val $: Int = 1\n}\n",
        "package shop\n\n",
        "",
        "fun f() {\n",
        "    @()\n",
        "\n}\n",
        folder="shop/",
    ),
    "swift": Case(
        ".swift",
        "class @ {\n    var $: Int = 1\n}\n",
        "",
        "",
        "func f() {\n",
        "    @()\n",
        "\n}\n",
        folder="Sources/Shop/",
        files=(("Package.swift", '// swift-tools-version:5.9\nlet package = Package(name: "Shop")\n'),),
    ),
    "bash": Case(
        ".sh",
        "@() {\n  local $=1\n}\n$() {\n  true\n}\n",
        "",
        "source ./@.sh\n",
        "f() {\n",
        "  @\n",
        "\n}\n",
        climb="source ../Climbed.sh\n",
    ),
}  # fmt: skip
MAIN = {"c": "main.c", "cpp": "main.cpp"}


@pytest.mark.parametrize("language", CASES)
def test_nothing_comes_from_where_nothing_may(workspace: Make, tmp_path: Path, language: str) -> None:
    case = CASES[language]

    def unit(name: str, member: str) -> str:
        text = case.unit.replace("@", name)
        return text.replace("$$", f"${member}") if "$$" in text else text.replace("$", member)

    comment = "-- " if language == "lua" else "# " if case.suffix in (".py", ".rb", ".sh") else "// "
    secret = unit("Secret", "masked_around_it") + f"{comment}{TOKEN}\n"
    main = case.folder + MAIN.get(language, f"main{case.suffix}")
    made = workspace(
        {
            **dict(case.files),
            ".gitignore": f"Ignored{case.suffix}\n",
            ".palimpsestignore": f"Hushed{case.suffix}\n",
            case.name("Wanted"): unit("Wanted", WANTED),
            case.name("Ignored"): unit("Ignored", STOLEN),
            case.name("Hushed"): unit("Hushed", STOLEN),
            case.name("Secret"): secret,
            case.name("Minified"): unit("Minified", STOLEN) + f"{comment}{'x=1;' * 1000}\n",
            case.name("Binary"): unit("Binary", STOLEN) + f"{comment}\0\n",
            case.name(KEYS): unit(KEYS, STOLEN),
            main: case.main,
        }
    )
    (tmp_path / f"Climbed{case.suffix}").write_text(unit("Climbed", STOLEN))
    (tmp_path / f"away{case.suffix}").write_text(unit("Linked", STOLEN))
    (made.root / case.name("Linked")).symlink_to(tmp_path / f"away{case.suffix}")
    made.build_index()
    blocks = made.blocks(main)
    texts = {key: block.text for key, block in blocks.items()}
    assert any(WANTED in text for text in texts.values()), "what may be seen is seen, so the others were looked for"
    assert not [(key, text) for key, text in texts.items() if TOKEN in text]
    assert not [(key, text) for key, text in texts.items() if STOLEN in text]
    names = [f"{name}{case.suffix}" for name in ("Ignored", "Hushed", KEYS)]
    others = {
        key: text for key, text in texts.items() if not key.startswith("scope:")
    }  # which has the file's own imports
    assert not [key for key, text in others.items() if any(name in f"{key} {text}" for name in names)]
