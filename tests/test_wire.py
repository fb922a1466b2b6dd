"""What crosses the wire comes back as it went, and what is wrong is named."""

import json
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.errors import InvalidArgument
from palimpsest.json_data import from_json, to_json

REQUEST = wire.GenerateRequest(
    workspace="w",
    fim=wire.FimTail("def f(", "):\n", layout="isolated"),
    sync=wire.SyncRequest("w", "head", "foot", [wire.WantedBlock("class:A", "class A: ...")], "typing"),
    stop=["\n"],
    sampling=wire.Sampling(temperature=0.5, seed=None),
)
ANSWER = wire.SyncAnswer(3, [wire.BlockReport("class:A", 9, "written", 14, span=(5, 14))], ["file:b"], ms={"total": 1})


@pytest.mark.parametrize("value", [REQUEST, ANSWER, wire.Health("loading", "1", 2)], ids=lambda v: type(v).__name__)
def test_values_survive_the_wire(value: Any) -> None:
    assert from_json(json.loads(json.dumps(to_json(value))), type(value)) == value


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"max_tokens": "64"}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"workspace": None}, "workspace"),
        ({"slot": "urgent"}, "slot"),
        ({"stop": "x"}, "stop"),
        ({"fim": {"prefix": 1, "suffix": ""}}, "prefix"),
        ({"sync": {"workspace": "w"}}, "header"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], field: str) -> None:
    data = to_json(REQUEST) | change
    with pytest.raises(InvalidArgument) as caught:
        from_json(data, wire.GenerateRequest)
    assert field in str(caught.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidArgument) as caught:
        from_json({}, wire.GenerateRequest)
    assert "workspace" in str(caught.value)


def test_only_an_object_will_do() -> None:
    with pytest.raises(InvalidArgument):
        from_json([1], wire.GenerateRequest)


def test_fields_of_a_newer_version_are_passed_over() -> None:
    assert from_json(to_json(REQUEST) | {"new": 1}, wire.GenerateRequest) == REQUEST
