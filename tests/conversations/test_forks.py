"""Forks and checkpoints: rows of a whole conversation, copied and gone back to."""

import pytest

from palimpsest.conversations.checkpoints import MOST_AUTOMATIC
from palimpsest.conversations.compaction.compactions import Summary
from palimpsest.conversations.contents import hash_of
from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import extract
from palimpsest.errors import InvalidArgument, NotFound

SUMMARY = Summary("Build it", "", [], [], "", "", [])


def texts(memory: Memory, conversation: str) -> list[str]:
    return [memory.turns.text(turn) for turn in memory.turns.branch(conversation)]


@pytest.fixture
def talk(memory: Memory) -> str:
    """Two turns, a call, a ref in two versions."""
    identity = memory.conversations.new("first").id
    memory.turns.add(identity, "user", "Write it")
    turn = memory.turns.add(identity, "assistant", "Here")
    memory.turns.add_call(turn.id, "inspect", {}, "done", "<inspect/>")
    for text in ("one", "two"):
        memory.refs.store(identity, turn.id, extract(f'<ref id="it">{text}</ref>'))
    return identity


def test_a_child_has_what_was_there_before_the_fork_under_the_same_ids(memory: Memory, talk: str) -> None:
    head = memory.conversations.get(talk).head
    fork = memory.forks.spawn(talk, "Review", "Look for bugs", before_turn=head)
    assert texts(memory, fork.child) == ["Write it", "Here"]
    (call,) = memory.turns.calls(memory.turns.branch(fork.child)[-1].id)
    assert (call.name, memory.contents.text(call.result or "")) == ("inspect", "<inspect/>")
    ref = memory.refs.get(fork.child, "it")
    assert (memory.refs.content(ref), ref.version, ref.turn) == ("two", 2, memory.turns.branch(fork.child)[-1].id)


def test_a_child_cannot_change_its_parent(memory: Memory, talk: str) -> None:
    fork = memory.forks.spawn(talk, "Review", "", before_turn=memory.conversations.get(talk).head)
    memory.turns.add(fork.child, "user", "only here")
    memory.refs.store(fork.child, None, extract('<ref id="it">three</ref>'))
    assert texts(memory, talk) == ["Write it", "Here"]
    assert memory.refs.content(memory.refs.get(talk, "it")) == "two"
    assert fork.child not in [each.id for each in memory.conversations.list()]


def test_a_child_has_the_experiences_and_cannot_change_those_of_its_parent(memory: Memory, talk: str) -> None:
    memory.experiences.remember("main", "tests first")
    memory.experiences.remember("main", "wrong")
    memory.experiences.forget("main", "exp_002")
    fork = memory.forks.spawn(talk, "Review", "", before_turn=None)
    own = memory.conversations.get(fork.child).memory_key
    assert [(one.id, one.text) for one in memory.experiences.list(own)] == [("exp_001", "tests first")]
    assert memory.experiences.remember(own, "only here").id == "exp_003"
    memory.experiences.forget(own, "exp_001")
    assert [one.text for one in memory.experiences.list("main")] == ["tests first"]
    assert memory.experiences.keys() == ["main"]
    memory.conversations.delete(talk)
    assert memory.experiences.list(own) == []


def test_a_turn_of_another_conversation_is_not_handed_down(memory: Memory, talk: str) -> None:
    other = memory.turns.add(memory.conversations.new().id, "user", "private")
    for copied in (
        lambda: memory.forks.spawn(talk, "Review", "", before_turn=other.id),
        lambda: memory.forks.copied(talk, other.id, "Aside"),
    ):
        n = len(memory.conversations.list())
        with pytest.raises(NotFound, match="not one of"):
            copied()
        assert (len(memory.conversations.list()), memory.forks.of(talk)) == (n, [])


def test_a_fresh_child_begins_without_turns(memory: Memory, talk: str) -> None:
    fork = memory.forks.spawn(talk, "Alone", "", fresh=True)
    assert texts(memory, fork.child) == []
    assert list(memory.refs.list(fork.child)) == []


def test_a_result_is_kept_once_and_a_fork_that_has_ended_stays_so(memory: Memory, talk: str) -> None:
    fork = memory.forks.spawn(talk, "Review", "", before_turn=None)
    done = memory.forks.finish(fork.id, "completed", "No bugs.")
    assert (done.status, memory.forks.response(done)) == ("completed", "No bugs.")
    assert memory.forks.finish(fork.id, "failed", "late").status == "completed"
    assert memory.forks.of(talk) == [memory.forks.get(fork.id)]
    with pytest.raises(NotFound):
        memory.forks.get("fork_00000000")
    with pytest.raises(InvalidArgument):
        memory.forks.spawn(talk, " ", "")


