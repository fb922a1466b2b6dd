"""Bash: which scope a line is in, and what is visible there."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, file_scope, scope_at
from tests.languages.reading import (
    line_of,
    lines_shown,
    missing,
    names_at,
    outline,
    parsed_as,
    sample,
    scope_named,
    type_it,
)

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def deploy() -> Parsed:
    return sample(SAMPLES / "deploy.sh")


def test_functions_are_the_scopes(deploy: Parsed) -> None:
    assert outline(deploy) == [
        ("function", "say", 14, 20),
        ("function", "build_image", 22, 30),
        ("function", "wait_for", 32, 43),
        ("function", "deploy", 45, 63),
    ]
    assert scope_at(deploy, line_of(deploy, "docker run -d"), 0).qualified_name == "deploy"


def test_comments_above_are_documentation(deploy: Parsed) -> None:
    assert docstring(deploy, file_scope(deploy)) == "Puts a shop on a machine."
    assert docstring(deploy, scope_named(deploy, "wait_for")) == "Waits until a port answers."


def test_scripts_that_are_read(deploy: Parsed) -> None:
    assert [(item.module, item.name, item.level) for item in imports(deploy)] == [
        ("lib/colours.sh", "*", 1),
        ("./lib/retry.sh", "*", 1),
    ]
    computed = parsed_as("a.sh", 'source "$(find . -name x)"\n. "$1"\n')
    assert {item.module for item in imports(computed)} <= {""}, "no guess where a path is computed"


def test_visible_names(deploy: Parsed) -> None:
    assert names_at(deploy, "tries=$((tries") == [
        "local: host",
        "local: port",
        "local: tries = 0",
        "function: say()",
        "function: function build_image",
        "function: wait_for()",
        "function: deploy()",
        "constant: here",
        "constant: MOST_TRIES = 3",
        "constant: ports",
        'constant: target = "${1:-staging}"',
        "constant: answer",
        "constant: left",
        "constant: name",
    ]


def test_the_editing_block_of_a_function(deploy: Parsed) -> None:
    shown = lines_shown(deploy, "((tries >= MOST_TRIES))")
    assert (shown[0], shown[-1]) == ("# Waits until a port answers.", "}")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f() {|\n", "block"),
        ("for a in b; do\n  |\ndone\n", "block"),
        ("for a in b; do\n  |", "block"),
        ("if true; then\n  |\nfi\n", "block"),
        ("x=|\n", "line"),
        ("# a comment that |\n", "line"),
        ('echo "text |"\n', "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.sh", text) == kind


def test_every_half_typed_text(deploy: Parsed) -> None:
    type_it("deploy.sh", deploy.snapshot.text)
