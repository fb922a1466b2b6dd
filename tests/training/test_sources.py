"""Packages in other languages: unpacked, their licences read, workspaces by the product's grammars."""

import io
import json
import sys
import tarfile
from pathlib import Path
from random import Random

import pytest
from tests.training.areas import mended

from palimpsest.languages.registry import languages
from training import sources, texts
from training.corpus import Module
from training.examples import Mix
from training.product import Place, functions
from training.sketch import sketch

C = """\
    int summed = first + second;
    int halved = summed / 2;
    print_number(summed, halved);
    if (halved == first) {
        print_number(halved, second);
    }
    return halved + summed;
"""
GO = """\
\tsummed := first + second
\thalved := summed / 2
\tprintNumber(summed, halved)
\tif halved == first {
\t\tprintNumber(halved, second)
\t}
\treturn halved + summed
"""
BASH = """\
  local summed="$(($1 + $2))"
  local halved="$((summed / 2))"
  echo "$summed" "$halved"
  if [ "$halved" = "$1" ]; then
    echo "$halved" "$2"
  fi
  echo "$summed" done
"""
SAMPLES = {
    "till.c": f"int average_of(int first, int second) {{\n{C}}}\n",
    "till.cpp": f"class Shop {{\npublic:\n  int averageOf(int first, int second) {{\n{C}  }}\n}};\n",
    "Till.java": f"class Shop {{\n  int averageOf(int first, int second) {{\n{C}  }}\n}}\n",
    "Till.cs": f"class Shop {{\n  int AverageOf(int first, int second) {{\n{C}  }}\n}}\n",
    "till.js": f"function averageOf(first, second) {{\n{C.replace('int ', 'const ')}}}\n",
    "till.ts": f"function averageOf(first: number, second: number): number {{\n{C.replace('int ', 'const ')}}}\n",
    "till.go": "package till\n\nfunc averageOf(first int, second int) int {\n" + GO + "}\n",
    "till.rs": "fn average_of(first: i32, second: i32) -> i32 {\n"
    + C.replace("int ", "let ").replace("if (halved == first)", "if halved == first")
    + "}\n",
    "till.php": "<?php\nfunction averageOf($first, $second) {\n"
    + C.replace("int ", "")
    .replace("summed", "$summed")
    .replace("halved", "$halved")
    .replace("first", "$first")
    .replace("second", "$second")
    + "}\n",
    "till.kt": f"fun averageOf(first: Int, second: Int): Int {{\n{C.replace('int ', 'val ').replace(';', '')}}}\n",
    "till.swift": "func averageOf(first: Int, second: Int) -> Int {\n"
    + C.replace("int ", "let ").replace(";", "")
    + "}\n",
    "till.lua": "local function average_of(first, second)\n"
    + C.replace("int ", "local ")
    .replace(";", "")
    .replace("if (halved == first) {", "if halved == first then")
    .replace("}", "end")
    + "end\n",
    "till.rb": "def average_of(first, second)\n"
    + C.replace("int ", "").replace(";", "").replace(" {", "").replace("}", "end")
    + "end\n",
    "till.sh": "average_of() {\n" + BASH + "}\n",
}


def test_there_is_a_sample_of_each_language_that_is_learned_from() -> None:
    suffixes = {f".{name.rpartition('.')[2]}" for name in SAMPLES}
    missing = {each.id for each in languages() if not suffixes.intersection(each.suffixes)}
    assert missing & sources.LANGUAGES <= {"tsx"}


@pytest.mark.parametrize("path", SAMPLES)
def test_a_repair_in_any_language_gives_back_what_was_there(path: str) -> None:
    found = sketch(path, SAMPLES[path])
    assert found is not None
    (span,) = found.functions
    whole = found.lines[span.first : span.end]
    broken = [each for seed in range(80) if (each := found.broken(whole, Random(seed), ()))]
    assert {"misspelt", "dropped", "doubled"} <= {each.kind for each in broken}
    for each in broken:
        assert list(each.lines) != whole
        assert mended(each) == whole


