"""The JSON Schema of `palimpsest.toml` lets through what the server takes, and nothing else."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from palimpsest.command_line import main
from palimpsest.config.layers import from_file, merged
from palimpsest.config.schema import schema
from palimpsest.config.settings import described
from tests.documents import snippets

TAPLO = Path(sys.executable).with_name("taplo")
LINE = "#:schema ./palimpsest.schema.json\n"
VALUES: list[Any] = [True, False, -2, 0, 1, 7, 10**9, -1.5, 0.25, 1.5, 1e9, "", "odd", [], ["odd"], [1], {}, {"a": 1}]
EXAMPLES = [block for block in snippets("toml") if {*tomllib.loads(block)} & {*schema()["properties"]}]


@pytest.fixture(scope="module")
def validator() -> Draft4Validator:
    Draft4Validator.check_schema(schema())
    return Draft4Validator(schema())


def test_it_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()


@pytest.mark.parametrize("setting", [*described()], ids=lambda it: it.name)
def test_a_value_passes_where_the_users_file_may_hold_it(setting: Any, validator: Draft4Validator) -> None:
    section, _, name = setting.name.partition(".")
    default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
    bounds = [type(setting.default)(it) for it in (setting.low, setting.high) if it is not None]
    for value in [default, *setting.choices, list(setting.choices), *bounds, *VALUES]:
        table = {section: {name: value}}
        layer, refused = from_file(table, whose="user")
        wrong = [*refused, *merged([layer])[1]]
        assert validator.is_valid(table) == (not wrong), (table, wrong)


def test_a_name_that_is_misspelt_does_not(validator: Draft4Validator) -> None:
    assert validator.is_valid({"completion": {"multiline": "never"}})
    assert not validator.is_valid({"completion": {"multilin": "never"}})
    assert not validator.is_valid({"completions": {"multiline": "never"}})
    assert not validator.is_valid({"multiline": "never"})


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_the_documents_passes_and_names_it(example: str, validator: Draft4Validator) -> None:
    assert example.startswith(LINE)
    assert list(validator.iter_errors(tomllib.loads(example))) == []


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


def test_taplo_finds_it_by_that_line(tmp_path: Path) -> None:
    """What Even Better TOML and the language server of the same name are made of."""
    (tmp_path / "palimpsest.schema.json").write_text(json.dumps(schema()), encoding="utf-8")

    def checked(text: str) -> tuple[int, str]:
        (tmp_path / "palimpsest.toml").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [TAPLO, "check", "palimpsest.toml"], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        return done.returncode, done.stderr

    for example in EXAMPLES:
        assert checked(example)[0] == 0
    status, told = checked(f"{LINE}[completion]\nmultilin = 'never'\n")
    assert (status, "'multilin' was unexpected" in told) == (1, True)
    status, told = checked(f"{LINE}[engine]\ntimeout_s = 'long'\n")
    assert (status, 'not of type "number"' in told) == (1, True)
