"""The database: damaged, of a newer version, full, written by several processes, killed at any moment."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.conversations import checkpoints
from palimpsest.conversations.contents import hash_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import extract
from palimpsest.conversations.store import database
from palimpsest.conversations.store.schema import STEPS
from palimpsest.errors import InvalidArgument, NotFound, StorageError
from tests.examples import examples

SAYS_ALL = textwrap.dedent("""
    import sys
    from pathlib import Path
    from palimpsest.conversations.memory import Memory
    from palimpsest.conversations.refs.tags import extract
    memory = Memory.open(Path(sys.argv[1]))
    talk = memory.conversations.new(sys.argv[2]).id
    print("talk", talk, flush=True)
    for number in range(int(sys.argv[3])):
        turn = memory.turns.add(talk, "user", f"question {number} " * 50)
        print("turn", turn.id, flush=True)
        writing = memory.turns.add(talk, "assistant", "", state="writing")
        for so_far in range(3):
            memory.turns.write(writing.id, f"answer {number} " * so_far)
        memory.turns.finish(writing.id, f"answer {number}")
        print("turn", writing.id, flush=True)
        memory.refs.store(talk, writing.id, extract(f'<ref id="r{number}">{number}</ref>'))
        print("ref", f"r{number}", flush=True)
        made = memory.descriptors.create(talk, f"line {number}\\n" * 3000, "test")
        print("fd", made.id, flush=True)
    memory.close()
