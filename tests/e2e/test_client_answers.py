"""What a client answers to the server's own requests: late, null, an error, never, twice, for an id nobody knows, or
nonsense.  Nothing of that is shown to a person, and nothing waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from .raw import SILENCE, Raw
from .scripted import scripted
from .test_suggest_trust import FIX, reply

ALL = {
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceEdit": {"documentChanges": True},
    },
}
OFF = [{"completion": {"enabled": False}, "engine": {"kind": "none"}}]
HERE = {"line": 0, "character": 0}


@pytest.fixture
async def client() -> AsyncIterator[Raw]:
    it = await Raw.start()
    yield it
    await it.stop()


async def enabled(client: Raw) -> bool:
    """`completion.enabled`, told by a switch that nobody has touched yet."""
    fresh = Path(f"/nowhere/{len(client.came)}.py")
    answer = await client.command(
        "palimpsest.completion.toggle", {"scope": "buffer", "uri": await client.open(fresh, "")}
    )
    return not answer["result"]["enabled"]


async def test_the_first_answer_counts_though_documents_were_opened_before_it_came(client: Raw, shop: Path) -> None:
    await client.begin(shop, **ALL)
    asked = await client.notified("workspace/configuration")
    uri = await client.open(shop / "shop" / "cart.py")
    where = {"textDocument": {"uri": uri}, "position": HERE, "context": {"triggerKind": 2}}
    waiting = await client.ask("textDocument/inlineCompletion", where)
    assert not any(m.get("method") == "palimpsest/status" for m in client.came), "no session yet"
    await client.reply(asked["id"], OFF)
    assert (await client.answer(waiting))["result"]["items"] == []
    assert not await enabled(client)
    statuses = [m["params"]["message"] for m in client.came if m.get("method") == "palimpsest/status"]
    assert statuses
    assert all("without an engine" in text for text in statuses), "no session had other settings"


async def test_a_late_answer_counts_and_an_older_one_than_the_last_does_not(client: Raw, shop: Path) -> None:
    await client.begin(shop, {"engine": {"kind": "none"}}, **ALL)
    first = await client.notified("workspace/configuration")
    assert await enabled(client), "after a moment without an answer, work begins"
    await client.reply(first["id"], OFF)
    assert not await enabled(client)

    client.asked.clear()
    for _ in range(2):
        await client.notify("workspace/didChangeConfiguration", {"settings": None})
    while len(client.asked) < 2:
        await asyncio.sleep(0.02)
    older, newer = client.asked
    await client.reply(newer["id"], [None])  # nothing is set any more
    assert await enabled(client)
    await client.reply(older["id"], OFF)
    assert await enabled(client)


@pytest.mark.parametrize("answer", [None, [], [3], 3, "no", {"a": 1}, [{"completion": 3}], ValueError("unknown")])
async def test_an_answer_that_says_nothing_is_as_good_as_none(client: Raw, shop: Path, answer: Any) -> None:
    client.answers = dict.fromkeys(("workspace/configuration", "client/registerCapability"), answer)
    await client.begin(shop, {"engine": {"kind": "none"}}, **ALL)
    assert await enabled(client)
    assert all("Setting completion" in text for text in client.shown)
    await client.leave()
    assert b"Traceback" not in client.errors


WAYS = ["late", "null", "an error", "never", "twice", "an unknown id", "nonsense"]


@pytest.mark.parametrize("way", WAYS)
async def test_progress_an_edit_and_a_question_that_are_answered_in_any_way(
    client: Raw, shop: Path, machine: dict[str, str], way: str
) -> None:
    """Every question of the server's is answered so; what was asked for comes, or an error that says why not."""
    with scripted() as engine:
        engine.replies = [reply(FIX)]
        settings = {"engine": {"kind": "openai", "url": engine.url}, "suggestion": {"confirm": "always"}}
        await client.begin(shop, settings, **ALL)
        configuration = await client.notified("workspace/configuration")
        await client.reply(configuration["id"], [None])
        await client.ready()
        uri = await client.open(shop / "shop" / "cart.py")
        line = (shop / "shop" / "cart.py").read_text(encoding="utf-8").split("\n").index("        return total") - 1
        asked = {"uri": uri, "position": {"line": line, "character": 20}}

        found = await client.ask("workspace/executeCommand", {"command": "palimpsest.suggest", "arguments": [asked]})
        token = await client.notified("window/workDoneProgress/create")
        await answered(client, token, way, None)
        suggestions = (await client.answer(found))["result"]["suggestions"]  # it waits for no answer
        if way == "late":
            await client.reply(token["id"], None)

        for method, yes in (
            ("window/showMessageRequest", {"title": "Apply"}),
            ("workspace/applyEdit", {"applied": False, "failureReason": "no thanks"}),
        ):
            argument = {"id": suggestions[0]["id"], "confirmed": method == "workspace/applyEdit"}
            accept = {"command": "palimpsest.suggest.accept", "arguments": [argument]}
            waiting = await client.ask("workspace/executeCommand", accept)
            question = await client.notified(method)
            client.answers["workspace/applyEdit"] = {"applied": False, "failureReason": "no thanks"}
            await answered(client, question, way, yes)
            if way in ("never", "an unknown id", "late"):
                await client.notify("$/cancelRequest", {"id": waiting})
            answer = await client.answer(waiting)
            assert "error" in answer or answer["result"]["applied"] is False, answer
            assert "data" not in answer.get("error", {})
            if way == "late":
                await client.reply(question["id"], yes)
            client.answers.clear()
            client.came = [m for m in client.came if m.get("method") != "workspace/applyEdit"]

    again = await client.command("palimpsest.stats")
    assert "since" in again["result"]
    reasons = ("Palimpsest: The edit was not made: ", "Palimpsest: Your editor cannot ask; ")
    assert all(text.startswith(reasons) for text in client.shown), client.shown
    await client.leave()
    assert b"Traceback" not in client.errors, client.errors.decode()


