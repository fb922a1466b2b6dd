"""`python -m bench next-edit`: cases, scores and stand-ins by themselves; and all of it, with the embedded model."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_downloads import Server, serving

from bench.benches import next_edit
from bench.command import main
from bench.next_edits import cases, commits, recorded
from bench.next_edits.cases import Case, lines_of
from bench.next_edits.fetching import COMMIT, FOLDER, REPO, blob_hash, fetched, tree_hash
from bench.next_edits.scoring import Judged, chrf, delta_chrf, rates
from bench.next_edits.stand_in import rewritten
from bench.replaying.ours import own_folders
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.text.snapshot import Position

RENAMED = """A name was changed; one use of it is left.
id: renamed
language: python
file: src/shapes.py
row: 5
col: 10
-- buffer.txt --
def circle_area(radius):
    return 3 * radius * radius


print(area(1))
-- history --
<|file|> elsewhere.py
<|old|>
x = 1
<|new|>
x = 2
<|file|> src/shapes.py
<|old|>
def area(radius):
<|new|>
def circle_area(radius):
-- steps --
request-completion manual
-- expected --
def circle_area(radius):
    return 3 * radius * radius


print(circle_area(1))
"""
NOTHING = """Nothing is to be done here.
id: nothing
language: python
file: shapes.py
row: 1
col: 9
cursor-positions: 2:4, 2:10
-- buffer.txt --
width = "é\U00010400" + 1
print(width)
-- steps --
request-completion manual
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "scenarios"
    place.mkdir()
    (place / "1-renamed.txtar").write_text(RENAMED, encoding="utf-8")
    (place / "2-nothing.txtar").write_text(NOTHING, encoding="utf-8")
    (place / "3-others.txtar").write_text(NOTHING.replace("row: 1", "row: 1\ntargets: others"), encoding="utf-8")
    return tmp_path


# Cases ----------------------------------------------------------------------------------------------------------


def test_a_case_is_taken_back_to_before_its_edits(folder: Path) -> None:
    renamed = cases.read(folder)[0]
    assert (renamed.name, renamed.file, renamed.cursor) == ("renamed", "src/shapes.py", Position(4, 10))
    assert renamed.earlier == (("x = 1\n", "x = 2\n"),)
    assert [text.split("\n")[0] for text in renamed.versions] == ["def area(radius):", "def circle_area(radius):"]
    assert renamed.expected is not None
    assert lines_of(renamed.expected)[-1] == "print(circle_area(1))"


def test_each_cursor_is_a_case_and_columns_count_bytes(folder: Path) -> None:
    found = cases.read(folder)[1:]
    assert [case.name for case in found] == ["nothing@1", "nothing@2", "nothing@2"]
    assert [case.cursor for case in found] == [Position(0, 9), Position(1, 4), Position(1, 10)]
    assert all(case.expected is None and len(case.versions) == 1 for case in found)
    (folder / "scenarios" / "2-nothing.txtar").write_text(NOTHING.replace("col: 9", "col: 15"), encoding="utf-8")
    assert cases.read(folder)[1].cursor == Position(0, 11)


def test_where_nothing_was_edited_the_word_before_the_cursor_may_be(folder: Path) -> None:
    renamed, _, first, second = cases.read(folder)
    assert cases.typed(renamed) is renamed
    assert cases.typed(first).versions[0].split("\n")[1] == "t(width)"
    assert cases.typed(second).versions[0].split("\n")[1] == "print(h)"
    assert cases.typed(second).text == second.text


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "id: a\nrow: 1\n",
        RENAMED.replace("src/", "../"),
        *(RENAMED.replace("row: 5", f"row: {row}") for row in ("five", "0", "99")),
    ],
)
def test_what_is_no_case_is_named(tmp_path: Path, broken: str) -> None:
    with pytest.raises(InvalidArgument, match="has no cases"):
        cases.read(tmp_path)
    (tmp_path / "bad.txtar").write_text(broken, encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"bad\.txtar"):
        cases.read(tmp_path)


