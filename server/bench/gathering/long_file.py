"""A file of many classes that use those of other files: what is typed into, and walked through.

In: a folder, a number of lines, a language.  Out: the files.  Always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.gathering import long_styles as styles

MODULES = 12
CLASSES_OF_MODULE = 3
METHODS = 9
MODULES_OF_CLASS = 3
"""That the methods of one class use: the next class goes on with others."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a language writes it.  `name` is of the long file, `parts` the files of a module by their paths, `head` what
    the long file begins with; a class, a method and the end of a class have their numbers, a method also the number of
    the module that it uses, that of a class in it, and what is typed into it."""

    name: str
    parts: Callable[[int, range], Mapping[str, str]]
    head: Callable[[range, range], str]
    begin: Callable[[int], str]
    method: Callable[[int, int, int, int], str]
    end: str
    typed: str


LANGUAGES: Mapping[str, Style] = {
    "python": Style(
        "shop/day.py",
        styles.python_part,
        styles.python_head,
        styles.python_class,
        styles.python_method,
        "",
        "        total = self.add(amount, other.note)",
    ),
    "typescript": Style(
        "src/day.ts",
        styles.typescript_part,
        styles.typescript_head,
        styles.typescript_class,
        styles.typescript_method,
        "}\n",
        "    const total = this.add(amount, other.note)",
    ),
    "java": Style(
        "shop/days/Day.java",
        styles.java_part,
        styles.java_head,
        styles.java_class,
        styles.java_method,
        "}\n",
        "        double total = this.add(amount, other.note)",
    ),
    "go": Style(
        "day/day.go",
        styles.go_part,
        styles.go_head,
        styles.go_class,
        styles.go_method,
        "",
        "\ttotal := it.Add(amount, other.Note)",
    ),
    "rust": Style(
        "src/main.rs",
        styles.rust_part,
        styles.rust_head,
        styles.rust_class,
        styles.rust_method,
        "}\n",
        "        let total = self.add(amount, &other.note)",
    ),
    "cpp": Style(
        "src/day.cpp",
        styles.cpp_part,
        styles.cpp_head,
        styles.cpp_class,
        styles.cpp_method,
        "};\n",
        "        double total = this->add(amount, other.note)",
    ),
}


def long_file(root: Path, lines: int, language: str = "python", name: str = "") -> Path:
    """The path of the long file, with what it uses around it; `name` in place of its own."""
    style = LANGUAGES[language]
    modules, classes = range(MODULES), range(CLASSES_OF_MODULE)
    for module in modules:
        for part, text in style.parts(module, classes).items():
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
    text = style.head(range(MODULES), range(CLASSES_OF_MODULE))
    n_lines, number = text.count("\n"), 0
    yield text
    while n_lines < lines:
        text = style.begin(number)
        for n in range(METHODS):
            module = (number * 5 + n % MODULES_OF_CLASS) % MODULES
            text += style.method(number, n, module, n % CLASSES_OF_MODULE)
        text += style.end
        n_lines += text.count("\n")
        number += 1
        yield text
