"""Requests that mean nothing are refused before anything is done for them: the field is named, what would be right, and
no more than a bounded piece of what somebody sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest import wire
from palimpsest.engine.generation.check import Request, check
from palimpsest.errors import InvalidArgument

LONG = "x" * 100_000
TEXT = wire.GenerateRequest("w", text=wire.TextTail("a"), tail="t")
SCORE = wire.ScoreRequest("w", ["a\n", "b\n", "c\n"], [])
SYNC = wire.SyncRequest("w", "", "", [])


def variant(start: int, end: int) -> wire.ScoreRequest:
    return replace(SCORE, variants=[wire.Variant(1, 2, []), wire.Variant(start, end, [])])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (replace(TEXT, sync=replace(SYNC, workspace=LONG)), "sync.workspace: expected 'w', got 'xxx"),
        (replace(TEXT, workspace=LONG, sync=SYNC), "sync.workspace: expected 'xxx"),
        (replace(TEXT, text=None), "fim: expected exactly one of fim, text and chat, got 0."),
        (replace(TEXT, fim=wire.FimTail("", "")), "fim: expected exactly one of fim, text and chat, got 2."),
        (replace(TEXT, text=None, chat=wire.ChatTail([])), "chat.messages: expected at least one, got []."),
        (
            replace(TEXT, names=["a", "\ud800"]),
            "names[1]: expected whole characters (no lone surrogate), got ",
        ),
        (replace(SCORE, lines=[]), "lines: expected at least one, got []."),
        (replace(SCORE, lines=["", "b"]), "lines[0]: expected a text, got ''."),
        (
            replace(variant(1, 1), lines=["a"]),
            "variants: expected none where there is one line, which stays as it is",
        ),
        (variant(0, 1), "variants[1].start: expected 1 to 2, got 0."),
        (variant(3, 3), "variants[1].start: expected 1 to 2, got 3."),
        (variant(2, 1), "variants[1].end: expected 2 to 3, got 1."),
        (variant(2, 4), "variants[1].end: expected 2 to 3, got 4."),
        (variant(1, 10**5_000), "variants[1].end: expected "),
        (wire.BatchRequest("w", [replace(TEXT, workspace=LONG)]), "requests[0].workspace: expected 'w', got 'xxx"),
        (wire.BatchRequest("w", [TEXT, replace(TEXT, tail="u", n=2)]), "requests[1].n: expected 1, got 2."),
        (wire.BatchRequest("w", [replace(TEXT, sync=SYNC)]), "requests[0].sync: expected none: the batch has one."),
        (
            wire.BatchRequest("w", [TEXT, TEXT]),
            "requests[1].tail: expected a name that is no other request's, got ",
        ),
        (wire.BatchRequest("w", [replace(TEXT, text=None)]), "requests[0].fim: expected exactly one"),
    ],
    ids=lambda it: it.partition(", got")[0] if isinstance(it, str) else "",
)
def test_it_says_what_is_wrong(request_: Request, message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check(request_)
    said = str(caught.value)
    assert said.startswith(message)
    assert len(said) < 200
    assert caught.value.field == message.partition(":")[0]
