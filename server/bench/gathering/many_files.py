"""A workspace of many files in many languages, each as long as files of real projects are at the median.

In: a folder, a number.  Out: files in it, always the same; what they say is made up.  A file imports another one and
uses its class, so that names lead from file to file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

UNITS = 8
"""Functions of a file."""
FILES_PER_FOLDER = 50
_WORDS = ["order", "customer", "invoice", "address", "payment", "refund", "basket", "parcel", "stock", "voucher"]


def many_files(root: Path, n: int) -> None:
    kinds = list(_KINDS.items())
    for number in range(n):
        suffix, text = kinds[number % len(kinds)]
        folder = root / f"area{number // FILES_PER_FOLDER:03}"
        if number % FILES_PER_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name_of(number)}{suffix}").write_text(text(number), encoding="utf-8")
    (root / ".gitignore").write_text("*.log\n/build/\n__pycache__/\n", encoding="utf-8")


def name_of(number: int) -> str:
    """Of a file and, in capitals, of its class."""
    return f"{_WORDS[number % len(_WORDS)]}_{number}"


def class_of(number: int) -> str:
    return f"{_WORDS[number % len(_WORDS)].title()}{number}"


def _other(number: int) -> int:
    """A file before it in the same language."""
    return max(number - len(_KINDS), number % len(_KINDS))


def _python(number: int) -> str:
    name, other = class_of(number), _other(number)
    head = (
        f'"""{name}s as the shop keeps them."""\n\nfrom __future__ import annotations\n\nimport logging\n\n'
        f"from area{other // FILES_PER_FOLDER:03}.{name_of(other)} import {class_of(other)}\n\n"
        f"logger = logging.getLogger(__name__)\n\n\nclass {name}:\n"
        f'    """One of them."""\n\n    def __init__(self, note: str = "") -> None:\n        self.note = note\n'
    )
    return head + "".join(
        f"\n    def step_{unit}(self, amount: float, other: {class_of(other)}) -> float:\n"
        f'        """Step {unit} of the day, with what came in before."""\n'
        f"        if amount > {unit}:\n            logger.info(self.note)\n        return amount * {unit + 1}\n"
        for unit in range(UNITS)
    )


def _braces(head: Callable[[int], str], unit: Callable[[int, int], str], tail: str = "}\n") -> Callable[[int], str]:
    return lambda number: head(number) + "".join(unit(number, n) for n in range(UNITS)) + tail


_java = _braces(
    lambda n: (
        f"package shop.area{n // FILES_PER_FOLDER:03};\n\nimport java.util.List;\n"
        f"import shop.area{_other(n) // FILES_PER_FOLDER:03}.{class_of(_other(n))};\n\n"
        f'/** One of them, as the shop keeps it. */\npublic class {class_of(n)} {{\n    private String note = "";\n'
    ),
    lambda n, unit: (
        f"\n    /** Step {unit} of the day, with what came in before. */\n"
        f"    public double step{unit}(double amount, {class_of(_other(n))} other) {{\n"
        f"        if (amount > {unit}) {{\n            this.note = other.toString();\n        }}\n"
        f"        return amount * {unit + 1};\n    }}\n"
    ),
)
_typescript = _braces(
    lambda n: (
        f'import {{ {class_of(_other(n))} }} from "../area{_other(n) // FILES_PER_FOLDER:03}/{name_of(_other(n))}";\n\n'
        f'/** One of them, as the shop keeps it. */\nexport class {class_of(n)} {{\n  private note = "";\n'
    ),
    lambda n, unit: (
        f"\n  /** Step {unit} of the day, with what came in before. */\n"
        f"  step{unit}(amount: number, other: {class_of(_other(n))}): number {{\n"
        f"    if (amount > {unit}) {{\n      this.note = String(other);\n    }}\n"
        f"    return amount * {unit + 1};\n  }}\n"
    ),
)
_javascript = _braces(
    lambda n: (
        f"import {{ {class_of(_other(n))} }} from "
        f'"../area{_other(n) // FILES_PER_FOLDER:03}/{name_of(_other(n))}.js";\n\n'
        f'/** One of them, as the shop keeps it. */\nexport class {class_of(n)} {{\n  note = "";\n'
    ),
    lambda n, unit: (
        f"\n  /** Step {unit} of the day, with what came in before. */\n  step{unit}(amount, other) {{\n"
        f"    if (amount > {unit}) {{\n      this.note = new {class_of(_other(n))}(other).note;\n    }}\n"
        f"    return amount * {unit + 1};\n  }}\n"
    ),
)
_go = _braces(
    lambda n: (
        f'package area{n // FILES_PER_FOLDER:03}\n\nimport "fmt"\n\n// {class_of(n)} is one of them.\n'
        f"type {class_of(n)} struct {{\n\tNote string\n}}\n"
    ),
    lambda n, unit: (
        f"\n// Step{unit} is step {unit} of the day, with what came in before.\n"
        f"func (it *{class_of(n)}) Step{unit}(amount float64) float64 {{\n\tif amount > {unit} {{\n"
        f"\t\tit.Note = fmt.Sprint(amount)\n\t}}\n\treturn amount * {unit + 1}\n}}\n"
    ),
    "",
)
_rust = _braces(
    lambda n: (
        f"use crate::area{_other(n) // FILES_PER_FOLDER:03}::{name_of(_other(n))}::{class_of(_other(n))};\n\n"
        f"/// One of them, as the shop keeps it.\npub struct {class_of(n)} {{\n    pub note: String,\n}}\n\n"
        f"impl {class_of(n)} {{\n"
    ),
    lambda n, unit: (
        f"    /// Step {unit} of the day, with what came in before.\n"
        f"    pub fn step_{unit}(&mut self, amount: f64, other: &{class_of(_other(n))}) -> f64 {{\n"
        f"        if amount > {unit}.0 {{\n            self.note = other.note.clone();\n        }}\n"
        f"        amount * {unit + 1}.0\n    }}\n\n"
    ),
)
_c = _braces(
    lambda n: (
        f'#include <stdio.h>\n#include "area{_other(n) // FILES_PER_FOLDER:03}/{name_of(_other(n))}.h"\n\n'
        f"/* One of them, as the shop keeps it. */\nstruct {name_of(n)} {{\n    const char *note;\n}};\n"
    ),
    lambda n, unit: (
        f"\n/* Step {unit} of the day, with what came in before. */\n"
        f"double {name_of(n)}_step_{unit}(struct {name_of(n)} *it, double amount)\n{{\n    if (amount > {unit}) {{\n"
        f'        printf("%s\\n", it->note);\n    }}\n    return amount * {unit + 1};\n}}\n'
    ),
    "",
)
_ruby = _braces(
    lambda n: (
        f'require_relative "../area{_other(n) // FILES_PER_FOLDER:03}/{name_of(_other(n))}"\n\n'
        f"# One of them, as the shop keeps it.\nclass {class_of(n)}\n  attr_accessor :note\n"
    ),
    lambda n, unit: (
        f"\n  # Step {unit} of the day, with what came in before.\n  def step_{unit}(amount, other)\n"
        f"    @note = {class_of(_other(n))}.new(other) if amount > {unit}\n    amount * {unit + 1}\n  end\n"
    ),
    "end\n",
)
_KINDS: Mapping[str, Callable[[int], str]] = {
    ".py": _python,
    ".java": _java,
    ".ts": _typescript,
    ".js": _javascript,
    ".go": _go,
    ".rs": _rust,
    ".c": _c,
    ".rb": _ruby,
}
