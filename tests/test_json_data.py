"""A wrong field of somebody's JSON is named with all that it is in, and said in words."""

from dataclasses import dataclass, field
from math import nan
from typing import Annotated, Any, Literal

import pytest

from palimpsest.errors import InvalidArgument
from palimpsest.json_data import Length, Range, checked, from_json, to_json


@dataclass(frozen=True)
class Edit:
    line: Annotated[int, Range(0, 99)]
    text: str = ""
    kind: Literal["add", "remove"] = "add"


@dataclass(frozen=True)
class Change:
    uri: str
    edits: list[Edit]
    weight: float | None = None
    forced: bool = False
    names: dict[str, int] = field(default_factory=dict)
    span: tuple[int, int] | None = None
    tags: Annotated[list[Annotated[str, Length(1, 3)]], Length(0, 2)] | None = None
    share: Annotated[float, Range(0, 1)] | None = None


GOOD = {"uri": "a", "edits": [{"line": 1}, {"line": 2, "text": "x", "kind": "remove"}], "weight": 2, "span": [1, 2]}


def test_what_is_right_is_read_and_written_again() -> None:
    change = from_json(GOOD | {"newer": 1}, Change)
    assert change == Change("a", [Edit(1), Edit(2, "x", "remove")], weight=2.0, span=(1, 2))
    assert isinstance(change.weight, float)
    assert from_json(to_json(change) | {"span": [1, 2]}, Change) == change


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"uri": 3}, "uri", "expected a string, got 3"),
        ({"edits": [{"line": 1}, {"line": 2}, {"line": "3"}]}, "edits[2].line", "expected a whole number, got '3'"),
        ({"edits": [{"line": True}]}, "edits[0].line", "expected a whole number, got True"),
        ({"edits": [{"line": 100}]}, "edits[0].line", "expected 0 to 99, got 100"),
        ({"edits": [{"line": 1}, {}]}, "edits[1].line", "is missing"),
        ({"edits": [{"line": 1}, "ab"]}, "edits[1]", "expected an object, got 'ab'"),
        ({"edits": [{"line": 1, "kind": "x"}]}, "edits[0].kind", "expected one of add, remove, got 'x'"),
        ({"edits": "ab"}, "edits", "expected a list, got 'ab'"),
        ({"weight": "1"}, "weight", "expected a number, got '1'"),
        ({"forced": 1}, "forced", "expected true or false, got 1"),
        ({"names": {"a": "b"}}, "names['a']", "expected a whole number, got 'b'"),
        ({"span": "12"}, "span", "expected a list, got '12'"),
        ({"span": [1, "x"]}, "span[1]", "expected a whole number, got 'x'"),
        ({"span": [1]}, "span", "expected a list of 2, got [1]"),
        ({"tags": ["a", "bcde"]}, "tags[1]", "expected 1 to 3 characters, got 4"),
        ({"tags": ["a", ""]}, "tags[1]", "expected 1 to 3 characters, got 0"),
        ({"tags": ["a", 3]}, "tags[1]", "expected a string, got 3"),
        ({"tags": ["a"] * 1_001}, "tags", "expected 0 to 2 of them, got 1,001"),
        ({"tags": 3}, "tags", "expected a list, got 3"),
        ({"tags": "ab"}, "tags", "expected a list, got 'ab'"),
        ({"share": 2}, "share", "expected 0 to 1, got 2"),
        ({"share": nan}, "share", "expected 0 to 1, got nan"),
        ({"share": "1"}, "share", "expected a number, got '1'"),
        ({"share": True}, "share", "expected a number, got True"),
        ({"weight": 10**400}, "weight", "expected a smaller number"),
        ({"uri": ["x" * 1000]}, "uri", "expected a string, got ['" + "x" * 57 + "…"),
    ],
)
def test_a_wrong_field_is_named_with_what_it_is_in(change: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        from_json(GOOD | change, Change)
    assert caught.value.field == field
    assert caught.value.message == f"{field}: {message}"


@pytest.mark.parametrize("data", [None, [1], "text", 3])
def test_only_an_object_will_do(data: Any) -> None:
    with pytest.raises(InvalidArgument, match="Change: expected an object"):
        from_json(data, Change)


def test_what_is_made_here_is_held_to_the_same_bounds() -> None:
    checked(Change("a", [Edit(1)], tags=["a"]))
    with pytest.raises(InvalidArgument, match=r"edits\[0\]\.line: expected 0 to 99, got 100"):
        checked(Change("a", [Edit(100)]))


def test_what_is_nested_too_deeply_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(InvalidArgument, match="uri: expected a string, got what is nested too deeply"):
        from_json(GOOD | {"uri": nested}, Change)
    with pytest.raises(InvalidArgument, match="Change: is nested too deeply"):
        checked(Change(nested, []))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        {"uri": "a", "edits": "\ud800"},
        {"uri": "a", "edits": [], "weight": "\ud800"},
        {"uri": "a", "edits": [{"line": 1, "kind": "\ud800"}]},
        {"uri": "a", "edits": [], "\ud800": 1},
        {"uri": "a", "edits": [], "names": {"x": "\ud800"}},
    ],
)
def test_half_a_character_is_named_and_no_fault_of_ours(data: Any) -> None:
    with pytest.raises(InvalidArgument):
        from_json(data, Change)
