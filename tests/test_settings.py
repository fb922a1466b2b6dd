"""Settings: layers, and wrong values that are named."""

import ast
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import pytest

import palimpsest
from palimpsest.config.layers import from_editor, from_file, merged, of_others, read_toml
from palimpsest.config.settings import ContextSettings, Described, EngineSettings, Settings, described
from palimpsest.system.engine_address import THE_CLIENTS


def test_the_nearest_layer_wins() -> None:
    settings, problems = merged(
        [{"engine": {"n_ctx": 1}}, {"engine": {"n_ctx": 2, "n_batch": 64}}, {"engine.n_ctx": 3}]
    )
    assert not problems
    assert settings.engine.n_ctx == 3
    assert settings.engine.n_batch == 64


def test_nothing_set_is_the_defaults() -> None:
    assert merged([{}, {"engine": {"n_ctx": None}}]) == (Settings(), [])


@pytest.mark.parametrize(
    ("layer", "field", "words"),
    [
        ({"engine": {"n_ctx": "8192"}}, "engine.n_ctx", "whole number"),
        ({"engine": {"n_ctx": True}}, "engine.n_ctx", "whole number"),
        ({"engine": {"n_ctx": -1}}, "engine.n_ctx", "0 or more"),
        ({"conversation": {"system_share": 1.5}}, "conversation.system_share", "1.0 or less"),
        ({"completion": {"n": 100}}, "completion.n", "16 or less"),
        ({"suggestion": {"n": 17}}, "suggestion.n", "16 or less"),
        ({"engine": {"type_k": "f8"}}, "engine.type_k", "f16"),
        ({"engine": {"ctx": 1}}, "engine.ctx", "n_ctx"),
        ({"model": {"path": "a\0b"}}, "model.path", "without zeros"),
        ({"next_edit": {"model": "\ud800"}}, "next_edit.model", "halves of characters"),
        ({"completions": {"enabled": False}}, "completions.enabled", "completion"),
        ({"completion": {"enabled": "yes"}}, "completion.enabled", "true or false"),
        ({"context": {"sources": "class"}}, "context.sources", "list of strings"),
        ({"conversation": {"never_drop": ["read_fd", "raed_fd"]}}, "conversation.never_drop", "read_fd, search_fd"),
        ({"suggestion": {"temperature": "hot"}}, "suggestion.temperature", "a number"),
        ({"n_ctx": 3}, "n_ctx", "no such section"),
        ({"conversation": {"compact_at": float("nan")}}, "conversation.compact_at", "a number"),
        ({"conversation": {"temperature": float("-inf")}}, "conversation.temperature", "a number"),
    ],
)
def test_a_wrong_value_is_named_and_the_default_stands(layer: dict[str, object], field: str, words: str) -> None:
    settings, (problem,) = merged([layer])
    assert settings == Settings()
    assert problem.field == field
    assert words in str(problem)


def test_a_switch_that_means_something_else_now_says_which_it_is() -> None:
    old: dict[str, Any] = {"next_edit": {"model": False}}
    for problems in (merged([old])[1], from_file(old, whose="workspace")[1]):
        (problem,) = problems
        assert problem.field == "next_edit.model"
        assert "`next_edit.ask`" in problem.hint


def test_settings_of_others_are_told_from_ours_that_are_misspelt() -> None:
    assert of_others({"nextEditSuggestions": {"enabled": True}, "http.proxy": "", "editor": 3})
    for ours in ({}, {"engine.n_ctx": 3}, {"completion": {"enabled": True}, "nextEditSuggestions": {"enabled": True}}):
        assert not of_others(ours)


def test_what_an_editors_extension_reads_for_itself_is_no_mistake() -> None:
    sent = {
        "completion": {"trigger": "manual", "n": 2},
        "server": {"command": "/x"},
        "nextEdit.automatic": True,
        "a": 1,
    }
    assert from_editor(sent) == {"completion": {"n": 2}, "a": 1}
    settings, (problem,) = merged([from_editor(sent)])
    assert settings.completion.n == 2
    assert problem.field == "a"