@pytest.mark.parametrize("path", SAMPLES)
def test_the_product_makes_workspaces_in_any_language(path: str, tmp_path: Path) -> None:
    filled = "\n".join(SAMPLES[path].replace("verage", f"verage{i}").replace("<?php\n", "") for i in range(3))
    for name, text in ((path, SAMPLES[path]), (f"more_{path}", f"<?php\n{filled}" if ".php" in path else filled)):
        (tmp_path / name).write_text(text)
    module = Module("till", "till", path, SAMPLES[path])
    place, wanted = Place(tmp_path, tmp_path / "described"), functions(module)
    assert len(wanted) == 1
    mix = Mix(n_cuts=6, shares={"spm": 0.5, "repair": 0.5})
    made = [w for seed in range(2) for w in place.workspaces(module, (), wanted, Random(seed), mix)]
    tails = [tail for workspace in made for tail in workspace.tails]
    assert {tail.layout for tail in tails} == {"spm", "repair"}
    for tail in tails:
        if tail.layout == "spm":
            assert "<editing" in tail.prefix
            assert tail.middle
            assert tail.middle.split("\n")[0] in SAMPLES[path]


def archive(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


COPYRIGHT = "Format: 1.0\n\nFiles: *\nCopyright: someone\nLicense: {}\n\nFiles: debian/*\nLicense: GPL-2\n"


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """A package of npm, and two of Debian of which one is not to be learned from; as `sources.main` lays them out."""
    found, long = tmp_path / "sources", SAMPLES["till.js"] * 3
    npm = {
        "package/package.json": json.dumps({"license": "MIT"}),
        "package/till.js": long,
        "package/test/till.js": long,
    }
    sources.unpack(archive(tmp_path / "till.tgz", npm), found / "corp-till")
    for name, licence in (("free", "Expat"), ("copied", "GPL-3+")):
        sources.unpack(archive(tmp_path / f"{name}.tgz", {f"{name}-1/till.c": SAMPLES["till.c"] * 3}), found / name)
        said = {"debian/copyright": COPYRIGHT.format(licence), "debian/rules": "#!/usr/bin/make"}
        sources.unpack(archive(tmp_path / f"{name}.debian.tgz", said), found / name, sources.ABOUT)
    listed = tmp_path / "sources.txt"
    listed.write_text("# said\nnpm @corp/till 1.0  # MIT\ndebian free 1-1  # Expat\ndebian copied 1-1  # Expat\n")
    return listed


def test_what_its_own_licence_does_not_permit_is_left_out(unpacked: Path) -> None:
    found = {
        p.name: (p.licence, [m.path for m in modules])
        for p, _, modules in sources.read(unpacked.parent / "sources", unpacked)
    }
    assert found == {"corp-till": ("MIT", ["till.js"]), "free": ("Expat", ["till.c"])}


def test_an_archive_with_a_way_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tarfile.TarError, match="leads out of its folder"):
        sources.unpack(
            archive(tmp_path / "bad.tgz", {"a/../../../out.c": "int x;", "b/c.c": "int y;"}), tmp_path / "in"
        )
    assert not (tmp_path.parent / "out.c").exists()


def test_everything_listed_may_be_learned_from_and_nothing_twice() -> None:
    found = sources.listed()
    assert len({source.name for source in found}) == len(found) > 30
    assert {source.kind for source in found} == {"npm", "debian"}
    for source in found:
        assert sources.Package(source.name, source.version, source.licence).is_permissive, source


def test_workspaces_of_sources_are_made_like_those_of_wheels(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no door: the real sources take minutes
    monkeypatch.setattr(sources, "FILE", unpacked)
    monkeypatch.setattr("training.sources.read", lambda folder: READ(folder, unpacked))
    told = ["texts", "--sources", str(tmp_path / "sources"), "--out", str(tmp_path / "texts"), "--processes", "1"]
    monkeypatch.setattr(sys, "argv", told)
    texts.main()
    files = sorted(path.name.split("-0-")[0] for path in (tmp_path / "texts" / "train").iterdir())
    assert files == ["corp-till", "free"]
    assert all(list(texts.read(path)) for path in (tmp_path / "texts" / "train").iterdir())


READ = sources.read
