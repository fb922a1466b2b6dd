"""The installer with what a copy that was cut off, or a folder that was moved, leaves behind."""

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.clients.test_install import environment, install

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(600)]
PROGRAM = "import sys\n\n\ndef main():\n    print('palimpsest 0', sys.prefix)\n"
FILES = {
    "palimpsest.py": PROGRAM,
    "palimpsest-0.dist-info/METADATA": "Metadata-Version: 2.1\nName: palimpsest\nVersion: 0\nRequires-Dist: pip\n",
    "palimpsest-0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "palimpsest-0.dist-info/entry_points.txt": "[console_scripts]\npalimpsest = palimpsest:main\n",
    "palimpsest-0.dist-info/RECORD": "",
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A package that is installed in a moment."""
    path = tmp_path / "palimpsest-0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("share", [0.0, 0.4, 0.95])
def test_a_package_that_was_cut_off_is_said_to_be_damaged_and_nothing_is_made(
    small: Path, tmp_path: Path, share: float
) -> None:
    content = small.read_bytes()
    small.write_bytes(content[: int(len(content) * share)])
    said, status = install(tmp_path / "server", small, "--engine", "none", env=environment(tmp_path))
    assert status == 1
    assert "is damaged" in said[-1]["error"]
    assert said[-1]["hint"]
    assert not (tmp_path / "server").exists()


def test_a_package_with_another_content_than_it_says_is_damaged(small: Path, tmp_path: Path) -> None:
    content = small.read_bytes()
    small.write_bytes(content.replace(b"palimpsest 0", b"palimpsest 1"))
    said, _ = install(tmp_path / "server", small, "--engine", "none", env=environment(tmp_path))
    assert "is damaged" in said[-1]["error"]


def test_an_environment_that_was_moved_or_cut_off_is_mended(small: Path, tmp_path: Path) -> None:
    """Its programs name a Python that is gone, or are empty: both cannot be run at all."""
    first, second, env = tmp_path / "a", tmp_path / "b \u00e9", environment(tmp_path)
    _, status = install(first, small, "--engine", "none", env=env)
    assert status == 0
    first.rename(second)
    said, status = install(second, small, "--engine", "none", env=env)
    assert status == 0, said
    program = said[-1]["command"][0]
    assert str(second) in subprocess.run([program], capture_output=True, text=True, check=True).stdout
    for name in ("python", "palimpsest"):
        path = second / "bin" / name
        path.unlink()
        path.touch(mode=0o755)
    said, status = install(second, small, "--engine", "none", env=env)
    assert status == 0, said
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.startswith("palimpsest 0")
