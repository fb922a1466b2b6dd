"""For each language, which places follow a rename and which do not.

In the texts `◆` stands before the name that is changed and `●` before each that follows it.  A name without a mark has
to stay as it is: one of another file that cannot see what was changed, a key of something else, a word in a string.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.registry import language_of
from palimpsest.next_edits.bursts import Burst
from palimpsest.next_edits.finder import Finder
from palimpsest.next_edits.targets import File
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri

NEW = "fresh"
MARKS = re.compile("[◆●]")
EDITED = re.compile(r"◆\w+")
MARKED = re.compile(r"●([$#@]+)")

ROWS: dict[str, dict[str, str]] = {
    # Members of a class and names beside it that only look like them -----------------------------------------------
    "python: keywords and keys of something else": {
        "a.py": """\
from dataclasses import dataclass

@dataclass
class Cart:
    ◆items: int

def show(cart: Cart, items: int) -> None:
    print(cart.●items, dict(items=1), {"items": 2}, other(items=3), Cart(●items=4))
""",
    },
    "python: an attribute and a call's keyword": {
        "a.py": """\
class Cart:
    def __init__(self, items):
        self.◆items = items

    def show(self):
        return log(self.●items, items=1), Cart(items=2)
""",
    },
    "javascript: keys of other objects": {
        "a.js": """\
class Cart {
  ◆items = 1;
  show(options) {
    console.log({ items: 1 }, this.●items, options.items);
    const { items } = options;
    return { items: this.●items, more: items };
  }
}
export const cart = new Cart();
console.log(cart.●items, { items: 2 });
""",
    },
    "javascript: an object with functions is a class": {
        "a.js": """\
const cart = {
  ◆items: 1,
  show() {
    return [{ items: 2 }, this.●items];
  },
};
console.log(cart.●items, { items: 3 });
""",
    },
    "javascript: a private member": {
        "a.js": """\
export class Cart {
  #◆items = 1;
  show() {
    return this.#●items + { items: 1 }.items;
  }
}
""",
        "b.js": 'import { Cart } from "./a.js";\nclass Other {\n  #items = 1;\n  a(cart = new Cart()) { return this.#items; }\n}\n',
    },
    "typescript: keys of other objects": {
        "a.ts": """\
export class Cart {
  ◆items: number = 1;
  show(options: { items: number }): unknown {
    console.log({ items: 1 }, options.items);
    return { items: this.●items };
  }
}
""",
        "b.ts": """\
import { Cart } from "./a";
export function pay(cart: Cart): void {
  console.log({ items: cart.●items });
}
""",
    },
    "typescript: an interface, and values that are declared to be of it": {
        "a.ts": """\
export interface Cart {
  ◆items: number;
}
export const one: Cart = { ●items: 1 };
export const many = { items: 1 };
export function made(cart: Cart): number {
  send({ items: 2 });
  return cart.●items;
}
""",
    },
    "typescript: a private member is its file's own": {
        "a.ts": """\
export class Cart {
  private ◆items = 1;
  show() { return this.●items; }
}
""",
        "b.ts": """\
import { Cart } from "./a";
export function pay(cart: Cart, thing: any) { return thing.items + cart.items; }
""",
    },
    "tsx: attributes of elements": {
        "a.tsx": """\
export class Cart {
  ◆items = 1;
  show() { return <List items={this.●items} {...{ items: 2 }} />; }
}
""",
    },
    "lua: keys of other tables": {
        "a.lua": """\
local Cart = {}
Cart.◆items = 1

function Cart:show()
  print({ items = 1 }, self.●items)
  return Cart.●items, { items = self.●items }
end

return Cart
""",
    },
    "ruby: keys and symbols": {
        "a.rb": """\
class Cart
  def initialize
    @◆items = 1
  end

  def show
    log(items: 1, all: @●items)
    { items: 2, :items => 3 }
  end
end
""",
        "b.rb": "class Till\n  def initialize\n    @items = 1\n  end\nend\nCart.new\n",
    },
    "ruby: a method and keys": {
        "a.rb": """\