def test_what_stands_for_older_turns_is_handed_down(memory: Memory, talk: str) -> None:
    head = memory.conversations.get(talk).head
    assert head is not None
    memory.compactions.queue(talk, SUMMARY, "model")
    memory.compactions.apply_pending(talk, head)
    fork = memory.forks.spawn(talk, "Review", "", before_turn=head)
    current = memory.compactions.current(fork.child)
    assert current is not None
    assert (current.summary, current.turn) == (SUMMARY, memory.conversations.get(fork.child).head)


def test_what_a_compaction_keeps_is_the_childs_own_turn_in_a_fork(memory: Memory, talk: str) -> None:
    first, head = (turn.id for turn in memory.turns.branch(talk))
    memory.compactions.apply(talk, SUMMARY, "model", head, [first])
    fork = memory.forks.spawn(talk, "Review", "", before_turn=head)
    current = memory.compactions.current(fork.child)
    assert current is not None
    assert current.kept == (memory.turns.branch(fork.child)[0].id,) != (first,)


def test_deleting_a_conversation_takes_its_forks_along(memory: Memory, talk: str) -> None:
    fork = memory.forks.spawn(talk, "Review", "", before_turn=None)
    memory.conversations.delete(talk)
    with pytest.raises(NotFound):
        memory.conversations.get(fork.child)


def test_going_back_brings_everything_back_and_loses_nothing(memory: Memory, talk: str) -> None:
    memory.experiences.remember("main", "old")
    kept = memory.checkpoints.create(talk, "before the rewrite")
    memory.turns.add(talk, "user", "Rewrite it")
    memory.refs.store(talk, None, extract('<ref id="it">three</ref><ref id="new">x</ref>'))
    memory.experiences.forget("main", "exp_001")
    memory.experiences.remember("main", "new")
    head = memory.conversations.get(talk).head
    assert head is not None
    memory.compactions.queue(talk, SUMMARY, "person")
    memory.compactions.apply_pending(talk, head)

    before = memory.checkpoints.restore(talk, kept.id)
    assert texts(memory, talk) == ["Write it", "Here"]
    assert [ref.id for ref in memory.refs.list(talk)] == ["it"]
    assert memory.refs.content(memory.refs.get(talk, "it")) == "two"
    assert [one.text for one in memory.experiences.list("main")] == ["old"]
    assert memory.compactions.current(talk) is None

    assert before.automatic
    memory.checkpoints.restore(talk, before.id)
    assert texts(memory, talk)[-1] == "Rewrite it"
    assert memory.refs.content(memory.refs.get(talk, "it")) == "three"
    assert [one.text for one in memory.experiences.list("main")] == ["new"]
    assert memory.compactions.current(talk) is not None


def test_going_back_leaves_what_other_conversations_remembered_and_forgot(memory: Memory, talk: str) -> None:
    other = memory.conversations.new("second").id
    memory.experiences.remember("main", "old", talk)
    memory.experiences.remember("main", "outdated", talk)
    kept = memory.checkpoints.create(talk)
    memory.experiences.remember("main", "mine", talk)
    memory.experiences.remember("main", "theirs", other)
    memory.experiences.forget("main", "exp_001", talk)
    memory.experiences.forget("main", "exp_002", other)
    before = memory.checkpoints.restore(talk, kept.id)
    assert [one.text for one in memory.experiences.list("main")] == ["old", "theirs"]
    memory.checkpoints.restore(talk, before.id)
    assert [one.text for one in memory.experiences.list("main")] == ["mine", "theirs"]


def test_what_one_conversation_alone_remembers_goes_to_its_copies_and_ends_with_it(memory: Memory) -> None:
    talk, other = (memory.conversations.new().id for _ in range(2))
    memory.experiences.remember("main", "for all")
    memory.experiences.remember("main", "mine", talk, alone=True)
    copy = memory.forks.copied(talk, None, "copy")
    child = memory.forks.spawn(talk, "task", "")

    def texts(key: str, conversation: str) -> list[str]:
        return [one.text for one in memory.experiences.list(key, conversation)]

    both = ["for all", "mine"]
    assert [texts("main", talk), texts("main", copy.id), texts(child.id, child.child)] == [both, both, both]
    assert texts(memory.forks.spawn(other, "task", "").id, other) == texts("main", other) == ["for all"]
    memory.conversations.delete(talk)
    assert [texts("main", talk), texts("main", copy.id)] == [["for all"], both]
    memory.experiences.remember("main", "mine", copy.id)
    assert texts("main", other) == both


