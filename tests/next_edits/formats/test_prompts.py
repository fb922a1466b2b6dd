"""Prompts, byte for byte as those publish them who made the models.

The examples are those of Zed's tests, for its models and for Sweep's, and what Sweep's server (`sweep-autocomplete`
0.1.1) writes for two samples.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import unified
from palimpsest.next_edits.formats.format import FilePart, PastChange, WindowRequest
from palimpsest.next_edits.formats.zeta_2 import Zeta2
from tests.next_edits.formats.asking import asked, asked_in, change


def prompt(name: str, about: WindowRequest) -> str:
    made = FORMATS[name].prompt(about)
    assert made is not None
    return made.text


def test_sweep() -> None:
    about = asked("src/main.rs", "current ˇwindow", range(1))
    about = replace(
        about,
        original="old window",
        files=(FilePart("src/context.rs", "context"),),
        changes=(PastChange("src/lib.rs", "-old\n+new\n"),),
    )
    assert prompt("sweep", about) == (
        "<|file_sep|>src/context.rs\n"
        "context\n"
        "<|file_sep|>src/lib.rs.diff\n"
        "original:\n"
        "old\n"
        "updated:\n"
        "new\n"
        "<|file_sep|>original/src/main.rs\n"
        "old window\n"
        "<|file_sep|>current/src/main.rs\n"
        "current window\n"
        "<|file_sep|>updated/src/main.rs\n"
    )


def test_a_change_for_sweep_has_the_lines_around_it_on_both_sides() -> None:
    diff = '@@ -1,3 +1,3 @@\n fn main() {\n-    println!("old");\n+    println!("new");\n }\n'
    about = replace(asked("a.rs", "xˇ", range(1)), original="x", changes=(PastChange("src/main.rs", diff),))
    assert (
        '\noriginal:\nfn main() {\n    println!("old");\n}\nupdated:\nfn main() {\n    println!("new");\n}\n'
        in prompt("sweep", about)
    )


def test_of_a_long_change_sweep_is_shown_both_ends() -> None:
    old, new = "\n".join(f"old {n}" for n in range(60)), "\n".join(f"new {n}" for n in range(60))
    text = prompt("sweep", replace(asked("a.py", "xˇ", range(1)), original="x", changes=(change("b.py", old, new),)))
    shown = text[text.index("original:\n") + len("original:\n") : text.index("updated:\n")].splitlines()
    assert shown == [*(f"old {n}" for n in range(20)), "...", *(f"old {n}" for n in range(41, 60))]


RELATED = {"files": (FilePart("related.rs", "fn helper() {}\n"),), "changes": (PastChange("a.rs", "-old\n+new\n"),)}
BASIC = """\
<[fim-suffix]>
suffix
<[fim-prefix]><filename>related.rs
fn helper() {}

<filename>edit_history
--- a/a.rs
+++ b/a.rs
-old
+new

