"""Writes the address of the project's repository into everything that names one.

In: `repository.py https://HOST/OWNER/NAME`.  Out: `[project.urls]` in pyproject.toml, what the Marketplace shows in
clients/vscode/package.json (and relative links in its README become addresses), the page in the package for mason.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "clients/vscode/package.json"
MASON = "docs/upstream/mason-registry/packages/palimpsest-lsp/package.yaml"
PROJECT = "pyproject.toml"
WITHOUT = " --allow-missing-repository --no-rewrite-relative-links"
"""What `vsce package` is told where there is no repository."""


def package(text: str, address: str) -> str:
    data = json.loads(text)
    data["repository"] = {"type": "git", "url": f"{address}.git", "directory": "clients/vscode"}
    data |= {"homepage": f"{address}#readme", "bugs": {"url": f"{address}/issues"}}
    data["scripts"]["package"] = data["scripts"]["package"].replace(WITHOUT, "")
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def project(text: str, address: str) -> str:
    urls = {
        "Repository": address,
        "Documentation": f"{address}#readme",
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
    }
    table = "[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    without = re.sub(r"(?m)^\[project\.urls\]\n(?:\w+ = .*\n)*\n?", "", text)
    return without.replace("[project.scripts]\n", f"{table}\n[project.scripts]\n")


def mason(text: str, address: str) -> str:
    return re.sub(r"(?m)^homepage: .*$", f"homepage: {address}", text)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("repository.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address", help="https://HOST/OWNER/NAME")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to write in")
    options = parser.parse_args(argv)
    address = options.address.removesuffix("/").removesuffix(".git")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+){2,}", address):
        parser.error("the address is https://HOST/OWNER/NAME")
    for name, write in ((PACKAGE, package), (PROJECT, project), (MASON, mason)):
        path: Path = options.root / name
        path.write_text(write(path.read_text(encoding="utf-8"), address), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
