"""Typing, grey text, and accepting all of it or a part."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.config.settings import described
from tests.e2e.scripted import scripted
from tests.editors.conftest import until
from tests.editors.nvim.conftest import Plugged, Start

INLINE = "textDocument/inlineCompletion"
NATIVE = "vim.g.palimpsest = { inline = { backend = 'native' } }\n"
SLOW = pytest.mark.slow(part="editors")
BACKENDS = ["own", pytest.param("native", marks=SLOW)]
TYPED = "/total = self.subtotal<CR>owhile self.disc"


def accepted(nvim: Plugged) -> dict[str, int]:
    found: dict[str, int] = nvim.command("palimpsest.stats")["accepted"]
    return found


@pytest.fixture(params=[*BACKENDS, pytest.param("0.11", marks=SLOW)])
def nvim(start: Start, nvim_tools: Path, request: pytest.FixtureRequest) -> Plugged:
    """Ready, with ours, with Neovim's own inline completion, and where there is none but ours."""
    program = nvim_tools / "nvim-0.11" if request.param == "0.11" else None
    editor = start(NATIVE if request.param == "native" else "", program=program)
    editor.ready()
    return editor


def test_a_word_a_line_and_all_are_accepted_and_counted(nvim: Plugged, request: pytest.FixtureRequest) -> None:
    before = accepted(nvim)
    nvim.keys(TYPED)
    text = nvim.ghost()
    shown = nvim.ghost_now()
    assert shown
    assert ("nvim.lsp" in shown[0]) == ("native" in request.node.name)
    start = nvim.line
    nvim.keys("<M-Right>")
    nvim.until(f"return vim.api.nvim_get_current_line() ~= [[{start}]]")
    word = nvim.line.removeprefix(start)
    assert word
    assert text.startswith(word)
    assert word + nvim.ghost() == text, "the rest stays on the screen"
    nvim.keys("<M-End>")
    line = text.split("\n")[0]
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{start + line}]]")
    until(lambda: sum(accepted(nvim).values()) == sum(before.values()) + 2, nvim.messages)
    assert accepted(nvim)["word"] == before["word"] + 1
    nvim.keys("<Esc>u")
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{start + word}]]")
    nvim.keys("u")
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{start}]]")


ANSWERS = """
local one = vim.lsp.get_clients({ name = "palimpsest" })[1]
local request = one.request
one.request = function(self, method, params, handler, buffer)
  if method ~= "textDocument/inlineCompletion" then
    return request(self, method, params, handler, buffer)
  end
  local line, column = params.position.line, params.position.character
  local range = { start = { line = line, character = column - 4 }, ["end"] = params.position }
  vim.schedule(function()
    handler(nil, { items = { { insertText = "disco_light", range = range } } }, { client_id = one.id, bufnr = buffer })
  end)
  return true, 0
end
return true
"""
TOLD = """
local one = vim.lsp.get_clients({ name = "palimpsest" })[1]
local at = vim.lsp.util.make_position_params(0, one.offset_encoding)
local document = { uri = at.textDocument.uri, version = vim.lsp.util.buf_versions[vim.fn.bufnr()] + (%d) }
require("palimpsest.completion").on_told(nil, { textDocument = document, position = at.position })
return true
"""


def test_told_of_another_completion_it_asks_again_where_the_cursor_is_still_there(nvim: Plugged) -> None:
    nvim.keys(TYPED)
    text = nvim.ghost()
    assert text != "o_light"
    nvim.lua(ANSWERS)
    nvim.lua(TOLD % 1)  # of a later version than the one that is here
    nvim.lua("vim.wait(500) return true")
    assert nvim.ghost_now()[1] == text
    nvim.lua(TOLD % 0)
    until(lambda: (nvim.ghost_now() or ["", ""])[1] == "o_light", nvim.messages)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_no_longer_agrees_goes_with_the_key(start: Start, backend: str) -> None:
    """No answer comes meanwhile that would take it away."""
    nvim = start(NATIVE if backend == "native" else "")
    nvim.ready()
    nvim.keys(TYPED)
    text = nvim.ghost()
    nvim.lua("vim.lsp.get_clients()[1].request = function() return true, 0 end return true")
    nvim.keys(text[0].replace("<", "<lt>"))
    until(lambda: (nvim.ghost_now() or ["", ""])[1] == text[1:], nvim.messages)
    nvim.keys("#")
    until(lambda: nvim.ghost_now() is None, nvim.messages)
    nvim.keys("#")
    nvim.lua("vim.wait(50) return true")
    assert nvim.ghost_now() is None


@pytest.mark.slow(part="editors")
def test_text_that_is_typed_as_it_is_shown_is_not_left_behind(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys(TYPED)
    text = nvim.ghost()
    before = nvim.line
    nvim.keys(text[:2].replace("<", "<lt>"))
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{before + text[:2]}]]")
    assert nvim.ghost() == text[2:]
    nvim.keys("<Tab>")
    nvim.until(f"return vim.api.nvim_get_current_line() == [[{before + text}]]")


@pytest.mark.slow(part="editors")
def test_asked_by_hand_there_are_alternatives_to_go_through(start: Start) -> None:
    nvim = start("vim.g.palimpsest = { completion = { trigger = 'manual' } }")
    nvim.ready()
    nvim.count_requests()
    nvim.keys(TYPED)
    nvim.until("return vim.fn.mode() == 'i'")
    nvim.lua("vim.wait(400) return true")
    assert nvim.requests(INLINE) == 0, "nobody asked"
    nvim.keys("<M-Bslash>")
    nvim.ghost()
    until(lambda: nvim.requests(INLINE) == 2, nvim.messages)  # it is told that there are others by now
    nvim.until("return require('palimpsest.shown').count() > 1")
    first = nvim.ghost()
    nvim.keys("<M-]>")
    until(lambda: (nvim.ghost_now() or ["", first])[1] != first, nvim.messages)
    nvim.keys("<M-[>")
    until(lambda: (nvim.ghost_now() or ["", ""])[1] == first, nvim.messages)
    nvim.keys("<C-]>")
    until(lambda: nvim.ghost_now() is None, nvim.messages)


