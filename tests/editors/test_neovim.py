"""The documents' snippets for Neovim, in Neovim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.documents import snippet
from tests.editors.answers import command, said, tell
from tests.editors.conftest import Neovim, until

CONFIGURATION = snippet("lua", "vim.lsp.enable", "inline_completion")
MORE = snippet("lua", "CursorHold")
NEXT_EDIT = snippet("lua", "palimpsest/nextEdit")
SIDEKICK = snippet("lua", "sidekick")
LIKE_SIDEKICK = """
package.preload.sidekick = function()
  return {
    setup = function() end,
    nes_jump_or_apply = function()
      local buffer, said = vim.api.nvim_get_current_buf(), {}
      local client = vim.tbl_filter(function(one)
        return one.name:lower():find("copilot")
      end, vim.lsp.get_clients({ bufnr = buffer }))[1]
      local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
      params.textDocument.version = vim.lsp.util.buf_versions[buffer]
      params.context = { triggerKind = 2 }
      client:request("textDocument/copilotInlineEdit", params, function(_, answer)
        local edit = answer.edits[1]
        assert(edit.textDocument.version == vim.lsp.util.buf_versions[buffer])
        vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, buffer, client.offset_encoding)
        client:exec_cmd(edit.command, { bufnr = buffer })
      end)
      return true
    end,
  }
