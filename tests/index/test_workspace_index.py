"""The index as a window has it: its own process, answers with what is open, and an end."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest.index.messages import BeginIndex, Built, Failed, IndexChanged, IndexOpened, Read, Rows, Told, line_of
from palimpsest.index.store import database
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.languages.name_index import NameIndex
from palimpsest.workspace.files import WorkspaceFiles
from tests.e2e.test_hard_texts import DOCUMENTS as HARD

from .folders import CART, FILES, spoil, write

PATIENCE_S = 60.0


class Window:
    """An index, and what its process said."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.files = WorkspaceFiles((root,))
        self._told: queue.Queue[Told] = queue.Queue()
        self.index = WorkspaceIndex(self._told.put)
        self.begin_with = BeginIndex((str(root),), str(cache), (), (), 1_000, 100_000)

    def begin(self) -> Window:
        self.index.begin(self.begin_with)
        return self

    def until(self, kind: type) -> Told:
        ends = time.monotonic() + PATIENCE_S
        while not isinstance(message := self._told.get(timeout=ends - time.monotonic()), kind):
            pass
        return message

    def built(self) -> Window:
        self.begin().until(Built)
        return self

    @property
    def names(self) -> NameIndex:
        self.files.look_again()
        return self.index.seen_by(self.files)

    def where(self, name: str) -> list[str]:
        return [item.path.relative_to(self.root).as_posix() for item in self.names.definitions(name)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return write(tmp_path / "work", FILES)


@pytest.fixture
def window(root: Path, tmp_path: Path) -> Iterator[Callable[[], Window]]:
    made = list[Window]()

    def make() -> Window:
        made.append(Window(root, tmp_path / "cache"))
        return made[-1]

    yield make
    for one in made:
        one.index.end()


def test_it_answers_what_is_defined_imported_and_declared(window: Callable[[], Window], root: Path) -> None:
    names = window().built().names
    [cart] = names.definitions("Cart")
    assert (cart.path, cart.language, cart.kind, cart.line) == (root / "shop/cart.py", "python", "class", 6)
    assert (cart.signature, cart.doc) == ("class Cart:", "What a person is about to buy.")
    assert names.definitions("Cart", ["rust"]) == []
    assert names.definitions("inner") == [], "what a function defines is its own"
    assert [item.qualified_name for item in names.outline(root / "shop/cart.py") or ()] == ["Cart", "Cart.add", "empty"]
    assert names.outline(root / "nowhere.py") is None
    assert [(item.path, item.item.bound) for item in names.importing("shop.prices")] == [(root / "shop/cart.py", "P")]
    assert names.is_complete
    assert names.files_of("shop") == []


def test_before_it_is_built_nothing_is_known(window: Callable[[], Window]) -> None:
    one = window()
    assert not one.names.is_complete
    assert one.names.definitions("Cart") == []
    one.built().index.end()
    assert one.names.definitions("Cart") == []
    assert not one.names.is_complete


def test_what_is_open_counts_instead_of_its_file(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    one.index.read(root / "shop/cart.py", 1, "python", CART.replace("Cart", "Basket"))
    one.until(Rows)
    assert (one.where("Cart"), one.where("Basket")) == ([], ["shop/cart.py"])
    one.index.closed(root / "shop/cart.py")
    assert (one.where("Cart"), one.where("Basket")) == (["shop/cart.py"], [])


def test_a_document_that_no_model_may_see_is_hidden(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    one.index.hide(root / "shop/cart.py")
    assert one.where("Cart") == []
    assert one.where("Price") == ["shop/prices.py"]


def test_rows_of_a_text_that_is_closed_by_now_are_not_kept(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    one.index.read(root / "shop/cart.py", 1, "python", "class Late: ...\n")
    one.index.closed(root / "shop/cart.py")
    one.until(Rows)
    assert one.where("Late") == []


def test_a_row_counts_while_its_file_is_as_it_was_read(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    write(root, {"shop/prices.py": "class Price: ...\nclass Tax: ...\n"})
    assert one.where("Price") == []
    one.index.look([root / "shop/prices.py"])
    one.until(IndexChanged)
    assert one.where("Tax") == one.where("Price") == ["shop/prices.py"]
    (root / "shop/prices.py").unlink()
    assert one.where("Tax") == []


def test_a_file_that_is_ignored_by_now_is_not_in_an_answer(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    write(root, {".gitignore": "shop/\n"})
    assert one.where("Cart") == []
    assert one.names.importing("shop.prices") == []
    assert one.names.outline(root / "shop/cart.py") is None


def test_two_windows_share_one_index(window: Callable[[], Window], root: Path) -> None:
    first, second = window().built(), window().begin()
    opened = second.until(IndexOpened)
    assert isinstance(opened, IndexOpened)
    assert opened.complete
    assert second.where("Cart") == ["shop/cart.py"]
    write(root, {"shop/prices.py": "class Tax: ...\n"})
    second.index.look([root / "shop/prices.py"])
    second.until(IndexChanged)
    assert first.where("Tax") == second.where("Tax") == ["shop/prices.py"]


def test_the_process_ends_with_the_index(window: Callable[[], Window]) -> None:
    one = window().built()
    process = one.index.process
    assert process is not None
    one.index.end()
    assert process.wait(PATIENCE_S)


def test_the_process_ends_with_a_server_that_is_killed(root: Path, tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; sys.path.insert(0, sys.argv[3])\n"
        "from tests.index.test_workspace_index import Window\n"
        "from palimpsest.index.messages import Built\n"
        "one = Window(Path(sys.argv[1]), Path(sys.argv[2])).built()\n"
        "print(one.index.process.pid, flush=True); time.sleep(600)\n"
    )
    folder = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", script, str(root), str(tmp_path / "cache"), folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        server.kill()
    ends = time.monotonic() + PATIENCE_S
    while is_alive(pid) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not is_alive(pid)


def test_a_process_that_dies_is_started_again(window: Callable[[], Window]) -> None:
    one = window().built()
    process = one.index.process
    assert process is not None
    pid = process.pid
    assert pid is not None
    os.kill(pid, 9)
    one.until(Built)
    assert process.pid != pid
    assert one.where("Cart") == ["shop/cart.py"]


def test_a_database_that_is_damaged_while_in_use_is_made_anew(window: Callable[[], Window], root: Path) -> None:
    """Whoever asks notices first."""
    one = window()
    one.begin().until(Built)
    spoil(database(Path(one.begin_with.cache), root))
    assert one.where("Cart") == []
    assert not one.names.is_complete, "nobody takes its word"
    one.until(Built)
    assert one.where("Cart") == ["shop/cart.py"]
    assert one.names.is_complete


def test_what_a_process_had_no_time_to_read_the_next_one_reads(window: Callable[[], Window], root: Path) -> None:
    one = window().built()
    process = one.index.process
    assert process is not None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    one.index.read(root / "shop/cart.py", 1, "python", "class Open: ...\n")
    os.kill(process.pid, signal.SIGKILL)
    one.until(Rows)
    assert one.where("Open") == ["shop/cart.py"]


def test_a_process_that_dies_while_much_is_said_to_it(window: Callable[[], Window], root: Path) -> None:
    """The pipe is full, and breaks; the next process hears the rest."""
    one = window().built()
    process = one.index.process
    assert process is not None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    for version in range(20):
        one.index.read(root / "shop/cart.py", version, "python", f"class Open{version}: ...\n" + "x = 1\n" * 3_000)
    os.kill(process.pid, signal.SIGKILL)
    one.until(Built)
    while one.where("Open19") != ["shop/cart.py"]:
        one.until(Rows)
    write(root, {"shop/new.py": "class New: ...\n"})
    one.index.look([root / "shop/new.py"])
    one.until(IndexChanged)
    assert one.where("New") == ["shop/new.py"]


def test_one_that_cannot_be_started_costs_the_index_only(
    window: Callable[[], Window], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    failed = window().begin().until(Failed)
    assert isinstance(failed, Failed)


def test_a_warm_index_is_usable_before_it_is_looked_through(window: Callable[[], Window]) -> None:
    window().built().index.end()
    later = window().begin()
    opened = later.until(IndexOpened)
    assert isinstance(opened, IndexOpened)
    assert opened.complete
    assert later.where("Cart") == ["shop/cart.py"]


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        if sys.platform == "linux":
            return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="nothing ends it there")
def test_a_process_in_whose_text_a_grammar_hangs_ends_though_its_server_is_gone(tmp_path: Path) -> None:
    code = "import palimpsest.index.worker as w; w.MOST_CPU_S = 1.0; raise SystemExit(w.main())"
    begin = BeginIndex((str(tmp_path),), str(tmp_path / "cache"))
    read = Read(str(tmp_path / "endless.cpp"), 1, "cpp", HARD["endless.cpp"][1])
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    process.stdin.write(line_of(begin) + line_of(read))
    process.stdin.flush()
    try:
        assert process.wait(PATIENCE_S) == -signal.SIGPROF
    finally:
        process.kill()
        process.stdin.close()
