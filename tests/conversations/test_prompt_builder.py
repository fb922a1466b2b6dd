"""A conversation is read from its database at once, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from palimpsest.config.settings import Settings
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import PromptBuilder
from palimpsest.conversations.store.database import Database

NO_TOOLS: Any = SimpleNamespace(told=lambda _: "", native=lambda _: ("", []), read_turns=lambda: True)


def services() -> Any:
    model = SimpleNamespace(window=100_000, keeps_room=True, in_place=True, calls_tools=False, chat_template=True)
    return SimpleNamespace(
        settings=Settings(),
        supervisor=SimpleNamespace(status=SimpleNamespace(model=model)),
        roots=SimpleNamespace(folders=()),
        documents=SimpleNamespace(find=lambda _: None),
    )


def talked(memory: Memory, n: int) -> str:
    talk = memory.conversations.new().id
    for i in range(n):
        memory.turns.add(talk, "user", f"Question {i}?")
        reply = memory.turns.add(talk, "assistant", f"Answer {i}.")
        memory.turns.add_call(reply.id, "read_fd", {"fd": f"a{i}"}, "done", f"<page>of {i}</page>")
    return talk


def test_so_many_turns_are_as_many_reads(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, reading = list[int](), Database.reading

    @contextmanager
    def counted(database: Database) -> Iterator[Any]:
        reads.append(1)
        with reading(database) as rows:
            yield rows

    few, many = talked(memory, 5), talked(memory, 50)
    builder = PromptBuilder(services(), lambda: memory, NO_TOOLS)
    monkeypatch.setattr(Database, "reading", counted)  # no door: how often it is read shows in no answer
    n_reads = []
    for talk, n in ((few, 5), (many, 50)):
        reads.clear()
        said = "\n".join(message.content for message in builder.chat(talk, ()).messages)
        n_reads.append(len(reads))
        assert all(f"Question {i}?" in said and f"Answer {i}." in said for i in range(n))
        assert said.count("<page>") == n
    assert n_reads[0] == n_reads[1] < 12