class Cart
  def ◆items
    1
  end

  def show
    log(items: 1, all: ●items)
    { items: 2, :items => 3 }
  end
end
""",
    },
    "go: keys of other literals": {
        "a/cart.go": """\
package a

type Cart struct {
	◆items int
}

type Other struct {
	items int
}

func show() {
	one := Cart{●items: 1}
	two := Other{items: 2}
	three := map[string]int{"items": 3}
	four := []Cart{{●items: 4}}
	five := []Other{{items: 5}}
	print(one.●items, two.items, three["items"], four, five)
}
""",
        "b/cart.go": "package b\n\ntype Cart struct {\n\titems int\n}\n\nfunc a(c Cart) int { return c.items }\n",
    },
    "rust: fields of other literals": {
        "src/a.rs": """\
pub struct Cart {
    ◆items: u32,
}

pub struct Other {
    items: u32,
}

pub fn show(cart: Cart, other: Other) -> Cart {
    let items = cart.●items;
    let two = Other { items: 1 };
    let Other { items: three } = other;
    Cart { ●items: items + three + two.items }
}
""",
    },
    "rust: a short field": {
        "src/a.rs": """\
pub struct Cart {
    ◆items: u32,
}

pub struct Other {
    items: u32,
}

pub fn show(items: u32) -> (Cart, Other) {
    (Cart { ●items: items }, Other { items })
}
""",
    },
    "php: keys of arrays and named arguments": {
        "a.php": """\
<?php
class Cart {
    public int $◆items = 1;
    public function show(): array {
        show(items: 1);
        $items = 2;
        return ['items' => $this->●items, 'all' => $items, "this" => "{$this->●items} items"];
    }
}
""",
    },
    "kotlin: named arguments": {
        "a/Cart.kt": """\
package a

class Cart {
    var ◆items = 1

    fun show(): Int {
        log(items = 1)
        return this.●items + ●items
    }
}
""",
    },
    "kotlin: a constructor's property": {
        "a/Cart.kt": """\
package a

class Cart(val ◆items: Int) {
    fun show() = log(items = 1, all = ●items)
}

fun made() = Cart(●items = 3)
""",
    },
    "swift: labels": {
        "Sources/A/a.swift": """\
class Cart {
    var ◆items = 1

    func show() -> Int {
        log(items: 1)
        return self.●items + ●items
    }
}
""",
    },
    "csharp: named arguments and other initializers": {
        "a/Cart.cs": """\
namespace A;

public class Other { public int Items; }

public class Cart {
    public int ◆Items;

    public int Show(Other other) {
        Log(Items: 1);
        var anonymous = new { Items = 2 };
        var one = new Other { Items = 3 };
        var two = new Cart { ●Items = 4 };
        return this.●Items + ●Items + one.Items + two.●Items + anonymous.Items;
    }
}
""",
    },
    "java: members of annotations": {
        "a/Cart.java": """\
package a;

class Cart {
    int ◆items;

    @Named(items = 1)
    int show() { return this.●items + ●items; }
}
""",
    },
    "c: members of other structs": {
        "a.c": """\
struct cart { int ◆items; };
struct other { int items; };
int show(struct cart *cart, struct other *other) {
  struct cart one = { .●items = 1 };
  struct other two = { .items = 2 };
  return cart->●items + other->items + one.●items + two.items;
}
""",
    },
    "cpp: members of other structs": {
        "a.cpp": """\
struct Cart { int ◆items; };
struct Other { int items; };
int show(Cart *cart, Other *other) {
  Cart one = { .●items = 1 };
  Other two = { .items = 2 };
  return cart->●items + other->items + one.●items + two.items;
}
""",
    },
    # Classes of the same name in another module -----------------------------------------------------------------
    "java: a class of the same name in another package": {
        "one/Settings.java": """\
package one;