def test_what_a_client_of_copilots_server_says_of_itself_is_no_mistake() -> None:
    of_copilot_el = {
        "editorInfo": {"name": "Emacs", "version": "30.2"},
        "editorPluginInfo": {"name": "copilot.el", "version": "0.9.0"},
        "networkProxy": {"host": "127.0.0.1", "port": 80, "rejectUnauthorized": False},
    }
    assert from_editor(of_copilot_el | {"copilotIntegrationId": "vscode-chat"}) == {}
    assert from_editor(of_copilot_el | {"completion": {"n": 2}}) == {"completion": {"n": 2}}


def test_a_wrong_value_takes_nothing_else_with_it() -> None:
    settings, problems = merged([{"engine": {"n_ctx": "x", "n_batch": 128}}])
    assert len(problems) == 1
    assert settings.engine.n_batch == 128


def test_a_whole_number_serves_as_a_fraction() -> None:
    assert merged([{"suggestion": {"temperature": 1}}])[0].suggestion.temperature == 1.0


def test_files_are_read_and_missing_ones_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "palimpsest.toml"
    assert read_toml(path) == ({}, [])
    path.write_text("[engine]\nn_ctx = 4096\n")
    assert read_toml(path) == ({"engine": {"n_ctx": 4096}}, [])
    path.write_bytes(b"\xff\xfe")
    table, (problem,) = read_toml(path)
    assert table == {}
    assert str(path) in str(problem)


def test_every_setting_has_a_sentence() -> None:
    sentence = re.compile(r"([A-Z0-9]|llama\.cpp).*\.", re.DOTALL)
    assert [item.name for item in described() if not sentence.fullmatch(item.doc)] == []


@pytest.mark.parametrize(
    "table",
    [
        {"engine": {"url": "https://elsewhere"}, "context": {"block_tokens": 64}},
        {"engine.url": "https://elsewhere", "context.block_tokens": 64},
        {"": {"engine.url": "https://elsewhere"}, "context": {"block_tokens": 64}},
        {"engine": {"kind": "openai", "ca_file": "/x", "api_key_env": "HOME"}, "context": {"block_tokens": 64}},
    ],
    ids=["nested", "dotted", "hidden", "others"],
)
def test_a_workspaces_file_does_not_say_where_code_is_sent(table: dict[str, object]) -> None:
    layer, problems = from_file(table, whose="workspace")
    settings, wrong = merged([layer])
    assert problems or wrong
    assert settings == Settings(context=ContextSettings(block_tokens=64))
    mine, _ = merged([from_file(table, whose="user")[0]])
    assert "" in table or mine.engine != settings.engine


def test_a_workspaces_file_does_not_name_a_program_that_is_run() -> None:
    table = {"context": {"python": "./python", "block_tokens": 64}}
    layer, (problem,) = from_file(table, whose="workspace")
    assert problem.field == "context.python"
    assert merged([layer])[0].context == ContextSettings(block_tokens=64)
    assert merged([from_file(table, whose="user")[0]])[0].context.python == "./python"


OTHER: dict[type, Any] = {bool: True, int: 170, float: 0.25, str: "x", tuple: ["x"]}


def is_set_as_the_table_says(item: Described) -> bool:
    """By a workspace's file."""
    says = item.by
    section, _, name = item.name.partition(".")
    value, mine = item.choices[-1] if item.choices else OTHER[type(item.default)], "mine"
    if item.choices and isinstance(item.default, tuple):
        value, mine = [item.choices[-1]], item.choices[0]
    layer, refused = from_file({section: {name: value}}, whose="workspace")
    settings, wrong = merged([{section: {name: [mine]}} if says.set_by == "adds" else {}, layer])
    now = getattr(getattr(settings, section), name)
    if wrong:
        return False
    if says.set_by == "anyone":
        return not refused and now == (tuple(value) if isinstance(value, list) else value)
    if says.set_by == "adds":
        return now == (mine, *value)
    return [problem.field for problem in refused] == [item.name] and settings == Settings()


def test_a_workspaces_file_says_what_the_table_lets_it_say() -> None:
    assert [item.name for item in described() if not is_set_as_the_table_says(item)] == []