""")


def writer(path: Path, name: str, n: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SAYS_ALL, str(path), name, str(n)], stdout=subprocess.PIPE, text=True
    )


def check(path: Path, said: list[list[str]]) -> None:
    """What was said to be there is there, whole."""
    memory = Memory.open(path)
    with memory.database.reading() as rows:
        assert rows.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert rows.execute("PRAGMA foreign_key_check").fetchall() == []
        assert rows.execute("SELECT count(*) FROM turn WHERE state = 'writing'").fetchone()[0] == 0
    talk = ""
    for kind, name in said:
        if kind == "talk":
            talk = memory.conversations.get(name).id
        elif kind == "turn":
            turn = memory.turns.get(int(name))
            assert turn.state == "complete"
            assert memory.turns.text(turn).startswith(("question", "answer"))
            assert turn.id in [each.id for each in memory.turns.branch(talk)]
        elif kind == "ref":
            assert memory.refs.content(memory.refs.get(talk, name)) == name[1:]
        else:
            assert memory.descriptors.text(talk, name).count("\n") == 3000
    memory.close()


def test_a_process_killed_at_any_moment_loses_nothing_that_it_had_kept(tmp_path: Path) -> None:
    randomly, path = random.Random(17), tmp_path / "memory.sqlite"
    Memory.open(path).close()
    n_said, n_kills = 0, examples(0.25).max_examples
    for number in range(n_kills):
        process = writer(path, str(number), 1000)
        assert process.stdout is not None
        said = [process.stdout.readline().split()]
        time.sleep(randomly.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        said += [line.split() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        process.stdout.close()
        process.wait()
        n_said += len(said)
        check(path, said)
    assert n_said > 2 * n_kills


def test_two_processes_write_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    both = [writer(path, name, 5) for name in ("one", "other")]
    said = [process.communicate(timeout=120)[0] for process in both]  # a turn of one that goes on is "writing" still
    for process, lines in zip(both, said, strict=True):
        assert process.returncode == 0
        check(path, [line.split() for line in lines.splitlines()])


def test_a_turn_whose_writer_died_is_cut_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    memory = Memory.open(path)
    talk = memory.conversations.new().id
    turn = memory.turns.add(talk, "assistant", "so far", state="writing")
    memory.turns.settle()
    assert memory.turns.get(turn.id).state == "writing", "its writer is here"
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    with memory.database.transaction() as rows:
        rows.execute("UPDATE turn SET writer = ?", (gone.stdout.decode().strip(),))
    memory.close()
    memory = Memory.open(path)
    (cut,) = memory.turns.branch(talk)
    assert (cut.state, memory.turns.text(cut)) == ("cut", "so far")
    assert "ended" in cut.details["why"]
    memory.close()


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_database_is_put_aside_and_a_new_one_begins(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(damage)
    memory = Memory.open(path)
    memory.conversations.new("after")
    assert memory.database.set_aside is not None
    assert memory.database.set_aside.read_bytes() == damage
    memory.close()


def test_damage_that_shows_while_it_is_used_is_said_and_the_next_time_it_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    memory = Memory.open(path)
    talk = memory.conversations.new().id
    for number in range(300):
        memory.turns.add(talk, "user", f"marked {number} " * 20)
    memory.close()
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):
        if b"marked" in content[start : start + 4096]:  # texts, which opening does not read
            content[start : start + 4096] = b"\xff" * 4096
    path.write_bytes(content)

    memory = Memory.open(path)
    with pytest.raises(StorageError, match="damaged"):
        read_everything(memory)
    memory.close()
    again = Memory.open(path)
    assert again.database.set_aside is not None
    assert again.database.set_aside.stat().st_size == len(content)
    assert again.conversations.list() == []
    again.close()
    Memory.open(path).close()
    assert len(list(tmp_path.glob("*.damaged-*.sqlite"))) == 1, "the new one is not looked through for nothing"


def read_everything(memory: Memory) -> None:
    for conversation in memory.conversations.list():
        for turn in memory.turns.branch(conversation.id):
            memory.turns.text(turn)


def test_processes_that_find_a_damaged_database_together_keep_one_new_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(b"no database at all" * 100)
    check_opened_together(path)
    assert [aside.read_bytes()[:5] for aside in tmp_path.glob("*.damaged-*.sqlite")] == [b"no da"]


def test_processes_that_begin_a_database_together_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    check_opened_together(path)
    path.unlink()
    path.write_bytes(b"")  # an empty file is a database with nothing in it
    check_opened_together(path)


def check_opened_together(path: Path) -> None:
    """Four processes open it at the same moment, and what each says is there."""
    opens = (
        "import sys; from pathlib import Path; from palimpsest.conversations.memory import Memory; "
        "print('ready', flush=True); sys.stdin.readline(); "
        "print(Memory.open(Path(sys.argv[1])).conversations.new('here').id)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", opens, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    made = {process.communicate(timeout=120)[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    memory = Memory.open(path)
    assert {each.id for each in memory.conversations.list()} == made
    memory.close()


def test_a_database_of_the_first_version_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its checkpoints keep is known afterwards, and its turns are called as they were."""
    path = tmp_path / "memory.sqlite"
    with monkeypatch.context() as patched:
        # no door: the first version makes no databases any more
        patched.setattr(database, "STEPS", STEPS[:1])
        memory = Memory.open(path)
        talk = memory.conversations.new().id
        memory.refs.store(talk, None, extract('<ref id="it">kept</ref>'))
        with memory.database.transaction() as rows:
            (row,) = rows.execute(f"SELECT {checkpoints.KEPT['ref']} FROM ref").fetchall()
            state = {"memory_key": "main", "experiences": [], "compactions": [], "ref": [list(row)]}
            state |= {"descriptor": [], "section": []}
            other = memory.conversations.new().id
            said = hash_of("kept")
            columns = "conversation, role, state, hash, created, details"
            turn = f"INSERT INTO turn ({columns}) VALUES (?, 'user', 'complete', ?, 1, ?)"
            rows.executemany(turn, [(other, said, "{}"), (talk, said, "{}"), (talk, said, '{"of": 1}')])
            rows.execute(
                "INSERT INTO checkpoint (id, conversation, created, state) VALUES ('cp_00000001', ?, 1.0, ?)",
                (talk, json.dumps(state)),
            )
        memory.close()
    memory = Memory.open(path)
    with memory.database.transaction() as rows:
        numbers = [number for (number,) in rows.execute("SELECT number FROM turn ORDER BY id").fetchall()]
        assert numbers == [1, 2, 1], "a copy has its original's"
        rows.execute("DELETE FROM turn")
        rows.execute("DELETE FROM ref")
    memory.contents.forget_unused(hash_of("kept"))
    memory.checkpoints.restore(talk, "cp_00000001")
    assert memory.refs.content(memory.refs.get(talk, "it")) == "kept"
    memory.close()