public class Settings {
    private int ◆size;
    int size() { return this.●size; }
}
""",
        "two/Settings.java": "package two;\n\npublic class Settings {\n    private int size;\n    int size() { return this.size; }\n}\n",
        "two/Other.java": "package two;\n\nclass Other {\n    int size(Settings settings) { return settings.size; }\n}\n",
    },
    "java: a public member through an import": {
        "one/Settings.java": "package one;\n\npublic class Settings {\n    public int ◆size;\n}\n",
        "two/Settings.java": "package two;\n\npublic class Settings {\n    public int size;\n}\n",
        "two/Other.java": "package two;\n\nclass Other {\n    int size(Settings settings) { return settings.size; }\n}\n",
        "three/Other.java": "package three;\n\nimport one.Settings;\n\nclass Other {\n    int size(Settings settings) { return settings.●size; }\n}\n",
        "four/Other.java": "package four;\n\nimport two.Settings;\n\nclass Other extends Settings {\n    int all() { return this.size + size; }\n}\n",
        "five/Other.java": "package five;\n\nimport one.*;\n\nclass Other extends Settings {\n    int all() { return this.●size + ●size; }\n}\n",
    },
    "java: a member that is private does not follow where a value's class is unknown": {
        "one/Settings.java": "package one;\n\npublic class Settings {\n    private int ◆width;\n    int all() { return ●width; }\n}\n",
        "one/Other.java": "package one;\n\nimport one.Settings;\n\nclass Other {\n    int all() { return made().width; }\n}\n",
    },
    "kotlin: a class of the same name in another package": {
        "one/Settings.kt": """\
package one

class Settings {
    private var ◆size = 1
    fun size() = this.●size + ●size
}
""",
        "two/Settings.kt": "package two\n\nclass Settings {\n    private var size = 1\n    fun size() = this.size + size\n}\n",
        "three/Other.kt": "package three\n\nimport one.Settings\n\nclass Other : Settings() {\n    fun all(thing: Any) = thing.size + size\n}\n",
    },
    "csharp: a class of the same name in another namespace": {
        "One/Settings.cs": "namespace One;\n\npublic class Settings {\n    private int ◆size;\n    int All() { return this.●size + ●size; }\n}\n",
        "Two/Settings.cs": "namespace Two;\n\npublic class Settings {\n    private int size;\n    int All() { return this.size + size; }\n}\n",
        "Three/Other.cs": "using One;\n\nnamespace Three;\n\nclass Other {\n    int All(Settings settings) { return settings.size; }\n}\n",
    },
    "csharp: another part of the class sees what is private": {
        "One/Settings.cs": "namespace One;\n\npublic partial class Settings {\n    private int ◆size;\n}\n",
        "One/More.cs": "namespace One;\n\npublic partial class Settings {\n    int All() { return this.●size; }\n}\n",
    },
    "swift: private members": {
        "Sources/One/Settings.swift": "class Settings {\n    private var ◆size = 1\n    func all() -> Int { self.●size + ●size }\n}\n",
        "Sources/One/More.swift": "extension Settings {\n    func more() -> Int { self.size }\n}\n",
        "Sources/Two/Settings.swift": "class Settings {\n    var size = 1\n    func all() -> Int { self.size + size }\n}\n",
    },
    "swift: members of a class of the same name in another module": {
        "Sources/One/Settings.swift": "class Settings {\n    var ◆size = 1\n}\n",
        "Sources/One/More.swift": "extension Settings {\n    func more() -> Int { self.●size }\n}\n",
        "Sources/Two/Settings.swift": "class Settings {\n    var size = 1\n    func all() -> Int { self.size + size }\n}\n",
        "Sources/Two/More.swift": "extension Settings {\n    func more() -> Int { self.size }\n}\n",
    },
    "php: a class of the same name in another namespace": {
        "src/One/Settings.php": "<?php\nnamespace One;\nclass Settings {\n    private int $◆size = 1;\n    function all() { return $this->●size; }\n}\n",
        "src/Two/Settings.php": "<?php\nnamespace Two;\nclass Settings {\n    private int $size = 1;\n    function all() { return $this->size; }\n}\n",
        "src/Three/Other.php": "<?php\nnamespace Three;\nuse One\\Settings;\nfunction all(Settings $settings, $other) { return $other->size; }\n",
    },
    "php: what is derived from the class": {
        "src/One/Settings.php": "<?php\nnamespace One;\nclass Settings {\n    protected int $◆size = 1;\n}\n",
        "src/One/More.php": "<?php\nnamespace One;\nclass More extends Settings {\n    function all() { return $this->●size; }\n}\n",
        "src/Two/More.php": "<?php\nnamespace Two;\nclass More extends Settings {\n    function all() { return $this->size; }\n}\n",
    },
    "ruby: a class of the same name in another module": {
        "lib/one/settings.rb": "module One\n  class Settings\n    def initialize\n      @◆size = 1\n    end\n    def all = @●size\n  end\nend\n",
        "lib/one/more.rb": "module One\n  class Settings\n    def more = @●size\n  end\nend\n",
        "lib/two/settings.rb": "module Two\n  class Settings\n    def initialize\n      @size = 1\n    end\n    def all = @size\n  end\nend\n",
    },
    "rust: a type of the same name in another module": {
        "src/lib.rs": "mod one;\nmod two;\n",
        "src/one.rs": """\
