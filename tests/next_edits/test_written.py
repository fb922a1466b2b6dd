"""When a model made for next edits is asked, and for how long what it wrote holds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from palimpsest.config.settings import CompletionSettings, EngineSettings, NextEditSettings
from palimpsest.errors import EngineLoading
from palimpsest.models import next_edit_models
from palimpsest.models.files import embedded
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.next_edits.written import COOL_S
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.window.events import DocumentClosed, DocumentOpened, FilesChanged, NextEditModelFailed, StatusChanged

from .writing import CODE, Window, a_window, asked_about, within

EDITED = CODE.replace("width = 1", "total_width = 1")
FOLLOWED = EDITED.replace("print(width)", "print(total_width)")
MORE = FOLLOWED.replace("print(height)", "print(total_width, height)")

OF_NO_USE = "what the model wrote is of no use:"


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Window]:
    async with a_window(tmp_path) as it:
        yield it


def edited(window: Window, code: str = CODE, name: str = "shapes.txt") -> str:
    uri = window.open(code, name)
    window.put(uri, 0, 0, "total_width", taken=5)
    return uri


async def offered(window: Window, uri: str, writes: str = FOLLOWED, line: int = 0) -> NextEdit:
    window.model.writes = writes
    found = await window.next(uri, line)
    assert found is not None, window.why_not
    return found


def counted(window: Window) -> tuple[int, int, int]:
    """Shown, accepted, rejected."""
    found = window.session.services.statistics.report(days=1)["by_kind"].get("nextEdit")
    return (0, 0, 0) if found is None else (found["shown"], sum(found["accepted"].values()), found["rejected"])


# What holds ---------------------------------------------------------------------------------------------------------


async def test_it_holds_while_the_person_types_what_it_says(window: Window) -> None:
    """Complaint: it flickers while I type, and the one that is shown is another one each time."""
    uri = edited(window)
    first = await offered(window, uri)
    assert (first.range.start, first.text) == (Position(2, 6), "total_width")
    for n, letter in enumerate("total_"):
        window.put(uri, 2, 6 + n, letter)
        found = await window.next(uri, 2)
        assert found is not None
        assert (found.id, found.snapshot.version) == (first.id, 3 + n)
        if letter != "_":
            assert (found.range.start, found.range.end) == (Position(2, 7 + n), Position(2, 7 + n))
            assert window.made(found) == FOLLOWED
        if n == 4:
            assert found.text == "_"
            break
    assert len(window.model.asked) == 1


async def test_what_was_typed_and_taken_back_changes_nothing(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    window.put(uri, 2, 6, "t")
    window.put(uri, 2, 6, "", taken=1)
    found = await window.next(uri, 2)
    assert found is not None
    assert (found.id, found.range, found.text) == (first.id, first.range, first.text)
    assert len(window.model.asked) == 1


@pytest.mark.parametrize("change", [(2, 6, "x"), (3, 0, "# "), (0, 0, "\n")])
async def test_anything_else_that_is_typed_ends_it(window: Window, change: tuple[int, int, str]) -> None:
    """Complaint: an edit stays on screen, or is made, where the text is another one by now."""
    uri = edited(window)
    first = await offered(window, uri)
    window.put(uri, *change)
    window.model.writes = window.text(uri)
    assert await window.next(uri, 2) is None
    assert len(window.model.asked) == 2
    assert window.session.next_edits.mark_shown(first.id) is None, "its id is still known"


async def test_an_edit_of_another_document_leaves_it_alone(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    other = window.open("x = 1\n", "other.txt")
    window.put(other, 0, 4, "2", taken=1)
    found = await window.next(uri)
    assert found is not None
    assert (found.id, len(window.model.asked)) == (first.id, 1)


async def test_a_client_that_sends_whole_lines_or_the_whole_text_may_type_it_too(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    window.change(uri, ContentChange(Range(Position(2, 0), Position(3, 0)), "print(towidth)\n"))
    window.change(uri, ContentChange(None, EDITED.replace("print(width)", "print(totalwidth)")))
    found = await window.next(uri, 2)
    assert found is not None
    assert (found.id, found.text, window.made(found)) == (first.id, "_", FOLLOWED)


async def test_lines_end_as_they_do_in_the_document_also_in_what_is_left(window: Window) -> None:
    """Complaint: a CRLF file gets edits that are never right, or lines of two kinds."""
    code = CODE.replace("\n", "\r\n")
    uri = edited(window, code)
    wanted = FOLLOWED.replace("print(height)", "print(1)\nprint(2)\nprint(height)")
    first = await offered(window, uri, wanted, 3)
    assert first.text == "total_width)\r\nprint(1)\r\nprint(2"
    assert window.made(first) == wanted.replace("\n", "\r\n")
    window.put(uri, 2, 6, "total_")
    found = await window.next(uri, 3)
    assert found is not None
    assert (found.id, window.made(found)) == (first.id, wanted.replace("\n", "\r\n"))


async def test_typed_to_its_end_it_counts_as_accepted_and_is_not_offered_again(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    window.session.next_edits.mark_shown(first.id)
    await window.until_asked(2)  # what follows
    for n, letter in enumerate("total_"):
        window.put(uri, 2, 6 + n, letter)
    assert window.text(uri) == FOLLOWED
    assert counted(window) == (1, 0, 0)
    assert await window.next(uri, 2) is None
    assert counted(window) == (1, 1, 0)
    assert (await window.next(uri, 2), counted(window)) == (None, (1, 1, 0))


async def test_one_that_nobody_saw_was_not_accepted(window: Window) -> None:
    uri = edited(window)
    await offered(window, uri)
    window.put(uri, 2, 6, "total_")
    await window.next(uri, 2)
    assert counted(window) == (0, 0, 0)


async def test_an_accepted_one_counts_once_with_what_it_put_in(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    window.make(first)
    await window.session.next_edits.accept(first.id)
    await window.next(uri, 2)
    assert counted(window) == (1, 1, 0)
    assert window.session.services.statistics.report(days=1)["by_kind"]["nextEdit"]["characters"] == len(first.text)


async def test_another_one_takes_its_place_only_where_the_person_went(window: Window) -> None:
    """Within the lines that the model looked at, what it said of them holds."""
    code = f"{CODE}{''.join(f'x{n} = {n}' + chr(10) for n in range(40))}"
    uri = edited(window, code)
    first = await offered(window, uri, "\n".join([*FOLLOWED.split("\n")[:4], *code.split("\n")[4:11]]))
    found = await window.next(uri, 10)
    assert found is not None
    assert (found.id, len(window.model.asked)) == (first.id, 1)
    window.model.writes = "\n".join(f"x{n} = {n}" if n != 30 else "x30 = 3000" for n in range(16, 37))
    found = await window.next(uri, 30)
    assert found is not None
    assert (found.range.start.line, len(window.model.asked)) == (34, 2)
    again = await window.next(uri, 30)
    assert again is not None
    assert (again.id, len(window.model.asked)) == (found.id, 2)


# One under way, one waiting -----------------------------------------------------------------------------------------


async def test_the_newest_request_is_answered_and_the_others_get_nothing(window: Window) -> None:
    code = f"{CODE}{''.join(f'x{n} = {n}' + chr(10) for n in range(40))}"
    uri = edited(window, code)
    window.model.free.clear()
    first = window.asking(uri)
    await window.until_asked()
    second, third = window.asking(uri, 20), window.asking(uri, 40)
    await window.until_asked(2)
    assert len(window.model.ended) == 1
    window.model.writes = "\n".join(f"x{n} = {n}" if n != 30 else "x30 = 3000" for n in range(26, 40)) + "\n"
    window.model.free.set()
    assert await first is None
    assert await second is None
    found = await third
    assert found is not None
    assert found.range.start.line == 34
    assert len(window.model.asked) == 2


async def test_whoever_asks_the_same_again_waits_for_the_same_answer(window: Window) -> None:
    uri = edited(window)
    window.model.writes = FOLLOWED
    window.model.free.clear()
    first = window.asking(uri)
    await window.until_asked()
    second = window.asking(uri)
    for _ in range(5):
        await asyncio.sleep(0)
    window.model.free.set()
    found = await second
    assert found is not None
    assert found == await first
    assert len(window.model.asked) == 1


async def test_nobody_who_is_given_an_edit_by_trees_waits_for_a_model(window: Window) -> None:
    uri = edited(window)
    window.model.free.clear()
    waiting = window.asking(uri)
    await window.until_asked()
    code = window.open("def area(radius):\n    return radius\n\n\nprint(area(1))\n", "shapes.py")
    window.put(code, 0, 4, "circle_area", taken=4)
    found = await within(window.next(code))
    assert found is not None
    assert found.kind == "rename"
    assert not waiting.done()
    window.model.free.set()
    await waiting


async def test_a_request_that_is_cancelled_ends_what_the_model_writes(window: Window) -> None:
    uri = edited(window)
    window.model.free.clear()
    waiting = window.asking(uri)
    await window.until_asked()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    window.model.free.set()
    await offered(window, uri)
    assert len(window.model.ended) == 1


# What is let be for a while -----------------------------------------------------------------------------------------


async def test_a_line_that_it_had_nothing_for_is_let_be_for_five_seconds(window: Window) -> None:
    uri = edited(window)
    window.model.writes = EDITED
    assert await window.next(uri) is None
    window.model.writes = FOLLOWED
    window.now += COOL_S - 0.1
    assert await window.next(uri) is None
    assert "less than 5 seconds ago" in window.why_not
    assert len(window.model.asked) == 1
    window.now += 0.2
    assert await window.next(uri) is not None


async def test_neither_a_person_who_asks_nor_another_line_nor_a_new_text_is_held_back(window: Window) -> None:
    uri = edited(window)
    window.model.writes = EDITED
    for n, line in enumerate((0, 1), 1):
        assert await window.next(uri, line) is None
        assert len(window.model.asked) == n
    assert await window.next(uri, invoked=True) is None
    assert len(window.model.asked) == 3
    window.put(uri, 1, 0, "x")
    await window.next(uri)
    assert len(window.model.asked) == 4


async def test_after_a_rejection_nothing_comes_for_five_seconds_and_that_one_never(window: Window) -> None:
    """Complaint: what I have dismissed comes back."""
    uri = edited(window)
    first = await offered(window, uri)
    window.session.next_edits.dismiss(first.id)
    assert await window.next(uri, 3) is None
    assert "dismissed" in window.why_not
    window.now += COOL_S
    assert await window.next(uri, 3) is None
    assert "dismissed before" in window.why_not
    window.put(uri, 2, 6, "to")  # no part of it either
    assert await window.next(uri, 2) is None
    assert len(window.model.asked) == 3
    window.now += COOL_S
    other = await offered(window, uri, EDITED.replace("print(width)", "print(to_width)"), 2)
    assert other.id != first.id
    assert counted(window) == (1, 0, 1)


async def test_what_the_engine_could_not_do_is_tried_again(window: Window) -> None:
    uri = edited(window)
    window.model.error = EngineLoading("The model is still being loaded.")
    assert await window.next(uri) is None
    assert window.why_not == "The model is still being loaded."
    window.model.error = None
    await offered(window, uri)


# Where it is not asked ----------------------------------------------------------------------------------------------


async def test_nothing_after_undo_or_redo_until_something_is_typed(window: Window) -> None:
    """Complaint: it comes at the wrong moment, while I go back and forth."""
    uri = edited(window)
    window.model.writes = FOLLOWED
    window.put(uri, 1, 9, "00")
    for text, taken in (("", 2), ("00", 0)):  # undo, redo
        window.put(uri, 1, 9, text, taken=taken)
        assert await window.next(uri) is None
        assert "after undo" in window.why_not
    assert not window.model.asked
    await window.next(uri, invoked=True)
    assert len(window.model.asked) == 1
    window.put(uri, 1, 11, "1")
    await window.next(uri)
    assert len(window.model.asked) == 2


async def test_nothing_in_a_merge_conflict(window: Window) -> None:
    uri = edited(window, f"{CODE}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n")
    for invoked in (False, True):
        assert await window.next(uri, invoked=invoked) is None
        assert "merge conflict" in window.why_not
    assert not window.model.asked
    window.change(uri, ContentChange(Range(Position(4, 0), Position(9, 0)), "b\n"))
    await window.next(uri)
    assert len(window.model.asked) == 1


async def test_nothing_in_comments_where_completions_are_quiet_there(tmp_path: Path) -> None:
    async with a_window(tmp_path, CompletionSettings(quiet_in=("comments",))) as window:
        uri = window.open("# of a shape\nwidth = 1\nprint(width)\n", "shapes.py")
        window.put(uri, 0, 12, "s")
        assert await window.session.next_edits.next(uri, Position(0, 8)) is None
        assert window.why_not == "none in comments (completion.quiet_in)"
        assert not window.model.asked
        await window.next(uri, 1)
        await window.session.next_edits.next(uri, Position(0, 8), invoked=True)
        assert len(window.model.asked) == 2


async def test_an_engine_elsewhere_is_said_to_have_none(window: Window) -> None:
    """Complaint: there are none, and nothing says why."""
    told = list[str]()
    window.session.events.on(NextEditModelFailed, lambda event: told.append(event.why))
    supervisor = window.session.services.supervisor
    elsewhere = EngineSettings(kind="llama-server", url="http://127.0.0.1:1")
    supervisor.target = replace(supervisor.target, settings=elsewhere, next_edit_model=None)
    uri = edited(window)
    for _ in range(2):
        assert await window.next(uri) is None
    assert told == [str(next_edit_models.ELSEWHERE)]
    assert window.why_not == told[0]
    assert not window.model.asked


async def test_the_reason_why_there_is_none_is_kept_until_there_is_one(window: Window) -> None:
    """Complaint: there are none, and nothing says why."""
    changes = list[str]()
    window.session.events.on(StatusChanged, lambda _: changes.append(window.why_not))
    uri = window.open()
    assert await window.next(uri) is None
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = EDITED
    assert await window.next(uri) is None
    window.model.writes = FOLLOWED
    assert await window.next(uri, 2) is not None
    services = window.session.services
    services.toggle("nextEdit", "everywhere", "", False)
    assert await window.next(uri, 2) is None
    said = [why for n, why in enumerate(changes) if why != changes[n - 1]]
    assert said == ["nothing was edited yet", f"{OF_NO_USE} it changes nothing", "", "switched off"]


async def test_the_file_of_the_model_is_not_looked_at_on_the_event_loop(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect = next_edit_models.inspect

    def inspected(name: str) -> next_edit_models.NextEditModelFile | None:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return inspect(name)

    # no door: on which thread a file is looked at
    monkeypatch.setattr(next_edit_models, "inspect", inspected)
    await offered(window, edited(window))


# What follows -------------------------------------------------------------------------------------------------------


async def test_what_follows_is_asked_while_one_is_shown_and_answered_at_once(window: Window) -> None:
    uri = edited(window)
    window.model.knows = {FOLLOWED: MORE}
    first = await offered(window, uri)
    assert len(window.model.asked) == 1
    for _ in range(3):
        window.session.next_edits.mark_shown(first.id)
    await window.until_asked(2)
    ahead = window.model.asked[1]
    assert ahead.slot == "background"
    assert ahead.sync is not None
    assert ahead.sync.slot == "background"
    assert asked_about(ahead) == FOLLOWED
    window.put(uri, 2, 6, "to")  # typing it changes nothing of what follows
    found = await window.next(uri, 2)
    assert found is not None
    window.make(found)
    window.model.free.clear()  # whoever asks now waits for ever
    second = await within(window.session.next_edits.accept(first.id))
    assert second is not None
    assert second.id != first.id
    assert window.made(second) == MORE
    assert len(window.model.asked) == 2


async def test_who_accepts_before_it_is_there_waits_for_it_alone(window: Window) -> None:
    uri = edited(window)
    window.model.knows = {FOLLOWED: MORE}
    first = await offered(window, uri)
    window.model.free.clear()
    window.session.next_edits.mark_shown(first.id)
    await window.until_asked(2)
    window.make(first)
    accepting = asyncio.create_task(window.session.next_edits.accept(first.id))
    await asyncio.sleep(0)
    window.model.free.set()
    second = await accepting
    assert second is not None
    assert window.made(second) == MORE
    assert len(window.model.asked) == 2


@pytest.mark.parametrize("how", ["typed", "dismissed", "closed", "asked elsewhere"])
async def test_what_follows_is_let_go_where_the_text_goes_elsewhere(window: Window, how: str) -> None:
    code = f"{CODE}{''.join(f'x{n} = {n}' + chr(10) for n in range(40))}"
    uri = edited(window, code)
    first = await offered(window, uri, "\n".join([*FOLLOWED.split("\n")[:4], *code.split("\n")[4:11]]))
    window.model.free.clear()
    window.session.next_edits.mark_shown(first.id)
    await window.until_asked(2)
    asking = None
    if how == "typed":
        window.put(uri, 2, 6, "x")
    elif how == "dismissed":
        window.session.next_edits.dismiss(first.id)
    elif how == "closed":
        window.session.events.emit(DocumentClosed(uri))
    else:
        asking = window.asking(uri, 40)
        await window.until_asked(3)
    async with asyncio.timeout(60):
        while len(window.model.ended) < 1:
            await asyncio.sleep(0.001)
    assert window.model.ended[0] is window.model.asked[1]
    window.model.free.set()
    if asking is not None:
        await asking


async def test_a_text_that_shows_a_secret_is_not_asked_about_ahead(window: Window) -> None:
    uri = edited(window)
    first = await offered(window, uri, FOLLOWED.replace("total_width)", f"'ghp_{'A1b2C3d4' * 5}')"))
    window.session.next_edits.mark_shown(first.id)
    window.make(first)
    await window.session.next_edits.accept(first.id)
    assert not any("ghp_" in f"{request.text}{request.sync}" for request in window.model.asked[1:2])


# What nobody would want ---------------------------------------------------------------------------------------------


async def test_blanks_before_an_edit_are_no_edit_of_their_own(window: Window) -> None:
    """Complaint: it only deletes white space."""
    uri = edited(window, CODE.replace("height = 2", "height  =  2\n\n\n"))
    found = await offered(window, uri, FOLLOWED.replace("height = 2", "height = 2\n\n\n"))
    assert (found.range.start.line, found.text) == (5, "total_width")


async def test_what_the_person_changed_some_edits_ago_is_not_brought_back(window: Window) -> None:
    """Complaint: it undoes what I have just done."""
    uri = edited(window)
    window.put(uri, 1, 9, "30", taken=1)
    window.put(uri, 3, 6, "30 + ")
    window.model.writes = window.text(uri).replace("total_width = 1", "width = 1").replace("print(width)", "print(2)")
    assert await window.next(uri) is None
    assert "back" in window.why_not


@pytest.mark.parametrize("is_open_again", [True, False])
async def test_one_that_is_accepted_after_its_document_was_closed_is_followed_from_a_line_that_there_is(
    window: Window, is_open_again: bool
) -> None:
    """Complaint: the key that makes an edit is answered with an internal error."""
    other = window.open("one\ntwo\n", "other.txt")
    window.put(other, 0, 0, "zero")
    uri = window.open("x = 1\n" * 60)
    window.put(uri, 50, 4, "22", taken=1)
    assert await window.next(uri, 50) is None
    asked = asked_about(window.model.asked[-1])
    window.model.knows[asked] = f"{asked}\ny = 3"
    found = await window.next(uri, 50, invoked=True)
    assert found is not None
    path = window.root.parent / "models" / "zeta-2-test.gguf"
    shutil.copy(embedded(), path)
    services = window.session.services
    services.settings = replace(services.settings, next_edit=NextEditSettings(model=str(path)))
    window.session.events.emit(DocumentClosed(uri))
    if is_open_again:
        window.session.events.emit(DocumentOpened(Snapshot(uri, 1, "plaintext", "x = 1\n")))
    assert await window.session.next_edits.accept(found.id) is None
    assert len(window.model.asked) == 3


async def test_lines_longer_than_any_answer_are_not_asked_about(window: Window) -> None:
    """Complaint: in a file with a line of a megabyte the model works at each pause, for nothing."""
    uri = window.open(f"{CODE}{CODE}x = '{'abc def ' * 130_000}'\n")
    window.put(uri, 0, 0, "total_width", taken=5)
    assert await window.next(uri) is None
    assert (window.why_not, window.model.asked) == ("the model cannot be asked about these lines", [])


async def test_lines_that_no_model_can_write_are_not_asked_about(window: Window) -> None:
    """Complaint: half a character, which an editor may hold, was to be replaced by another one."""
    uri = window.open()
    window.put(uri, 0, 0, "total_width = '\udc80'  # ", taken=5)
    assert await window.next(uri) is None
    assert (window.why_not, window.model.asked) == ("the model cannot be asked about these lines", [])


async def test_of_lines_elsewhere_the_model_reads_no_secret(window: Window) -> None:
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    uri = window.open(CODE + "x = 1\n" * 30 + f"y = '{key}'\n" + "x = 1\n" * 30)
    window.put(uri, 0, 0, "total_width", taken=5)
    await window.next(uri)
    assert window.model.asked
    assert not any(key in f"{request.text}{request.sync}" for request in window.model.asked)


async def test_lines_with_a_secret_are_not_asked_about(window: Window) -> None:
    """Complaint: my key is `...` after an edit."""
    uri = window.open(CODE.replace("height = 2", "height = 'q7Zp3" + "vK9xT2mW8rB4nL6'"))
    window.put(uri, 0, 0, "total_width", taken=5)
    assert await window.next(uri) is None
    assert window.model.asked == []


def several(window: Window) -> tuple[str, str]:
    uri = edited(window)
    return uri, EDITED.replace("print(width)", "print(total_width)\nprint(2)\nprint(3)")


async def test_the_rest_of_what_was_dismissed_does_not_come_back(window: Window) -> None:
    """Complaint: of several lines I typed the first and dismissed the others, and they came again."""
    uri, wanted = several(window)
    first = await offered(window, uri, wanted)
    window.change(uri, ContentChange(first.range, "total_width)\nprint("))
    rest = await window.next(uri, 3)
    assert rest is not None
    assert (rest.id, window.made(rest)) == (first.id, wanted)
    window.session.next_edits.dismiss(rest.id)
    window.now += COOL_S + 1
    for line in (2, 3):
        assert await window.next(uri, line) is None
        assert window.why_not == "it was accepted or dismissed before"
    assert counted(window) == (1, 0, 1)


async def test_a_client_that_sends_the_whole_document_may_say_that_it_made_the_edit(window: Window) -> None:
    """Complaint: each acceptance is an error."""
    window.model.knows = {EDITED: FOLLOWED, FOLLOWED: MORE}
    uri = edited(window)
    found = await window.next(uri)
    assert found is not None
    window.change(uri, ContentChange(None, window.made(found)))
    after = await window.session.next_edits.accept(found.id)
    assert after is not None
    assert (window.made(after), counted(window)) == (MORE, (1, 1, 0))


async def test_the_last_keys_of_a_longer_edit_are_not_taken_back(window: Window) -> None:
    """Complaint: what I have just typed is to go again."""
    uri = edited(window)
    before = window.text(uri)
    window.put(uri, 0, len("total_width = 1"), " + 1")
    window.model.writes = before
    assert await window.next(uri) is None
    assert window.why_not == f"{OF_NO_USE} it brings back an earlier text"


# A person who wants none --------------------------------------------------------------------------------------------


def switch(window: Window, *, on: bool) -> None:
    window.session.services.toggle("nextEdit", "everywhere", "", on)


def ignore(window: Window, uri: str) -> None:
    (window.root / ".palimpsestignore").write_text("shapes.txt\n")
    window.session.events.emit(FilesChanged((uri,)))


def snooze(window: Window, minutes: float = 5.0) -> None:
    window.session.services.snooze.start(minutes)


@pytest.mark.parametrize("way", ["switch", "ignore", "snooze"])
async def test_one_that_was_being_written_when_they_are_switched_off_is_not_shown(window: Window, way: str) -> None:
    """Complaint: I switch them off, and one more comes."""
    uri = edited(window)
    window.model.writes = FOLLOWED
    window.model.free.clear()
    asking = window.asking(uri)
    await window.until_asked()
    if way == "switch":
        switch(window, on=False)
    elif way == "ignore":
        ignore(window, uri)
    else:
        snooze(window)
    window.model.free.set()
    assert await asking is None
    assert {"switch": "switched off", "ignore": "is named in", "snooze": "snoozed"}[way] in window.why_not
    assert counted(window) == (0, 0, 0)


async def test_a_reason_goes_with_what_it_was_about(window: Window) -> None:
    """Complaint: the status says why there is none from a model, and there is no model any more."""
    uri = edited(window)
    switch(window, on=False)
    assert await window.next(uri) is None
    assert window.why_not == "switched off"
    switch(window, on=True)
    services = window.session.services
    services.settings = replace(services.settings, next_edit=NextEditSettings())
    assert await window.next(uri) is None
    assert window.why_not == ""


async def test_while_snoozed_they_come_to_a_person_who_asks_and_goes_on(window: Window) -> None:
    uri = edited(window)
    window.model.knows = {EDITED: FOLLOWED, FOLLOWED: MORE}
    snooze(window)
    assert await window.next(uri) is None
    assert (window.why_not, window.model.asked) == ("they are snoozed", [])
    found = await window.next(uri, invoked=True)
    assert found is not None
    window.make(found)
    after = await window.session.next_edits.accept(found.id)
    assert after is not None
    assert window.made(after) == MORE
    assert await window.next(uri, 3) is None
    snooze(window, 0)
    assert await window.next(uri, 3) is not None


async def test_what_the_trees_find_is_snoozed_too(window: Window) -> None:
    uri = edited(window, name="shapes.py")
    snooze(window)
    assert await window.next(uri) is None
    found = await window.next(uri, invoked=True)
    assert found is not None
    assert found.kind == "rename"


async def test_a_model_that_cannot_be_used_is_one_line_in_the_log(
    window: Window, caplog: pytest.LogCaptureFixture
) -> None:
    """Complaint: a missing file is told twice."""
    told = list[str]()
    window.session.events.on(NextEditModelFailed, lambda event: told.append(event.why))
    services = window.session.services
    uri = edited(window)
    services.settings = replace(services.settings, next_edit=NextEditSettings(model="/nowhere/zeta.gguf"))
    with caplog.at_level("INFO"):
        for _ in range(2):
            assert await window.next(uri) is None
    assert [window.why_not] == told  # whoever hears it writes the line
    assert "zeta.gguf" not in caplog.text
