"""How each language writes the long file and the modules that it uses.

Out: values.  What they say is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MODULES = range(12)
CLASSES = range(3)
"""Of each module."""


@dataclass(frozen=True, slots=True)
class Style:
    """Templates, in which `[part]` is the number of a module, `[item]` that of a class in it, `[day]` that of a class
    of the long file, and `[step]` that of a method.

    `name` is of the long file, and `head` what it begins with: `[imports]` has `imported` for each module, in which
    `[items]` has `each` for each class.  `day`, `method` and `end` are a class of it.  A module has the file `part`:
    `begin`, `class_` for each class, and `rest`; and `files` besides.  `typed` is what is typed into a method."""

    name: str
    head: str
    imported: str
    day: str
    method: str
    end: str
    part: str
    begin: str
    class_: str
    rest: str
    typed: str
    each: str = "Item[part][item]"
    files: tuple[tuple[str, str], ...] = ()
    separator: str = ", "

    def beginning(self) -> str:
        return _filled(self.head, imports="".join(self._imported(module) for module in MODULES))

    def parts(self, module: int) -> Iterator[tuple[str, str]]:
        """The files of a module; where the name of a file has a class in it, one for each."""
        yield from self.files
        texts = [_filled(self.class_, part=module, item=n) for n in CLASSES]
        begin, rest = _filled(self.begin, part=module), _filled(self.rest, part=module)
        if "[item]" in self.part:
            yield from ((_filled(self.part, part=module, item=n), text) for n, text in enumerate(texts))
        else:
            yield _filled(self.part, part=module), "".join([begin, *texts, rest])

    def begun(self, day: int) -> str:
        return _filled(self.day, day=day)

    def step(self, day: int, step: int, module: int, item: int) -> str:
        return _filled(self.method, day=day, step=step, part=module, item=item, next=step + 1)

    def _imported(self, module: int) -> str:
        items = self.separator.join(_filled(self.each, part=module, item=n) for n in CLASSES)
        return _filled(self.imported, part=module, items=items)


def _filled(template: str, **values: object) -> str:
    for name, value in values.items():
        template = template.replace(f"[{name}]", str(value))
    return template


LANGUAGES: Mapping[str, Style] = {
    "python": Style(
        name="shop/day.py",
        head='''\
"""The days of the shop."""

import json
import logging

[imports]
logger = logging.getLogger(__name__)
''',
        imported="from shop.part_[part] import [items], helper_[part]\n",
        day='''

class Day[day]:
    """Day [day]."""

    limit = [day].0

    def __init__(self, note: str) -> None:
        self.note = note
        self.total = 0.0
''',
        method='''
    def step_[step](self, amount: float, item: Item[part][item]) -> float:
        """Step [step] of day [day]."""
        total = item.add(amount, self.note) * [next]
        if total > self.limit:
            logger.info("%s: %s", self.note, json.dumps(total))
            total = helper_[part](self.limit)
        self.total += total
        return self.total
''',
        end="",
        files=(("shop/__init__.py", ""),),
        part="shop/part_[part].py",
        begin='"""Part [part] of the shop."""\n',
        class_='''

class Item[part][item]:
    """Item [item] of part [part]."""

    limit: float = [item].0

    def __init__(self, number: int) -> None:
        self.number = number

    def add(self, amount: float, reason: str) -> float:
        """Add an amount; the new total."""
        return amount + self.number
''',
        rest='''

def helper_[part](limit: float) -> float:
    """What is left of a limit."""
    return limit / 2
''',
        typed="        total = self.add(amount, other.note)",
    ),
    "typescript": Style(
        name="src/day.ts",
        head="[imports]",
        imported='import { [items], helper[part] } from "./part_[part]";\n',
        day="""
/** Day [day]. */
export class Day[day] {
  limit = [day];
  total = 0;

  constructor(private note: string) {}
""",
        method="""
  /** Step [step] of day [day]. */
  step[step](amount: number, item: Item[part][item]): number {
    let total = item.add(amount, this.note) * [next];
    if (total > this.limit) {
      console.log(this.note, total);
      total = helper[part](this.limit);
    }
    this.total += total;
    return this.total;
  }
""",
        end="}\n",
        part="src/part_[part].ts",
        begin="",
        class_="""\
/** Item [item] of part [part]. */
export class Item[part][item] {
  limit = [item];

  constructor(private number: number) {}

  /** Add an amount; the new total. */
  add(amount: number, reason: string): number {
    return amount + this.number;
  }
}

""",
        rest="""\
/** What is left of a limit. */
export function helper[part](limit: number): number {
  return limit / 2;
}
""",
        typed="    const total = this.add(amount, other.note)",
    ),
    "java": Style(
        name="shop/days/Day.java",
        head="package shop.days;\n\nimport java.util.List;\n[imports]",
        imported="[items]",
        each="import shop.part[part].Item[part][item];\n",
        separator="",
        day="""
/** Day [day]. */
class Day[day] {
    private double limit = [day];
    private double total;
    private final String note;