def test_turns_that_a_window_of_an_older_version_writes_afterwards_are_numbered(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "memory.sqlite")
    others = memory.conversations.new().id
    for text in ("a", "b", "c"):
        memory.turns.add(others, "user", text)
    talk = memory.conversations.new().id
    first = memory.turns.add(talk, "user", "a")
    child = memory.forks.spawn(talk, "R", "do", before_turn=None).child
    with memory.database.transaction() as rows:
        columns = "conversation, role, state, hash, created, details"
        turn = f"INSERT INTO turn ({columns}) VALUES (?, 'user', 'complete', ?, 1, ?)"
        for where, details in ((talk, "{}"), (talk, "{}"), (child, "{}"), (child, json.dumps({"of": first.id}))):
            rows.execute(turn, (where, hash_of("a"), details))
    memory.turns.add(talk, "user", "b")
    with memory.database.reading() as rows:
        order = "SELECT number FROM turn WHERE conversation = ? ORDER BY id"
        assert [number for (number,) in rows.execute(order, (talk,)).fetchall()] == [1, 2, 3, 4]
        assert [number for (number,) in rows.execute(order, (child,)).fetchall()] == [4, 1], "a copy: its original's"
    memory.close()


def test_turns_that_were_left_without_a_number_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.sqlite"
    with monkeypatch.context() as patched:
        # no door: an earlier version makes no databases any more
        patched.setattr(database, "STEPS", STEPS[:7])
        memory = Memory.open(path)
        talk = memory.conversations.new().id
        turns = [memory.turns.add(talk, "user", "a").id for _ in range(4)]
        with memory.database.transaction() as rows:
            rows.executemany("UPDATE turn SET number = 0 WHERE id = ?", [(turns[1],), (turns[3],)])
        memory.close()
    memory = Memory.open(path)
    assert [turn.number for turn in memory.turns.branch(talk)] == [1, 4, 3, 5]
    memory.close()


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    Memory.open(path).close()
    with sqlite3.connect(path) as rows:
        rows.execute("PRAGMA user_version=999")
    with pytest.raises(StorageError, match="newer version"):
        Memory.open(path)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="cannot be used"):
        Memory.open(tmp_path / "file" / "memory.sqlite")


def test_a_full_disk_leaves_what_was_there(memory: Memory) -> None:
    talk = memory.conversations.new().id
    memory.turns.add(talk, "user", "kept")
    with memory.database.transaction() as rows:  # the connection that writes
        pages = rows.execute("PRAGMA page_count").fetchone()[0]
        rows.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(StorageError, match="full"):
        memory.turns.add(talk, "assistant", "".join(f"{number:x}" for number in range(100_000)))
    with memory.database.reading() as rows:
        rows.execute("PRAGMA max_page_count=1000000")
    memory.turns.add(talk, "assistant", "again")
    assert [memory.turns.text(turn) for turn in memory.turns.branch(talk)] == ["kept", "again"]


def test_half_a_character_is_refused_and_nothing_of_it_stays(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "w.sqlite")
    with pytest.raises(InvalidArgument, match="half a character"):
        memory.conversations.get("\ud800")
    with pytest.raises(InvalidArgument, match="half a character"):
        memory.conversations.new("\ud800")
    assert memory.conversations.list() == []
    memory.close()


def test_a_database_that_is_deleted_while_it_is_in_use_begins_anew(tmp_path: Path) -> None:
    """SQLite goes on with the file that has no name any more, and everything would be gone with the process."""
    path = tmp_path / "w.sqlite"
    memory = Memory.open(path)
    talk = memory.conversations.new("Old").id
    for file in tmp_path.glob("w.sqlite*"):
        file.unlink()
    with pytest.raises(NotFound, match=talk):
        memory.turns.add(talk, "user", "Where is it?")
    new = memory.conversations.new("New")
    memory.turns.add(new.id, "user", "kept")
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM conversation").fetchall() == [("New",)]
    for file in tmp_path.glob("w.sqlite*"):
        file.unlink()
    assert memory.conversations.list() == []
    memory.close()


def test_a_database_that_another_process_writes_is_opened_at_once(tmp_path: Path) -> None:
    """Although a process has died in it: what that one was writing is settled behind the other."""
    path = tmp_path / "w.sqlite"
    memory = Memory.open(path)
    turn = memory.turns.add(memory.conversations.new().id, "assistant", "", state="writing")
    with memory.database.transaction() as rows:
        rows.execute("UPDATE turn SET writer = '1-0'")  # a process that is no more
    memory.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        again = Memory.open(path)
        assert again.turns.get(turn.id).state == "writing"
        other.execute("ROLLBACK")
        again.close()  # what is under way is written first
        assert other.execute("SELECT state FROM turn").fetchall() == [("cut",)]
