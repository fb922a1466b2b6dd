"""How the arguments of commands are read: what is missing or wrong is named together with what it is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from palimpsest.edits.lsp.suggestions import Suggest
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import At, Id, Nothing, among, read, shape
from palimpsest.lsp.protocol import response_error
from palimpsest.next_edits.lsp.next_edit import NextEditParams
from palimpsest.session.context import PutBlock

HERE = {"line": 0, "character": 0}
PUT = {"type": "package", "name": "x", "text": "y"}


@dataclass(frozen=True, slots=True)
class TextPlace:
    uri: str
    position: At


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (TextPlace, {}, "uri: is missing; a.command takes {uri, position}."),
        (TextPlace, {"uri": "u"}, "position: is missing; a.command takes {uri, position}."),
        (TextPlace, {"uri": "u", "position": []}, "position: is missing; a.command takes {uri, position}."),
        (
            TextPlace,
            {"uri": "u", "position": {"line": 0}},
            "position.character: is missing; a.command takes {uri, position}.",
        ),
        (
            TextPlace,
            {"uri": "u", "position": {"line": -1, "character": 0}},
            "position.line: expected 0 to 2147483647, got -1.",
        ),
        (TextPlace, {"uri": "u", "position": HERE | {"line": "x"}}, "position.line: expected a whole number, got 'x'."),
        (TextPlace, 3, "a.command: expected one object as the argument, got int."),
        (TextPlace, [{}], "a.command: expected one object as the argument, got list."),
        (Id, "no", "a.command: expected one object as the argument, got str."),
        (Suggest, {"uri": "u", "position": HERE, "n": 0}, "n: expected 1 to 16, got 0."),
        (
            Suggest,
            {"uri": "u", "position": HERE, "range": {"start": HERE}},
            "range.end: is missing; a.command takes {uri, position, range?, instruction?, n?, format?}.",
        ),
        (Suggest, {"uri": "u", "position": HERE, "range": 3}, "range: expected an object, got 3."),
        (PutBlock, PUT | {"type": "novel"}, "type: expected one of filesystem, class, "),
        (PutBlock, PUT | {"ttl": 10**400}, "ttl: expected a smaller number."),
        (PutBlock, PUT | {"editable": "yes"}, "editable: expected true or false, got 'yes'."),
        (NextEditParams, {"textDocument": {"uri": 3}, "position": HERE}, "textDocument.uri: expected a string, got 3."),
    ],
)
def test_what_is_wrong_is_named(kind: type, given: Any, message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read("a.command", kind, given)
    assert str(caught.value).startswith(message), message
    assert caught.value.field == message.partition(":")[0]


def test_nothing_has_many_shapes_and_a_field_may_be_null() -> None:
    for nothing in (None, [], {}):
        assert read("a.command", Nothing, nothing) == Nothing()
    empty: Any
    for empty in (None, []):
        more = dict.fromkeys(("editable", "uri", "source", "priority", "ttl"), empty)
        assert read("a.command", PutBlock, PUT | more) == PutBlock(**PUT)


def test_an_argument_is_shown_by_its_fields() -> None:
    assert shape(Nothing) == "{}"
    assert shape(Suggest) == "{uri, position, range?, instruction?, n?, format?}"


def test_choices_that_are_known_only_at_run_time_are_listed() -> None:
    assert among("format", "b", ("a", "b")) == "b"
    with pytest.raises(InvalidArgument, match=r"^format: expected one of a, b, got 'c'\."):
        among("format", "c", ("a", "b"))


@pytest.mark.parametrize("depth", [300, 5_000])
@pytest.mark.parametrize("field", ["uri", "position"])
def test_an_argument_that_is_nested_deeply_is_a_wrong_one(depth: int, field: str) -> None:
    deep: Any = 0
    for _ in range(depth):
        deep = [deep]
    with pytest.raises(InvalidArgument):
        read("a.command", TextPlace, {"uri": "u", "position": HERE, field: deep})


def test_an_error_quotes_no_more_than_a_person_reads() -> None:
    assert len(str(response_error(InvalidArgument("uri", "x" * 1_000_000)).message)) < 3_000
