"""Compaction through a real server: with an engine whose replies are written here, and with the real one."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.compaction.grammar import ORDER, TEXTS
from palimpsest.conversations.lsp.conversation_host import BEGAN, ENDED
from palimpsest.conversations.prompts import COMPACTED
from palimpsest.conversations.transcript.reading import parse
from palimpsest.conversations.transcript.writing import BESIDE

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted

WRITTEN = {name: f"the {name}" if name in TEXTS else [f"one of {name}"] for name in ORDER}
LONG = "A long line about parcels, `round_to_cents` and src/shop/prices.py.\n" * 100
LAST = "The last request, word for word. " * 80 + "End."


@pytest.fixture
async def talk(
    machine: dict[str, str], shop: Path, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[Editor, Scripted]]:
    """A window whose engine says what a test wants."""
    (shop / "AGENTS.md").write_text("Prices are rounded to the cent.\n", encoding="utf-8")
    with scripted() as model:
        model.replies = ["Hello."]
        conversation = {"keep_results": 1, **getattr(request, "param", {})}
        it = await start_editor(shop, {"engine": {"kind": "openai", "url": model.url}, "conversation": conversation})
        await it.ready()
        yield it, model
        await stop_editor(it)


async def do(editor: Editor, command: str, **argument: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await editor.command(f"palimpsest.{command}", argument)
    return answer


def prompt(model: Scripted) -> str:
    return "\n".join(each["content"] for each in model.asked[-1]["messages"])


async def test_what_was_typed_and_given_is_sent_without_secrets_also_behind_a_compaction(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    said = "It says password=letmein2024 there."
    given = [{"kind": "terminal", "content": "DB_PASSWORD=winter1999\n"}]
    one = await do(editor, "ask", text=said, parts=given)
    model.replies = ["This is no summary.", "Going on."]
    done = await do(
        editor, "conversation.compact", conversation=one["conversation"], instruction="Keep pwd=summer2001."
    )
    assert done["written_by"] == "mechanical"
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    own = {"goal": "Use password=autumn2002 there.", "current_status": ""}
    await do(editor, "conversation.compact", conversation=one["conversation"], **own)
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    assert "<goal>Use password=... there.</goal>" in prompt(model)
    asked = str(model.asked)
    assert [word for word in ("letmein2024", "winter1999", "summer2001", "autumn2002") if word in asked] == []
    kept = str(await do(editor, "conversation.export", conversation=one["conversation"]))
    assert said in kept
    assert "DB_PASSWORD=..." in kept


async def test_the_model_writes_the_seven_fields_and_they_take_the_place_of_what_was_said(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Please mend `round_to_cents` in src/shop/prices.py, word for word.")
    model.replies = [json.dumps(WRITTEN), "Going on."]
    done = await do(editor, "conversation.compact", conversation=one["conversation"], instruction="Keep the numbers.")
    assert "Keep the numbers." in prompt(model)
    assert (done["status"], done["written_by"], done["summary"]["goal"]) == ("applied", "model", "the goal")
    assert "src/shop/prices.py" in done["summary"]["relevant_files_directories"]
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    said = prompt(model)
    assert "<goal>the goal</goal>" in said
    assert "Hello." not in said
    assert "Please mend `round_to_cents` in src/shop/prices.py, word for word." in said, "the last request"
    assert said.count("Prices are rounded to the cent.") == 1, "the rules are read again"
    assert "one of remember</exp>" in said, "what is to be remembered is an experience"
    kept = await do(editor, "conversation.export", conversation=one["conversation"])
    assert "Hello." in str(kept), "the person loses nothing"
    (point,) = (await do(editor, "checkpoint.list", conversation=one["conversation"]))["checkpoints"]
    assert point["automatic"]


async def test_where_the_model_fails_a_mechanical_summary_stands_in_and_says_so(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Mend `round_to_cents`.")
    model.replies = ["I would rather not."]
    done = await do(editor, "conversation.compact", conversation=one["conversation"])
    assert done["written_by"] == "mechanical"
    assert done["summary"]["goal"] == "Mend `round_to_cents`."


async def test_a_last_request_that_became_a_descriptor_is_told_by_its_beginning(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    pasted = "Look at this.\n" + "".join(f"line {i} of what was pasted\n" for i in range(1000)) + "The end."
    one = await do(editor, "ask", text=pasted)
    assert "line 100 of" in prompt(model), "the model reads a page of it at first"
    await do(editor, "conversation.compact", conversation=one["conversation"])
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    assert '<last_request>\n<fd_result fd="fd-1"' in prompt(model)
    assert "Look at this.\nline 0 of" in prompt(model)
    assert "line 100 of" not in prompt(model)


async def test_nothing_compacts_again_right_after_compacting(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Hello")
    model.replies = [json.dumps(WRITTEN), "Yes."]
    await do(editor, "conversation.compact", conversation=one["conversation"])
    with pytest.raises(JsonRpcException, match="nothing to compact"):
        await do(editor, "conversation.compact", conversation=one["conversation"])


async def test_a_long_conversation_is_compacted_by_itself_and_only_once(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text=LONG)
    await do(editor, "ask", text=LONG, conversation=one["conversation"])
    assert len(model.asked) == 2
    model.replies = [json.dumps(WRITTEN), "Compacted."]
    before = len(model.asked)
    answer = await do(editor, "ask", text=LAST, conversation=one["conversation"])
    assert (answer["reply"], len(model.asked) - before) == ("Compacted.", 2)
    assert "<goal>the goal</goal>" in prompt(model)
    assert model.asked[-1]["messages"][-1]["content"].endswith(LAST)
    assert COMPACTED not in prompt(model), "nobody asked for it"
    await do(editor, "ask", text="And now?", conversation=one["conversation"])
    assert len(model.asked) - before == 3


async def test_a_compaction_that_nobody_asked_for_is_seen_in_the_progress_and_in_the_document(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    reports = editor.client.progress_reports["mine"] = []

    @editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.apply([one for one in params.edit.document_changes or [] if isinstance(one, lsp.TextDocumentEdit)])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    uri = editor.open("talk.palimpsest.md", LONG)
    for _ in range(2):
        await do(editor, "conversation.send", uri=uri)
        await until(lambda: editor.texts[uri].endswith("Hello.\n\n## user\n\n"))
        editor.replace(uri, editor.at(uri, "## user\n\n"), editor.at(uri, "## user\n\n"), LONG)
    model.replies = [json.dumps(WRITTEN), "Compacted."]
    command = lsp.ExecuteCommandParams("palimpsest.conversation.send", [{"uri": uri}], work_done_token="mine")
    await editor.client.workspace_execute_command_async(command)
    assert [one.message for one in reports if isinstance(one, lsp.WorkDoneProgressReport)][:2] == [BEGAN, ENDED]
    await until(lambda: "Compacted.\n" in editor.texts[uri])
    before, mark, behind = editor.texts[uri].partition("<details><summary>Compacted (model)")
    assert mark, editor.texts[uri][-3_000:]
    assert before.rstrip().endswith(BESIDE)
    assert "the goal" in behind
    assert [turn.id for turn in parse(editor.texts[uri]).turns if turn.id is not None] == [1, 2, 3, 4, 5, 6]


async def test_what_the_person_marked_and_what_is_referred_to_later_is_read_as_it_was(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    model.replies = ["The first answer."]
    one = await do(editor, "ask", text="Important: prices are in cents.")
    about = {"conversation": one["conversation"]}
    for reply in ("The second answer.", "The third answer.", "The fourth answer.", "The fifth answer."):
        model.replies = [reply]
        answer = await do(editor, "ask", text=f"Asked for: {reply}", **about)
        if "second" in reply:
            await do(editor, "refs.add", ref_id="mine", content="second", turn=answer["turn"], **about)
        elif "third" in reply:
            await do(editor, "checkpoint.create", name="here", **about)
        elif "fourth" in reply:
            await do(editor, "ask", text=f"See turn-{answer['turn'] - 1}.", **about)
    for _ in range(2):  # also behind another summary
        model.replies = [json.dumps(WRITTEN), "Going on."]
        await do(editor, "conversation.compact", **about)
        await do(editor, "ask", text="Go on.", **about)
        kept = re.findall(r'<message id="turn-\d+" role="(\w+)">\n(.*?)\n</message>', prompt(model))
        assert kept == [
            ("user", "Important: prices are in cents."),
            ("assistant", "The second answer."),
            ("assistant", "The third answer."),
            ("user", "Asked for: The fourth answer."),
        ]
        assert "Asked for: The second answer." not in prompt(model)


FUNCTION = (
    "def parse_header(text):\n" + "".join(f"    part_{i} = text[{i}]\n" for i in range(43)) + "    return the_end\n"
)


@pytest.mark.parametrize("talk", [{"recent_messages": 1, "tools": "none"}], indirect=True)
@pytest.mark.parametrize("fenced", [True, False])
async def test_code_that_is_referred_to_later_stays_whole_when_a_conversation_is_compacted_by_itself(
    talk: tuple[Editor, Scripted], fenced: bool
) -> None:
    editor, model = talk
    code = f"```python\n{FUNCTION}```\n" if fenced else FUNCTION
    one = await do(editor, "ask", text=f"Look at this:\n\n{code}\nIs it right?")
    other = FUNCTION.replace("parse_header", "other").replace("part_", "of_it_") * 2
    await do(editor, "ask", text=f"```python\n{other}```\n", conversation=one["conversation"])
    for n in range(2):
        await do(editor, "ask", text=LONG[:5_000], conversation=one["conversation"])
        assert "<summary>" not in prompt(model), n
    model.replies = ["I would rather not.", "Compacted."]
    await do(editor, "ask", text=f"Have `parse_header` take bytes. {LONG[:4_000]}", conversation=one["conversation"])
    said = prompt(model)
    assert "<summary>" in said
    assert FUNCTION in said
    assert "part_0 = text[0] part_1" not in said, "code in one line is none"


@pytest.mark.parametrize(
    ("talk", "staying"),
    [({"recent_messages": n}, n) for n in (1, 2, 3, 5)],
    indirect=["talk"],
    ids=str,
)
async def test_so_many_of_the_newest_messages_stay_as_they_are(talk: tuple[Editor, Scripted], staying: int) -> None:
    editor, model = talk
    conversation = (await do(editor, "conversation.new"))["conversation"]
    for i in range(4):
        model.replies = [f"Answer {i}."]
        await do(editor, "ask", text=f"Question {i}. {LONG[:2_000] if i < 3 else ''}", conversation=conversation)
    model.replies = [json.dumps(WRITTEN), "Going on."]
    await do(editor, "conversation.compact", conversation=conversation)
    await do(editor, "ask", text="Go on.", conversation=conversation)
    every = [f"Question {i // 2}. " if i % 2 == 0 else f"Answer {i // 2}." for i in range(8)]
    assert [text for text in every if text in prompt(model)] == (every[-staying:] if staying > 1 else [every[-2]])


@pytest.mark.parametrize("talk", [{"recent_messages": 3, "tools": "none"}], indirect=True)
async def test_the_newest_messages_stay_when_a_conversation_is_compacted_by_itself(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    conversation = (await do(editor, "conversation.new"))["conversation"]
    for text in (LONG, LONG[:3_000], "The question before."):
        model.replies = [f"The answer to {text[:12]}."]
        await do(editor, "ask", text=text, conversation=conversation)
    model.replies = [json.dumps(WRITTEN), "Compacted."]
    await do(editor, "ask", text=LONG, conversation=conversation)
    assert "<goal>the goal</goal>" in prompt(model)
    assert "The question before." in prompt(model)
    assert "The answer to The question." in prompt(model)
    assert "The answer to A long line" not in prompt(model)


async def test_a_conversation_is_compacted_to_so_many_tokens(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text=f"Important: it is in cents. {LONG}")
    about = {"conversation": one["conversation"]}
    await do(editor, "ask", text="And now, `round_to_cents`?", **about)
    taken = (await do(editor, "context.usage", **about))["parts"]["messages"]["used"]
    long = {**WRITTEN, "discoveries": [f"what was found, part {i}" * 5 for i in range(6)]}
    for target, why in ((0, "1"), (-5, "1"), (taken, "give fewer"), (10**9, "give fewer"), (20, "cannot be reached")):
        with pytest.raises(JsonRpcException, match=rf"target.*{why}"):
            await do(editor, "conversation.compact", target=target, **about)
    with pytest.raises(JsonRpcException, match="target"):
        await do(editor, "conversation.compact", target="few", **about)
    with pytest.raises(JsonRpcException, match=r"target.*goal"):
        await do(editor, "conversation.compact", target=500, goal="My own", **about)
    assert len(model.asked) == 2, "nobody was asked for a summary"
    for target in (600, 400):
        model.replies = [json.dumps(long)]
        await do(editor, "conversation.compact", target=target, **about)
        usage = await do(editor, "context.usage", **about)
        assert 0 < usage["parts"]["messages"]["used"] <= target
        model.replies = ["Hello."]
        await do(editor, "ask", text=f"Behind it. {LONG[:300]}", **about)


@pytest.mark.parametrize("talk", [{"compaction": "off"}], indirect=True)
async def test_off_means_off(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text=LONG)
    for text in (LONG, LAST):
        await do(editor, "ask", text=text, conversation=one["conversation"])
    assert len(model.asked) == 3
    assert "<summary>" not in prompt(model)


async def test_compaction_is_queued_and_applied_after_the_calls_of_a_reply(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    fields = ", ".join(f"{name}={value!r}" for name, value in WRITTEN.items())
    call = f"compact({fields})"
    model.replies = [f"{call}\n{call.replace('the goal', 'the newest goal')}\n", "Done."]
    await do(editor, "ask", text="Compact yourself.")
    assert "<goal>the newest goal</goal>" in prompt(model), "the latest that is queued wins"
    assert f"{COMPACTED}\n\n<last_request>\nCompact yourself.\n" in prompt(model), "else it would do it again"


async def test_what_the_model_queues_has_names_paths_and_failures_too(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Mend `round_to_cents` in src/shop/prices.py. It ends with ValueError: no cents")
    fields = ", ".join(f"{name}={value!r}" for name, value in WRITTEN.items())
    model.replies = [f"compact({fields})\n", "Done."]
    await do(editor, "ask", text="Compact yourself.", conversation=one["conversation"])
    summary = (await do(editor, "conversation.inspect", conversation=one["conversation"]))["summary"]
    assert summary["goal"] == "the goal"
    assert {"one of relevant_files_directories", "src/shop/prices.py"} <= set(summary["relevant_files_directories"])
    assert "round_to_cents" in str(summary["discoveries"])
    assert "ValueError: no cents" in str(summary["discoveries"])


@pytest.mark.parametrize("talk", [{"max_rounds": 0}], indirect=True)
async def test_what_is_queued_last_while_a_reply_runs_is_applied_when_it_ends(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Hello")
    model.free.clear()
    running = asyncio.create_task(do(editor, "ask", text="The last request.", conversation=one["conversation"]))
    await until(lambda: len(model.asked) == 2)
    with pytest.raises(JsonRpcException, match="is being answered"):
        await do(editor, "conversation.compact", conversation=one["conversation"])
    for goal in ("first", "second"):
        done = await do(editor, "conversation.compact", conversation=one["conversation"], goal=goal)
        assert (done["status"], done["summary"]["goal"]) == ("queued", goal)
    model.free.set()
    await running
    known = await do(editor, "conversation.inspect", conversation=one["conversation"])
    assert (known["has_pending_compaction"], known["summary"]["goal"]) == (False, "second")
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    assert 'The last request.\n</last_request>\n\n<message fd="turn-5" />\nGo on.' in prompt(model)


@pytest.mark.parametrize("talk", [{"recent_messages": 1}], indirect=True)
async def test_two_compactions_at_once_are_one(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Hello")
    kept = await do(editor, "checkpoint.create", conversation=one["conversation"], name="start")
    await do(editor, "ask", text="More", conversation=one["conversation"])
    model.replies = [json.dumps(WRITTEN)]
    model.free.clear()
    first = asyncio.create_task(do(editor, "conversation.compact", conversation=one["conversation"]))
    await until(lambda: len(model.asked) == 3)
    with pytest.raises(JsonRpcException, match="is being compacted"):
        await do(editor, "conversation.compact", conversation=one["conversation"])
    await do(editor, "checkpoint.restore", conversation=one["conversation"], checkpoint_id=kept["checkpoint_id"])
    model.free.set()
    assert (await first)["status"] == "applied"
    known = await do(editor, "conversation.inspect", conversation=one["conversation"])
    assert known["summary"] is None, "it stands for turns that were gone back from"


async def test_rules_that_changed_are_read_as_they_are_now(talk: tuple[Editor, Scripted], shop: Path) -> None:
    editor, _ = talk
    one = await do(editor, "ask", text="Hello")
    await do(editor, "conversation.compact", conversation=one["conversation"], goal="My own goal")
    for rules in ("Prices are in euros.\n", "Prices are in francs.\n"):
        (shop / "AGENTS.md").write_text(rules, encoding="utf-8")
        await do(editor, "ask", text="Go on.", conversation=one["conversation"])
        assert rules.strip() in prompt(talk[1])
    assert "euros" not in prompt(talk[1])


async def test_a_person_writes_the_summary_themselves(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Hello")
    done = await do(editor, "conversation.compact", conversation=one["conversation"], goal="My own goal")
    assert (done["status"], done["written_by"]) == ("applied", "person")
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    assert "<goal>My own goal</goal>" in prompt(model)
    assert len(model.asked) == 2


@pytest.mark.parametrize("talk", [{"kv": "decode", "drop_results_at": 0.3}, {"kv": "leave"}], indirect=True)
async def test_old_results_are_dropped_before_anything_is_summarised(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ["Long."]
    one = await do(editor, "ask", text=LONG)
    for _ in range(2):
        model.replies = [f'read_fd(fd="turn-{one["turn"] - 1}", read_all=True)\n', "Read."]
        await do(editor, "ask", text="Read it.", conversation=one["conversation"])
    assert 'dropped="true"' in prompt(model)
    assert "<summary>" not in prompt(model)


async def test_a_model_that_cannot_be_told_what_to_do_has_a_mechanical_summary(
    machine: dict[str, str], shop: Path
) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        one = await do(editor, "ask", text="def double(x):")
        done = await do(editor, "conversation.compact", conversation=one["conversation"])
        assert done["written_by"] == "mechanical"
        again = await do(editor, "ask", text="def triple(x):", conversation=one["conversation"])
        assert again["usage"]["decoded"] > 0
    finally:
        await stop_editor(editor)


async def test_the_model_s_own_tokens_say_when_it_is_time(machine: dict[str, str], shop: Path) -> None:
    """A text of few characters may have many tokens."""
    editor = await start_editor(shop, {"conversation": {"reply_tokens": 16}})
    try:
        await editor.ready()
        conversation = (await do(editor, "conversation.new"))["conversation"]
        known: dict[str, Any] = {"summary": None}
        for _ in range(6):
            said = await do(
                editor, "ask", text="価格を税込みで丸めて、小計に加えてください。" * 8, conversation=conversation
            )
            known = await do(editor, "conversation.inspect", conversation=conversation)
            if known["summary"] is not None:
                break
            assert said["usage"]["parts"]["messages"]["used"] < said["usage"]["total"] * 0.6
        assert known["summary"] is not None
    finally:
        await stop_editor(editor)


async def test_usage_counts_the_rules_once_and_says_where_it_is_estimated(talk: tuple[Editor, Scripted]) -> None:
    editor, _ = talk
    uri = editor.open("shop/cart.py")
    where = {"uri": uri, "position": {"line": 0, "character": 0}}
    one = await do(editor, "ask", text="Hello", **where)
    await do(editor, "conversation.compact", conversation=one["conversation"], goal="G")
    await do(editor, "ask", text="Go on.", conversation=one["conversation"], **where)
    usage = await do(editor, "context.usage", conversation=one["conversation"], items=True)
    by_kind: dict[str, int] = {}
    for item in usage["items"]:
        by_kind[item["kind"]] = by_kind.get(item["kind"], 0) + item["tokens"]
    assert any(item["name"] == "documentation:AGENTS.md" for item in usage["items"])
    assert usage["parts"]["messages"]["used"] <= by_kind["summary"] + by_kind["message"] + 2
    assert usage["estimated"], "this server has no tokenizer to ask"
    assert (await do(editor, "context.usage", **where))["estimated"]


async def test_what_the_engine_has_no_room_for_is_asked_again_behind_a_summary(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text=LONG[:2000])
    model.most = len(prompt(model)) + 1000
    model.replies = [json.dumps(WRITTEN), "It fits."]
    again = await do(editor, "ask", text="And now? " * 150, conversation=one["conversation"])
    assert again["reply"] == "It fits."
    assert "<summary>" in prompt(model)
    assert LONG[:200] in (await do(editor, "conversation.open", conversation=one["conversation"]))["text"]


@pytest.mark.parametrize("talk", [{"compaction": "off"}], indirect=True)
async def test_where_it_cannot_be_made_to_fit_the_person_hears_what_to_do(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text=LONG[:2000])
    model.most = len(prompt(model)) + 1000
    with pytest.raises(JsonRpcException, match=r"longer than the model can read.*Compact the conversation"):
        await do(editor, "ask", text="And now? " * 150, conversation=one["conversation"])
    model.most = None
    model.replies = ["Now it fits."]
    assert (await do(editor, "ask", text="", conversation=one["conversation"]))["reply"] == "Now it fits."
