"""The distribution, as pyproject.toml describes it and as it says itself that it is installed."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripts import repository

import palimpsest
from palimpsest.agents import command as mcp
from palimpsest.agents.acp import command as acp
from tests.documents import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_command_is_not_called_what_the_distribution_is_but_for_who_runs_it_by_that() -> None:
    assert PROJECT["name"] == "palimpsest-lsp"
    assert set(PROJECT["scripts"]) == {"palimpsest", "palimpsest-lsp"}
    assert len(set(PROJECT["scripts"].values())) == 1


def test_the_description_for_the_agents_registry_is_this_version_and_has_its_icon() -> None:
    """As https://github.com/agentclientprotocol/registry wants them: FORMAT.md, agent.schema.json, CONTRIBUTING.md."""
    folder = ROOT / "clients" / "acp"
    described = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert {"id", "name", "version", "description", "license_url", "distribution"} <= described.keys()
    assert re.fullmatch(r"[a-z][a-z0-9-]*", described["id"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", described["version"])
    assert described["version"] == palimpsest.__version__
    assert described["license"] == PROJECT["license"]
    package, args = (described["distribution"]["uvx"][name] for name in ("package", "args"))
    assert package == f"{PROJECT['name']}[acp]=={palimpsest.__version__}"
    assert args == ["acp"]
    icon = (folder / "icon.svg").read_text(encoding="utf-8")
    assert 'width="16" height="16"' in icon
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', icon)) == {"none", "currentColor"}


def test_every_extra_brings_something_and_a_hint_names_what_it_brings() -> None:
    extras = PROJECT["optional-dependencies"]
    assert all(extras.values())
    assert {"mcp": [mcp.LIBRARY.strip("'")], "acp": [acp.LIBRARY.strip("'")]}.items() <= extras.items()


def test_what_is_said_of_python_is_what_is_tested() -> None:
    said = {it.rpartition(" ")[2] for it in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", it)}
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert said == set(re.findall(r'"(3\.\d+)"', workflow))
    assert PROJECT["requires-python"] == f">={min(said, key=lambda it: int(it[2:]))}"
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert (ROOT / "server/palimpsest/py.typed").exists()


def test_a_releases_tag_the_extension_and_the_package_for_mason_have_the_servers_version() -> None:
    version = palimpsest.__version__
    tags = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    assert {tag for tag in tags.split() if tag.startswith("v")} <= {f"v{version}"}
    extension = json.loads((ROOT / "clients/vscode/package.json").read_text(encoding="utf-8"))
    assert extension["version"] == version
    mason = (ROOT / "docs/upstream/mason-registry/packages/palimpsest-lsp/package.yaml").read_text(encoding="utf-8")
    assert f"pkg:pypi/palimpsest-lsp@{version}\n" in mason


def test_the_lock_file_is_of_what_the_project_requires_and_of_the_public_index() -> None:
    """`uv lock` makes it anew."""
    text = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://([^/\"]+)", text)) == {"pypi.org", "files.pythonhosted.org"}
    (ours,) = [it for it in tomllib.loads(text)["package"] if it["name"] == PROJECT["name"]]
    locked = [f"{it['name']}{it.get('specifier', '')}" for it in ours["metadata"]["requires-dist"]]
    wanted = [*PROJECT["dependencies"], *(it for them in PROJECT["optional-dependencies"].values() for it in them)]
    assert {taken_apart(it) for it in locked} == {taken_apart(it) for it in wanted}


def taken_apart(requirement: str) -> tuple[str, frozenset[str]]:
    """Its name and its limits."""
    name, limits = re.fullmatch(r"([\w.-]+)([^;]*).*", requirement).groups()  # type: ignore[union-attr]
    return name, frozenset(limits.strip().split(","))


def test_the_address_of_the_repository_is_written_wherever_one_is_named(tmp_path: Path) -> None:
    for name in (repository.PACKAGE, repository.PROJECT, repository.MASON):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for address in ("https://example.org/first/one", "https://example.org/a/palimpsest.git"):
        assert repository.main([address, "--root", str(tmp_path)]) == 0
    text = (tmp_path / repository.PROJECT).read_text(encoding="utf-8")
    urls = tomllib.loads(text)["project"].pop("urls")
    assert urls["Repository"] == "https://example.org/a/palimpsest"
    assert "first/one" not in text
    package = json.loads((tmp_path / repository.PACKAGE).read_text(encoding="utf-8"))
    assert package["repository"]["url"] == "https://example.org/a/palimpsest.git"
    assert package["bugs"]["url"] == urls["Issues"]
    assert "missing-repository" not in package["scripts"]["package"]
    assert "homepage: https://example.org/a/palimpsest\n" in (tmp_path / repository.MASON).read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        repository.main(["example.org", "--root", str(tmp_path)])
