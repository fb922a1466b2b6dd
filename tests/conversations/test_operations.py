"""An operation is declared once: models, programs and agents have the same of it."""

import inspect
from typing import Any

import pytest

from palimpsest.config import settings
from palimpsest.conversations.lsp.operations import argument_of, given
from palimpsest.conversations.operations.table import OPERATIONS, TOOLS
from palimpsest.conversations.operations.toolbox import checked
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import read, shape
from palimpsest.lsp.features import all_commands


def test_each_command_and_each_tool_is_of_one_operation() -> None:
    commands = [f"palimpsest.{one.command}" for one in OPERATIONS.values() if one.command]
    assert len(set(commands)) == len(commands)
    assert set(commands) <= all_commands().keys()
    assert all(one.command or one.example for one in OPERATIONS.values()), "somebody has to be able to ask for it"
    assert all(one.example for one in TOOLS.values())


def test_a_setting_that_names_tools_knows_each() -> None:
    assert tuple(TOOLS) == settings.TOOLS


def test_a_command_takes_what_a_model_may_say_and_more() -> None:
    for one in OPERATIONS.values():
        if one.command:
            names = [name.strip("{}? ") for name in shape(argument_of(one)).split(",")]
            assert names == ["conversation", *(parameter.name for parameter in one.parameters)]


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("read_fd", {"fd": "fd-1", "page": 0}, "page"),
        ("read_fd", {"fd": "fd-1", "unit": "word"}, "unit"),
        ("search_fd", {"fd": "fd-1", "query": "x", "context": 51}, "context"),
        ("search_fd", {"fd": "fd-1"}, "query"),
        ("ref_to_file", {"ref_id": "a", "file_path": "f", "mode": "replace"}, "mode"),
        ("ref_to_file", {"ref_id": "a"}, "file_path"),
        ("rename_fds", {"names": {"fd-1": 1}}, "names"),
    ],
)
def test_a_wrong_argument_is_wrong_for_all(name: str, arguments: dict[str, Any], field: str) -> None:
    one = OPERATIONS[name]
    with pytest.raises(InvalidArgument) as of_model:
        checked(one, arguments)
    with pytest.raises(InvalidArgument) as of_program:
        read(one.command, argument_of(one), {"conversation": "c", **arguments})
    assert (of_model.value.field, of_program.value.field.partition("[")[0]) == (field, field)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_fd", {"fd": "fd-1", "unit": "paragraph", "index": 2}),
        ("ref_to_file", {"ref_id": "a", "file_path": "f", "mode": "write", "overwrite": True}),
        ("temp_file", {"content": ""}),
        ("rename_fds", {"names": {"fd-1": "log"}}),
        ("search_fd", {"fd": "fd-1", "query": "x", "context": 0}),
    ],
)
def test_what_a_program_says_arrives_and_nothing_else(name: str, arguments: dict[str, Any]) -> None:
    one = OPERATIONS[name if name in OPERATIONS else f"create_{name}"]
    assert given(read(one.command, argument_of(one), {"conversation": "c", **arguments})) == arguments


def test_what_ends_tasks_of_the_event_loop_runs_on_it() -> None:
    assert inspect.iscoroutinefunction(OPERATIONS["cancel_forks"].run)


def test_a_choice_that_is_empty_is_none() -> None:
    one = OPERATIONS["read_fd"]
    assert given(read(one.command, argument_of(one), {"conversation": "c", "fd": "fd-1", "unit": ""})) == {"fd": "fd-1"}
