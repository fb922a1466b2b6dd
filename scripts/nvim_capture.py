"""The picture of clients/nvim/README.md: Neovim in a terminal, with a completion, and beside it the context.

`python scripts/nvim_capture.py NVIM OUT.png` runs NVIM in tmux on a copy of the sample workspace, with the real server,
and renders what tmux shows with Chromium.  Wants tmux, chromium and the package `rich`.  A Neovim that is started by a
loader (as `scripts/editors.sh` unpacks it) cannot start its own terminal: give another, from `scripts/nvim_tools.sh`.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, LINES = 150, 30
BACKGROUND, FOREGROUND = (20, 22, 27), (224, 226, 234)
INIT = f"""
vim.opt.runtimepath:prepend([[{ROOT}/clients/nvim]])
vim.o.termguicolors = true
vim.o.swapfile = false
vim.o.hlsearch = false
vim.o.number = true
vim.lsp.handlers["window/showMessage"] = function() end
vim.o.laststatus = 3
vim.o.statusline = " %f %= %{{v:lua.require'palimpsest'.statusline()}} "

"""


def tmux(*words: str) -> str:
    done = subprocess.run(["tmux", "-L", "palimpsest-capture", *words], capture_output=True, text=True, check=True)
    return done.stdout


def wait(text: str, patience_s: float = 60) -> None:
    end = time.monotonic() + patience_s
    while text not in tmux("capture-pane", "-p", "-t", "it"):
        if time.monotonic() > end:
            raise SystemExit(f"{text!r} is not on the screen:\n" + tmux("capture-pane", "-p", "-t", "it"))
        time.sleep(0.2)


def keys(*each: str) -> None:
    tmux("send-keys", "-t", "it", *each)


def shown(program: str, folder: Path) -> str:
    (folder / "init.lua").write_text(INIT, encoding="utf-8")
    shutil.copytree(ROOT / "server" / "palimpsest" / "demo" / "sample", folder / "shop-sample")
    own = {"HOME": str(folder), "PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(folder)}
    command = [
        "env",
        *(f"{name}={value}" for name, value in own.items()),
        program,
        "--clean",
        "-u",
        str(folder / "init.lua"),
        "shop/cart.py",
    ]
    size = ["-x", str(COLUMNS), "-y", str(LINES)]
    tmux("new-session", "-d", "-s", "it", *size, "-c", str(folder / "shop-sample"), *command)
    tmux("set-option", "-g", "-s", "default-terminal", "tmux-256color")
    wait("●")
    keys("/def total", "Enter", ":Palimpsest context", "Enter")
    wait("class          shop.cart.Cart")
    keys("/total = self.sub", "Enter", "zt", "3kzt", "3jo", "if self.disc")
    wait("if self.discount ")
    time.sleep(2)
    return tmux("capture-pane", "-e", "-p", "-t", "it")


def render(ansi: str, out: Path) -> None:
    from rich.console import Console
    from rich.terminal_theme import MONOKAI, TerminalTheme
    from rich.text import Text

    # Cells that say no colour have Neovim's own, as in a terminal that it fills.
    sixteen = [tuple(MONOKAI.ansi_colors[n]) for n in range(16)]
    theme = TerminalTheme(BACKGROUND, FOREGROUND, sixteen[:8], sixteen[8:])
    nowhere = io.StringIO()
    console = Console(record=True, width=COLUMNS, force_terminal=True, color_system="truecolor", file=nowhere)
    console.print(Text.from_ansi(ansi), end="")
    svg = console.export_svg(title="Neovim", theme=theme)
    page = out.with_suffix(".html")
    page.write_text(f"<body style='margin:0;background:#14161b'>{svg}</body>", encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1860,820"]
    subprocess.run(["chromium", *flags, f"--screenshot={out}", page.as_uri()], check=True, capture_output=True)
    page.unlink()


def main(program: str, out: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="pal-", dir="/tmp"))
    try:
        render(shown(program, folder), Path(out).resolve())
    finally:
        subprocess.run(["tmux", "-L", "palimpsest-capture", "kill-server"], check=False)
        time.sleep(2)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
