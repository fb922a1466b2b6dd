"""Every query fits the lowest and the newest wheel of its grammar that `pyproject.toml` allows.

A grammar is loaded once in a process, so that each set of wheels has a process of its own.  The wheels lie in the
person's cache folder; the newest are looked for again in each month.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import palimpsest

ROOT = Path(__file__).parent.parent.parent
COMPILES = """
import json, sys
from importlib import import_module
from palimpsest.languages import grammars, registry

found = []
for language in registry.languages():
    module = language.grammar_module.partition(":")[0]
    found.append([language.id, import_module(module).__file__, language.grammar is not None])
    package = import_module(type(language).__module__).__package__
    for section in grammars.sections(package, language.query_files):
        found.append([f"{language.id}: {section}", "", language.query(section) is not None])
json.dump(found, sys.stdout)
"""


def requirements() -> list[str]:
    with open(ROOT / "pyproject.toml", "rb") as file:
        every: list[str] = tomllib.load(file)["project"]["dependencies"]
    return [one for one in every if one.startswith("tree-sitter-")]


def installed(which: str) -> Path:
    """The folder with one set of wheels."""
    wanted = [one.replace(">=", "==") if which == "lowest" else one for one in requirements()]
    assert all(one.count(">=") + one.count("==") == 1 for one in wanted), "a bound this test cannot read"
    month = "" if which == "lowest" else f"{datetime.date.today():%Y-%m}"
    key = hashlib.sha256(json.dumps([wanted, month, sys.version_info[:2]]).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "palimpsest" / "grammars"
    folder = cache / f"{which}-{key}"
    if not folder.is_dir():
        unfinished = cache / f"{which}-{key}.{os.getpid()}"
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--only-binary", ":all:", "--target", str(unfinished), *wanted], check=True, timeout=280)
        try:
            unfinished.rename(folder)
        except OSError:  # another run was faster
            assert folder.is_dir()
    return folder


@pytest.mark.slow(part="installers")
@pytest.mark.parametrize("which", ["lowest", "newest"])
def test_every_query_fits(which: str) -> None:
    folder = installed(which)
    paths = [str(folder), str(Path(palimpsest.__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, "-c", COMPILES],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=250,
    )
    found = json.loads(done.stdout)
    assert {Path(file).parents[1] for _, file, _ in found if file} == {folder}
    assert [name for name, _, fits in found if not fits] == []


def test_each_language_has_a_requirement() -> None:
    from palimpsest.languages.registry import languages

    names = {one.partition(">=")[0].replace("-", "_") for one in requirements()}
    assert {language.grammar_module.partition(":")[0] for language in languages()} <= names  # type: ignore[attr-defined]
