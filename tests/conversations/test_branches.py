"""Whatever is said, edited and shown in whatever order: turns are a tree, and each branch is what was said on it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from palimpsest.conversations.compaction.compactions import Summary
from palimpsest.conversations.memory import Memory
from tests.examples import examples

ROLES = st.sampled_from(("user", "assistant"))


class Branches(RuleBasedStateMachine):
    """`said`: what each turn is and which one it follows, as it was said."""

    turns: Bundle[int] = Bundle("turns")
    checkpoints: Bundle[str] = Bundle("checkpoints")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.memory = Memory.open(self.folder / "memory.sqlite")
        self.talk = self.memory.conversations.new().id
        self.said: dict[int, tuple[int | None, str]] = {}
        self.head: int | None = None
        self.heads: dict[str, int | None] = {}
        self.compacted: dict[int, str] = {}
        self.n = 0

    def teardown(self) -> None:
        self.memory.close()
        shutil.rmtree(self.folder)

    def _text(self) -> str:
        self.n += 1
        return f"text {self.n % 7}"  # some are said twice

    @initialize(target=turns, role=ROLES)
    def begin(self, role: str) -> int:
        return self.say(role)

    @rule(target=turns, role=ROLES)
    def say(self, role: str) -> int:
        text = self._text()
        turn = self.memory.turns.add(self.talk, role, text)  # type: ignore[arg-type]
        self.said[turn.id], self.head = (self.head, text), turn.id
        return turn.id

    @rule(target=turns, edited=turns)
    def edit(self, edited: int) -> int:
        parent, text = self.said[edited][0], self._text()
        turn = self.memory.turns.add(self.talk, "user", text, parent=parent)
        self.said[turn.id], self.head = (parent, text), turn.id
        return turn.id

    @rule(turn=turns)
    def show(self, turn: int) -> None:
        self.memory.turns.set_head(self.talk, turn)
        self.head = turn

    @rule()
    def compact(self) -> None:
        if self.head is not None:
            goal = self._text()
            self.memory.compactions.queue(self.talk, Summary(goal, "", [], [], "", "", []), "person")
            self.memory.compactions.apply_pending(self.talk, self.head)
            self.compacted[self.head] = goal

    @rule(target=turns)
    def write_and_reopen(self) -> int:
        """The writer is this process, which lives: opening again cuts nothing."""
        turn = self.memory.turns.add(self.talk, "assistant", "", state="writing")
        self.memory.turns.write(turn.id, "text")
        self.memory.close()
        self.memory = Memory.open(self.folder / "memory.sqlite")
        text = self._text()
        self.memory.turns.finish(turn.id, text)
        self.said[turn.id], self.head = (self.head, text), turn.id
        return turn.id

    @rule(target=checkpoints)
    def keep(self) -> object:
        if self.compacted:
            return multiple()  # a checkpoint says which compactions count, and this model does not
        made = self.memory.checkpoints.create(self.talk)
        self.heads[made.id] = self.head
        return made.id

    @rule(checkpoint=checkpoints)
    def restore(self, checkpoint: str) -> None:
        self.memory.checkpoints.restore(self.talk, checkpoint)
        self.head = self.heads[checkpoint]
        self.compacted.clear()

    @rule()
    def fork(self) -> None:
        child = self.memory.forks.spawn(self.talk, "look", "", before_turn=self.head).child
        assert self._texts(child) == self._expected()
        self.memory.turns.add(child, "user", "only there")

    def _texts(self, conversation: str) -> list[str]:
        return [self.memory.turns.text(turn) for turn in self.memory.turns.branch(conversation)]

    def _path(self) -> list[int]:
        path, at = list[int](), self.head
        while at is not None:
            path.append(at)
            at = self.said[at][0]
        return path[::-1]

    def _expected(self) -> list[str]:
        return [self.said[turn][1] for turn in self._path()]

    @invariant()
    def the_branch_that_is_shown_is_what_was_said_on_it(self) -> None:
        branch = self.memory.turns.branch(self.talk)
        assert [turn.id for turn in branch] == self._path()
        assert [self.memory.turns.text(turn) for turn in branch] == self._expected()
        assert [turn.parent for turn in branch] == [None, *self._path()][: len(branch)]

    @invariant()
    def nothing_that_was_said_is_lost(self) -> None:
        for turn, (parent, text) in self.said.items():
            kept = self.memory.turns.get(turn)
            assert (kept.parent, self.memory.turns.text(kept)) == (parent, text)
            assert parent is None or self.memory.turns.get(parent)

    @invariant()
    def what_stands_for_older_turns_is_the_newest_on_the_branch(self) -> None:
        goals = [self.compacted[turn] for turn in self._path() if turn in self.compacted]
        current = self.memory.compactions.current(self.talk)
        assert (current.summary.goal if current is not None else None) == (goals[-1] if goals else None)


TestBranches = Branches.TestCase
TestBranches.settings = examples(0.4, stateful_step_count=25)