async def test_an_edit_that_is_made_counts_though_the_editor_never_says_so(
    client: Raw, shop: Path, machine: dict[str, str]
) -> None:
    """As ALE for Vim does."""
    with scripted() as engine:
        engine.replies = [reply(FIX)]
        settings = {"engine": {"kind": "openai", "url": engine.url}, "suggestion": {"confirm": "never"}}
        await client.begin(shop, settings)
        await client.ready()
        file = shop / "shop" / "cart.py"
        text = file.read_text(encoding="utf-8")
        uri = await client.open(file)
        position = {"line": text.split("\n").index("        return total") - 1, "character": 20}
        asked = {"command": "palimpsest.suggest.apply", "arguments": [{"uri": uri, "position": position}]}
        waiting = await client.ask("workspace/executeCommand", asked)
        question = await client.notified("workspace/applyEdit")
        lines = text.split("\n")
        for edit in sorted(question["params"]["edit"]["changes"][uri], key=lambda e: -e["range"]["start"]["line"]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            tail = lines[end["line"]][end["character"] :]
            lines[start["line"] : end["line"] + 1] = (
                lines[start["line"]][: start["character"]] + edit["newText"] + tail
            ).split("\n")
        change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "\n".join(lines)}]}
        await client.notify("textDocument/didChange", change)
        answer = await client.answer(waiting)
        assert answer["result"]["applied"] is True
        await client.reply(question["id"], {"applied": True})
    assert client.shown == []
    await client.leave()
    assert b"Traceback" not in client.errors, client.errors.decode()


async def answered(client: Raw, question: dict[str, Any], way: str, yes: Any) -> None:
    given: dict[str, list[Any]] = {
        "null": [None],
        "an error": [ValueError("MethodNotFound")],
        "twice": [yes, yes],
        "nonsense": [[3, {"x": []}]],
    }
    for answer in given.get(way, [SILENCE]):
        await client.reply(question["id"], answer)
    if way == "an unknown id":
        await client.reply(12345, yes)
        await client.reply("of nobody", yes)
