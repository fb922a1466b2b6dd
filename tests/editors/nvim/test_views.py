"""What the model sees, the cache, the status, reports: in windows of Neovim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.conftest import until
from tests.editors.nvim.conftest import PLUGIN, WITHOUT_ENGINE, Start

pytestmark = pytest.mark.slow(part="editors")


def test_a_pinned_file_arrives_in_the_context_and_is_let_go_again(start: Start, folder: Path) -> None:
    (folder / "work" / "notes.txt").write_text("Prices are in cents.\n")
    nvim = start()
    nvim.ready()
    nvim.keys("/def total<CR>:Palimpsest context<CR>")
    until(lambda: "function Cart.total" in nvim.text_of("context"), nvim.messages)
    text = nvim.text_of("context")
    assert "class          shop.cart.Cart" in text
    assert "tokens" in text
    until(lambda: "at the cursor " in nvim.text_of("context"), lambda: nvim.text_of("context"))
    assert "notes.txt" not in text
    nvim.keys(":Palimpsest context.pin notes.txt<CR>")
    until(lambda: "notes.txt  pinned" in nvim.text_of("context"), nvim.messages)
    nvim.keys("/def subtotal<CR>")
    until(lambda: "function Cart.subtotal" in nvim.text_of("context"), nvim.messages)
    nvim.keys("<C-w>l/notes.txt<CR>u")
    until(lambda: "notes.txt" not in nvim.text_of("context"), nvim.messages)
    nvim.keys("/shop.cart.Cart<CR><CR>")
    nvim.until("return vim.fn.expand('%:t') == 'cart.py'")
    assert "class Cart" in nvim.line


def test_why_a_name_is_in_the_context_is_told_of_the_one_under_the_cursor(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys("/append(format_price/e<CR>:Palimpsest context.why<CR>")
    nvim.until("return vim.bo.filetype == 'palimpsest-why'")
    assert nvim.lines[:2] == [
        "format_price  for function Cart.receipt, shop/cart.py",
        "The model sees it in package shop.item.",
    ]
    groups = nvim.lua("""
      local marks = vim.api.nvim_buf_get_extmarks(0, -1, { 0, 0 }, -1, { details = true })
      return vim.tbl_map(function(mark) return mark[4].hl_group end, marks)
    """)
    assert {"PalimpsestTitle", "PalimpsestKindPackage", "PalimpsestDim"} <= set(groups)
    nvim.keys("q")
    nvim.until("return vim.fn.expand('%:t') == 'cart.py'")
    nvim.keys("gg0O<CR><Esc>:Palimpsest context.why<CR>")
    until(lambda: "There is no name at the cursor" in nvim.messages(), nvim.messages)


def test_the_cache_map_shows_blocks_and_follows_the_cache(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys("/def total<CR>:Palimpsest cache<CR>")
    until(lambda: "shop.cart.Cart" in nvim.text_of("cache"), lambda: nvim.text_of("cache"))
    text = nvim.text_of("cache")
    grid = text.split("\n")[:8]
    assert all(set(line) <= set("█·") and len(line) == 64 for line in grid)
    assert "free in" in text
    assert "reused" in text
    spans = nvim.command("palimpsest.cache.map")["spans"]
    assert spans
    assert all(f"{span['start']}–{span['end']}" in text for span in spans)
    groups = nvim.lua("""
      local buffer = require('palimpsest.pages').current('cache').buffer
      local marks = vim.api.nvim_buf_get_extmarks(buffer, -1, { 0, 0 }, { 7, -1 }, { details = true })
      return vim.tbl_map(function(mark) return mark[4].hl_group end, marks)
    """)
    assert {"PalimpsestKindClass", "PalimpsestFree"} <= set(groups)
    nvim.keys(":tabedit palimpsest:/cache<CR>")
    until(lambda: "shop.cart.Cart" in "\n".join(nvim.lines), nvim.messages)
    before = nvim.text_of("cache")
    nvim.keys(":tabclose<CR>X")
    until(lambda: "the cache of this window is empty" in nvim.messages().casefold(), nvim.messages)
    # not that it shows nothing: what is at the cursor is decoded anew at once
    until(lambda: nvim.text_of("cache") != before, lambda: nvim.text_of("cache"))
    nvim.keys("q")
    nvim.until("return require('palimpsest.pages').current('cache') == nil")


def test_reports_are_in_buffers(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys(":Palimpsest status<CR>")
    nvim.until("return vim.bo.filetype == 'palimpsest-status'")
    text = "\n".join(nvim.lines)
    assert "model" in text
    assert "serve" in text
    nvim.keys("q:Palimpsest statistics<CR>")
    nvim.until("return vim.bo.filetype == 'palimpsest-statistics'")
    assert any("sent nowhere" in line for line in nvim.lines)
    assert not any("{" in line for line in nvim.lines)
    nvim.keys("q:Palimpsest doctor<CR>")
    nvim.until("return vim.bo.filetype == 'palimpsest-doctor'")
    until(lambda: any("model" in line for line in nvim.lines), nvim.messages)
    nvim.keys("q:Palimpsest log<CR>")
    nvim.until("return vim.fn.expand('%:t') == 'server.log'")


def test_a_model_is_chosen_among_those_that_are_here_and_those_that_can_be_fetched(start: Start) -> None:
    nvim = start(WITHOUT_ENGINE)
    nvim.attached()
    nvim.lua("""
      vim.ui.select = function(rows, options)
        _G.asked = { options.prompt, unpack(vim.tbl_map(options.format_item, rows)) }
      end
      return true
    """)
    nvim.keys(":Palimpsest model<CR>")
    prompt, *rows = nvim.until("return _G.asked")
    assert prompt.startswith("Which model? Recommended for this machine: ")
    of = {row.split(":")[0]: row for row in rows}
    assert "to be fetched" not in of["The small model in the package"]
    assert "in use" not in of["The small model in the package"], "no model is"
    assert "[to be fetched" in of["Qwen2.5 Coder 3B"]


def test_every_command_of_the_table_is_there_and_completed(start: Start) -> None:
    nvim = start()
    nvim.attached()
    titles = nvim.lua("return vim.tbl_map(function(c) return c.title end, require('palimpsest.generated').commands)")
    there = nvim.lua("return vim.tbl_map(function(c) return c.title end, require('palimpsest.commands').all())")
    assert there == titles
    assert nvim.lua("return vim.fn.getcompletion('Palimpsest edit.', 'cmdline')") == [
        "edit.instruction", "edit.alternatives", "edit.accept", "edit.reject", "edit.again", "edit.continue",
    ]  # fmt: skip
    assert nvim.lua("return vim.fn.getcompletion('Palimpsest toggle f', 'cmdline')") == ["folder"]
    nvim.lua("""
      vim.o.lines = 100
      vim.ui.select = function(all, it, done)
        _G.menu, _G.choose = vim.tbl_map(it.format_item, all), function(n) done(all[n]) end
      end
      return true
    """)
    nvim.keys(":Palimpsest<CR>")
    nvim.until("return _G.menu ~= nil")
    assert nvim.lua("return _G.menu") == titles
    nvim.lua("vim.o.lines, _G.menu = 30, nil return true")
    nvim.keys(":Palimpsest<CR>")
    nvim.until("return _G.menu ~= nil")
    rows = nvim.lua("return _G.menu")
    assert len(rows) < 27, "what does not fit on the screen is in rows that lead on"
    nvim.lua(f"_G.choose({rows.index('Edit …') + 1}) return true")
    first = titles.index("Edit Here")
    assert nvim.lua("return _G.menu") == titles[first : first + 7]


def test_help_finds_the_manual_and_each_command_and_setting(start: Start, nvim_tools: Path) -> None:
    nvim = start(f"vim.cmd.helptags([[{PLUGIN}/doc]])", program=nvim_tools / "nvim-0.11")
    for tag in ("palimpsest", ":Palimpsest-edit.again", "palimpsest-completion.max_tokens", "palimpsest-keys"):
        nvim.lua(f"vim.cmd.help('{tag}') return true")
        assert nvim.lua("return vim.fn.expand('%:t')") == "palimpsest.txt"
        assert f"*{tag}*" in nvim.line or f"*{tag}*" in "\n".join(nvim.lines)


def test_what_others_find_wrong_is_context_until_it_is_gone(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys("/totla<CR>")
    nvim.lua("""
      _G.linter = vim.api.nvim_create_namespace('linter')
      local found = { lnum = vim.fn.line('.') - 1, col = 4, message = 'totla is not defined', source = 'linter' }
      vim.diagnostic.set(_G.linter, 0, { found })
      return true
    """)
    nvim.keys(":Palimpsest context<CR>")

    def shown() -> str:
        nvim.lua("require('palimpsest.pages').refresh('context') return true")
        return nvim.text_of("context")

    until(lambda: "shop/cart.py problems" in shown(), shown)
    nvim.lua("vim.diagnostic.reset(_G.linter) return true")
    until(lambda: "shop/cart.py" in shown() and "shop/cart.py problems" not in shown(), shown)