@pytest.mark.slow(part="editors")
def test_switched_off_nothing_is_requested(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.count_requests()
    for scope, back in (("buffer", "buffer on"), ("everywhere", "everywhere on")):
        nvim.keys(f":Palimpsest toggle {scope} off<CR>")
        nvim.until("return not require('palimpsest.switches').completes(0)")
        sent = nvim.requests(INLINE)
        nvim.keys(TYPED)
        nvim.lua("vim.wait(600) return true")
        assert nvim.requests(INLINE) == sent
        assert nvim.ghost_now() is None
        assert "off here" in nvim.lua("return require('palimpsest').statusline()")
        nvim.keys(f"<Esc>u:Palimpsest toggle {back}<CR>")
        nvim.until("return require('palimpsest.switches').completes(0)")
    nvim.keys(TYPED)
    nvim.ghost()


@pytest.mark.slow(part="editors")
def test_settings_take_effect_at_once(start: Start) -> None:
    nvim = start()
    nvim.ready()
    nvim.keys(TYPED)
    nvim.ghost()
    nvim.keys("<Esc>u")
    nvim.lua("require('palimpsest').setup({ completion = { disabled_languages = { 'python' } } }) return true")
    nvim.count_requests()
    nvim.keys(TYPED)
    nvim.lua("vim.wait(600) return true")
    assert nvim.requests(INLINE) == 0
    nvim.keys("<Esc>u")
    nvim.lua("require('palimpsest').setup({ completion = { disabled_languages = {}, max_tokens = 4 } }) return true")
    nvim.command("palimpsest.stats")  # by then the server has asked for the settings, and was answered
    nvim.keys(TYPED)
    assert nvim.ghost() == "ount is"


@pytest.mark.slow(part="editors")
def test_a_setting_of_any_section_reaches_the_server(start: Start) -> None:
    nvim = start()
    nvim.ready()
    sections = {setting.name.partition(".")[0] for setting in described()}
    given = ", ".join(f"{section} = {{ nonsense = 1 }}" for section in sorted(sections))
    nvim.lua(f"require('palimpsest').setup({{ {given} }}) return true")
    told = "the server says which settings it does not know"
    until(
        lambda: all(f"{section}.nonsense" in nvim.messages() for section in sections), lambda: (told, nvim.messages())
    )


@pytest.mark.slow(part="editors")
def test_tab_is_what_it_was_where_nothing_is_shown(start: Start) -> None:
    nvim = start(
        """
        vim.g.palimpsest = { completion = { trigger = 'manual' }, engine = { kind = 'none' } }
        vim.keymap.set('i', '<Tab>', function() return 'global' end, { expr = true })
        vim.api.nvim_create_autocmd('BufReadPost', { pattern = '*/item.py', callback = function()
          vim.keymap.set('i', '<Tab>', function() vim.api.nvim_put({ 'local' }, 'c', true, true) end, { buffer = 0 })
        end })
        """
    )
    nvim.attached()
    nvim.keys("Go<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('global$') ~= nil")
    nvim.keys("<Esc>:e! shop/item.py<CR>")
    nvim.attached()
    nvim.keys("Go<Tab>")
    nvim.until("return vim.api.nvim_get_current_line():find('local$') ~= nil")
    nvim.keys("<Esc>:iunmap <lt>Tab><CR>:e! shop/order.py<CR>")
    nvim.attached()
    nvim.keys("Gox<Tab>y<Esc>")
    nvim.until("return vim.api.nvim_get_current_line():find('x%s+y$') ~= nil")


@pytest.mark.slow(part="editors")
def test_a_completion_menu_keeps_its_keys(start: Start) -> None:
    nvim = start("vim.opt.completeopt = 'menuone,noselect'")
    nvim.ready()
    nvim.keys(TYPED)
    nvim.ghost()
    nvim.keys("<C-n>")
    nvim.until("return vim.fn.pumvisible() == 1")
    assert nvim.lua("return vim.fn.maparg('<Tab>', 'i', false, true).desc").startswith("Palimpsest")
    before = nvim.lines
    nvim.keys("<C-e><Esc>")
    nvim.until("return vim.fn.mode() == 'n'")
    assert len(nvim.lines) == len(before)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_accepted_completion_brings_its_import(start: Start, backend: str) -> None:
    """The reply is written by the test.  Before the index is complete nobody knows where the name is from."""
    with scripted() as engine:
        settings = f"engine = {{ kind = 'openai', url = '{engine.url}' }}"
        own = ", inline = { backend = 'native' }" if backend == "native" else ""
        nvim = start(f"vim.g.palimpsest = {{ {settings}{own} }}", "shop/discount.py")
        nvim.ready()
        engine.replies = ["t_price(total))\n"]

        def brought() -> bool:
            nvim.keys("<Esc>:e!<CR>/self.percent \\/\\/<CR>yyp^Cprint(forma")
            until(lambda: (nvim.ghost_now() or ["", ""])[1] == "t_price(total))", nvim.messages)
            nvim.keys("<Tab>")
            nvim.until("return vim.api.nvim_get_current_line() == '        print(format_price(total))'")
            nvim.lua("vim.wait(500) return true")  # the server's edit
            return nvim.lines[3] == "from shop.item import format_price"

        until(brought, nvim.messages)
        assert nvim.line == "        print(format_price(total))", "the cursor stays where it was"
