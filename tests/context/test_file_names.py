"""The block of what the lines around use and other files define: its names, and that it stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from context_workspace import Workspace

from palimpsest.context.sources.file_names import PART, FileNamesSource
from palimpsest.types import Block

Make = Callable[..., Workspace]
CASES: Sequence[tuple[str, Mapping[str, str], Sequence[str]]] = (
    (
        "python",
        {
            "a.py": "def first():\n    $0\n\n\ndef second(crate):\n    return tally(crate.weigh_all())\n",
            "b.py": "def tally(n: int) -> int: ...\n\n\nclass Crate:\n    def weigh_all(self) -> int: ...\n",
        },
        ["def tally(n: int) -> int", "Crate: def weigh_all(self) -> int"],
    ),
    (
        "typescript",
        {
            "a.ts": (
                "function first() {\n  $0\n}\n\nfunction second(crate: Crate) {\n  return tally(crate.weighAll());\n}\n"
            ),
            "b.ts": (
                "export function tally(n: number): number { return n; }\n\n"
                "export class Crate {\n  weighAll(): number { return 1; }\n}\n"
            ),
        },
        ["function tally(n: number): number", "Crate: weighAll(): number"],
    ),
    (
        "javascript",
        {
            "a.js": "function first() {\n  $0\n}\n\nfunction second(crate) {\n  return tally(crate.weighAll());\n}\n",
            "b.js": "function tally(n) { return n; }\n\nclass Crate {\n  weighAll() { return 1; }\n}\n",
        },
        ["function tally(n)", "Crate: weighAll()"],
    ),
    (
        "c",
        {
            "a.c": "int first(void) {\n  $0\n}\n\nint second(void) {\n  return tally(3);\n}\n",
            "b.h": "int tally(int n);\n",
            "b.c": "int tally(int n) { return n; }\n",
        },
        ["int tally(int n)"],
    ),
    (
        "cpp",
        {
            "a.cc": "int first() {\n  $0\n}\n\nint second(Crate& crate) {\n  return tally(crate.weigh_all());\n}\n",
            "b.h": "int tally(int n);\n\nclass Crate {\n public:\n  int weigh_all() const;\n};\n",
            "b.cc": "int tally(int n) { return n; }\n",
        },
        ["int tally(int n)", "Crate: int weigh_all() const"],
    ),
    (
        "go",
        {
            "a/a.go": (
                'package a\n\nimport "shop/b"\n\nfunc first() {\n\t$0\n}\n\n'
                "func second(c *b.Crate) int {\n\treturn c.WeighAll()\n}\n"
            ),
            "b/b.go": "package b\n\ntype Crate struct{}\n\nfunc (c *Crate) WeighAll() int { return 1 }\n",
        },
        ["WeighAll() int", "type Crate struct"],
    ),
    (
        "rust",
        {
            "src/a.rs": "fn first() {\n    $0\n}\n\nfn second(c: &Crate) -> u8 {\n    tally(c.weigh_all())\n}\n",
            "src/b.rs": "pub struct Crate;\n\nimpl Crate {\n    pub fn weigh_all(&self) -> u8 { 1 }\n}\n\n"
            "pub fn tally(n: u8) -> u8 { n }\n",
        },
        ["pub fn tally(n: u8) -> u8", "Crate: pub fn weigh_all(&self) -> u8"],
    ),
    (
        "java",
        {
            "a/A.java": (
                "package a;\n\nclass A {\n  void first() {\n    $0\n  }\n\n"
                "  int second(Crate crate) {\n    return crate.weighAll();\n  }\n}\n"
            ),
            "b/Crate.java": "package b;\n\npublic class Crate {\n  public int weighAll() { return 1; }\n}\n",
        },
        ["public class Crate", "Crate: public int weighAll()"],
    ),
    (
        "kotlin",
        {
            "a/A.kt": "package a\n\nfun first() {\n    $0\n}\n\nfun second(crate: Crate) = tally(crate.weighAll())\n",
            "b/B.kt": "package b\n\nclass Crate {\n    fun weighAll(): Int = 1\n}\n\nfun tally(n: Int): Int = n\n",
        },
        ["fun tally(n: Int): Int", "Crate: fun weighAll(): Int"],
    ),
    (
        "csharp",
        {
            "A.cs": (
                "namespace A;\n\nclass First\n{\n    void Run()\n    {\n        $0\n    }\n\n"
                "    int Second(Crate crate)\n    {\n        return crate.WeighAll();\n    }\n}\n"
            ),
            "B.cs": "namespace B;\n\npublic class Crate\n{\n    public int WeighAll() { return 1; }\n}\n",
        },
        ["public class Crate", "Crate: public int WeighAll()"],
    ),
    (
        "php",
        {
            "a.php": (
                "<?php\nfunction first() {\n    $0\n}\n\n"
                "function second($crate) {\n    return tally($crate->weighAll());\n}\n"
            ),
            "b.php": (
                "<?php\nfunction tally($n) { return $n; }\n\nclass Crate {\n    function weighAll() { return 1; }\n}\n"
            ),
        },
        ["function tally($n)", "Crate: function weighAll()"],
    ),
    (
        "ruby",
        {
            "a.rb": "def first\n  $0\nend\n\ndef second(crate)\n  tally_up(crate.weigh_all)\nend\n",
            "b.rb": "def tally_up(n)\n  n\nend\n\nclass Crate\n  def weigh_all\n    1\n  end\nend\n",
        },
        ["def tally_up(n)", "Crate: def weigh_all"],
    ),
    (
        "swift",
        {
            "A.swift": "func first() {\n    $0\n}\n\nfunc second(c: Crate) -> Int {\n    tally(c.weighAll())\n}\n",
            "b/B.swift": (
                "class Crate {\n    func weighAll() -> Int { 1 }\n}\n\nfunc tally(_ n: Int) -> Int { return n }\n"
            ),
        },
        ["func tally(_ n: Int) -> Int", "Crate: func weighAll() -> Int"],
    ),
    (
        "lua",
        {
            "a.lua": "function first()\n  $0\nend\n\nfunction second(n)\n  return tally(n)\nend\n",
            "b.lua": "function tally(n)\n  return n\nend\n",
        },
        ["function tally(n)"],
    ),
    (
        "bash",
        {
            "a.sh": "first() {\n  $0\n}\n\nsecond() {\n  tally 3\n}\n",
            "b.sh": "tally() {\n  echo 1\n}\n",
        },
        ["tally()"],
    ),
)


def block(made: Workspace, file: str, text: str) -> Block | None:
    found = [one for one in made.blocks(file, text).values() if one.source == FileNamesSource.name]
    return found[0] if found else None


@pytest.mark.parametrize(("files", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_it_has_what_the_next_function_uses(workspace: Make, files: Mapping[str, str], wanted: Sequence[str]) -> None:
    main = next(iter(files))
    made = workspace({name: text.replace("$0", "") for name, text in files.items()})
    made.build_index()
    found = block(made, main, files[main])
    assert found is not None
    assert [text for text in wanted if text not in found.text] == [], found.text


MAIN = "def first():\n    $0\n\n\ndef second():\n    return tally(1)\n"
OTHER = "def tally(n: int) -> int: ...\n\n\ndef weigh(n: int) -> int: ...\n"


@pytest.fixture
def made(workspace: Make) -> Workspace:
    made = workspace({"a.py": MAIN.replace("$0", ""), "b.py": OTHER})
    made.build_index()
    return made


def test_a_line_ends_with_the_signature_and_has_no_colon_of_a_body(made: Workspace) -> None:
    made.write({"b.py": OTHER + "\n\nclass Crate:\n    def weigh_all(self) -> int: ...\n"})
    made.build_index()
    found = block(made, "a.py", MAIN.replace("tally(1)", "tally(Crate().weigh_all())"))
    assert found is not None
    assert set(found.text.split("\n")) == {
        "def tally(n: int) -> int",
        "class Crate",
        "Crate: def weigh_all(self) -> int",
    }


def test_what_is_typed_and_the_cursors_way_through_a_part_leave_it_as_it_is(made: Workspace) -> None:
    texts = [MAIN, MAIN.replace("$0", "weigh($0)"), MAIN.replace("$0", "weigh(2)").replace("tally(1)", "tally(1$0)")]
    found = {(it.key, it.text) for text in texts if (it := block(made, "a.py", text)) is not None}
    assert len(found) == 1
    assert "tally" in next(iter(found))[1]


def test_what_is_not_used_any_more_goes_and_so_does_what_is_defined_no_more(made: Workspace) -> None:
    assert block(made, "a.py", MAIN) is not None
    found = block(made, "a.py", MAIN.replace("tally(1)", "weigh(1)"))
    assert found is not None
    assert ("tally" in found.text, "weigh" in found.text) == (False, True)
    made.write({"b.py": "def tally(n: int, much: int) -> int: ...\n"})
    made.build_index()
    found = block(made, "a.py", MAIN)
    assert found is not None
    assert "much: int" in found.text


@pytest.mark.parametrize(
    ("why", "main", "other"),
    [
        ("the file has it", MAIN + "\n\ndef tally(n): ...\n", OTHER),
        ("the language has it", MAIN.replace("tally", "print"), OTHER.replace("tally", "print")),
        ("several have it", MAIN, OTHER + "\n\nclass Box:\n    def tally(self): ...\n"),
        ("short members are called like others", MAIN.replace("tally", "x.tally"), OTHER),
        ("the line is too long to be read", MAIN.replace("tally(1)", "tally(1)" + " + 1" * 200), OTHER),
        ("it is in a string", MAIN.replace("tally(1)", "'tally(1)'"), OTHER),
        ("only a test has it", MAIN, ""),
    ],
)
def test_there_is_none_where_nobody_can_tell(workspace: Make, why: str, main: str, other: str) -> None:
    files = {"a.py": main.replace("$0", ""), "b.py": other, "tests/test_b.py": OTHER if not other else ""}
    made = workspace(files)
    made.build_index()
    assert block(made, "a.py", main) is None, why


def test_a_long_file_has_one_for_each_part_and_the_nearest_names_come_first(workspace: Make) -> None:
    names = [f"gadget_number_{n:03}" for n in range(120)]
    calls = "".join(f"def use_{n}():\n    return {name}(1)\n\n\n" for n, name in enumerate(names))
    made = workspace({"a.py": calls, "b.py": "".join(f"def {name}(n): ...\n" for name in names)})
    made.build_index()
    lines = calls.split("\n")
    found = [block(made, "a.py", "\n".join([*lines[:n], "$0", *lines[n:]])) for n in (10, PART + 10)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].name != found[1].name
    assert "gadget_number_02" in found[0].text.split("\n")[0], "in its middle"
    assert names[119] not in found[0].text


BESIDE = {
    "jobs/one_job.py": "def run_one():\n    return tally(1)\n",
    "jobs/two_job.py": "def run_two():\n    return tally(2) + weigh(2)\n",
    "jobs/new_job.py": "",
    "b.py": OTHER,
}


def test_a_file_that_uses_nothing_yet_gets_what_several_files_beside_it_use(workspace: Make) -> None:
    made = workspace(BESIDE)
    made.build_index()
    found = block(made, "jobs/new_job.py", "def run_new():\n    $0\n")
    assert found is not None
    assert ("tally" in found.text, "weigh" in found.text) == (True, False)
    made.write({"jobs/two_job.py": "def run_two(): ...\n"})
    assert block(made, "jobs/new_job.py", "def run_new():\n    $0\n") is None


@pytest.mark.parametrize("hidden", [".gitignore", ".palimpsestignore"])
def test_files_beside_it_that_no_model_may_see_are_not_read(workspace: Make, hidden: str) -> None:
    made = workspace({**BESIDE, hidden: "two_job.py\n"})
    made.build_index()
    assert block(made, "jobs/new_job.py", "def run_new():\n    $0\n") is None


def test_without_a_whole_index_there_is_none(workspace: Make) -> None:
    assert block(workspace({"a.py": MAIN.replace("$0", ""), "b.py": OTHER}), "a.py", MAIN) is None