def test_a_list_has_only_what_it_may_have() -> None:
    settings, (problem,) = merged([{"context": {"sources": ["klass"]}}])
    assert problem.field == "context.sources"
    assert "class" in settings.context.sources, "its default is used"
    settings, (problem,) = merged([{"completion": {"quiet_in": ["strings"]}}, {"completion": {"quiet_in": ["code"]}}])
    assert (settings.completion.quiet_in, problem.field) == (("strings",), "completion.quiet_in")
    assert "comments, strings" in str(problem)


def test_a_workspaces_file_switches_off_and_not_on() -> None:
    table = {"completion": {"enabled": False}, "next_edit": {"ask": True}}
    layer, (problem,) = from_file(table, whose="workspace")
    settings, _ = merged([{"next_edit": {"ask": False}}, layer])
    assert (settings.completion.enabled, settings.next_edit.ask) == (False, False)
    assert problem.field == "next_edit.ask"


def test_what_a_workspaces_file_keeps_out_stays_out_whatever_the_editor_says() -> None:
    table = {"context": {"exclude": ["theirs"]}, "completion": {"disabled_folders": []}}
    layer, _ = from_file(table, whose="workspace")
    mine = {"context": {"exclude": ["mine"]}, "completion": {"disabled_folders": ["private"]}}
    for layers in ([mine, layer], [layer, mine], [mine, layer, {"context": {"exclude": ["mine"]}}]):
        settings, _ = merged(layers)
        assert settings.context.exclude == ("mine", "theirs")
        assert settings.completion.disabled_folders == ("private",)


@pytest.mark.parametrize(
    "text",
    [b"a" + b".a" * 20_000 + b" = 1", b"[a]\n" * 20_000, b"#" * 1_000_001, b"a = " + b"[" * 50_000],
    ids=["many parts", "many lines", "large", "deep"],
)
def test_a_file_that_would_take_long_is_named_and_not_read(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "palimpsest.toml").write_bytes(text)
    table, (problem,) = read_toml(tmp_path / "palimpsest.toml")
    assert table == {}
    assert "palimpsest.toml" in str(problem)


def test_lists_are_bounded() -> None:
    for long in (["x"] * 1_001, ["x" * 1_001]):
        settings, (problem,) = merged([{"context": {"exclude": long}}])
        assert settings == Settings()
        assert "1,000" in str(problem)


@pytest.mark.parametrize("whose", ["user", "workspace"])
def test_no_file_holds_a_key(whose: Literal["user", "workspace"]) -> None:
    layer, (problem,) = from_file({"engine": {"api_key": "s3cret"}}, whose=whose)
    assert merged([layer])[0].engine.api_key == ""
    assert problem.field == "engine.api_key"
    assert "engine.api_key_env" in str(problem)
    assert "s3cret" not in str(problem)


def test_an_editor_may_hand_a_key_over_and_it_is_not_shown() -> None:
    settings, problems = merged([{"engine": {"api_key": "s3cret", "url": "https://gpu"}}])
    assert not problems
    assert settings.engine.api_key == "s3cret"
    assert "s3cret" not in repr(settings)
    _, (problem,) = merged([{"engine": {"api_key": ["s3cret"]}}])
    assert "s3cret" not in str(problem)


def test_what_a_process_does_not_hear_of_is_one_list() -> None:
    assert {item.name for item in fields(EngineSettings) if not item.metadata["process"]} == THE_CLIENTS


def test_a_message_about_a_setting_begins_with_its_name() -> None:
    """Not in the middle of a sentence, in quotes or behind "the setting": a person looks for it in one place."""
    names, wrong = {each.name for each in described()}, []
    for path in sorted(Path(palimpsest.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
                continue
            message = "".join(str(part.value) for part in ast.walk(node.exc.args[0]) if isinstance(part, ast.Constant))
            named = [name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.]\w)", message)]
            if named and not any(f"{message}: ".startswith(f"{name}: ") for name in named):
                wrong.append(f"{path.name}:{node.lineno} {message}")
    assert not wrong