mod below;

pub struct Settings {
    ◆size: u32,
}

impl Settings {
    pub fn all(&self) -> u32 { self.●size }
}
""",
        "src/one/below.rs": "use super::Settings;\n\npub fn all(settings: &Settings) -> u32 { settings.●size }\n",
        "src/two.rs": """\
use crate::one;

pub struct Settings {
    size: u32,
}

impl Settings {
    pub fn all(&self) -> u32 { self.size }
}
""",
        "src/three.rs": "use crate::one::Settings;\n\npub fn all(settings: &Settings) -> u32 { settings.size }\n",
    },
    "rust: a public field": {
        "src/one.rs": "pub struct Settings {\n    pub ◆size: u32,\n}\n",
        "src/two.rs": "pub struct Settings {\n    pub size: u32,\n}\n",
        "src/three.rs": "use crate::one::Settings;\n\npub fn all(settings: &Settings) -> u32 { settings.●size }\n",
        "src/four.rs": "use crate::two::Settings;\n\npub fn all(settings: &Settings) -> u32 { settings.size }\n",
    },
    "go: lower-case names are their package's": {
        "one/settings.go": "package one\n\ntype Settings struct {\n\t◆size int\n}\n",
        "one/more.go": "package one\n\nfunc (s *Settings) More() int { return s.●size }\n",
        "two/settings.go": "package two\n\ntype Settings struct {\n\tsize int\n}\n\nfunc (s *Settings) All() int { return s.size }\n",
        "three/other.go": 'package three\n\nimport "example.com/one"\n\nfunc all(s one.Settings) int { return s.size }\n',
    },
    "go: a type of the same name in another package": {
        "one/settings.go": "package one\n\ntype Settings struct {\n\t◆Size int\n}\n",
        "two/settings.go": "package two\n\ntype Settings struct {\n\tSize int\n}\n\nfunc (s *Settings) All() int { return s.Size }\n",
        "three/other.go": 'package three\n\nimport "example.com/one"\n\nfunc all(s one.Settings) int { return s.●Size }\n',
        "four/other.go": 'package four\n\nimport "example.com/two"\n\nfunc all(s two.Settings) int { return s.Size }\n',
    },
    "c: static names are their file's": {
        "a.c": "static int ◆size = 1;\nint all(void) { return ●size; }\n",
        "b.c": "static int size = 1;\nint more(void) { return size; }\n",
        "a.h": "int all(void);\n",
    },
    "c: structs of the same name": {
        "one.c": "struct settings { int ◆size; };\nint all(struct settings *s) { return s->●size; }\n",
        "two.c": "struct settings { int size; };\nint more(struct settings *s) { return s->size; }\n",
    },
    "cpp: members that a header declares": {
        "one.h": "struct Other;\n",
        "one.hpp": "class Settings {\n  int ◆size;\n  int all();\n};\n",
        "one.cpp": '#include "one.hpp"\nint Settings::all() { return this->●size + ●size; }\n',
        "two.hpp": "class Settings {\n  int size;\n  int all();\n};\n",
        "two.cpp": '#include "two.hpp"\nint Settings::all() { return this->size + size; }\n',
    },
    "typescript: a class of the same name in another module": {
        "one/settings.ts": "export class Settings {\n  ◆size = 1;\n  all() { return this.●size; }\n}\n",
        "two/settings.ts": "export class Settings {\n  size = 1;\n  all() { return this.size; }\n}\n",
        "three.ts": 'import { Settings } from "./one/settings";\nexport const all = (s: Settings) => s.●size;\n',
        "four.ts": 'import { Settings } from "./two/settings";\nexport const all = (s: Settings) => s.size;\n',
        "index.ts": 'export { Settings } from "./one/settings";\nexport * from "./one/settings";\n',
        "five.ts": 'import { Settings } from ".";\nexport const all = (s: Settings) => s.●size;\n',
        "six.ts": 'import { Settings } from "./two/settings";\nexport class More extends Settings { all() { return this.size; } }\n',
    },
    "javascript: a class of the same name in another module": {
        "one/settings.js": "export class Settings {\n  ◆size = 1;\n  all() { return this.●size; }\n}\n",
        "two/settings.js": "export class Settings {\n  size = 1;\n  all() { return this.size; }\n}\n",
        "four.js": 'import { Settings } from "./two/settings.js";\nexport const all = () => new Settings().size;\n',
        "five.js": 'import { Settings as S } from "./one/settings.js";\nexport const all = () => new S().●size;\n',
    },
    "python: a class of the same name in another module": {
        "one.py": "class Settings:\n    def __init__(self) -> None:\n        self.◆size = 1\n\n    def all(self):\n        return self.●size\n",
        "two.py": "import one\n\nclass Settings:\n    def __init__(self) -> None:\n        self.size = 1\n\n    def all(self):\n        return self.size\n",
        "three.py": "from one import Settings\n\ndef all(settings: Settings):\n    return settings.●size\n",
        "four.py": "from two import Settings\n\ndef all(settings: Settings):\n    return settings.size\n",
        "five.py": "import one\n\ndef all(settings: one.Settings):\n    return settings.●size\n",
        "pack/__init__.py": "from one import Settings\n",
        "six.py": "from pack import Settings\n\ndef all(settings: Settings):\n    return settings.●size\n",
    },
    "python: a member with two underscores": {
        "one.py": "class Settings:\n    def __init__(self) -> None:\n        self.◆__size = 1\n\n    def all(self):\n        return self.●__size\n",
        "three.py": "from one import Settings\n\nclass More(Settings):\n    def all(self):\n        return self.__size\n",
    },
    "lua: a table of the same name in another file": {
        "one.lua": "local Settings = {}\nSettings.◆size = 1\nfunction Settings:all() return self.●size end\nreturn Settings\n",
        "two.lua": "local Settings = {}\nSettings.size = 1\nfunction Settings:all() return self.size end\nreturn Settings\n",
        "three.lua": 'local Settings = require("one")\nprint(Settings.●size)\n',
        "four.lua": 'local Settings = require("two")\nprint(Settings.size)\n',
    },
    # Names in strings -------------------------------------------------------------------------------------------
    "python: strings": {
        "a.py": """\
