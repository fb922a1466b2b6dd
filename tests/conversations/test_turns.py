"""Turns are a tree, of which one branch is shown."""

from pathlib import Path

import pytest

from palimpsest.conversations.compaction.compactions import Summary
from palimpsest.conversations.contents import hash_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import extract
from palimpsest.errors import InvalidArgument, NotFound

KEY = "q7Zp3" + "vK9xT2mW8rB4nL6"


def texts(memory: Memory, conversation: str) -> list[str]:
    return [memory.turns.text(turn) for turn in memory.turns.branch(conversation)]


def test_turns_come_in_the_order_in_which_they_were_said(memory: Memory) -> None:
    talk = memory.conversations.new("first")
    memory.turns.add(talk.id, "user", "Hello")
    memory.turns.add(talk.id, "assistant", "Hello yourself")
    assert texts(memory, talk.id) == ["Hello", "Hello yourself"]
    assert [turn.role for turn in memory.turns.branch(talk.id)] == ["user", "assistant"]


def test_an_earlier_turn_said_otherwise_is_a_branch_and_nothing_is_lost(memory: Memory) -> None:
    talk = memory.conversations.new()
    first = memory.turns.add(talk.id, "user", "one")
    second = memory.turns.add(talk.id, "assistant", "two")
    memory.turns.add(talk.id, "user", "other", parent=first.parent)
    assert texts(memory, talk.id) == ["other"]
    memory.turns.set_head(talk.id, second.id)
    assert texts(memory, talk.id) == ["one", "two"]


def test_a_turn_that_is_being_written_grows_and_then_stays(memory: Memory) -> None:
    talk = memory.conversations.new()
    turn = memory.turns.add(talk.id, "assistant", "", state="writing")
    memory.turns.write(turn.id, "so f")
    memory.turns.write(turn.id, "so far")
    assert memory.turns.finish(turn.id, "so far, so good", details={"finish": "end"}).details == {"finish": "end"}
    with pytest.raises(InvalidArgument, match="stays as it is"):
        memory.turns.write(turn.id, "else")
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 1


def test_calls_keep_their_order_arguments_and_results(memory: Memory) -> None:
    talk = memory.conversations.new()
    turn = memory.turns.add(talk.id, "assistant", 'read_fd(fd="fd-1")')
    memory.turns.add_call(turn.id, "read_fd", {"fd": "fd-1"}, "done", "<fd_content/>")
    memory.turns.add_call(turn.id, "inspect", {}, "failed")
    first, second = memory.turns.calls(turn.id)
    assert (first.name, first.arguments, second.status, second.result) == ("read_fd", {"fd": "fd-1"}, "failed", None)
    assert first.result is not None
    assert memory.contents.text(first.result) == "<fd_content/>"


def test_what_a_tool_said_and_what_is_remembered_is_kept_without_secrets(memory: Memory) -> None:
    talk = memory.conversations.new()
    turn = memory.turns.add(talk.id, "assistant", "run()")
    call = memory.turns.add_call(turn.id, "run", {}, "done", f"logged in with {KEY} as shop")
    remembered = memory.experiences.remember("main", f"the staging key is {KEY}")
    assert call.result is not None
    assert memory.contents.text(call.result) == "logged in with ... as shop"
    assert remembered.text == "the staging key is ..."


def test_what_is_not_there_is_named_with_what_is(memory: Memory) -> None:
    talk = memory.conversations.new()
    with pytest.raises(NotFound, match=talk.id):
        memory.conversations.get("c-00000000")
    other = memory.turns.add(memory.conversations.new().id, "user", "x")
    with pytest.raises(NotFound, match="not one of"):
        memory.turns.set_head(talk.id, other.id)


def test_a_conversation_that_is_deleted_takes_its_turns_along(memory: Memory) -> None:
    talk = memory.conversations.new()
    for number in range(3):
        memory.turns.add(talk.id, "user", str(number))
    memory.conversations.delete(talk.id)
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM turn").fetchone()[0] == 0


def test_a_conversation_of_thousands_of_turns_is_shown_and_deleted(memory: Memory) -> None:
    talk = memory.conversations.new().id
    with memory.database.transaction():
        for number in range(2_500):
            memory.turns.add(talk, "user", str(number % 7))
    assert len(memory.turns.branch(talk)) == 2_500
    memory.conversations.delete(talk)
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM turn").fetchone()[0] == 0
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 0


def test_a_conversation_that_is_deleted_leaves_no_text_but_what_others_say_too(memory: Memory) -> None:
    talk, other = memory.conversations.new().id, memory.conversations.new().id
    turn = memory.turns.add(talk, "user", "secret")
    memory.turns.add_call(turn.id, "inspect", {}, "done", "a result")
    memory.turns.add(talk, "user", "said by both")
    memory.turns.add(other, "user", "said by both")
    memory.refs.store(talk, turn.id, extract('<ref id="it">a ref</ref>'))
    kept = memory.checkpoints.create(talk)
    memory.refs.store(talk, turn.id, extract('<ref id="it">another</ref>'))
    memory.checkpoints.restore(talk, kept.id)
    memory.descriptors.create(talk, "a descriptor")
    memory.temp_files.create(talk, "a file")
    fork = memory.forks.spawn(talk, "Review", "", before_turn=turn.id)
    memory.turns.add(fork.child, "assistant", "a child's")
    memory.forks.finish(fork.id, "completed", "a response")
    memory.conversations.delete(talk)
    with memory.database.reading() as rows:
        assert [name for (name,) in rows.execute("SELECT hash FROM content")] == [hash_of("said by both")]
        assert rows.execute("SELECT count(*) FROM temp_file").fetchone()[0] == 0
        assert rows.execute("PRAGMA foreign_key_check").fetchall() == []


