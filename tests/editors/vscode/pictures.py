"""The pictures in clients/vscode/README.md, taken of the real thing.

python -m tests.editors.vscode.pictures [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.documents import ROOT
from tests.editors.vscode.conftest import CART
from tests.editors.vscode.starting import one_window
from tests.editors.vscode.window import Window

IMAGES = ROOT / "clients" / "vscode" / "images"
SIZE = (1100, 640)
LOOK = {"workbench.colorTheme": "Default Dark Modern", "breadcrumbs.enabled": False, "editor.fontSize": 13}


def completion(window: Window) -> None:
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)


def next_edit(window: Window) -> None:
    window.at(CART, "def subtotal")
    window.key("Control+Shift+ArrowLeft")
    window.type("sum_of_lines")
    window.until(lambda: any("next edit" in text for text in window.decorations()))
    window.key("Tab")
    window.until(lambda: any("dismiss" in text for text in window.decorations()))


def edit(window: Window) -> None:
    window.at(CART, "amount(totla)")
    window.command("Palimpsest: Edit Here")
    window.until(lambda: "amount(total)" in window.shown(".monaco-diff-editor .modified .view-lines"))


def context(window: Window) -> None:
    completion(window)
    window.command("Palimpsest: Show Context")
    window.until(lambda: "tokens" in window.shown(".pane-body .monaco-list-row"))


def cache(window: Window) -> None:
    completion(window)
    window.command("Palimpsest: Show Cache Map")
    window.until(lambda: "free" in window.shown('.monaco-editor[data-uri^="palimpsest-page:"] .view-lines'))


PICTURES = {"completion": completion, "next-edit": next_edit, "edit": edit, "context": context, "cache-map": cache}


def main(folder: Path) -> None:
    with one_window(CART, SIZE, 2, **{name.replace(".", "__"): value for name, value in LOOK.items()}) as window:
        for name, show in PICTURES.items():
            window.restore(CART)
            window.command("Notifications: Clear All Notifications")
            show(window)
            window.screenshot(folder / f"{name}.png")
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else IMAGES)