<filename>test.rs
prefix
"""


def test_zeta_2() -> None:
    about = replace(asked("test.rs", "prefix\nediˇtable\nsuffix", range(1, 2)), **RELATED)
    assert prompt("zeta-2", about) == (f"{BASIC}<<<<<<< CURRENT\nedi<|user_cursor|>table\n=======\n<[fim-middle]>")


def test_zeta_2_1() -> None:
    about = replace(asked("test.rs", "prefix\nediˇtable\nsuffix", range(1, 2)), **RELATED)
    assert prompt("zeta-2.1", about) == f"{BASIC}<|marker_1|>edi<|user_cursor|>table<|marker_2|>\n<[fim-middle]>"


def test_zeta_2_without_context() -> None:
    assert prompt("zeta-2", asked("test.rs", "before\nmidˇdle\nafter", range(1, 2))) == (
        "<[fim-suffix]>\nafter\n<[fim-prefix]><filename>test.rs\nbefore\n"
        "<<<<<<< CURRENT\nmid<|user_cursor|>dle\n=======\n<[fim-middle]>"
    )


SECTION = "<filename>test.rs\n<<<<<<< CURRENT\nco<|user_cursor|>de\n=======\n<[fim-middle]>"


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (
            10_000,
            "<[fim-suffix]>\n<[fim-prefix]><filename>r1.rs\ncontent\n\n"
            f"<filename>edit_history\n--- a/a.rs\n+++ b/a.rs\n-x\n+y\n\n{SECTION}",
        ),
        (40, f"<[fim-suffix]>\n<[fim-prefix]>{SECTION}"),
        (24, None),
    ],
)
def test_zeta_2_drops_what_has_no_room(tokens: int, expected: str | None) -> None:
    class Small(Zeta2):
        most_tokens = tokens * 9 // 10

    about = replace(
        asked("test.rs", "coˇde", range(1)),
        files=(FilePart("r1.rs", "content\n"),),
        changes=(PastChange("a.rs", "-x\n+y\n"),),
    )
    made = Small().prompt(about)
    assert (made and made.text) == expected


def test_zeta_2_is_shown_files_in_their_order() -> None:
    about = replace(
        asked("test.rs", "coˇde", range(1)),
        files=(FilePart("low_prio.rs", "low prio\n"), FilePart("high_prio.rs", "high prio\n")),
    )
    assert prompt("zeta-2", about) == (
        "<[fim-suffix]>\n<[fim-prefix]><filename>low_prio.rs\nlow prio\n<filename>high_prio.rs\nhigh prio\n\n" + SECTION
    )


def test_zeta_2_is_told_the_last_changes_and_which_were_accepted() -> None:
    changes = tuple(PastChange(f"event-{n}.rs", f"-old-{n}\n+new-{n}\n", accepted=n == 7) for n in range(8))
    made = prompt("zeta-2", replace(asked("test.rs", "coˇde", range(1)), changes=changes))
    told = [f"--- a/event-{n}.rs\n+++ b/event-{n}.rs\n-old-{n}\n+new-{n}\n" for n in range(2, 8)]
    told[-1] = f"// User accepted prediction:\n{told[-1]}"
    assert f"<filename>edit_history\n{''.join(told)}\n<filename>test.rs" in made


@pytest.mark.parametrize("name", FORMATS)
def test_pieces_of_their_own_have_nothing_of_the_window(name: str) -> None:
    """What stays as it is while a person types, so that an engine need not read it again."""
    about = asked_in(
        name,
        "a.py",
        "def f():\n    return 1ˇ\n",
        change("b.py", "x = 1\n", "x = 2\n"),
        change("a.py", "def f():\n    return 0\n", "def f():\n    return 1\n", is_open=True),
    )
    about = replace(about, files=(FilePart("c.py", "c = 1\n"),))
    lines = [line.replace("return 1", "return 12") for line in about.lines]
    made = FORMATS[name].prompt(about)
    typed = FORMATS[name].prompt(
        replace(
            about,
            lines=lines,
            cursor=replace(about.cursor, column=about.cursor.column + 1),
            changes=(about.changes[0], change("a.py", "def f():\n    return 0\n", "\n".join(lines), is_open=True)),
        )
    )
    assert made is not None
    assert typed is not None
    own, after = ([piece for piece in one.pieces if piece.kind != "text"] for one in (made, typed))
    assert own == after
    assert made.text != typed.text
    assert {piece.kind for piece in own} >= {"change", "file"}
    assert any("x = 2" in piece.text for piece in own)
    assert not any("return" in piece.text for piece in own)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_a_document_is_taken_for_the_prompts_own(name: str) -> None:
    format = FORMATS[name]
    for mark in format.marks:
        text = f"ok\n{mark.strip()}\nwindowˇ"
        assert format.prompt(asked_in(name, "a.py", text)) is None
        safe = asked_in(name, "a.py", "windowˇ", PastChange("b.py", f"+{mark}\n"))
        if mark.startswith("\n"):
            continue
        made = format.prompt(replace(safe, files=(FilePart("c.py", f"so {mark}"),)))
        assert made is not None
        assert "so " not in made.text
        assert "b.py" not in made.text


def test_hunks_are_written_as_zed_does() -> None:
    old, new = ["foo", "bar", "baz"], ["foo", "BAR", "baz"]
    assert unified(old, new) == "@@ -1,3 +1,3 @@\n foo\n-bar\n+BAR\n baz\n"
    above = [f"line {n}" for n in range(9)]
    assert unified([*above, *old], [*above, *new]).startswith("@@ -8,5 +8,5 @@\n line 7\n line 8\n foo\n-bar\n")
    assert unified(old, old) == ""
    assert unified([], ["a"]) == "@@ -1,0 +1,1 @@\n+a\n"
    assert unified([*old, ""], [*new, ""]) == unified(old, new)
    assert unified([*old, ""], old) == ""


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    old = [f"line {n}" for n in range(30)]
    new = [*old[:5], "new", "more", *old[5:12], "near", *old[12:20], *old[21:]]
    assert [line for line in unified(old, new).split("\n") if line.startswith("@@")] == [
        "@@ -3,6 +3,8 @@",
        "@@ -10,6 +12,7 @@",
        "@@ -18,7 +21,6 @@",
    ]
