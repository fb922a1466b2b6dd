"""What is counted while a text is typed, and which hunks are."""

import subprocess
from argparse import ArgumentParser
from pathlib import Path

import pytest

from bench.benches.typing import add
from bench.typing.hunks import drawn, unpacked
from bench.typing.person import NOTHING, Ghost, calibration, is_right, keys, right_part, summary
from bench.typing.plot import svg
from bench.typing.typist import patiently
from palimpsest.errors import InvalidArgument

TEXT = "\n    return total\n"


class Shown:
    """Shows what it is told to at a place of the text."""

    def __init__(self, ghosts: dict[int, str]) -> None:
        self.ghosts, self.at, self.ms, self.taken = ghosts, 0, 1.0, list[str]()

    async def press(self, key: str) -> Ghost:
        self.at += len(key)
        return Ghost(self.ghosts.get(self.at, ""), sure=0.5)

    async def take(self, ghost: Ghost, text: str) -> Ghost:
        self.taken.append(text)
        return await self.press(text)


def test_a_line_end_and_its_indentation_are_one_key() -> None:
    assert keys(TEXT) == ["\n    ", *"return", " ", *"total", "\n"]


def test_right_is_what_comes_to_its_end_and_ends_with_a_word() -> None:
    assert is_right("return", "return total")
    assert not is_right("ret", "return total")
    assert not is_right("return x", "return total")
    assert not is_right("", "return")
    assert right_part("a b c", "a b d") == "a"
    assert right_part("one\ntwo", "one\ntoo") == "one"
    assert right_part("x", "y") == ""


async def test_keys_saved_and_wrong_characters() -> None:
    screen = Shown({5: "yield", 6: "eturn", 11: " tally"})
    typed = await patiently(screen, TEXT, "python")
    assert screen.taken == ["eturn"]
    assert (typed.plain, typed.pressed) == (14, 10)
    assert (typed.shown, typed.right) == (3, 1)
    assert typed.wrong == len("yield") + len("ally")
    row = summary([typed])
    assert row["saved"] == round(4 / 14, 4)
    assert row["wrong"] == round(9 / 10, 4)
    assert calibration([typed]) == [{"from": 0.5, "n": 3, "said": 0.5, "right": round(1 / 3, 4)}]


async def test_a_person_who_reacts_late_takes_what_stays_for_so_many_keys() -> None:
    screen = Shown({6: "eturn total", 7: "turn total", 8: "urn total", 15: "tal"})
    typed = await patiently(screen, TEXT, "python", reaction=2)
    assert screen.taken == ["urn total"]
    assert (typed.plain, typed.pressed) == (14, 6)


@pytest.mark.parametrize(
    ("given", "says"),
    [(["--reaction", "-1"], "wants 0 or more, got -1"), (["--timed", "--reaction", "2"], "not allowed with")],
)
def test_a_reaction_that_means_nothing_is_refused(
    given: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    add(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([".", *given])
    assert says in capsys.readouterr().err


async def test_a_ghost_that_stays_is_counted_once_and_one_that_gives_way_is_a_change() -> None:
    stays = await patiently(Shown({5: "returns", 6: "eturns", 7: "turns"}), TEXT, "python")
    assert (stays.shown, stays.changed) == (1, 1), "it vanishes once, though it still agrees"
    other = await patiently(Shown({5: "returns", 6: "ejects"}), TEXT, "python")
    assert (other.shown, other.changed) == (2, 2)


def git(repo: Path, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=repo, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    file = root / "cart.py"
    old = "def one():\n    return 1\n"
    moved = "def moved():\n    a = 1\n    return a\n"
    for text in (
        old,
        old + "\n\ndef two():\n    x = 1\n    return x\n",
        moved + old,
        old + moved,
        old + moved + "short = 1\n",
    ):
        file.write_text(text)
        (root / "notes.md").write_text(f"# Notes\n\n{text}")
        git(root, "add", ".")
        git(root, "commit", "-qm", "x")
    return root


def test_hunks_are_what_was_written_in_code_and_not_what_was_moved(repo: Path, tmp_path: Path) -> None:
    found = drawn(repo, 9, 0)
    assert all(one.file == "cart.py" for one in found)
    assert any("def two()" in one.text for one in found)
    (one,) = [one for one in found if "def two()" in one.text]
    assert one.text.startswith("\n")
    assert one.before + one.text + one.after == "def one():\n    return 1\n\n\ndef two():\n    x = 1\n    return x\n"
    moved = subprocess.run(["git", "log", "--format=%H", "-n1", "HEAD^"], cwd=repo, capture_output=True, text=True)
    assert moved.stdout.strip() not in [one.commit for one in found]
    (tmp_path / "tree").mkdir()
    unpacked(one, tmp_path / "tree")
    assert (tmp_path / "tree" / "cart.py").read_text() == one.before + one.after


def test_a_hunk_below_others_is_typed_where_it_belongs_in_the_parents_file(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    file = tmp_path / "cart.py"
    old = "def one():\n    return 1\n\n\n# the end\n"
    above, below = "import os\nimport re\nimport json\n\n\n", "\n\ndef two():\n    x = 1\n    return x\n"
    for text in (old, above + old.replace("\n\n\n# the", f"{below}\n\n# the")):
        file.write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", "x")
    for seed in range(9):
        (one,) = drawn(tmp_path, 1, seed)
        assert one.before + one.after == old.rstrip("\n") + "\n"
        if "def two()" in one.text:
            assert one.before.rstrip("\n").endswith("return 1")
            return
    raise AssertionError("the hunk below was never drawn")


def test_a_folder_without_such_commits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="repo"):
        drawn(tmp_path, 1, 0)


def test_the_picture_has_a_point_for_each_way() -> None:
    row = {"saved": 0.2, "wrong": 0.1}
    drawing = svg({"model": "m", "ways": {way: {"languages": {"all": row}} for way in ("quiet", "llama-server")}})
    assert drawing.count("<circle") == 2
    assert NOTHING.text == ""
