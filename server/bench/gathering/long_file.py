"""A file of many classes that use those of other files: what is typed into, and walked through.

In: a folder, a number of lines, a language.  Out: the files.  Always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.gathering.long_styles import CLASSES, LANGUAGES, MODULES, Style

METHODS = 9
MODULES_OF_CLASS = 3
"""That the methods of one class use: the next class goes on with others."""


def long_file(root: Path, lines: int, language: str = "python", name: str = "") -> Path:
    """The path of the long file, with what it uses around it; `name` in place of its own."""
    style = LANGUAGES[language]
    for module in MODULES:
        for part, text in style.parts(module):
            _write(root / part, text)
    path = root / style.name
    path = path.with_name(name + path.suffix if name else path.name)
    _write(path, "".join(_long(style, lines)))
    return path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _long(style: Style, lines: int) -> Iterator[str]:
    """Classes until there are so many lines."""
    text = style.beginning()
    n_lines, number = text.count("\n"), 0
    yield text
    while n_lines < lines:
        text = style.begun(number)
        for n in range(METHODS):
            module = (number * 5 + n % MODULES_OF_CLASS) % len(MODULES)
            text += style.step(number, n, module, n % len(CLASSES))
        text += style.end
        n_lines += text.count("\n")
        number += 1
        yield text
