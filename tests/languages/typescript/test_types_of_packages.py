"""TypeScript: types that a package keeps elsewhere (`typesVersions`), and those of Node.js' own modules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.languages.javascript import packages
from tests.context.context_workspace import Workspace
from tests.languages.resolving import imported, modules, offered, write

Make = Callable[..., Workspace]
OLD = {"<=4.0": {"*": ["old/*"]}}
FS = """\
declare module "fs" {
    import * as stream from "node:stream";
    /** Reads a file. */
    export function readFile(path: string): Promise<Buffer>;
    class Stats {
        size: number;
    }
}
declare module "node:fs" {
    export * from "fs";
}
declare module "elsewhere" {
    export function not_of_fs(): void;
}
"""


@pytest.mark.parametrize(
    ("versions", "part", "found"),
    [
        ({"*": {"*": ["ts/*"]}}, ".", ["ts/index.d.ts", "index.d.ts"]),
        ({"*": {"*": ["ts/*"]}}, "./fp", ["ts/fp", "fp"]),
        ({">=4.2": {"fp/*": ["types/fp/*", "more/*"]}}, "./fp/add", ["types/fp/add", "more/add", "fp/add"]),
        (OLD | {">=4.1": {"*": ["new/*"]}}, "./fp", ["new/fp", "fp"]),
        (OLD, "./fp", None),
        ({">=3.1 <4.0": {"*": ["old/*"]}}, "./fp", None),
        ({"*": {"*": ["../../out/*"]}}, "./fp", ["fp"]),
        ({"*": {"*": ["/etc/*"]}}, "./fp", ["fp"]),
        ({"*": ["ts/*"]}, "./fp", None),
        (["*"], "./fp", None),
        ({"*": {"*": 3, "fp": None}}, "./fp", None),
    ],
)
def test_types_for_versions_of_typescript(versions: object, part: str, found: list[str] | None) -> None:
    assert packages.entries({"types": "index.d.ts", "typesVersions": versions}, part) == found


def test_a_package_with_types_for_versions(tmp_path: Path) -> None:
    manifest = {"main": "index.js", "types": "./index.d.ts", "typesVersions": {"*": {"*": ["ts/*"]}}}
    write(
        tmp_path,
        {
            "main.ts": 'import { a } from "kept";\nimport { add } from "kept/fp";\n',
            "node_modules/kept/package.json": json.dumps(manifest),
            "node_modules/kept/index.js": "export const a = 1;\n",
            "node_modules/kept/fp.js": "export function add() {}\n",
            "node_modules/kept/ts/index.d.ts": "export const a: number;\n",
            "node_modules/kept/ts/fp.d.ts": "export function add(x: number): number;\n",
        },
    )
    found, main = modules(tmp_path, "typescript"), tmp_path / "main.ts"
    assert offered(found, "kept", main) == {"a": "export const a: number;"}
    assert offered(found, "kept/fp", main) == {"add": "function add(x: number): number"}


def node(root: Path, *imports: str) -> Path:
    write(
        root,
        {
            "main.ts": "".join(f'import * as m{n} from "{name}";\n' for n, name in enumerate(imports)),
            "node_modules/@types/node/package.json": '{"name": "@types/node", "types": "index.d.ts"}',
            "node_modules/@types/node/index.d.ts": '/// <reference path="fs.d.ts" />\n',
            "node_modules/@types/node/fs.d.ts": FS,
            "node_modules/@types/node/fs/promises.d.ts": FS.replace('"fs"', '"fs/promises"'),
        },
    )
    return root / "main.ts"


def test_modules_of_node(tmp_path: Path) -> None:
    main = node(tmp_path, "fs", "node:fs", "fs/promises", "net", "node:../../out", "node:gone")
    found = modules(tmp_path, "typescript")
    names = [module for _, _, module in imported(found, tmp_path, "main.ts")]
    assert names == ["fs", "node:fs", "fs/promises", None, None, None]
    for name in names[:3]:
        assert offered(found, name or "", main) == {
            "readFile": "function readFile(path: string): Promise<Buffer>",
            "Stats": "class Stats",
        }
    assert not found.is_own("fs", main)


def test_without_types_nothing_is_known_of_node(tmp_path: Path) -> None:
    write(tmp_path, {"main.ts": 'import * as fs from "fs";\n', "node_modules/fs/index.d.ts": "export const no: 1;\n"})
    found = modules(tmp_path, "typescript")
    assert imported(found, tmp_path, "main.ts") == [("fs", None, None)]


def test_a_block_for_a_module_of_node(workspace: Make) -> None:
    made = workspace({})
    node(made.root)
    blocks = made.blocks(
        "main.ts", 'import { readFile } from "node:fs";\n\nexport function f() {\n  readFile($0);\n}\n'
    )
    assert blocks["package:node:fs"].text.split("\n") == [
        "function readFile(path: string): Promise<Buffer>  // Reads a file.",
        "class Stats",
    ]
