"""Scopes of real modules, against what Python's own parser says."""

from __future__ import annotations

import argparse
import ast
import asyncio.base_events
import dataclasses
import enum
import http.client
import inspect
import json.decoder
import tokenize
import typing
from types import ModuleType

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.python.lines import scan
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import docstring, scope_at, scopes
from palimpsest.text.snapshot import Position

MODULES = [argparse, ast, asyncio.base_events, dataclasses, enum, http.client, inspect, json.decoder, typing]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def parsed_module(module: ModuleType) -> tuple[Parsed, ast.Module]:
    with tokenize.open(str(module.__file__)) as file:
        source = file.read()
    return parse_text(source, PYTHON), ast.parse(source)


def definitions(node: ast.AST, around: str = "") -> list[tuple[str, range, Definition]]:
    """(Qualified name, 0-based lines from the first decorator on, node), an outer one before its inner ones."""
    found: list[tuple[str, range, Definition]] = []
    for child in ast.iter_child_nodes(node):
        name = around
        if isinstance(child, Definition):
            name = f"{around}.{child.name}".lstrip(".")
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            found.append((name, range(first - 1, child.end_lineno or child.lineno), child))
        found += definitions(child, name)
    return found


def names_by_line(tree: ast.Module, n_lines: int) -> list[str]:
    names = [""] * n_lines
    for name, lines, _ in definitions(tree):
        for line in lines:
            names[line] = name
    return names


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_line_of_every_function_yields_its_qualified_name(module: ModuleType) -> None:
    parsed, tree = parsed_module(module)
    expected = names_by_line(tree, parsed.snapshot.line_count)
    for number, text in enumerate(parsed.snapshot.lines):
        blank_or_comment = not text.strip() or text.strip().startswith("#")
        for column in {0, len(text) - len(text.lstrip()), len(text)}:
            name = scope_at(parsed, number, column).qualified_name
            # Behind a nested definition's last line the indent decides; everywhere else the line alone.
            if not (blank_or_comment and name.startswith(expected[number])):
                assert name == expected[number], (number + 1, column)


@pytest.mark.parametrize("module", [dataclasses, json.decoder], ids=lambda module: module.__name__)
def test_the_editing_block_is_named_so(module: ModuleType) -> None:
    parsed, tree = parsed_module(module)
    for number, name in enumerate(names_by_line(tree, parsed.snapshot.line_count)):
        if name and parsed.snapshot.lines[number].strip():
            editing = editing_at(parsed, Position(number, 0), "module.py", 900)
            assert editing.name == name
            assert editing.lines[editing.cursor_line].document_line == number


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_indentation_alone_finds_what_a_parser_finds(module: ModuleType) -> None:
    parsed, tree = parsed_module(module)
    lines = parsed.snapshot.lines
    found = {(header.name, header.start_line, header.def_line, header.kind) for header in scan(lines, 0, len(lines))}
    expected = {
        (node.name, lines.start, node.lineno - 1, "class" if isinstance(node, ast.ClassDef) else "function")
        for _, lines, node in definitions(tree)
    }
    assert found == expected


@pytest.mark.parametrize("module", [argparse, typing], ids=lambda module: module.__name__)
def test_docstrings_are_the_parsers(module: ModuleType) -> None:
    parsed, tree = parsed_module(module)
    ours = {scope.def_line: docstring(parsed, scope) for scope in scopes(parsed) if scope.kind != "file"}
    for _, _, node in definitions(tree):
        expected = ast.get_docstring(node)
        if expected is None or "\\" not in (ours[node.lineno - 1] or ""):  # escapes stay as they are written
            assert ours[node.lineno - 1] == expected