def show(◆items):
    return f"{●items} items {●items!r:>10} {{items}}" + "{items}" + rf"{●items=}"
""",
    },
    "javascript: strings": {
        "a.js": "function show(◆items) {\n  return `${●items} items ${`${●items}`}` + '${items}';\n}\n",
    },
    "typescript: strings": {
        "a.ts": "function show(◆items: number) {\n  return `${●items} items` + '${items}';\n}\n",
    },
    "csharp: strings": {
        "A.cs": """\
class A {
    string Show(int ◆items) {
        return $"{●items} items {●items:N2} {{items}}" + "{items}" + $@"{●items}";
    }
}
""",
    },
    "swift: strings": {
        "a.swift": 'func show(_ ◆items: Int) -> String {\n    return "\\(●items) items (items)"\n}\n',
    },
    "ruby: strings": {
        "a.rb": "def show(◆items)\n  \"#{●items} items\" + '#{items}' + %(#{●items})\nend\n",
    },
    "php: strings": {
        "a.php": """\
<?php
function show($◆items) {
    return "$●items items {$●items} \\$items" . '$items' . <<<TEXT
    $●items items {$●items[0]}
    TEXT;
}
""",
    },
    "bash: strings": {
        "a.sh": """\
◆items=1
echo "$●items items ${●items} ${●items:-items} $((●items + 1))" '$items' \\$items
cat <<END
$●items items
END
""",
    },
    "kotlin: strings": {
        "A.kt": '''\
fun show(◆items: Int): String {
    return "$●items items ${●items} ${●items + 1} \\$items ${"$"}items $itemsLeft" + """
        $●items items
    """
}
''',
    },
    "kotlin: a member in a string": {
        "A.kt": """\
