"""What others get: the wheel, VS Code's extension with the wheel in it, and Neovim's plugin where Neovim finds it."""

import hashlib
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.documents import ROOT

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(900)]


def run(script: str, *arguments: str, **environment: str) -> str:
    command = [ROOT / "scripts" / script, *arguments]
    ran = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.skipif(shutil.which("npm") is None, reason="an extension for VS Code is made with npm, which is not here")
def test_the_extension_carries_the_wheel_and_the_installer(tmp_path: Path) -> None:
    into = tmp_path / "dist"
    into.mkdir()
    (into / "palimpsest-0.0.1-py3-none-any.whl").touch()  # of an older version
    wheel, extension = map(Path, run("dist.sh", str(into)).split())
    assert sorted(into.iterdir()) == sorted([wheel, extension])
    with zipfile.ZipFile(extension) as archive:
        names = archive.namelist()
        (carried,) = [name for name in names if name.endswith(".whl")]
        assert carried == f"extension/server/{wheel.name}"
        assert archive.read(carried) == wheel.read_bytes()
        installer = (ROOT / "clients" / "shared" / "install.py").read_bytes()
        assert archive.read("extension/server/install.py") == installer
    assert {"extension/out/extension.js", "extension/package.json", "extension/LICENSE.txt"} <= set(names)
    assert not [name for name in names if "node_modules" in name or "/test/" in name or name.endswith(".ts")]


def test_neovims_plugin_is_copied_whole_and_an_older_copy_goes(tmp_path: Path) -> None:
    place = tmp_path / "nvim" / "site" / "pack" / "palimpsest" / "start" / "palimpsest"
    place.mkdir(parents=True)
    (place / "old.lua").touch()
    said = run("install_nvim.sh", XDG_DATA_HOME=str(tmp_path))
    assert f"The plugin is in {place}." in said
    assert [it.name for it in place.parent.iterdir()] == ["palimpsest"]
    assert not (place / "old.lua").exists()
    (wheel,) = place.glob("palimpsest_lsp-*.whl")
    assert zipfile.is_zipfile(wheel)
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "clients/nvim"]
    ours = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert len(ours) > 10
    for name in ours:
        assert digest(place / Path(name).relative_to("clients/nvim")) == digest(ROOT / name)
    assert digest(place / "install.py") == digest(ROOT / "clients" / "shared" / "install.py")


def test_what_make_demo_says_at_its_end_exists() -> None:
    said = run("try_it.sh")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([\w-]+)", said):
        assert f"\n{target}: " in makefile
    sample = (ROOT / "server/palimpsest/demo/sample/shop/cart.py").read_text(encoding="utf-8")
    assert "total = self.subtotal()\n" in sample
    assert "\t@scripts/try_it.sh\n" in makefile
    folder = re.search(r"--copy (\S+)", said)
    assert folder is not None
    assert folder[1].startswith("~/"), "in the clone, the clone would be the workspace"
    assert f"code {folder[1]}\n" in said
    assert f"nvim {folder[1]}/shop/cart.py\n" in said


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
