"""The documents a person reads, and what tests look for in them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = [README, *sorted((ROOT / "docs").glob("*.md"))]
"""What a user reads."""
ALL = [
    *GUIDE,
    ROOT / "CHANGELOG.md",
    ROOT / "server" / "ARCHITECTURE.md",
    ROOT / "server" / "training" / "README.md",
    ROOT / "server" / "palimpsest" / "assets" / "MODEL_CARD.md",
]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^    (\S.*?(?:\\\n.*?)*)$", re.MULTILINE)


def text(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def snippets(language: str) -> list[str]:
    """The fenced blocks of a language in the guide."""
    return [block for document in GUIDE for kind, block in _FENCED.findall(text(document)) if kind == language]


def snippet(language: str, *words: str) -> str:
    """The guide's only fenced block of that language in which all of these stand."""
    (one,) = [block for block in snippets(language) if all(word in block for word in words)]
    return str(one)


def prose(document: Path) -> str:
    """Without fenced blocks."""
    return _FENCED.sub("", text(document))


def code_lines(document: Path) -> list[str]:
    """The lines of indented code, those that end in a backslash joined with the next."""
    return [line.replace("\\\n", " ") for line in _INDENTED.findall(prose(document))]


def spans(document: Path) -> list[str]:
    """What stands in single backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(document))


def links(document: Path) -> Iterator[str]:
    """Where links and pictures point to."""
    yield from re.findall(r"\]\(([^)\s]+)\)", prose(document))


def anchors(document: Path) -> set[str]:
    """The names under which a page's headings can be linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def table(document: Path, section: str) -> dict[str, list[str]]:
    """The table of a section: the cells behind each row's name."""
    part = text(document).split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split(" | ")] for line in part.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in cells}
