"""TSX: which scope a line is in, what is visible there, what a class shows of itself."""

# ruff: noqa: E501  lines of code are expected whole

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring
from tests.languages.reading import interface, missing, names_at, outline, sample, scope_named, type_it

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def table() -> Parsed:
    return sample(SAMPLES / "list.tsx")


def test_scopes(table: Parsed) -> None:
    assert outline(table) == [
        ("class", "Props", 4, 10),
        ("function", "Props.onRemove", 8, 8),
        ("class", "Sort", 12, 12),
        ("function", "compare", 16, 18),
        ("function", "Table", 20, 50),
        ("function", "Table.remove", 25, 27),
        ("class", "Body", 52, 63),
        ("function", "Body.toggle", 55, 57),
        ("function", "Body.render", 59, 62),
        ("function", "Empty", 65, 65),
    ]


def test_what_props_shows(table: Parsed) -> None:
    assert interface(table, "Props") == [
        "interface Props<T> {",
        "  lines: readonly Line[];",
        "  label?: string;",
        "  render: (line: Line) => ReactNode;",
        "  extra?: T;",
        "  onRemove?(item: Item): void;",
        "}",
    ]


def test_what_body_shows(table: Parsed) -> None:
    assert interface(table, "Body") == [
        "class Body<T> extends React.Component<{ lines: Line[]; children: (line: Line) => ReactNode; extra?: T }> {",
        "  state = { open: true };",
        "  toggle = (): void => { ... }",
        "  render(): ReactNode { ... }",
        "}",
    ]
    assert sorted(table.language.bases(table, scope_named(table, "Body"))) == ["Component"]


def test_documentation(table: Parsed) -> None:
    found = {name: docstring(table, scope_named(table, name)) for name in ["Table"]}
    assert found == {"Table": "A table of what is in a cart."}


def test_imports(table: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(table)] == [
        ("react", "default", "React"),
        ("react", "useMemo", "useMemo"),
        ("react", "ReactNode", "ReactNode"),
        ("./cart", "Item", "Item"),
        ("./cart", "Line", "Line"),
    ]


def test_visible_names(table: Parsed) -> None:
    assert names_at(table, "state = { open") == [
        "attribute: state",
        "method: toggle = (): void =>",
        "method: render(): ReactNode",
        "class: interface Props<T>",
        'class: type Sort = "name" | "price"',
        "function: function compare(sort: Sort)",
        'function: function Table<T extends object>({ lines, render, label = "Cart", onRemove }: Props<T>): JSX.Element',
        "class: class Body<T> extends React.Component<{ lines: Line[]; children: (line: Line) => ReactNode; extra?: T }>",
        'function: const Empty: React.FC<{ text?: string }> = ({ text = "Nothing" }) =>',
        "constant: COLUMNS: Record<Sort, string>",
        'import: import React from "react";',
        'import: import { useMemo } from "react";',
        'import: import { ReactNode } from "react";',
        'import: import type { Item } from "./cart";',
        'import: import type { Line } from "./cart";',
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("function f(a) {|\n}\n", "block"),
        ("for (const a of b) {\n  |\n}\n", "block"),
        ("const x = |\n", "line"),
        ("// a comment that |\n", "line"),
        ("f('text |');\n", "line"),
        ("f(a, |);\n", "line"),
        ("const f = () => {\n  |", "block"),
        ("class A {\n  |\n}\n", "block"),
        ("const a = <div>{|}</div>;\n", "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.tsx", text) == kind


def test_every_half_typed_text(table: Parsed) -> None:
    type_it("list.tsx", table.snapshot.text)
