"""`package` blocks: what imported modules offer, from the workspace and from the interpreter."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from context_workspace import Workspace

from palimpsest.config.settings import ContextSettings
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.languages.python.packages.inspect_script import documented, first_line
from palimpsest.types import Block

Make = Callable[..., Workspace]


def packages(made: Workspace, text: str, file: str = "use.py") -> dict[str, Block]:
    return {b.name: b for b in made.blocks(file, text).values() if b.type == "package"}


def lines(made: Workspace, text: str, name: str, file: str = "use.py") -> list[str]:
    return packages(made, text, file)[name].text.split("\n")


def test_what_is_used_comes_first_with_signature_and_docstring(workspace: Make) -> None:
    found = lines(workspace(), "import re\n\ndef f(s):\n    return re.match('a', s)$0\n", "re")
    assert found[0].startswith("re.match(pattern, string, flags=0)")
    assert "  # Try to apply the pattern at the start of the string" in found[0]
    assert any(line.startswith("re.compile(pattern, flags=0)") for line in found[1:])
    assert not any("  # " in line for line in found[1:])


def test_an_import_comes_and_goes_with_its_line(workspace: Make) -> None:
    made = workspace()
    body = "\n\ndef f(s):\n    return re.match('a', s)$0\n"
    assert "re" in packages(made, "import re" + body)
    assert packages(made, body) == {}
    assert "re" in packages(made, "import re" + body)


def test_what_is_imported_but_not_used_here_has_no_block(workspace: Make) -> None:
    text = "import re\nimport json\n\ndef f(s):\n    return re.match('a', s)$0\n\ndef g():\n    json.dumps(1)\n"
    assert set(packages(workspace(), text)) == {"re"}


def test_an_import_that_nothing_uses_yet_has_a_block_behind_what_is_used(workspace: Make) -> None:
    made = workspace({"odd.py": "def obscure_name(n: int) -> int:\n    return n\n\n\nclass Odd:\n    weight = 1\n"})
    body = "\n\ndef f(s):\n    return re.match('a', s)$0\n"
    found = packages(made, "import re\nimport odd" + body)
    assert set(found) == {"re", "odd"}
    assert found["odd"].value < found["re"].value
    assert found["odd"].text.startswith("odd.obscure_name(n: int) -> int")
    for typed in ("od$0", "odd$0", "odd.$0"):  # it stays while its name is typed
        assert "odd" in packages(made, "import odd\n\n\ndef f(s):\n    " + typed + "\n"), typed
    blocks = made.blocks("use.py", "from odd import Odd" + body)
    assert ("class", "odd.Odd") in {(block.type, block.name) for block in blocks.values()}


def test_the_import_being_written_has_a_block(workspace: Make) -> None:
    assert set(packages(workspace(), "import colorsys$0\n")) == {"colorsys"}


@pytest.mark.parametrize(
    ("text", "name", "first"),
    [
        (
            "import math\ndef f(x):\n    return math.sqrt(x)$0",
            "math",
            "math.sqrt(x, /)  # Return the square root of x.",
        ),
        ("import zlib\ndef f(x):\n    return zlib.crc32(x)$0", "zlib", "zlib.crc32(data, value=0, /)"),
        ("from math import sqrt\ndef f(x):\n    return sqrt(x)$0", "math", "math.sqrt(x, /)"),
        ("import math as m\ndef f(x):\n    return m.sqrt(x)$0", "math", "m.sqrt(x, /)"),
        ("import os\ndef f(x):\n    return os.getcwd()$0", "os", "os.getcwd()"),
        ("import os.path\ndef f(x):\n    return os.path.join(x)$0", "os.path", "os.path.join(a, *p)"),
        ("import os\ndef f(x):\n    return os.path.join(x)$0", "os.path", "os.path.join(a, *p)"),
        ("from os import path\ndef f(x):\n    return path.join(x)$0", "os.path", "path.join(a, *p)"),
        ("import json\ndef f(x):\n    return json.dumps(x)$0", "json", "json.dumps(obj, *, skipkeys=False,"),
        ("import hashlib\ndef f(x):\n    return hashlib.sha256(x)$0", "hashlib", "hashlib.sha256(string=b''"),
        (
            "from collections import deque\ndef f(x):\n    return deque(x)$0",
            "collections",
            "class collections.deque(",
        ),
        (
            "import xml.etree.ElementTree as ET\ndef f(x):\n    return ET.parse(x)$0",
            "xml.etree.ElementTree",
            "ET.parse(source, parser=None)  # Parse XML document into element tree.",
        ),
        (
            "from collections.abc import *\ndef f(x: Mapping):\n    pass$0",
            "collections.abc",
            "class collections.abc.Mapping",
        ),
    ],
)
def test_the_standard_library_compiled_modules_too(workspace: Make, text: str, name: str, first: str) -> None:
    found = packages(workspace(), text)
    assert set(found) == {name}
    assert found[name].text.startswith(first)


def test_an_installed_package_is_followed_into_its_compiled_parts(workspace: Make) -> None:
    text = "import numpy as np\ndef f(x):\n    return np.clip(np.array(x), 0, 1)$0"
    found = lines(workspace(), text, "numpy")
    assert found[0].startswith("np.array(object, dtype=None")
    assert found[1].startswith("np.clip(a, a_min")


def test_a_signature_in_a_docstring_may_have_several_lines() -> None:
    """As those of numpy before 2.4 have."""
    doc = "f(a, b=(1, 2),\n  c=None)\n\nDoes it."
    assert (documented(doc, "f"), first_line(doc, "f")) == ("(a, b=(1, 2), c=None)", "Does it.")
    assert documented("f(a,\n\nDoes it.", "f") == documented("Does it.", "f") == "(...)"


def test_a_used_class_shows_its_members(workspace: Make) -> None:
    text = "from pathlib import Path\ndef f():\n    return Path('a').read_text()$0"
    found = lines(workspace(), text, "pathlib")
    assert found[0].startswith("class pathlib.Path(")
    read = next(line for line in found if line.startswith("pathlib.Path.read_text("))
    assert read.startswith("pathlib.Path.read_text(encoding=None, errors=None")


def test_the_workspaces_own_modules_are_read_not_run(workspace: Make) -> None:
    made = workspace(
        {
            "shop/__init__.py": "",
            "shop/item.py": (
                "import pathlib\npathlib.Path(__file__).with_name('ran').write_text('')\n\nVAT = 0.19\n\n\n"
                "def parse(text: str, strict: bool = False) -> int:\n    '''Read an item.\n\n    More.\n    '''\n"
            ),
        }
    )
    for text in (
        "from shop.item import parse\n\ndef f(x):\n    return parse(x)$0\n",
        "from .item import parse\n\ndef f(x):\n    return parse(x)$0\n",
    ):
        found = lines(made, text, "shop.item", "shop/cart.py")
        assert found == [
            "shop.item.parse(text: str, strict: bool = False) -> int  # Read an item.",
            "shop.item.VAT = 0.19",
        ]
    assert not (made.root / "shop" / "ran").exists()


def test_import_star_brings_what_a_module_exports_as_far_as_its_list_can_be_read(workspace: Make) -> None:
    made = workspace(
        {
            "shop/listed.py": "__all__ = ['parse']\ndef parse(a): ...\ndef helper(b): ...\n",
            "shop/added.py": "__all__ = ['weigh']\ndef weigh(c): ...\ndef tally(d): ...\n__all__.extend(['tally'])\n",
            "shop/free.py": "def bare(e): ...\n",
            "shop/api.py": "".join(f"from shop.{name} import *\n" for name in ("listed", "added", "free")),
        }
    )
    found = lines(made, "from shop.api import parse\n\ndef f(x):\n    return parse(x)$0\n", "shop.api")
    names = {line.partition("(")[0].removeprefix("shop.api.") for line in found}
    assert names == {"parse", "weigh", "tally", "bare"}
    abstract = lines(workspace(), "from collections.abc import Set\n\ndef f(x: Set):\n    $0\n", "collections.abc")
    assert not any("dict_keyiterator" in line for line in abstract)


def test_a_changed_module_of_the_workspace_is_read_again(workspace: Make) -> None:
    made = workspace({"item.py": "def parse(a): ...\n"})
    text = "import item\n\ndef f(x):\n    return item.parse(x)$0\n"
    assert lines(made, text, "item") == ["item.parse(a)"]
    made.write({"item.py": "def parse(a, bee): ...\n"})
    assert lines(made, text, "item") == ["item.parse(a, bee)"]
    made.write({"item.py": "def parse(a, bee, (: ...\n"})
    assert lines(made, text, "item") == ["item.parse(a, bee)"]


def test_what_cannot_be_found_has_no_block_and_is_no_error(workspace: Make, caplog: pytest.LogCaptureFixture) -> None:
    text = (
        "import nothing_there\nfrom . import nor_this\nfrom .... import far\n"
        "def f():\n    nothing_there.x(nor_this, far)$0"
    )
    with caplog.at_level(logging.INFO):
        assert packages(workspace(), text) == {}
    assert caplog.records == []


def test_code_that_does_not_parse_and_files_outside_have_blocks(workspace: Make) -> None:
    made = workspace()
    broken = "import re\n\ndef f(s:\n    x = (re.match('a', s\n    $0\n"
    assert "re" in packages(made, broken)
    assert "re" in packages(made, "import re\ndef f(s):\n    re.sub()$0", str(made.root.parent / "out.py"))


def test_typing_a_name_changes_nothing_until_it_is_called(workspace: Make) -> None:
    made = workspace()
    head = "import re\n\ndef f(s):\n    a = re.sub('', '', s)\n    b = "
    texts = [packages(made, f"{head}{typed}$0\n")["re"].text for typed in ("", "re", "re.", "re.fi", "re.findall")]
    assert len(set(texts)) == 1
    called = lines(made, head + "re.findall($0\n", "re")
    assert called[0].startswith("re.sub(")
    assert called[1].startswith("re.findall(pattern, string, flags=0)  # Return a list")


def test_a_block_stays_within_its_tokens(workspace: Make) -> None:
    made = workspace({}, block_tokens=60)
    text = packages(made, "import os\ndef f():\n    return os.getcwd()$0")["os"].text
    assert "os.getcwd()" in text
    assert len(text) <= 60 * 4


def test_packages_of_an_environment_in_the_workspace_are_read_and_never_imported(workspace: Make) -> None:
    site = ".venv/lib/python3.11/site-packages"
    made = workspace(
        {
            f"{site}/tool/__init__.py": (
                "import pathlib\npathlib.Path(__file__).with_name('ran').write_text('')\ndef go(a: int): ...\n"
                "__all__ = ['go', 'made_later']\nglobals()['made_later'] = go\n"
            ),
            f"{site}/sneaky.pth": "import tool\n",
        }
    )
    (made.root / ".venv" / "bin").mkdir()
    (made.root / ".venv" / "bin" / "python3").symlink_to(sys.executable)
    (made.root / ".venv" / "pyvenv.cfg").write_text("home = /nowhere\n")
    text = "import tool, math\ndef f():\n    return tool.go(math.sqrt(1), tool.made_later, 0)$0"
    found = packages(made, text)
    assert found["tool"].text == "tool.go(a: int)"
    assert found["math"].text.startswith("math.sqrt(x, /)")
    assert not (made.root / site / "tool" / "ran").exists()


def test_an_interpreter_that_lies_in_the_workspace_is_not_run(workspace: Make) -> None:
    made = workspace(
        {".venv/pyvenv.cfg": "home = .venv/bin\n", ".venv/bin/python3": '#!/bin/sh\ntouch "$(dirname $0)/ran"\n'}
    )
    (made.root / ".venv" / "bin" / "python3").chmod(0o755)
    assert "re" in packages(made, "import re\ndef f(s):\n    return re.sub()$0")
    assert not (made.root / ".venv" / "bin" / "ran").exists()


def test_reading_happens_in_the_background_and_is_told(workspace: Make) -> None:
    made = workspace()
    view = made.view("use.py", "import math\ndef f(x):\n    return math.sqrt(x)$0")
    gatherer = Gatherer(ExternalBlocks(), ContextSettings(), variables={}, look_s=0.0)
    try:
        before = gatherer.revision
        assert not [b for b in gatherer.candidates(view) if b.type == "package"]
        assert gatherer.wait(60)
        assert [b.name for b in gatherer.candidates(view) if b.type == "package"] == ["math"]
        assert gatherer.revision > before
    finally:
        gatherer.close()


def test_a_failing_module_is_logged_and_waited_for(workspace: Make, caplog: pytest.LogCaptureFixture) -> None:
    from palimpsest.languages.catalog import ModuleCatalog

    told = threading.Event()

    def nowhere() -> None:
        raise RuntimeError("no such place")

    with ThreadPoolExecutor(1) as executor:
        catalog = ModuleCatalog(nowhere, executor, told.set)
        assert catalog.describe("anything", frozenset()) is None
        assert catalog.wait(30)
        assert told.wait(30)
        assert catalog.describe("anything", frozenset()) is None
    assert "anything" in caplog.text