def test_everything_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    memory = Memory.open(path)
    talk = memory.conversations.new("kept", "file:///a.palimpsest.md")
    memory.turns.add(talk.id, "user", "Hello")
    memory.experiences.remember("main", "tests first")
    memory.close()
    again = Memory.open(path)
    assert again.conversations.get(talk.id).uri == "file:///a.palimpsest.md"
    assert texts(again, talk.id) == ["Hello"]
    assert [one.text for one in again.experiences.list("main")] == ["tests first"]
    again.close()


SUMMARY = Summary("Build it", "go on", ["PKCE is needed"], ["set up"], "half way", "tests", ["src/auth"], ["PKCE"])


def test_the_latest_queued_compaction_wins_and_is_applied_behind_a_turn(memory: Memory) -> None:
    talk = memory.conversations.new()
    turn = memory.turns.add(talk.id, "user", "x")
    memory.compactions.queue(talk.id, Summary("a", "", [], [], "", "", []), "model")
    memory.compactions.queue(talk.id, SUMMARY, "person")
    assert memory.compactions.current(talk.id) is None
    applied = memory.compactions.apply_pending(talk.id, turn.id)
    assert applied is not None
    assert applied == memory.compactions.current(talk.id)
    assert (applied.summary, applied.written_by, applied.turn) == (SUMMARY, "person", turn.id)
    assert [one.text for one in memory.experiences.list("main")] == ["PKCE"]
    assert memory.compactions.apply_pending(talk.id, turn.id) is None


def test_a_compaction_of_another_branch_does_not_count(memory: Memory) -> None:
    talk = memory.conversations.new()
    first = memory.turns.add(talk.id, "user", "x")
    second = memory.turns.add(talk.id, "assistant", "y")
    memory.compactions.queue(talk.id, SUMMARY, "model")
    memory.compactions.apply_pending(talk.id, second.id)
    memory.turns.set_head(talk.id, first.id)
    assert memory.compactions.current(talk.id) is None


def test_experiences_keep_their_ids_and_forgotten_ones_are_not_used_again(memory: Memory) -> None:
    one, two = memory.experiences.remember("main", "a"), memory.experiences.remember("main", "b")
    assert (one.id, two.id) == ("exp_001", "exp_002")
    assert memory.experiences.remember("main", "a").id == "exp_001"
    memory.experiences.forget("main", "exp_002")
    assert memory.experiences.remember("main", "c").id == "exp_003"
    assert [each.id for each in memory.experiences.list("main")] == ["exp_001", "exp_003"]
    assert memory.experiences.list("other") == []
    with pytest.raises(NotFound, match="exp_001, exp_003"):
        memory.experiences.forget("main", "exp_009")


def test_behind_a_turn_that_is_being_written_nothing_is_said(memory: Memory) -> None:
    talk = memory.conversations.new()
    first = memory.turns.add(talk.id, "user", "one")
    writing = memory.turns.add(talk.id, "assistant", "", state="writing")
    with pytest.raises(InvalidArgument, match="is being answered"):
        memory.turns.add(talk.id, "user", "two")
    memory.turns.add(talk.id, "user", "elsewhere", parent=first.parent)
    memory.turns.set_head(talk.id, writing.id)
    memory.turns.finish(writing.id, "done")
    memory.turns.add(talk.id, "user", "two")
    assert texts(memory, talk.id) == ["one", "done", "two"]


def test_turns_are_counted_in_their_conversation_and_a_fork_s_copies_keep_their_numbers(memory: Memory) -> None:
    memory.turns.add(memory.conversations.new().id, "user", "elsewhere")
    talk = memory.conversations.new().id
    first = memory.turns.add(talk, "user", "one")
    memory.turns.add(talk, "user", "one, said otherwise", parent=first.parent)
    last = memory.turns.add(talk, "assistant", "two")
    assert [turn.number for turn in memory.turns.branch(talk)] == [2, 3]
    fork = memory.forks.spawn(talk, "go", "", before_turn=last.id).child
    fresh = memory.forks.spawn(talk, "go", "", fresh=True).child
    memory.turns.add(talk, "user", "the parent's own")
    for child, known in ((fork, [2, 3]), (fresh, [])):
        made = memory.turns.add(child, "user", "the child's own").number
        assert [turn.number for turn in memory.turns.branch(child)] == [*known, made]
        assert memory.descriptors.text(child, f"turn-{made}") == "the child's own"
        assert memory.descriptors.text(child, "turn-2") == "one, said otherwise"
