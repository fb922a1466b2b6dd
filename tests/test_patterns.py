"""gitignore patterns: what git says, and no pattern that takes long."""

import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from palimpsest.text.patterns import MOST_CHARACTERS, MOST_PATTERNS, MOST_WILD_CHARACTERS, Patterns
from tests.examples import examples

NAMES = ["a", "b", "ab", "a.b", "aab", "x y", "-", "]", "A", "é", "a "]
PIECES = [
    "a",
    "b",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[^a-b]",
    "[]-]",
    "[[:alpha:]]",
    ".",
    "\\*",
    "/***/",
    "\\a",
    " ",
    "[",
    "-",
    "!",
    "#",
]


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        yield Path(folder)


def asked_of_git(folder: Path, lines: list[str], paths: list[str]) -> list[bool]:
    """Whether git ignores each path; a folder's ends in `/`."""
    (folder / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n"],
        cwd=folder, input="\0".join(paths).encode() + b"\0", capture_output=True, check=False,
    )  # fmt: skip
    fields = done.stdout.decode().split("\0")
    return [pattern != "" and not pattern.startswith("!") for pattern in fields[2::4]]


@pytest.mark.parametrize(
    "line", ["***/z.py", "/***/z.py", "a/***", "a/***/z.py", "***", "/***", "****/z.py", "!***/z.py"]
)
def test_more_stars_are_two(repository: Path, line: str) -> None:
    paths = ["z.py", "az.py", "a/z.py", "a/b/z.py", "a/q.py", "b/z.py/", "b/c/q.py"]
    lines = ["*.py", line]
    assert [Patterns(lines).ignores(path) for path in paths] == asked_of_git(repository, lines, paths)
    assert [Patterns([line]).ignores(path) for path in paths] == asked_of_git(repository, [line], paths)


@pytest.mark.parametrize(
    "line",
    [
        "a**/z.py",
        "a***/z.py",
        "a**/z*",
        "a**/b/z.py",
        "/a**",
        "a/b**",
        "a/b**/",
        "!a/b**",
        "a**/",
        "a**/**/z.py",
        "a**/**",
        "a**/**b/z.py",
        "a**/***/**",
        "**a/z.py",
        "a**b/z",
        "x/a**",
        "/a**/",
        "a?**/z.py",
        "[a]**/z.py",
        "\\\\a**/z.py",
        "a/**z.py",
        "a/z**.py",
        "**z.py",
    ],
)
def test_stars_that_do_not_stand_alone_are_as_in_git(repository: Path, line: str) -> None:
    names = ("a", "ab", "az.py", "b", "x", "z", "z.py")
    paths = ["/".join(parts) for n in (1, 2, 3) for parts in itertools.product(names, repeat=n)]
    lines = ["*b*", line]
    assert [Patterns([line]).ignores(path) for path in paths] == asked_of_git(repository, [line], paths)
    assert [Patterns(lines).ignores(path) for path in paths] == asked_of_git(repository, lines, paths)


@examples(2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join), min_size=1, max_size=3),
    paths=st.lists(
        st.tuples(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), st.booleans()), min_size=1, max_size=8
    ),
)
def test_say_what_git_says(repository: Path, lines: list[str], paths: list[tuple[list[str], bool]]) -> None:
    assume(not any(re.search(r"\[[^]]*/", line) for line in lines))  # the one difference, which the module names
    asked = ["/".join(parts) + "/" * is_dir for parts, is_dir in paths]
    patterns = Patterns(lines)
    assert [patterns.ignores(path) for path in asked] == asked_of_git(repository, lines, asked), (lines, asked)


@pytest.mark.parametrize(
    ("line", "path", "ignored"),
    [
        ("*.py", "a/b.py", True),
        ("build/", "build", False),
        ("build/", "x/build/y", True),
        ("/build", "x/build", False),
        ("a/b", "x/a/b", False),
        ("**/b", "b", True),
        ("a/**/b", "a/b", True),
        ("a/**", "a", False),
        ("a/**", "a/x/y", True),
        ("doc/*.txt", "doc/a/b.txt", False),
        ("\\!x", "!x", True),
        ("x\\ ", "x ", True),
        ("# x", "# x", False),
    ],
)
def test_of_gitignores_manual(line: str, path: str, ignored: bool) -> None:
    assert Patterns([line]).ignores(path) is ignored


def test_a_later_pattern_takes_back_but_not_out_of_an_ignored_folder() -> None:
    assert not Patterns(["*.log", "!keep.log"]).ignores("keep.log")
    assert Patterns(["logs/", "!logs/keep.log"]).ignores("logs/keep.log")


@pytest.mark.parametrize(
    "line",
    ["*a" * 300 + "b", "**/" * 300 + "b", "[a-z]*" * 150 + "!", "?*" * 400 + "b", "a/**/" * 150 + "b", "*" * 999],
)
def test_none_takes_long(line: str) -> None:
    """Each would take longer than the sun burns, tried in every way; the suite's own limit of time is the bound."""
    patterns = Patterns([line] * 20)
    for path in ("a" * 4000, "a/" * 120 + "a", "a/" * 2000 + "a", "a" * 255 + "/" + "a" * 255):
        patterns.ignores(path)


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n}.txt" for n in range(MOST_PATTERNS)] + ["secret/"],
        ["x" * (MOST_CHARACTERS + 1)],
        ["*a" * (MOST_CHARACTERS // 2)] * (1 + MOST_WILD_CHARACTERS // MOST_CHARACTERS),
    ],
    ids=["many", "long", "wild"],
)
def test_where_a_bound_leaves_out_a_pattern_all_is_ignored_and_told(
    lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    patterns = Patterns(lines, "some/.gitignore")
    assert patterns
    assert patterns.ignores("a.py")
    assert patterns.verdict(["a", "b.py"], is_dir=False) is True
    assert "some/.gitignore: 1 patterns are too many" in caplog.text


def test_what_ignores_nothing_may_be_left_out() -> None:
    names = [f"{n}.txt" for n in range(MOST_PATTERNS)]
    long = "x" * (MOST_CHARACTERS + 1)
    patterns = Patterns([f"# {long}", f"!{long}", *names, "", "# one more", "!a.py"])
    assert patterns.ignores("0.txt")
    assert not patterns.ignores("a.py")