class Cart {
    val ◆items = 1
    fun show(other: Other) = "$●items items ${this.●items} ${other.items}"
}
""",
    },
    "kotlin: a name of another scope in a string": {
        "A.kt": """\
fun show(◆items: Int) = "$●items"
fun more(items: Int) = "$items"
""",
    },
    "rust: strings": {
        "src/a.rs": """\
fn show(◆items: u32, width: usize) -> String {
    println!("{●items} items {{items}} {0} {items2}", 1, items2 = 2);
    eprintln!("{●items:?} {●items:>width$} {●items:#?}");
    let other = "{items}";
    write!(out, "{●items}").unwrap();
    let named = format!("{items}", items = 1);
    assert!(●items > 1, "{●items}");
    format!(r#"{●items}"#)
}
fn more(items: u32) { println!("{items}"); }
""",
    },
    "rust: a width in a string": {
        "src/a.rs": """\
fn show(◆width: usize, x: u32) {
    println!("{x:>●width$} {x:.●width$} {:●width$}", x);
}
""",
    },
    # Bash ----------------------------------------------------------------------------------------------------------
    "bash: a variable is no word": {
        "a.sh": """\
◆name=1
echo name "$●name" --name name=1
name() { echo name; }
read -r ●name other
export ●name
unset ●name
printf -v ●name '%s' 1
[[ -v ●name ]]
declare -p ●name
name
grep name file
for ●name in a b name; do echo "${#●name} ${●name%x}"; done
""",
    },
    "bash: a variable of a function": {
        "a.sh": """\
show() {
  local ◆name=$1
  read -r ●name
  echo "$●name" name
}
name=2
echo "$name"
""",
    },
    "bash: a function is no variable": {
        "a.sh": """\
◆name() { echo name; }
name=1
echo "$name" "$(●name)" name
●name
trap ●name EXIT
unset -f ●name
export -f ●name
""",
    },
}


@pytest.mark.parametrize("row", ROWS)
def test_what_follows_a_rename_and_what_does_not(row: str, tmp_path: Path) -> None:
    home = next(name for name, marked in ROWS[row].items() if "◆" in marked)
    texts = {name: MARKS.sub("", marked) for name, marked in ROWS[row].items()}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    edited = EDITED.sub(NEW, ROWS[row][home])
    assert followed(tmp_path, home, texts, MARKS.sub("", edited)) == {**ROWS[row], home: edited}


def followed(folder: Path, home: str, texts: dict[str, str], after: str) -> dict[str, str]:
    """The texts with a mark before each place that the product offers."""
    uri, language = to_uri(folder / home), language_of("", home)
    old, new = Snapshot(uri, 1, language.id, texts[home]), Snapshot(uri, 2, language.id, after)
    burst = Burst(old, new, 0, new.line_count)
    found = Finder([folder], ContextSettings()).find([File(parse_snapshot(new, language), home, False)], (), burst)
    assert found.unexplained is None, "the edit amounts to nothing"
    marked = {to_uri(folder / name): text.encode() for name, text in {**texts, home: after}.items()}
    for place in sorted((candidate.place for candidate in found.candidates), key=lambda place: -place.start):
        text = marked[place.uri]
        marked[place.uri] = text[: place.start] + "●".encode() + text[place.start :]
    return {name: MARKED.sub(r"\1●", marked[to_uri(folder / name)].decode()) for name in texts}