def test_checkpoints_are_listed_with_the_newest_first(memory: Memory, talk: str) -> None:
    one, two = memory.checkpoints.create(talk, "a"), memory.checkpoints.create(talk, automatic=True)
    assert memory.checkpoints.list(talk) == [two, one]
    with pytest.raises(NotFound):
        memory.checkpoints.restore(talk, "cp_00000000")


def test_a_text_that_only_a_checkpoint_names_stays(memory: Memory, talk: str) -> None:
    """A turn that is being written may be the same for a moment."""
    kept = memory.checkpoints.create(talk)
    memory.refs.store(talk, None, extract('<ref id="it">three</ref>'))
    later = memory.checkpoints.create(talk)
    memory.checkpoints.restore(talk, kept.id)
    turn = memory.turns.add(talk, "assistant", "three", state="writing")
    memory.turns.finish(turn.id, "three blind mice")
    memory.checkpoints.restore(talk, later.id)
    assert memory.refs.content(memory.refs.get(talk, "it")) == "three"


def test_a_copy_of_a_turn_that_is_being_written_is_cut_there(memory: Memory, talk: str) -> None:
    writing = memory.turns.add(talk, "assistant", "so far", state="writing")
    child = memory.forks.copied(talk, writing.id, "Aside")
    last = memory.turns.branch(child.id)[-1]
    assert (last.state, memory.turns.text(last)) == ("cut", "so far")
    assert memory.turns.get(writing.id).state == "writing"


def test_document_references_are_copied_to_forks_and_are_not_counted_twice(memory: Memory, talk: str) -> None:
    head = memory.conversations.get(talk).head
    assert head is not None
    one = DocumentReference("[[prices]]", "prices.md", "direct", summary="What things cost.")
    memory.documents.add(head, [one, DocumentReference("[[tools]]", "tools.md", "search")])
    fork = memory.forks.spawn(talk, "Review", "", before_turn=head)
    beside = memory.forks.copied(talk, head, "Aside")
    for child in (fork.child, beside.id):
        own = memory.turns.branch(child)[-1]
        assert memory.documents.of_turn(own.id) == memory.documents.of_turn(head)
    uses = {use.path: (use.n_conversations, use.n_turns) for use in memory.documents.usage()}
    assert uses == {"prices.md": (1, 1), "tools.md": (1, 1)}
    assert memory.documents.together(["tools.md"]) == {}
    memory.documents.add(memory.turns.branch(fork.child)[-1].id, [DocumentReference("[[new]]", "new.md", "direct")])
    assert "new.md" in [use.path for use in memory.documents.usage()]
    assert len(memory.documents.of_turn(head)) == 2


def test_a_checkpoint_knows_which_forks_there_were(memory: Memory, talk: str) -> None:
    first = memory.forks.spawn(talk, "One", "", before_turn=None)
    kept = memory.checkpoints.create(talk)
    second = memory.forks.spawn(talk, "Two", "", before_turn=None)
    before = memory.checkpoints.restore(talk, kept.id)
    assert [fork.id for fork in memory.forks.of(talk)] == [first.id]
    memory.checkpoints.restore(talk, before.id)
    assert [fork.id for fork in memory.forks.of(talk)] == [first.id, second.id]


def test_of_automatic_checkpoints_the_newest_stay_and_of_named_ones_all(memory: Memory, talk: str) -> None:
    named = [memory.checkpoints.create(talk, f"mine {number}") for number in range(MOST_AUTOMATIC + 5)]
    kept = [memory.checkpoints.create(talk, "before compaction", automatic=True) for _ in range(MOST_AUTOMATIC + 3)]
    other = memory.checkpoints.create(memory.conversations.new("other").id, automatic=True)
    assert memory.checkpoints.list(talk) == [*reversed(kept[3:]), *reversed(named)]
    assert memory.checkpoints.get(other.id) == other
    oldest = kept[3]
    before = memory.checkpoints.restore(talk, oldest.id)
    assert [one.id for one in memory.checkpoints.list(talk)][:2] == [before.id, kept[-1].id]
    with pytest.raises(NotFound):
        memory.checkpoints.get(oldest.id)


def test_what_only_a_checkpoint_named_that_went_is_forgotten(memory: Memory, talk: str) -> None:
    kept = memory.checkpoints.create(talk)
    memory.refs.store(talk, None, extract('<ref id="gone">only here</ref>'))
    memory.checkpoints.create(talk, automatic=True)
    memory.checkpoints.restore(talk, kept.id)
    assert memory.contents.find(hash_of("only here")) is not None
    for _ in range(MOST_AUTOMATIC):
        memory.checkpoints.create(talk, automatic=True)
    assert memory.contents.find(hash_of("only here")) is None
