"""Conversations in Neovim, with an engine whose replies are written here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.conversations.transcript.reading import parse
from tests.e2e.scripted import Scripted, scripted
from tests.editors.conftest import until
from tests.editors.nvim.conftest import Plugged, Start

pytestmark = pytest.mark.slow(part="editors")

CODE = "def is_free(total):\n    return total >= 50\n"
REPLY = f'A function:\n\n<ref id="is_free">\n{CODE}</ref>\n\nSee [[notes]].\n'


@pytest.fixture
def model() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = [REPLY, "And on."]
        yield it


def init(model: Scripted) -> str:
    return (
        "vim.treesitter.start = function() end\n"  # for Markdown it wants a parser that is not with this Neovim
        f"vim.g.palimpsest = {{ engine = {{ kind = 'openai', url = '{model.url}' }},"
        " completion = { trigger = 'manual' } }"
    )


@pytest.fixture
def nvim(start: Start, model: Scripted) -> Plugged:
    editor = start(init(model))
    editor.ready()
    return editor


def asked(nvim: Plugged, text: str) -> None:
    """A conversation in which this was asked and answered."""
    nvim.keys(":Palimpsest chat Postage<CR>")
    nvim.until("return vim.api.nvim_buf_get_name(0):find('Postage.palimpsest.md', 1, true) ~= nil")
    nvim.attached()
    nvim.keys(f"Go{text}<Esc>\\s")
    talk = "{ conversation = require('palimpsest.chats').id(0) }"

    def is_answered() -> bool:
        """All of it is there: the place to write next is so from the first."""
        if "## assistant" not in text_of(nvim):
            return False
        opened = nvim.command("palimpsest.conversation.open", talk)
        if "text" not in opened:  # was refused once while the first turn came; `until` gives up where it stays
            return False
        kept = opened["text"].partition("## user")[2].strip()
        return bool(parse(text_of(nvim)).turns[1].text) and text_of(nvim).partition("## user")[2].strip() == kept

    until(is_answered, nvim.messages)


def text_of(nvim: Plugged) -> str:
    return "\n".join(nvim.lines)


def test_a_conversation_is_begun_sent_and_opened_again(nvim: Plugged, model: Scripted, folder: Path) -> None:
    asked(nvim, "When is it free?")
    assert "When is it free?" in model.asked[-1]["messages"][-1]["content"]
    assert CODE in text_of(nvim)
    assert "<ref" not in text_of(nvim)
    assert not (folder / "work" / "Postage.palimpsest.md").exists(), "it is no file until it is written"
    nvim.keys("GoGo on.<Esc>:Palimpsest conversation.send<CR>")
    until(lambda: "And on." in text_of(nvim), nvim.messages)
    assert "Workspace edit" not in nvim.messages(), "nothing is said of each piece of the reply"
    nvim.keys(":w<CR>:bdelete<CR>:Palimpsest chat Postage<CR>")
    until(lambda: "And on." in text_of(nvim), nvim.messages)
    assert nvim.lua("return vim.bo.buftype") == ""


def test_what_is_typed_at_the_end_while_a_reply_comes_is_what_is_said_next(nvim: Plugged, model: Scripted) -> None:
    model.free.clear()
    nvim.keys(":Palimpsest chat Postage<CR>")
    nvim.until("return vim.api.nvim_buf_get_name(0):find('Postage.palimpsest.md', 1, true) ~= nil")
    nvim.attached()
    nvim.keys("GoWhen is it free?<Esc>\\s")
    until(lambda: "## assistant" in text_of(nvim), nvim.messages)
    nvim.keys("Gotyped meanwhile")
    until(lambda: text_of(nvim).endswith("typed meanwhile"), nvim.messages)
    model.free.set()
    until(lambda: "Refs: ref:is_free" in text_of(nvim), nvim.messages)
    assert [turn.text for turn in parse(text_of(nvim)).turns][::2] == ["When is it free?", "typed meanwhile"]


def test_lenses_and_folds_come_from_the_server(nvim: Plugged) -> None:
    asked(nvim, "When is it free?")
    nvim.until("""
      local lenses = vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = 0 } or 0)
      for _, one in ipairs(lenses) do
        if (one.lens or one).command.title == 'Fork here' then return true end
      end
      return false
    """)
    nvim.keys("gg/^## assistant<CR>")
    nvim.until("return vim.fn.foldlevel('.') > 0")  # they come behind the text
    nvim.keys("zc")
    nvim.until("return vim.fn.foldclosed('.') > 0")


def test_refs_and_documents_are_in_the_location_list(nvim: Plugged, folder: Path) -> None:
    (folder / "work" / "notes.md").write_text("# Notes\n\nOrders above 50 are free.\n", encoding="utf-8")
    asked(nvim, "See [[notes]]: when is it free?")
    nvim.keys(":Palimpsest conversation.refs<CR>")
    nvim.until("return vim.bo.buftype == 'quickfix' and vim.fn.getline(1):find('is_free', 1, true) ~= nil")
    nvim.keys("<CR>")
    until(lambda: text_of(nvim) == CODE.rstrip("\n"), nvim.messages)
    assert nvim.lua("return { vim.bo.filetype, vim.bo.modifiable, vim.bo.buftype }") == ["python", False, "nofile"]
    nvim.keys(":Palimpsest conversation.documents<CR>")
    nvim.until("return vim.bo.buftype == 'quickfix' and vim.fn.getline(1):find('notes', 1, true) ~= nil")
    nvim.keys("<CR>")
    until(lambda: "Orders above 50" in text_of(nvim), nvim.messages)


def test_a_ref_is_written_to_a_file_and_inserted(nvim: Plugged, folder: Path) -> None:
    asked(nvim, "When is it free?")
    nvim.lua("""
      vim.ui.select = function(items, _, done) done(items[1]) end
      vim.ui.input = function(_, done) done('shop/postage.py') end
      return true
    """)
    nvim.keys(":Palimpsest conversation.write<CR>")
    written = folder / "work" / "shop" / "postage.py"
    until(lambda: written.exists() and written.read_text(encoding="utf-8") == CODE, nvim.messages)
    nvim.keys("gg:Palimpsest conversation.insert<CR>")
    until(lambda: "def is_free(total):" in nvim.lines[1:3], nvim.messages)


def test_a_link_to_a_ref_opens_it_and_it_follows_the_conversation(nvim: Plugged) -> None:
    asked(nvim, "When is it free?")
    talk = nvim.lua("return require('palimpsest.chats').id(0)")
    nvim.keys(f":split palimpsest:/ref/{talk}/is_free<CR>")
    until(lambda: text_of(nvim) == CODE.rstrip("\n"), nvim.messages)
    nvim.command("palimpsest.refs.add", f"{{ conversation = '{talk}', ref_id = 'is_free', content = 'new' }}")
    until(lambda: text_of(nvim) == "new", nvim.messages)
    nvim.keys(":Palimpsest conversation.usage<CR>")
    until(lambda: "messages" in text_of(nvim) and "░" in text_of(nvim), nvim.messages)


def test_without_a_conversation_the_commands_say_what_to_do(nvim: Plugged) -> None:
    nvim.keys(":Palimpsest conversation.refs<CR>")
    until(lambda: "open a conversation first" in nvim.messages(), nvim.messages)


def test_a_conversation_goes_back_to_a_checkpoint(nvim: Plugged) -> None:
    asked(nvim, "When is it free?")
    nvim.lua("""
      vim.ui.input = function(_, done) done('before') end
      vim.ui.select = function(items, _, done)
        done(vim.iter(items):find(function(one) return one.label == 'before' end))
      end
      return true
    """)
    nvim.keys(":Palimpsest conversation.checkpoint<CR>")
    talk = nvim.lua("return require('palimpsest.chats').id(0)")
    until(lambda: nvim.command("palimpsest.checkpoint.list", f"{{ conversation = '{talk}' }}")["count"], nvim.messages)
    nvim.keys("GoGo on.<Esc>\\s")
    until(lambda: "And on." in text_of(nvim), nvim.messages)
    nvim.keys(":Palimpsest conversation.restore<CR>")
    until(lambda: "And on." not in text_of(nvim) and CODE in text_of(nvim), nvim.messages)
    assert "is kept as checkpoint" in nvim.messages()


def test_what_was_allowed_for_good_is_forgotten(nvim: Plugged, model: Scripted, folder: Path) -> None:
    model.replies = [REPLY, 'ref_to_file(ref_id="is_free", file_path="free.py")', "It is written."]
    asked(nvim, "When is it free?")
    nvim.lua("""
      vim.lsp.handlers["window/showMessageRequest"] = function(_, params)
        return vim.iter(params.actions):find(function(one) return one.title:find("Always") ~= nil end)
      end
      vim.ui.select = function(items, _, done) done(items[1]) end
      return true
    """)
    nvim.keys("GoWrite it.<Esc>\\s")
    until(lambda: "It is written." in text_of(nvim), nvim.messages)
    assert (folder / "work" / "free.py").read_text() == CODE
    (one,) = nvim.command("palimpsest.permissions.list")["permissions"]
    assert (one["what"], one["allowed"]) == ("write", True)
    nvim.keys(":Palimpsest conversation.permissions<CR>")
    until(lambda: not nvim.command("palimpsest.permissions.list")["permissions"], nvim.messages)
    nvim.keys(":Palimpsest conversation.permissions<CR>")
    until(lambda: "nothing is allowed or refused for good" in nvim.messages(), nvim.messages)


def test_a_conversation_is_compacted_and_the_person_hears_who_wrote_the_summary(nvim: Plugged) -> None:
    asked(nvim, "When is it free?")
    assert nvim.lua("return vim.wo.linebreak"), "prose is broken at words"
    nvim.lua("vim.ui.input = function(_, done) done('') end return true")
    nvim.keys("\\c")
    until(lambda: "a summary, written by rules, stands for what was said" in nvim.messages(), nvim.messages)


def test_the_status_says_what_the_conversation_takes(nvim: Plugged) -> None:
    asked(nvim, "When is it free?")
    nvim.keys(":Palimpsest status<CR>")
    until(lambda: "when blocks change" in text_of(nvim), lambda: text_of(nvim))


@pytest.mark.parametrize("send", ["\\s", ":lua vim.lsp.codelens.run()<CR>"], ids=["key", "lens"])
def test_the_turn_that_is_sent_goes_up_so_that_the_reply_is_seen(nvim: Plugged, model: Scripted, send: str) -> None:
    model.replies = ["A line.\n\n" * 40, "And on.\n\n" * 20]
    asked(nvim, "When is it free?")
    nvim.keys("GoGo on.<Esc>")
    nvim.until("""
      local lenses = vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = 0 } or 0)
      for _, one in ipairs(lenses) do
        local lens = one.lens or one
        if lens.command.title == 'Send' then
          vim.api.nvim_win_set_cursor(0, { lens.range.start.line + 1, 0 })
          vim.cmd('normal! zb')
          return true
        end
      end
      return false
    """)
    nvim.keys(send)
    until(lambda: "And on." in text_of(nvim), nvim.messages)
    nvim.until("""
      vim.cmd.redraw()
      local shown = vim.api.nvim_buf_get_lines(0, vim.fn.line('w0') - 1, vim.fn.line('w$'), false)
      return vim.tbl_contains(shown, 'And on.')
    """)


@pytest.mark.parametrize("file", ["+", "shop/cart.py"], ids=["no file", "the first moment"])
def test_a_conversation_can_be_begun_before_there_is_a_server(start: Start, model: Scripted, file: str) -> None:
    asked(start(init(model), file), "When is it free?")


def test_a_folder_that_nothing_marks_is_the_workspace_of_its_conversations(
    start: Start, model: Scripted, folder: Path
) -> None:
    (folder / "work" / "pyproject.toml").unlink()
    (folder / "work" / "notes.md").write_text("# Notes\n\nFree from 50 on.\n", encoding="utf-8")
    nvim = start(init(model))
    asked(nvim, "When is it free, see [[notes]]?")
    assert "Free from 50 on." in model.asked[-1]["messages"][-1]["content"]
    assert "workspace: work\n" in text_of(nvim)
    nvim.keys(":Palimpsest conversation.checkpoint<CR>noon<CR>")
    until(lambda: "kept as checkpoint noon" in nvim.messages(), nvim.messages)