    Day[day](String note) {
        this.note = note;
    }
""",
        method="""
    /** Step [step] of day [day]. */
    double step[step](double amount, Item[part][item] item) {
        double total = item.add(amount, note) * [next];
        if (total > limit) {
            System.out.println(note + ": " + total);
            total = Item[part][item].rest(limit);
        }
        this.total += total;
        return this.total;
    }
""",
        end="}\n",
        part="shop/part[part]/Item[part][item].java",
        begin="",
        class_="""\
package shop.part[part];

/** Item [item] of part [part]. */
public class Item[part][item] {
    public double limit = [item];
    private final int number;

    public Item[part][item](int number) {
        this.number = number;
    }

    /** Add an amount; the new total. */
    public double add(double amount, String reason) {
        return amount + number;
    }

    /** What is left of a limit. */
    public static double rest(double limit) {
        return limit / 2;
    }
}
""",
        rest="",
        typed="        double total = this.add(amount, other.note)",
    ),
    "go": Style(
        name="day/day.go",
        head='// Package day has the days of the shop.\npackage day\n\nimport (\n\t"fmt"\n\n[imports])\n',
        imported='\t"example.com/shop/part[part]"\n',
        day="""
// Day[day] is day [day].
type Day[day] struct {
\tLimit float64
\tTotal float64
\tNote  string
}
""",
        method="""
// Step[step] is step [step] of day [day].
func (it *Day[day]) Step[step](amount float64, item *part[part].Item[part][item]) float64 {
\ttotal := item.Add(amount, it.Note) * [next]
\tif total > it.Limit {
\t\tfmt.Println(it.Note, total)
\t\ttotal = part[part].Helper[part](it.Limit)
\t}
\tit.Total += total
\treturn it.Total
}
""",
        end="",
        files=(("go.mod", "module example.com/shop\n\ngo 1.22\n"),),
        part="part[part]/part.go",
        begin="// Package part[part] is a part of the shop.\npackage part[part]\n",
        class_="""
// Item[part][item] is item [item] of part [part].
type Item[part][item] struct {
\tLimit  float64
\tNumber int
}

// Add adds an amount; the new total.
func (it *Item[part][item]) Add(amount float64, reason string) float64 {
\treturn amount + float64(it.Number)
}
""",
        rest="""
// Helper[part] is what is left of a limit.
func Helper[part](limit float64) float64 {
\treturn limit / 2
}
""",
        typed="\ttotal := it.Add(amount, other.Note)",
    ),
    "rust": Style(
        name="src/main.rs",
        head=f"//! The days of the shop.\n\n{''.join(f'mod part_{n};{chr(10)}' for n in MODULES)}\n[imports]",
        imported="use crate::part_[part]::{helper_[part], [items]};\n",
        day="""
/// Day [day].
pub struct Day[day] {
    limit: f64,
    total: f64,
    note: String,
}

impl Day[day] {
    pub fn new(note: String) -> Self {
        Day[day] { limit: [day].0, total: 0.0, note }
    }
""",
        method="""
    /// Step [step] of day [day].
    pub fn step_[step](&mut self, amount: f64, item: &Item[part][item]) -> f64 {
        let mut sum = item.add(amount, &self.note) * [next].0;
        if sum > self.limit {
            println!("{} {sum}", self.note);
            sum = helper_[part](self.limit);
        }
        self.total += sum;
        self.total
    }
""",
        end="}\n",
        files=(("Cargo.toml", '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n'),),
        part="src/part_[part].rs",
        begin="",
        class_="""\
/// Item [item] of part [part].
pub struct Item[part][item] {
    pub limit: f64,
    number: i32,
}

impl Item[part][item] {
    /// Add an amount; the new total.
    pub fn add(&self, amount: f64, reason: &str) -> f64 {
        amount + f64::from(self.number)
    }
}

""",
        rest="""\
/// What is left of a limit.
pub fn helper_[part](limit: f64) -> f64 {
    limit / 2.0
}
""",
        typed="        let total = self.add(amount, &other.note)",
    ),
    "cpp": Style(
        name="src/day.cpp",
        head="#include <iostream>\n#include <string>\n\n[imports]\nusing namespace shop;\n",
        imported='#include "part_[part].hpp"\n',
        day="""
/// Day [day].
class Day[day] {
    double limit = [day];
    double total = 0;
    std::string note;

  public:
    explicit Day[day](std::string text) : note(text) {}
""",
        method="""
    /// Step [step] of day [day].
    double step_[step](double amount, const Item[part][item] &item) {
        double sum = item.add(amount, note) * [next];
        if (sum > limit) {
            std::cout << note << sum << "\\n";
            sum = helper_[part](limit);
        }
        total += sum;
        return total;
    }
""",
        end="};\n",
        part="src/part_[part].hpp",
        begin="#pragma once\n\n#include <string>\n\nnamespace shop {\n",
        class_="""
/// Item [item] of part [part].
class Item[part][item] {
  public:
    double limit = [item];

    explicit Item[part][item](int number) : number_(number) {}

    /// Add an amount; the new total.
    double add(double amount, const std::string &why) const;

  private:
    int number_;
};
""",
        rest="\n/// What is left of a limit.\ndouble helper_[part](double limit);\n\n}  // namespace shop\n",
        typed="        double total = this->add(amount, other.note)",
    ),
}
