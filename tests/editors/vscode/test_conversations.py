"""Conversations in VS Code: their documents with lenses, the view beside them, refs written to files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error as BrowserError

from palimpsest.conversations.transcript.reading import parse
from tests.e2e.scripted import Scripted, scripted
from tests.editors.vscode.conftest import CART, Open
from tests.editors.vscode.window import SOON_MS, Window

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(600)]

NAME = "talk.palimpsest.md"
ASKED = "## user\n\nhow are prices rounded, see [[prices]]\n"
CODE = "def rounded(price):\n    return round(price, 2)"
REPLY = f'Like this:\n\n<ref id="rounding" lang="python">\n{CODE}\n</ref>\n\nThat is all.'
TREE = ".pane-body .monaco-list-row"
PANES = ".pane-header"
LENS = ".codelens-decoration a"
EDITOR = ".editor-instance .view-lines"


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = [REPLY]
        yield it
        it.free.set()


def begin(open_window: Open, engine: Scripted, file: str = NAME) -> Window:
    def prepare(folder: Path) -> None:
        (folder / NAME).write_text(ASKED, encoding="utf-8")
        (folder / "prices.md").write_text("# Prices\n\nAll prices are in cents.\n", encoding="utf-8")

    of_engine = {"palimpsest__engine__kind": "openai", "palimpsest__engine__url": engine.url}
    window = open_window(file, prepare, **of_engine, palimpsest__completion__trigger="manual")
    window.ready()
    return window


def greeted(open_window: Open, engine: Scripted) -> Window:
    """With a new conversation in which "hello" is written, and not sent."""
    window = begin(open_window, engine, "prices.md")
    window.command("Palimpsest: New Conversation")
    window.until(lambda: "## user" in window.shown(EDITOR) and "Ln 8" in window.status_bar)
    window.type("hello")
    return window


def lens(window: Window, title: str) -> None:
    """Pressed, once it stays: lenses are drawn anew as the text changes."""

    def pressed() -> bool:
        with suppress(BrowserError):
            window.page.locator(LENS, has_text=title).first.click(timeout=SOON_MS)
            return True
        return False

    window.until(pressed)


def write(window: Window, text: str) -> None:
    """The next turn, not sent."""
    window.open(NAME)
    window.key("Control+End")
    window.type(text)
    window.until(lambda: text in window.shown(EDITOR) and "Send" in window.shown(LENS))


def row(window: Window, text: str) -> None:
    window.page.locator(TREE, has_text=text).first.click()


def answered(window: Window) -> None:
    lens(window, "Send")
    window.until(lambda: "Fork here" in window.shown(LENS))
    window.command("Palimpsest: Show Conversation")


def test_a_message_is_sent_by_its_lens_and_the_view_shows_what_the_reply_has(
    open_window: Open, engine: Scripted
) -> None:
    window = begin(open_window, engine)
    answered(window)
    window.until(lambda: all(one in window.shown(TREE) for one in ("Refs", "rounding", "Documents", "prices.md")))
    row(window, "rounding")
    window.page.locator('.tab.active[data-resource-name="rounding"]').wait_for()
    window.until(lambda: "def rounded(price):" in window.shown(EDITOR))
    window.until(lambda: "Python" in window.status_bar)  # in the colours of its language
    row(window, "prices.md")
    window.editor("prices.md")
    window.until(lambda: "All prices are in cents." in window.shown(EDITOR))


def test_what_is_typed_where_the_cursor_is_while_a_reply_comes_is_what_is_said_next(
    open_window: Open, engine: Scripted
) -> None:
    engine.free.clear()
    window = begin(open_window, engine)
    window.key("Control+End")
    window.command("Palimpsest: Send Message")
    window.until(lambda: "## assistant" in window.shown(EDITOR))
    window.type("typed meanwhile")
    engine.free.set()
    window.until(lambda: "That is all." in window.shown(EDITOR) and "Fork here" in window.shown(LENS))
    window.key("Control+s")
    file = window.folder / NAME
    window.until(lambda: "## assistant" in file.read_text(encoding="utf-8"))
    turns = [turn.text for turn in parse(file.read_text(encoding="utf-8")).turns]
    assert turns[::2] == ["how are prices rounded, see [[prices]]", "typed meanwhile"]


def test_a_ref_is_written_to_a_new_file_chosen_by_its_path(open_window: Open, engine: Scripted) -> None:
    window = begin(open_window, engine)
    answered(window)
    window.until(lambda: "rounding" in window.shown(TREE))
    window.command("Palimpsest: Write Ref or Descriptor to File")
    window.choose("rounding")
    window.choose("shop/rounding.py")
    window.choose("Write")
    made = window.folder / "shop" / "rounding.py"
    window.until(made.exists)
    assert made.read_text(encoding="utf-8").strip() == CODE


def test_a_new_conversation_is_a_document_of_no_file_that_is_sent_and_opened_again(
    open_window: Open, engine: Scripted
) -> None:
    window = greeted(open_window, engine)
    window.until(lambda: "Send" in window.shown(LENS))
    window.command("Palimpsest: Send Message")
    window.until(lambda: "That is all." in window.shown(EDITOR) and "Fork here" in window.shown(LENS))
    window.command("Palimpsest: Show Conversation")
    window.until(lambda: "rounding" in window.shown(TREE))
    window.command("Palimpsest: Keep a Checkpoint")
    window.page.locator(".quick-input-title", has_text="Keep a Checkpoint").wait_for()
    window.type("before lunch")
    window.key("Enter")
    window.until(lambda: "Checkpoints" in window.shown(TREE))
    window.open("prices.md")
    window.command("Palimpsest: Open Conversation")
    window.choose("hello")  # it is called by what was said first
    window.page.locator(".tab.active", has_text=".palimpsest.md").wait_for()


def test_a_fork_of_a_document_of_no_file_is_another_one_with_a_place_and_the_cursor_where_one_writes(
    open_window: Open, engine: Scripted
) -> None:
    window = greeted(open_window, engine)
    window.command("Palimpsest: Send Message")
    window.until(lambda: "Fork here" in window.shown(LENS))
    lens(window, "Fork here")
    window.page.locator('.tab.active[data-resource-name="hello-fork.palimpsest.md"]').wait_for()
    window.until(lambda: "That is all." in window.shown(EDITOR))
    window.type("and more")
    window.key("Control+s")
    made = window.folder / "hello-fork.palimpsest.md"
    window.until(lambda: made.is_file() and made.read_text(encoding="utf-8").endswith("## user\n\nand more"))


def test_the_view_takes_no_room_before_there_is_a_conversation_and_the_context_stays_that_of_the_code(
    open_window: Open, engine: Scripted
) -> None:
    window = begin(open_window, engine, CART)
    window.at(CART, "total = self.subtotal()")
    window.command("Palimpsest: Show Context")
    window.until(lambda: "Cart.total" in window.shown(TREE))
    assert "Conversation" not in window.shown(PANES)
    window.open(NAME)
    lens(window, "Send")
    window.until(lambda: "Fork here" in window.shown(LENS))
    window.until(lambda: "Conversation" in window.shown(PANES) and "rounding" in window.shown(TREE))
    window.until(lambda: "function at the cursor" in window.shown(TREE))
    assert CART in window.shown(PANES)
    window.command("Palimpsest: Show the Graph of Documents")
    window.page.locator(".tab.active", has_text="Documents of Conversations").wait_for()
    window.command("Palimpsest: Show Context")
    window.until(lambda: "function at the cursor" in window.shown(TREE))
    assert "def subtotal" in "\n".join(message["content"] for message in engine.asked[-1]["messages"])


def test_what_was_allowed_for_good_is_forgotten(open_window: Open, engine: Scripted) -> None:
    engine.replies = [REPLY, 'ref_to_file(ref_id="rounding", file_path="rounding.py")', "It is written."]
    window = begin(open_window, engine)
    answered(window)
    write(window, "Write it.")
    lens(window, "Send")
    window.page.locator(".notification-list-item .monaco-button", has_text="Always allow").click()
    window.until((window.folder / "rounding.py").is_file)
    window.command("Palimpsest: Have the Model Ask Again")
    chosen = window.page.locator(".quick-input-list .monaco-list-row", has_text="may write new files")
    chosen.locator(".monaco-custom-toggle, input[type=checkbox]").first.click()
    window.page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.until(lambda: "the model asks again" in window.notifications)
    window.command("Palimpsest: Have the Model Ask Again")
    window.until(lambda: "nothing is allowed or refused for good" in window.notifications)


def test_the_context_that_is_opened_from_a_conversation_is_that_of_the_code_before_it(
    open_window: Open, engine: Scripted
) -> None:
    window = begin(open_window, engine, CART)
    window.at(CART, "total = self.subtotal()")
    window.open(NAME)
    window.command("Palimpsest: Show Context")
    window.until(lambda: "Cart.total" in window.shown(TREE))


@pytest.mark.parametrize("by_lens", [True, False], ids=["lens", "command"])
def test_the_turn_that_is_sent_goes_up_so_that_the_reply_is_seen(
    open_window: Open, engine: Scripted, by_lens: bool
) -> None:
    engine.replies = ["A line.\n\n" * 60 + "The end of it.", "And on.\n\n" * 10]
    window = begin(open_window, engine)
    answered(window)
    window.open(NAME)
    window.key("Control+End")
    window.until(lambda: "The end of it." in window.shown(EDITOR))
    write(window, "Go on.")
    if by_lens:
        lens(window, "Send")
    else:
        window.command("Palimpsest: Send Message")
    window.until(lambda: "And on." in window.shown(EDITOR))


def test_a_conversation_goes_back_to_a_checkpoint_by_keys_alone(open_window: Open, engine: Scripted) -> None:
    window = begin(open_window, engine)
    answered(window)
    window.command("Palimpsest: Keep a Checkpoint")
    window.page.locator(".quick-input-title", has_text="Keep a Checkpoint").wait_for()
    window.type("before lunch")
    window.key("Enter")
    window.until(lambda: "Checkpoints" in window.shown(TREE))
    engine.replies = ["Something else."]
    write(window, "What else?")
    window.command("Palimpsest: Send Message")
    window.until(lambda: "Something else." in window.shown(EDITOR))
    window.command("Palimpsest: Go Back to a Checkpoint")
    window.choose("before lunch")
    window.page.locator(".monaco-dialog-box .monaco-button", has_text="Go Back").click()
    window.until(lambda: "What else?" not in window.shown(EDITOR) and "ref:rounding" in window.shown(EDITOR))
