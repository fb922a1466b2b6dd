"""From a keystroke to its ghost text in Neovim, in milliseconds, with the editor's own share apart.

    python -m tests.editors.nvim.figures [--keystrokes N] [--model GGUF]

In: a Neovim on the sample, typed into one character after the other, each when the ghost text of the one before stands.
Out: JSON.  `total` begins when Neovim hears of the key and ends when the ghost text behind it is set; `server` is from
the request to its answer; `editor` is the rest, in which Neovim's own 200 ms of waiting are.  Keystrokes for which
nothing is asked, since what is shown goes on, are counted as `shown` and have no `server`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.editors.conftest import SAMPLE
from tests.editors.nvim.conftest import WITH_PLUGIN, Plugged, stop_engines
from tests.editors.timings import print_measured, typed
from tests.installing import installed

CART = "shop/cart.py"
QUIET_S = 1.5
"""As long as one waits for a ghost text: there is not always one."""
STAMPS = """
  local set = vim.api.nvim_buf_set_extmark
  vim.api.nvim_buf_set_extmark = function(buffer, space, row, column, how)
    local spaces = vim.api.nvim_get_namespaces()
    local is_ghost = space == spaces['nvim.lsp.inline_completion'] or space == spaces['palimpsest.ghost']
    local first = how and how.virt_text and how.virt_text[1]
    if is_ghost and first and first[1] ~= '' then
      _G.at.drawn = _G.at.drawn or vim.uv.hrtime()
    end
    return set(buffer, space, row, column, how)
  end
  vim.on_key(function() _G.at.key = _G.at.key or vim.uv.hrtime() end)
  vim.api.nvim_create_autocmd('LspRequest', { callback = function(event)
    local request = event.data.request
    if request.method == 'textDocument/inlineCompletion' then
      _G.at[request.type] = vim.uv.hrtime()
    end
  end })
  return true
"""


def measure(keystrokes: int, model: str = "") -> dict[str, Any]:
    """Raises NotHere where Neovim cannot be installed."""
    with _neovim(installed("editors.sh") / "bin" / "nvim", model) as nvim:
        nvim.ready()
        nvim.lua(f"_G.at = {{}} {STAMPS}")

        def line(text: str) -> Iterator[dict[str, float] | None]:
            nvim.keys("<Esc>:edit!<CR>/total = self.subtotal<CR>o")
            yield from (_keystroke(nvim, key) for key in text)

        return typed(keystrokes, line)


@contextmanager
def _neovim(program: Path, model: str) -> Iterator[Plugged]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))  # short, for sockets
    shutil.copytree(SAMPLE, folder / "work", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "work" / "pyproject.toml").touch()
    for name in ("run", "home", "config"):
        (folder / name).mkdir()
    own = f"vim.g.palimpsest = {{ model = {{ path = [[{model}]] }} }}\n" if model else ""
    nvim = Plugged(program, folder, WITH_PLUGIN + own, CART)
    try:
        yield nvim
    finally:
        nvim.close()
        stop_engines(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _keystroke(nvim: Plugged, key: str) -> dict[str, float] | None:
    nvim.lua("_G.at = {} return true")
    nvim.keys({" ": "<Space>", "<": "<lt>"}.get(key, key))
    ends = time.monotonic() + QUIET_S
    while "drawn" not in (at := dict(nvim.lua("return vim.tbl_isempty(_G.at) and vim.empty_dict() or _G.at"))):
        if time.monotonic() > ends:
            return None
        time.sleep(0.02)
    total = (at["drawn"] - at["key"]) / 1e6
    if not at["key"] <= at.get("pending", 0) <= at.get("complete", 0) <= at["drawn"]:
        return {"total": total}
    server = (at["complete"] - at["pending"]) / 1e6
    return {"total": total, "server": server, "editor": total - server}


if __name__ == "__main__":
    print_measured(measure)