end
"""
"""What sidekick.nvim asks and does with the answer, in short: it cannot be fetched here."""
STATUS = """
vim.lsp.handlers["palimpsest/status"] = function(_, status) _G.status = status end
"""
WITHOUT_ENGINE = """
vim.lsp.config("palimpsest", { init_options = { engine = { kind = "none" } } })
"""
GHOST = """
local space = vim.api.nvim_get_namespaces()["nvim.lsp.inline_completion"]
if not space then return {} end
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, part in ipairs(mark[4].virt_text or {}) do table.insert(found, part[1]) end
end
return found
"""
Start = Callable[[str, str], Neovim]


@pytest.fixture
def start(editors: Path, folder: Path) -> Iterator[Start]:
    opened: list[Neovim] = []

    def begin(init: str, file: str) -> Neovim:
        editor = Neovim(editors / "nvim", folder, init, file)
        opened.append(editor)
        return editor

    yield begin
    for editor in opened:
        editor.close()


def test_the_configuration_shows_a_completion_and_tab_accepts_it(start: Start) -> None:
    nvim = start(CONFIGURATION + STATUS, "shop/cart.py")
    nvim.until("return _G.status and _G.status.kind == 'Normal'")
    nvim.keys("/total = self.subtotal<CR>oif self.disc")
    nvim.until(f"return #(function() {GHOST} end)() > 0")
    before = nvim.lua("return vim.api.nvim_get_current_line()")
    nvim.keys("<Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() ~= [[{before}]]")
    assert nvim.lua("return vim.api.nvim_get_current_line()").startswith(before)
    assert "Error" not in nvim.messages()
    nvim.keys("<Esc>Go<Tab>x<Esc>")
    assert nvim.lines[-1].strip() == "x", "where nothing is shown, Tab is itself"


@pytest.mark.parametrize(
    ("typed", "line"),
    [("", 'Decimal("0.0"))'), ('0"', 'Decimal("0.0"))'), ("75", 'Decimal("0.75'), ("<BS>", 'Decimal("0')],
    ids=["nothing", "what it says", "something else", "less"],
)
def test_with_the_configuration_tab_accepts_only_what_agrees_with_what_was_typed_since(
    start: Start, folder: Path, typed: str, line: str
) -> None:
    place = {"line": 0, "character": len('Decimal("0.')}
    item = {"insertText": '0"))', "filterText": '0"))', "range": {"start": place, "end": place}}
    tell(folder, **{"textDocument/inlineCompletion": {"items": [item]}})
    words = ", ".join(f"[[{word}]]" for word in command(folder))
    nvim = start(CONFIGURATION + f"vim.lsp.config('palimpsest', {{ cmd = {{ {words} }} }})\n", "new.py")
    nvim.until("return #vim.api.nvim_get_autocmds({ event = 'CursorMovedI', buffer = 0 }) > 0")  # it asks from now on
    nvim.keys('iDecimal("0.')
    # an answer to what was asked between these keys stands where the line ended then, and is shown in part
    nvim.until(f"return (function() {GHOST} end)()[1] == [[{item['insertText']}]]")
    nvim.lua("vim.lsp.get_clients()[1].request = function() return true, 0 end return true")  # no answer comes now
    nvim.keys(f"{typed}<Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{line}]]")
    nvim.lua("vim.wait(100) return true")  # it is inserted behind the key
    assert nvim.lines == [line]
    assert "Error" not in nvim.messages()


@pytest.mark.slow(part="editors")
def test_the_cursor_is_told_where_it_rests(start: Start) -> None:
    nvim = start(CONFIGURATION + MORE + STATUS, "shop/cart.py")
    nvim.until("return _G.status and _G.status.kind == 'Normal'")
    nvim.keys("/def total<CR>")
    nvim.lua("vim.cmd.doautocmd('CursorHold') return true")
    place = "{ uri = vim.uri_from_bufnr(0), position = { line = vim.fn.line('.') - 1, character = 4 } }"
    told = f"""
      local client = vim.lsp.get_clients({{ name = 'palimpsest' }})[1]
      local request = {{ command = 'palimpsest.context.show', arguments = {{ {place} }} }}
      local answer = client:request_sync('workspace/executeCommand', request, 5000, 0)
      return answer and answer.result and answer.result.editing and answer.result.editing.name == 'Cart.total'
    """
    nvim.until(told)
    assert "Error" not in nvim.messages()


@pytest.mark.slow(part="editors")
def test_next_edits_are_jumped_to_and_accepted_one_after_the_other(start: Start) -> None:
    nvim = start(CONFIGURATION + WITHOUT_ENGINE + NEXT_EDIT, "shop/cart.py")
    nvim.until("return #vim.lsp.get_clients({ name = 'palimpsest' }) == 1")
    nvim.keys("/def subtotal<CR>wcwsum_of_lines<Esc>")
    assert sum("self.subtotal()" in line for line in nvim.lines) == 1
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('self.subtotal') ~= nil")
    assert sum("self.subtotal()" in line for line in nvim.lines) == 1, "it jumps first"
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('self.sum_of_lines') ~= nil")
    assert "E5108" not in nvim.messages()


@pytest.mark.slow(part="editors")
def test_a_change_made_twice_is_made_once_more_by_the_key(start: Start) -> None:
    nvim = start(CONFIGURATION + WITHOUT_ENGINE + NEXT_EDIT, "shop/cart.py")
    nvim.until("return #vim.lsp.get_clients({ name = 'palimpsest' }) == 1")
    before = nvim.lines
    nvim.keys("gg/def price<CR>f>wcwfloat<Esc>/def subtotal<CR>f>wcwfloat<Esc>")
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('def total') ~= nil")
    nvim.keys("<Tab>")
    wanted = [line.replace("self) -> int:", "self) -> float:") for line in before]
    until(lambda: nvim.lines == wanted, nvim.messages)
    assert "E5108" not in nvim.messages()


@pytest.mark.slow(part="editors")
def test_the_key_for_next_edits_asks_as_a_person_does(start: Start, folder: Path) -> None:
    tell(folder, **{"palimpsest/nextEdit": {"edits": [], "total": 0}})
    words = ", ".join(f"[[{word}]]" for word in command(folder))
    own = f"vim.lsp.config('palimpsest', {{ cmd = {{ {words} }} }})\n"
    nvim = start(CONFIGURATION + own + NEXT_EDIT, "shop/cart.py")
    nvim.until("return vim.lsp.get_clients()[1] and next(vim.lsp.get_clients()[1].attached_buffers) ~= nil")
    nvim.keys("<Tab>")
    until(lambda: said(folder, "palimpsest/nextEdit"), nvim.messages)
    assert said(folder, "palimpsest/nextEdit")[0]["params"]["trigger"] == "invoked"


@pytest.mark.slow(part="editors")
def test_a_next_edit_in_another_file_is_opened_and_accepted(start: Start) -> None:
    nvim = start(CONFIGURATION + WITHOUT_ENGINE + NEXT_EDIT, "shop/cart.py")
    nvim.until("return #vim.lsp.get_clients({ name = 'palimpsest' }) == 1")
    nvim.keys("/def total<CR>wcwgrand_total<Esc>")
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('self.total') ~= nil")
    nvim.keys("<Tab>")
    nvim.until("return vim.fn.expand('%:t') == 'order.py'")
    nvim.until("return vim.api.nvim_get_current_line():find('cart.total') ~= nil")
    nvim.until("return #vim.lsp.get_clients({ bufnr = 0, name = 'palimpsest' }) == 1")
    nvim.keys("<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('cart.grand_total') ~= nil")
    assert "E5108" not in nvim.messages()


@pytest.mark.slow(part="editors")
def test_sidekicks_configuration_makes_the_next_edit(start: Start) -> None:
    without_engine = WITHOUT_ENGINE.replace('"palimpsest"', '"palimpsest-copilot"')
    nvim = start(LIKE_SIDEKICK + SIDEKICK + without_engine, "shop/cart.py")
    nvim.until("return #vim.lsp.get_clients({ name = 'palimpsest-copilot' }) == 1")
    nvim.until("return vim.lsp.get_clients()[1].initialized and next(vim.lsp.get_clients()[1].attached_buffers) ~= nil")
    nvim.keys("/def subtotal<CR>wcwsum_of_lines<Esc>")
    assert sum("self.subtotal()" in line for line in nvim.lines) == 1
    nvim.keys("<Tab>")
    nvim.until("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true)):find('self.sum_of_lines') ~= nil")
    assert "rror" not in nvim.messages()