def test_commits_are_cases_with_their_last_hunk_expected(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    before = "def f(a):\n    return a\n\n\nx = f(1)\n\n\ny = f(2)\n"
    git("init", "-q")
    (tmp_path / "a.py").write_text(before)
    (tmp_path / "notes.txt").write_text("one\n\n\ntwo\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    (tmp_path / "a.py").write_text(before.replace("f(", "g("))
    (tmp_path / "notes.txt").write_text("three\n\n\nfour\n")
    git("commit", "-qam", "second")
    (tmp_path / "a.py").write_text(before)
    git("commit", "-qam", "third")

    found = commits.read(tmp_path, 1, 0)
    assert len(found) == 2
    (again,) = {case.name for case in commits.read(tmp_path, 1, 0)} & {found[0].name} or {""}
    assert again, "a seed decides which"
    found = commits.read(tmp_path, 9, 0, "HEAD^")
    open_, done = found
    assert [text.count("g(") for text in open_.versions] == [0, 1, 2]
    assert open_.expected == done.text == before.replace("f(", "g(")
    assert open_.cursor == done.cursor == Position(7, 4)
    assert done.expected is None
    with pytest.raises(InvalidArgument, match="--history"):
        commits.read(tmp_path, 1, 0, "HEAD~2")


# Scores ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reference", "score"),
    [
        ("abc", "abc", 100.0),
        ("", "", 100.0),
        ("", "abc", 0.0),
        ("abc", "xyz", 0.0),
        ("abc", "abd", 100 * (2 / 3 + 1 / 2 + 0) / 3),  # of one, two and three characters
        ("a", "ab", 100 * (5 * 0.5 / (4 * 1 + 0.5) + 0) / 2),  # what is missing weighs more
        ("ab", "a", 100 * (5 * 0.5 / (4 * 0.5 + 1) + 0) / 2),
        ("aa", "aaaa", 100 * (5 * 0.5 / 4.5 + 5 * (1 / 3) / (4 + 1 / 3) + 0 + 0) / 4),
    ],
)
def test_chrf_is_as_computed_by_hand(text: str, reference: str, score: float) -> None:
    assert chrf(text, reference) == pytest.approx(score)


def test_only_what_changed_is_compared() -> None:
    before = ["a", "b", "c"]
    assert delta_chrf(before, ["a", "B", "c"], ["a", "B", "c"]) == 100
    assert delta_chrf(before, before, before) == 100
    assert delta_chrf(before, ["a", "Bx", "c"], ["a", "By", "c"]) == chrf("Bx", "By")
    assert delta_chrf(before, before, ["a", "c"]) == 100, "of lines that only go, nothing is compared"


def test_a_score_needs_edits_that_are_good_and_quiet() -> None:
    def judged(*shown: bool) -> list[Judged]:
        return [Judged(50.0, True, False), Judged(0.0, False, False), *(Judged(None, one, not one) for one in shown)]

    assert rates(judged(False, False)) == {
        "score": round(0.25 * 2 * 0.5 / 1.5, 4),
        "delta_chrf": 25.0,
        "show": 0.5,
        "quiet": 1.0,
        "right": 0.5,
    }
    assert rates(judged(True))["score"] == rates(judged())["score"] == rates([])["score"] == 0


# Recorded answers -----------------------------------------------------------------------------------------------


def cassette(path: Path, prompt: str, text: str, finish: str = "stop") -> None:
    def body(content: object) -> str:
        return base64.b64encode(json.dumps(content).encode()).decode()

    rows = [
        {"kind": "meta"},
        {"kind": "request", "body_b64": body({"prompt": prompt})},
        {"kind": "response", "body_b64": body({"choices": [{"text": text, "finish_reason": finish}]})},
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


CODE = "a = 1\nb = 2\nprint(a)\n"


@pytest.mark.parametrize(
    ("model", "prompt", "text"),
    [
        (
            "sweep-next-edit-1.5B",
            "<|file_sep|>current/a.py:1:3\na = 1\nb<|cursor|> = 2\nprint(a)\n<|file_sep|>updated/a.py:1:3\na = 1\n",
            "b = 3\nprint(a)\n",
        ),
        (
            "zeta-2",
            "<filename>a.py\na = 1\n<<<<<<< CURRENT\nb<|user_cursor|> = 2\nprint(a)\n=======\n<[fim-middle]>",
            "b = 3<|user_cursor|>\nprint(a)\n",
        ),
    ],
)
def test_what_was_recorded_is_read_in_its_format(tmp_path: Path, model: str, prompt: str, text: str) -> None:
    case = Case("a", "a.py", (CODE,), Position(1, 1), CODE, folder=tmp_path)
    cassette(tmp_path / f"{model}.ndjson", prompt, text)
    assert recorded.recording(case, model).target == CODE.replace("2", "3")
    cassette(tmp_path / f"{model}.ndjson", prompt, text, "length")
    assert recorded.recording(case, model).target == CODE, "it was cut off"
    cassette(tmp_path / f"{model}.ndjson", "of another format", text)
    with pytest.raises(InvalidArgument, match="cannot be read"):
        recorded.recording(case, model)
    (tmp_path / f"{model}.ndjson").unlink()
    with pytest.raises(InvalidArgument, match="has no answer"):
        recorded.recording(case, model)


def test_a_model_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="none of"):
        recorded.format_of("copilot")


def test_lines_of_a_window_become_what_they_are_in_another_version() -> None:
    lines, target = list("abcdefg"), list("abXXefYg")
    assert rewritten(lines, list("bcde"), 2, target) == list("bXXe")
    assert rewritten(lines, list("ab"), 0, target) == list("ab")
    assert rewritten(lines, list("abc"), 0, target) == list("abX"), "the half of a change that is in it"
    assert rewritten(lines, list("ef"), 4, target) == list("efY")
    assert rewritten(lines, list("zz"), 4, target) == list("zz")
    assert rewritten(["x", "y", "x", "z"], ["x"], 2, ["x", "y", "w", "z"]) == ["w"]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.lists(st.sampled_from("abcx"), max_size=8))
def test_a_window_of_everything_becomes_everything(lines: list[str], target: list[str]) -> None:
    assert rewritten(lines, lines, 0, target) == target


# Fetching -------------------------------------------------------------------------------------------------------


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One on which nothing of ours ran before."""
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        for name, value in own_folders(Path(folder)).items():
            monkeypatch.setenv(name, value)
        yield


@pytest.fixture
def server() -> Iterator[Server]:
    yield from serving()


def tree_of(files: dict[str, bytes]) -> tuple[str, list[dict[str, Any]]]:
    entries = {path: ("100644", blob_hash(content), len(content)) for path, content in files.items()}
    entries |= {path.partition("/")[0]: ("040000", "", 0) for path in files if "/" in path}
    listed = [{"path": path, "mode": mode, "sha": sha, "size": size} for path, (mode, sha, size) in entries.items()]
    return tree_hash(entries), listed


def test_cases_are_fetched_once_and_checked(machine: None, server: Server) -> None:
    files = {"1.txtar": RENAMED.encode(), "1/zeta.ndjson": b"{}\n", "1/other.ndjson": b"{}{}\n"}
    tree, listed = tree_of(files)
    server.files[f"/repos/{REPO}/git/trees/{tree}"] = json.dumps({"tree": listed}).encode()
    server.files |= {f"/{REPO}/{COMMIT}/{FOLDER}/{path}": content for path, content in files.items()}
    place = fetched("zeta", api=server.url, raw=server.url, tree=tree)
    assert [case.name for case in cases.read(place)] == ["renamed"]
    assert (place / "1" / "zeta.ndjson").read_bytes() == b"{}\n"
    assert not (place / "1" / "other.ndjson").exists()
    n_asked = len(server.asked)
    assert fetched(api=server.url, raw=server.url, tree=tree) == place
    assert len(server.asked) == n_asked
    server.corrupt = True
    (place / "1.txtar").unlink()
    with pytest.raises(ModelError, match=r"the hash it should have.*--cases"):
        fetched(api=server.url, raw=server.url, tree=tree)
    assert not (place / "1.txtar").exists()


def test_a_list_of_another_revision_is_refused(machine: None, server: Server) -> None:
    tree, listed = tree_of({"1.txtar": b"a"})
    server.files[f"/repos/{REPO}/git/trees/{tree}"] = json.dumps({"tree": [*listed, *tree_of({"2": b""})[1]]}).encode()
    with pytest.raises(ModelError, match=r"pinned revision.*--cases"):
        fetched(api=server.url, raw=server.url, tree=tree)


def test_without_a_network_another_way_is_named(machine: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match=r"cannot be fetched.*--cases"):
        fetched(api="http://127.0.0.1:1", raw="http://127.0.0.1:1")


def test_hashes_are_those_of_git(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    files = {"a.txt": b"a", "a/b.txt": b"b", "a-b": b"", "ab/c/d.txt": b"d"}
    for path, content in files.items():
        if path != "a.txt":
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    written = subprocess.run(["git", "write-tree"], cwd=tmp_path, check=True, capture_output=True, text=True)
    entries = {path: ("100644", blob_hash(content), len(content)) for path, content in files.items()}
    entries |= dict.fromkeys(("a", "ab", "ab/c"), ("040000", "", 0))
    assert tree_hash(entries) == written.stdout.strip()


# All of it ------------------------------------------------------------------------------------------------------


def result_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["next-edit", *arguments, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_trees_find_the_use_of_a_name(machine: None, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = result_of(capsys, "--with", "trees", "--cases", str(folder))
    assert (result["score"], result["show"], result["quiet"], result["right"]) == (1.0, 1.0, 1.0, 1.0)
    assert [row["kinds"] for row in result["rows"]] == [["rename"], [], [], []]
    assert main(["next-edit", "--with", "trees", "--cases", str(folder)]) == 0
    assert "score 1.00" in capsys.readouterr().out


@pytest.mark.parametrize("more", [(), ("--typed",)])
def test_what_is_expected_is_shown_when_a_model_writes_it(
    machine: None, folder: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    given = ("--with", "model", "--recorded", "expected", "--cases", str(folder), *more)
    result = result_of(capsys, *given)
    assert (result["score"], result["answers"]["score"]) == (1.0, 1.0)
    assert result["rows"][0]["kinds"] == ["model"]
    assert result["keystroke"] is None


def test_a_recorded_answer_is_given_to_the_letter(
    machine: None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "scenarios" / "2-nothing.txtar").unlink()
    code = cases.read(folder)[0].text
    prompt = f"<<<<<<< CURRENT\n{code.replace('area(1', 'are<|user_cursor|>a(1')}=======\n<[fim-middle]>"
    answer = code.replace("print(area", "print(circle_area")
    cassette(folder / "scenarios" / "1-renamed" / "zeta-2.ndjson", prompt, answer)
    result = result_of(capsys, "--with", "model", "--recorded", "zeta-2", "--cases", str(folder))
    assert result["format"] == "zeta-2"
    assert result["rows"][0]["right"]
    assert result["answers"]["to_the_letter"] >= 1


@pytest.mark.slow(part="benches")
def test_a_model_is_asked_in_the_format_that_is_named(
    machine: None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--model", str(next_edit.embedded()), "--cases", str(folder), "--typed", "--keystrokes", "1")
    result = result_of(capsys, "--with", "both", "--format", "zeta-2", *given)
    assert (result["model"], result["format"]) == (next_edit.embedded().name, "zeta-2")
    assert result["rows"][0]["kinds"][0] == "rename"
    assert (result["cases"], result["quiet_cases"]) == (1, 3)
    result = result_of(capsys, "--with", "model", *given)
    assert result["format"] == "sweep"
    assert "rename" not in result["rows"][0]["kinds"]
