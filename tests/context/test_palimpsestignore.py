"""`.palimpsestignore`, and minified code: neither reaches a model by any way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.config.settings import Settings
from palimpsest.errors import PalimpsestError
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.privacy import Privacy
from palimpsest.workspace.files import WorkspaceFiles

Make = Callable[..., Workspace]
FILES = {
    ".palimpsestignore": "vault.py\n/plans/\n!plans/open.py\n*.internal.py\n",
    "vault.py": 'class Vault:\n    """Hidden class."""\n\n    def unlock(self, code: int) -> None: ...\n',
    "plans/merger.py": "class Merger: ...\n",
    "plans/open.py": "class Open: ...\n",
    "shop/.palimpsestignore": "!seen.internal.py\n",
    "shop/seen.internal.py": "",
    "shop/cart.internal.py": "",
    "shop/vault.py": "class Inner: ...\n",
    "shop/__init__.py": "",
    "main.py": "from vault import Vault\nfrom plans.merger import Merger\n\n\ndef go(vault: Vault):\n    Merger()$0\n",
    "README.md": "# Merger\n\nMerger and Vault are explained here.\n",
}
HIDDEN = ("vault.py", "plans/merger.py", "plans/open.py", "shop/cart.internal.py", "shop/vault.py")


def test_the_innermost_file_decides_and_a_hidden_folder_hides_all(workspace: Make) -> None:
    made = workspace(FILES)
    files = WorkspaceFiles([made.root])
    hidden = {name for name in FILES if files.refusal(made.root / name) is not None}
    assert hidden == set(HIDDEN)
    assert files.why_not(made.root / "vault.py") == "is named in .palimpsestignore"


def test_hidden_names_are_in_no_block(workspace: Make) -> None:
    made = workspace(FILES)
    blocks = made.blocks("main.py")
    text = "\n".join(f"{key}\n{block.text}" for key, block in blocks.items())
    for hidden in ("unlock", "Hidden class", "class Merger", "package:vault", "package:plans", "class:"):
        assert hidden not in text, hidden
    listed = blocks["filesystem:root"].text.split("\n")
    assert "shop/seen.internal.py" in listed
    assert not {"plans/", *HIDDEN} & set(listed)


def test_gits_rules_and_ours_do_not_undo_each_other(workspace: Make) -> None:
    made = workspace({".gitignore": "a.py\n!b.py\n", ".palimpsestignore": "!a.py\nb.py\n", "a.py": "", "b.py": ""})
    files = WorkspaceFiles([made.root])
    assert [entry.name for entry in files.listing(made.root) if entry.name.endswith(".py")] == []
    assert files.refusal(made.root / "a.py", pinned=True) is None
    assert files.refusal(made.root / "b.py", pinned=True) == "is named in .palimpsestignore"


def test_a_hidden_file_cannot_be_pinned_or_reached_by_a_link(workspace: Make) -> None:
    made = workspace(FILES)
    with pytest.raises(PalimpsestError, match="palimpsestignore"):
        made.pin("vault.py")
    (made.root / "link.py").symlink_to(made.root / "vault.py")
    assert WorkspaceFiles([made.root]).source(made.root / "link.py", pinned=True) is None


def test_rules_above_the_workspace_folder_count_up_to_the_repository(workspace: Make) -> None:
    made = workspace({".git/HEAD": "", ".palimpsestignore": "app/vault.py\n", "app/vault.py": "", "app/a.py": ""})
    files = WorkspaceFiles([made.root / "app"])
    assert [entry.name for entry in files.listing(made.root / "app")] == ["a.py"]


@pytest.mark.parametrize("name", [".gitignore", ".palimpsestignore", ".git/info/exclude"])
def test_rules_that_are_not_read_in_whole_ignore_everything(workspace: Make, name: str) -> None:
    rules = "".join(f"{n}.py\n" for n in range(2_100))
    for text in (f"{rules}a.py\n", "#" * 1_000_001 + "\na.py\n"):
        made = workspace({".git/HEAD": "", name: text, "a.py": "class A: ...\n"})
        files = WorkspaceFiles([made.root])
        assert files.source(made.root / "a.py") is None
        assert files.listing(made.root) == ()
        assert (files.refusal(made.root / "a.py", pinned=True) is None) == (name != ".palimpsestignore")


def test_no_depth_hides_a_file_from_the_rules(workspace: Make) -> None:
    deep = "/".join("a" * 130)
    made = workspace({".palimpsestignore": "vault.py\n", f"{deep}/vault.py": ""})
    assert WorkspaceFiles([made.root]).refusal(made.root / deep / "vault.py", pinned=True) is not None


def test_a_changed_rule_file_counts_at_once(workspace: Make) -> None:
    made = workspace({"a.py": "x = 1\n"})
    files = WorkspaceFiles([made.root])
    assert files.source(made.root / "a.py") is not None
    assert len(files.listing(made.root)) == 1
    made.write({".palimpsestignore": "a.py\n"})
    files.look_again()
    assert files.source(made.root / "a.py") is None
    assert [entry.name for entry in files.listing(made.root)] == [".palimpsestignore"]


def test_nothing_of_an_open_document_that_is_hidden_goes_to_an_engine(workspace: Make) -> None:
    made = workspace(FILES)
    settings, roots = Settings(), Roots((made.root,))
    privacy = Privacy(lambda: settings, lambda: roots)

    def why(name: str) -> str:
        return privacy.why_not(Snapshot(to_uri(made.root / name), 1, "python", "x = 1\n"))

    assert why("vault.py") == why("plans/merger.py") == "is named in .palimpsestignore"
    assert why("main.py") == why("new.py") == ""
    made.write({".palimpsestignore": "main.py\n"})
    privacy.look_again()
    assert why("main.py") == "is named in .palimpsestignore"
    assert why("vault.py") == ""


def test_minified_files_and_lines_are_in_no_block(workspace: Make, tmp_path: Path) -> None:
    dense = "!function(e){return e.marker}(window);" * 80
    made = workspace(
        {
            "lib.py": f"def a(): return '{dense}'\n",
            "icons.py": "class Icon:\n    " + f'"""Icon."""\n    data = "{dense}"\n' + "    # more\n" * 900,
            "main.py": "from lib import a\nfrom icons import Icon\n\n\ndef go(icon: Icon):\n    a()$0\n",
        }
    )
    files = WorkspaceFiles([made.root])
    assert files.source(made.root / "lib.py") is files.described(made.root / "lib.py") is None
    assert files.why_not(made.root / "lib.py") == "is minified code"
    assert files.source(made.root / "icons.py") is not None
    made.external.put("file", "mine", f"first\n{dense}\nlast")
    blocks = made.blocks("main.py")
    assert "first" in blocks["file:mine"].text
    assert max(len(line) for block in blocks.values() for line in block.text.split("\n")) <= 2_000
    assert not any("return e.marker}(window);" * 2 in block.text for block in blocks.values() if block.type != "file")


IMPORTING = {
    "python": ("main.py", "from vault import Vault\n\n\ndef go(vault: Vault):\n    Vault()$0\n", "vault.py"),
    "java": (
        "app/Main.java",
        "package app;\n\nclass Main {\n    void go(Vault v) {\n        v$0\n    }\n}\n",
        "app/Vault.java",
    ),
}
VAULTS = {
    ".py": "class Vault:\n    def unlock_marker(self) -> None: ...\n",
    ".java": "package app;\n\npublic class Vault {\n    public void unlock_marker() {}\n}\n",
}


@pytest.mark.parametrize("language", IMPORTING)
def test_no_import_and_no_name_leads_to_a_hidden_file(workspace: Make, language: str) -> None:
    main, text, vault = IMPORTING[language]
    files = {main: text, vault: VAULTS[Path(vault).suffix], "go.mod": "module x.org/a\n", "Cargo.toml": "[package]\n"}
    made = workspace({name: content.replace("$0", "") for name, content in files.items()})
    made.build_index()
    made.is_typing = False
    seen = made.blocks(main, text)
    assert any("unlock_marker" in block.text for block in seen.values()), "this test can fail"
    for rule in (Path(vault).name, f"/{vault}"):
        made.write({".palimpsestignore": f"{rule}\n"})
        blocks = made.blocks(main, text)
        assert not any("unlock_marker" in block.text for block in blocks.values())
        [listed] = [block.text.split("\n") for block in blocks.values() if block.type == "filesystem"]
        assert main in listed
        assert vault not in listed
        made.build_index()
        assert not any("unlock_marker" in block.text for block in made.blocks(main, text).values())
        made.write({".palimpsestignore": ""})
        made.build_index()
        assert any("unlock_marker" in block.text for block in made.blocks(main, text).values())


def test_what_a_folder_hides_or_excludes_stays_so_when_one_within_is_opened_too(tmp_path: Path) -> None:
    outer, inner = tmp_path / "shop", tmp_path / "shop" / "parts"
    (inner / ".git").mkdir(parents=True)
    for name in ("hidden.py", "left_out.py", "shown.py"):
        (inner / name).write_text("A = 1\n", encoding="utf-8")
    (inner / "secrets").mkdir()
    (outer / ".palimpsestignore").write_text("parts/hidden.py\n", encoding="utf-8")
    for roots in ((outer, inner), (inner, outer), (outer,)):
        files = WorkspaceFiles(roots, exclude=["parts/left_out.py"])
        shown = [entry.name for entry in files.listing(inner) if not entry.is_dir]
        assert shown == ["shown.py"]
        assert files.hidden(inner / "hidden.py")
        assert files.is_excluded(inner / "left_out.py")
        assert [files.refusal(inner / f"{name}.py") is None for name in ("hidden", "left_out", "shown")] == [0, 0, 1]


def test_a_secret_folder_stays_one_when_a_folder_within_it_is_opened_too(tmp_path: Path) -> None:
    outer, inner = tmp_path / "shop", tmp_path / "shop" / "secrets" / "app"
    inner.mkdir(parents=True)
    path = inner / "data.yaml"
    path.write_text("a: 1\n", encoding="utf-8")
    for folders in ((outer, inner), (inner, outer)):
        assert WorkspaceFiles(folders).kept_out(path) == "looks like a file of secrets"
        privacy = Privacy(Settings, lambda folders=folders: Roots(folders))  # type: ignore[misc]
        assert privacy.why_not(Snapshot(to_uri(path), 1, "yaml", "a: 1\n")) == "looks like a file of secrets"
    assert WorkspaceFiles([inner]).kept_out(path) is None
