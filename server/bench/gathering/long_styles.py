"""How each language writes the long file and the modules that it uses.

In: numbers.  Out: texts.  What they say is made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def python_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    text = f'"""Part {module} of the shop."""\n'
    for n in classes:
        text += (
            f'\n\nclass Item{module}{n}:\n    """Item {n} of part {module}."""\n\n    limit: float = {n}.0\n\n'
            f"    def __init__(self, number: int) -> None:\n        self.number = number\n\n"
            f'    def add(self, amount: float, reason: str) -> float:\n        """Add an amount; the new total."""\n'
            f"        return amount + self.number\n"
        )
    text += (
        f'\n\ndef helper_{module}(limit: float) -> float:\n    """What is left of a limit."""\n    return limit / 2\n'
    )
    return {"shop/__init__.py": "", f"shop/part_{module}.py": text}


def python_head(modules: Iterable[int], classes: Iterable[int]) -> str:
    imports = "".join(
        f"from shop.part_{module} import {', '.join(f'Item{module}{n}' for n in classes)}, helper_{module}\n"
        for module in modules
    )
    return (
        f'"""The days of the shop."""\n\nimport json\nimport logging\n\n{imports}\n'
        "logger = logging.getLogger(__name__)\n"
    )


def python_class(number: int) -> str:
    return (
        f'\n\nclass Day{number}:\n    """Day {number}."""\n\n    limit = {number}.0\n\n'
        f"    def __init__(self, note: str) -> None:\n        self.note = note\n        self.total = 0.0\n"
    )


def python_method(number: int, n: int, module: int, item: int) -> str:
    return (
        f"\n    def step_{n}(self, amount: float, item: Item{module}{item}) -> float:\n"
        f'        """Step {n} of day {number}."""\n'
        f"        total = item.add(amount, self.note) * {n + 1}\n        if total > self.limit:\n"
        f'            logger.info("%s: %s", self.note, json.dumps(total))\n'
        f"            total = helper_{module}(self.limit)\n        self.total += total\n        return self.total\n"
    )


def typescript_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    text = ""
    for n in classes:
        text += (
            f"/** Item {n} of part {module}. */\nexport class Item{module}{n} {{\n  limit = {n};\n\n"
            f"  constructor(private number: number) {{}}\n\n  /** Add an amount; the new total. */\n"
            f"  add(amount: number, reason: string): number {{\n    return amount + this.number;\n  }}\n}}\n\n"
        )
    text += (
        f"/** What is left of a limit. */\nexport function helper{module}(limit: number): number {{\n"
        f"  return limit / 2;\n}}\n"
    )
    return {f"src/part_{module}.ts": text}


def typescript_head(modules: Iterable[int], classes: Iterable[int]) -> str:
    return "".join(
        f'import {{ {", ".join(f"Item{module}{n}" for n in classes)}, helper{module} }} from "./part_{module}";\n'
        for module in modules
    )


def typescript_class(number: int) -> str:
    return (
        f"\n/** Day {number}. */\nexport class Day{number} {{\n  limit = {number};\n  total = 0;\n\n"
        f"  constructor(private note: string) {{}}\n"
    )


def typescript_method(number: int, n: int, module: int, item: int) -> str:
    return (
        f"\n  /** Step {n} of day {number}. */\n"
        f"  step{n}(amount: number, item: Item{module}{item}): number {{\n"
        f"    let total = item.add(amount, this.note) * {n + 1};\n    if (total > this.limit) {{\n"
        f"      console.log(this.note, total);\n      total = helper{module}(this.limit);\n    }}\n"
        f"    this.total += total;\n    return this.total;\n  }}\n"
    )


def java_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    return {
        f"shop/part{module}/Item{module}{n}.java": (
            f"package shop.part{module};\n\n/** Item {n} of part {module}. */\npublic class Item{module}{n} {{\n"
            f"    public double limit = {n};\n    private final int number;\n\n"
            f"    public Item{module}{n}(int number) {{\n        this.number = number;\n    }}\n\n"
            f"    /** Add an amount; the new total. */\n    public double add(double amount, String reason) {{\n"
            f"        return amount + number;\n    }}\n\n"
            f"    /** What is left of a limit. */\n    public static double rest(double limit) {{\n"
            f"        return limit / 2;\n    }}\n}}\n"
        )
        for n in classes
    }


def java_head(modules: Iterable[int], classes: Iterable[int]) -> str:
    imports = "".join(f"import shop.part{module}.Item{module}{n};\n" for module in modules for n in classes)
    return f"package shop.days;\n\nimport java.util.List;\n{imports}"


def java_class(number: int) -> str:
    return (
        f"\n/** Day {number}. */\nclass Day{number} {{\n    private double limit = {number};\n"
        f"    private double total;\n    private final String note;\n\n"
        f"    Day{number}(String note) {{\n        this.note = note;\n    }}\n"
    )


def java_method(number: int, n: int, module: int, item: int) -> str:
    used = f"Item{module}{item}"
    return (
        f"\n    /** Step {n} of day {number}. */\n    double step{n}(double amount, {used} item) {{\n"
        f"        double total = item.add(amount, note) * {n + 1};\n        if (total > limit) {{\n"
        f'            System.out.println(note + ": " + total);\n            total = {used}.rest(limit);\n        }}\n'
        f"        this.total += total;\n        return this.total;\n    }}\n"
    )


def go_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    text = f"// Package part{module} is a part of the shop.\npackage part{module}\n"
    for n in classes:
        text += (
            f"\n// Item{module}{n} is item {n} of part {module}.\ntype Item{module}{n} struct {{\n\tLimit  float64\n"
            f"\tNumber int\n}}\n\n// Add adds an amount; the new total.\n"
            f"func (it *Item{module}{n}) Add(amount float64, reason string) float64 {{\n"
            f"\treturn amount + float64(it.Number)\n}}\n"
        )
    text += f"\n// Helper{module} is what is left of a limit.\nfunc Helper{module}(limit float64) float64 {{\n"
    return {
        "go.mod": "module example.com/shop\n\ngo 1.22\n",
        f"part{module}/part.go": f"{text}\treturn limit / 2\n}}\n",
    }


def go_head(modules: Iterable[int], _: Iterable[int]) -> str:
    imports = "".join(f'\t"example.com/shop/part{module}"\n' for module in modules)
    return f'// Package day has the days of the shop.\npackage day\n\nimport (\n\t"fmt"\n\n{imports})\n'


def go_class(number: int) -> str:
    return (
        f"\n// Day{number} is day {number}.\ntype Day{number} struct {{\n\tLimit float64\n\tTotal float64\n"
        f"\tNote  string\n}}\n"
    )


def go_method(number: int, n: int, module: int, item: int) -> str:
    return (
        f"\n// Step{n} is step {n} of day {number}.\n"
        f"func (it *Day{number}) Step{n}(amount float64, item *part{module}.Item{module}{item}) float64 {{\n"
        f"\ttotal := item.Add(amount, it.Note) * {n + 1}\n\tif total > it.Limit {{\n"
        f"\t\tfmt.Println(it.Note, total)\n\t\ttotal = part{module}.Helper{module}(it.Limit)\n\t}}\n"
        f"\tit.Total += total\n\treturn it.Total\n}}\n"
    )


def cpp_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    text = "#pragma once\n\n#include <string>\n\nnamespace shop {\n"
    for n in classes:
        text += (
            f"\n/// Item {n} of part {module}.\nclass Item{module}{n} {{\n  public:\n    double limit = {n};\n\n"
            f"    explicit Item{module}{n}(int number) : number_(number) {{}}\n\n"
            f"    /// Add an amount; the new total.\n    double add(double amount, const std::string &why) const;\n\n"
            f"  private:\n    int number_;\n}};\n"
        )
    text += f"\n/// What is left of a limit.\ndouble helper_{module}(double limit);\n\n}}  // namespace shop\n"
    return {f"src/part_{module}.hpp": text}


def cpp_head(modules: Iterable[int], _: Iterable[int]) -> str:
    includes = "".join(f'#include "part_{module}.hpp"\n' for module in modules)
    return f"#include <iostream>\n#include <string>\n\n{includes}\nusing namespace shop;\n"


def cpp_class(number: int) -> str:
    return (
        f"\n/// Day {number}.\nclass Day{number} {{\n    double limit = {number};\n    double total = 0;\n"
        f"    std::string note;\n\n  public:\n    explicit Day{number}(std::string text) : note(text) {{}}\n"
    )


def cpp_method(number: int, n: int, module: int, item: int) -> str:
    return (
        f"\n    /// Step {n} of day {number}.\n    double step_{n}(double amount, const Item{module}{item} &item) {{\n"
        f"        double sum = item.add(amount, note) * {n + 1};\n        if (sum > limit) {{\n"
        f'            std::cout << note << sum << "\\n";\n            sum = helper_{module}(limit);\n        }}\n'
        f"        total += sum;\n        return total;\n    }}\n"
    )


def rust_part(module: int, classes: Iterable[int]) -> Mapping[str, str]:
    text = ""
    for n in classes:
        text += (
            f"/// Item {n} of part {module}.\npub struct Item{module}{n} {{\n    pub limit: f64,\n    number: i32,\n"
            f"}}\n\nimpl Item{module}{n} {{\n    /// Add an amount; the new total.\n"
            f"    pub fn add(&self, amount: f64, reason: &str) -> f64 {{\n"
            f"        amount + f64::from(self.number)\n    }}\n}}\n\n"
        )
    text += f"/// What is left of a limit.\npub fn helper_{module}(limit: f64) -> f64 {{\n    limit / 2.0\n}}\n"
    return {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
        f"src/part_{module}.rs": text,
    }


def rust_head(modules: Iterable[int], classes: Iterable[int]) -> str:
    known = list(modules)
    declared = "".join(f"mod part_{module};\n" for module in known)
    return f"//! The days of the shop.\n\n{declared}\n" + "".join(
        f"use crate::part_{module}::{{helper_{module}, {', '.join(f'Item{module}{n}' for n in classes)}}};\n"
        for module in known
    )


def rust_class(number: int) -> str:
    return (
        f"\n/// Day {number}.\npub struct Day{number} {{\n    limit: f64,\n    total: f64,\n    note: String,\n}}\n\n"
        f"impl Day{number} {{\n    pub fn new(note: String) -> Self {{\n"
        f"        Day{number} {{ limit: {number}.0, total: 0.0, note }}\n    }}\n"
    )


def rust_method(number: int, n: int, module: int, item: int) -> str:
    return (
        f"\n    /// Step {n} of day {number}.\n"
        f"    pub fn step_{n}(&mut self, amount: f64, item: &Item{module}{item}) -> f64 {{\n"
        f"        let mut sum = item.add(amount, &self.note) * {n + 1}.0;\n        if sum > self.limit {{\n"
        f'            println!("{{}} {{sum}}", self.note);\n            sum = helper_{module}(self.limit);\n'
        f"        }}\n        self.total += sum;\n        self.total\n    }}\n"
    )
