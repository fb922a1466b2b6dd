"""The README and the documents it leads to say what the code does."""

import argparse
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.command import main as bench
from palimpsest.command_line import COMMANDS as ON_THE_COMMAND_LINE
from palimpsest.command_line import main
from palimpsest.config.layers import OF_CLIENTS
from palimpsest.config.settings import described
from palimpsest.lsp.features import all_commands
from tests import documents
from tests.documents import ALL, GUIDE, README, ROOT

COMMANDS_PAGE = ROOT / "docs" / "commands.md"


def test_a_newcomer_reads_less_than_nine_kilobytes() -> None:
    size = README.stat().st_size
    assert size < 9_000


def test_every_command_of_the_command_line_is_listed() -> None:
    listed = documents.table(COMMANDS_PAGE, "On the command line")
    assert list(listed) == [f"palimpsest {name}" for name in ON_THE_COMMAND_LINE]


def leads_somewhere(document: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    there = (document.parent / path).resolve() if path else document
    return there.exists() and (not anchor or anchor in documents.anchors(there))


def test_every_link_leads_somewhere() -> None:
    links = [(document, target) for document in ALL for target in documents.links(document)]
    inside = [link for link in links if not re.match(r"https?:", link[1])]
    assert [f"{documents.name(document)}: {it}" for document, it in inside if not leads_somewhere(document, it)] == []


def test_every_page_is_reached_from_the_readme() -> None:
    linked = {(README.parent / target.partition("#")[0]).resolve() for target in documents.links(README)}
    assert set(GUIDE) - {README} <= linked


class Parsed(Exception):
    """Arguments that a parser takes."""


@pytest.fixture
def only_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever parses arguments goes no further, unless some are left for another parser."""
    parse = argparse.ArgumentParser.parse_known_args

    def parse_only(self: Any, *arguments: Any, **named: Any) -> Any:
        namespace, rest = parse(self, *arguments, **named)
        if rest:
            return namespace, rest
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_known_args", parse_only)


PROGRAM = r"(?:palimpsest|python -m bench) "


def command_lines() -> Iterator[str]:
    """Those shown whole, and in the text names of commands, which are asked for help."""
    for document in GUIDE:
        yield from (line for line in documents.code_lines(document) if re.match(PROGRAM, line))
        for span in documents.spans(document):
            if re.match(rf"{PROGRAM}\w+", span):
                yield f"{span} --help" if re.fullmatch(r"[a-z -]+", span) and "--" not in span else span


def is_understood(line: str) -> bool:
    arguments = shlex.split(re.split(" [>|] ", line)[0], comments=True)
    try:
        bench(arguments[3:]) if arguments[0] == "python" else main(arguments[1:])
    except Parsed:
        return True
    except SystemExit as ended:
        return ended.code == 0
    return False


@pytest.mark.usefixtures("only_parsed")
def test_every_command_line_is_understood() -> None:
    assert [line for line in sorted(set(command_lines())) if not is_understood(line)] == []


def test_every_name_in_the_guide_is_known() -> None:
    settings = {item.name for item in described()} | OF_CLIENTS
    sections = {name.partition(".")[0] for name in settings}
    targets = set(re.findall(r"^([\w-]+):", documents.text(ROOT / "Makefile"), re.MULTILINE))

    def is_known(span: str) -> bool:
        if (setting := re.match(r"(\w+)\.\w+\b(?!\.|\()", span)) and setting[1] in sections:
            return setting[0] in {*settings, "statistics.sqlite"}
        if command := re.fullmatch(r"palimpsest(\.\w+)+", span):
            return command[0] in {*all_commands(), "palimpsest.toml"}
        first, *words = span.split()
        return first != "make" or words[0] in targets

    named = [
        (document, it) for document in GUIDE for it in (*documents.spans(document), *documents.code_lines(document))
    ]
    assert [f"{documents.name(document)}: {it}" for document, it in named if not is_known(it)] == []


ASKS_AN_INDEX = re.compile(
    r"\b(?:pip3? (?:install|download|wheel)|pipx (?:install|run)|uvx|uv (?:tool|pip|add|run))\b[^\n]*?[\s'\"=]"
    r"palimpsest(?:\[[\w,]+\])?(?=['\"`\s@<=>!~;,)]|$)"
)


def asks_for_the_other(line: str) -> bool:
    """`--from palimpsest-lsp palimpsest` and `--from . palimpsest` name the program in our package."""
    of_ours = re.sub(r"--(?:from|spec)[ =]['\"]?(?:palimpsest-lsp|\.|dist/)\S* palimpsest\b", "", line)
    return bool(ASKS_AN_INDEX.search(of_ours))


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("pip install palimpsest", True),
        ("`uvx palimpsest serve`", True),
        ("uv tool install 'palimpsest[mcp]'", True),
        ("pipx run palimpsest==0.1", True),
        ('"python -m pip install -U palimpsest"', True),
        ("pip install palimpsest-lsp", False),
        ("uvx --from palimpsest-lsp palimpsest --version", False),
        ("uvx --from 'palimpsest-lsp[mcp]' palimpsest mcp", False),
        ("uvx --from dist/*.whl palimpsest --version", False),
        ("brew install pipx && pipx install .", False),
    ],
)
def test_what_asks_an_index_for_a_package_of_our_commands_name(line: str, asks: bool) -> None:
    assert asks_for_the_other(line) == asks


def test_nothing_says_to_ask_an_index_for_a_package_that_is_not_ours() -> None:
    """`palimpsest` on PyPI is another project; ours is `palimpsest-lsp`."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    read = {".md", ".py", ".sh", ".lua", ".ts", ".json", ".txt", ".toml", ".yml", ".yaml"}
    paths = [ROOT / name for name in names if name and not name.startswith("tests/")]
    asking = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in paths
        if path.suffix in read and path.is_file()
        for line in path.read_text(encoding="utf-8").splitlines()
        if asks_for_the_other(line)
    ]
    assert asking == []
