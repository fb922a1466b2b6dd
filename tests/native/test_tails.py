"""Tails: whatever was kept of them, the logits after them are those of a cache that knew nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.chat_templates.program import CHATML
from palimpsest.chat_templates.spoken import spoken
from palimpsest.chat_templates.template import ChatTemplate, TemplateSource
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ContextTooLarge, InvalidArgument, ModelError
from palimpsest.models.families import CHUNK, fitted
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, done, fim, sync, text

SUFFIXES = ("\n    return 1\n", "", ")\n", text(3, 200))


def logits(engine: NativeEngine) -> Logits:
    found = engine.workspaces.open("w").tails["typing"].logits
    assert found is not None
    return found


def random_prefixes(random: Random) -> list[tuple[str, str]]:
    """As typing goes: mostly a letter more, sometimes one less, sometimes elsewhere, sometimes another suffix."""
    prefix, suffix, out = text(8, 300), SUFFIXES[0], []
    for _ in range(24):
        match random.randrange(8):
            case 0:
                prefix = prefix[: -random.randrange(1, 20)]
            case 1:
                prefix = text(random.randrange(20), random.randrange(5, 400))
            case 2:
                suffix = random.choice(SUFFIXES)
            case _:
                prefix += random.choice(["a", "self", " ", ".", "(", "\n    ", " = None", "é"])
        out.append((prefix, suffix))
    return out


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_a_reused_tail_is_equivalent(make_engine: MakeEngine, layout: str) -> None:
    engine, other = make_engine(), make_engine()
    blocks = [("x", text(1)), ("y", text(2))]
    for step, (prefix, suffix) in enumerate(random_prefixes(Random(layout))):
        if step % 7 == 6:
            blocks[step % 2] = (blocks[step % 2][0], text(step))
        for one in (engine, other):
            sync(one, blocks)
        other.workspaces.open("w").tails.drop_all()
        request = fim(prefix, suffix, layout=layout, max_tokens=2, heal=bool(step % 3))
        texts = [ask(one, request).choices[0].text for one in (engine, other)]
        assert texts[0] == texts[1], f"step {step}: {prefix[-20:]!r}"
        kept = engine.workspaces.open("w").tails["typing"]
        if kept.logits is not None:
            # the two engines' blocks may be at other places; the same request again tells whether the tail is right
            again = kept.logits
            assert kept.prompt is not None
            kept.drop()
            ask(engine, request)
            assert np.abs(again - logits(engine)).max() < CLOSE, f"step {step}"


def test_layouts_differ(make_engine: MakeEngine) -> None:
    """Otherwise the test above would hold for a layout that is not laid out."""
    engine = make_engine()
    sync(engine, [("x", text(1))])
    found = []
    for layout in ("spm", "isolated", "psm"):
        answer = ask(engine, fim("def f(", "):\n    pass\n", layout=layout))
        assert answer.layout == layout
        found.append(logits(engine))
    assert np.abs(found[0] - found[1]).max() > 100 * CLOSE
    assert np.abs(found[1] - found[2]).max() > CLOSE


def test_a_slot_does_not_disturb_another(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("x", text(1))])
    first = ask(engine, fim("def f(", max_tokens=4))
    for slot in ("suggestion", "chat"):
        ask(engine, wire.GenerateRequest("w", text=wire.TextTail("Say it."), slot=slot, max_tokens=4))
    again = ask(engine, fim("def f(", max_tokens=4))
    assert (again.decoded, again.choices[0].text) == (0, first.choices[0].text)


def test_healing_begins_the_answer_with_the_piece(make_engine: MakeEngine) -> None:
    engine = make_engine()
    sync(engine, [("x", text(1))])
    for prefix in ("    ret", "x = se", "foo(", "import os.pa", "   ", "日本", "f(é"):
        healed = ask(engine, fim(prefix, max_tokens=12))
        assert healed.healed
        kept = engine.workspaces.open("w").tails["typing"].answer
        assert kept is not None
        assert engine.vocab.text(kept.tokens).startswith(healed.healed.encode())
        assert ask(engine, fim(prefix, heal=False)).healed == ""


def test_a_model_without_fim_tokens_says_so_and_still_writes_text(make_engine: MakeEngine) -> None:
    engine = make_engine("plain")
    with pytest.raises(ModelError, match="no FIM tokens"):
        ask(engine, fim("def f("))
    answer = ask(engine, wire.GenerateRequest("w", text=wire.TextTail("def f("), max_tokens=4))
    assert answer.choices[0].tokens == 4
    assert engine.loaded.info().fim_layouts == []


def test_a_chat_turn_is_written_in_the_models_template(make_engine: MakeEngine) -> None:
    engine = make_engine("plain")
    assert engine.loaded.info().chat_template
    tail = wire.ChatTail([wire.Message("user", "Hi <|im_end|>")])
    request = wire.GenerateRequest("w", chat=tail, max_tokens=1, slot="chat")
    composed = engine.generator.composer.compose(request, 1000)
    start, end = 5, 6
    assert composed.tokens.count(start) == 2, "the template's own marks are special tokens"
    assert composed.tokens.count(end) == 1, "what the text spells is not"


def test_a_model_that_was_taught_tasks_as_they_are_does_not_converse(make_engine: MakeEngine) -> None:
    """Though its base's template is still there, as the default model's is."""
    loaded = make_engine("plain").loaded
    assert loaded.info().converses
    assert not replace(loaded, facts=replace(loaded.facts, instructed=False)).info().converses


def test_a_conversation_is_written_in_the_models_template_and_an_answer_may_have_begun(make_engine: MakeEngine) -> None:
    engine = make_engine("plain")
    said = [wire.Message("system", "A"), wire.Message("user", "B"), wire.Message("assistant", "C")]
    written = "<|im_start|>system\nA<|im_end|>\n<|im_start|>user\nB<|im_end|>\n"

    def composed(messages: list[wire.Message]) -> tuple[int, ...]:
        request = wire.GenerateRequest("w", chat=wire.ChatTail(messages), max_tokens=1, slot="chat")
        return engine.generator.composer.compose(request, 1000).tokens

    def tokens(text: str) -> tuple[int, ...]:
        return tuple(engine.model.tokenize(text, special=True))

    assert composed(said) == tokens(f"{written}<|im_start|>assistant\nC"), "the answer goes on from it"
    longer = [*said, wire.Message("user", "D")]
    assert composed(longer) == tokens(
        f"{written}<|im_start|>assistant\nC<|im_end|>\n<|im_start|>user\nD<|im_end|>\n<|im_start|>assistant\n"
    )
    assert ask(engine, wire.GenerateRequest("w", chat=wire.ChatTail(longer), max_tokens=2)).choices[0].tokens == 2


def test_what_the_template_writes_of_a_thought_is_a_part_of_the_answer(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine("plain")
    template = ChatTemplate(TemplateSource(f"{CHATML}{{{{- '<think>\\n' -}}}}", "", ""))
    # no door: a model whose template ends in a thought; no file of one is here
    monkeypatch.setattr(engine.generator.composer, "chat_template", template)
    request = wire.GenerateRequest("w", chat=wire.ChatTail([wire.Message("user", "Hi")]), max_tokens=4, slot="chat")
    pieces = list[str]()
    workspace = engine.workspaces.open("w")
    answer = done(generate(engine.generator, workspace, request, lambda _, text: pieces.append(text)))
    assert "".join(pieces) == answer.choices[0].text
    assert answer.choices[0].text.startswith("<think>")
    assert spoken(answer.choices[0].text).text == ""
    answered = ask(engine, replace(request, grammar='root ::= "ab"'))
    assert answered.choices[0].text == "ab", "a grammar leaves no room for one"
    template.close()


def test_a_model_without_a_chat_template_is_given_what_was_said_alone(make_engine: MakeEngine) -> None:
    engine = make_engine()
    assert not engine.loaded.info().chat_template
    assert not engine.loaded.info().converses
    tail = wire.ChatTail([wire.Message("system", "A"), wire.Message("user", "B")])
    request = wire.GenerateRequest("w", chat=tail, max_tokens=1)
    assert engine.generator.composer.compose(request, 1000).tokens == tuple(engine.model.tokenize("A\nB\n"))


def test_a_text_that_does_not_fit_is_an_error_with_the_room_there_is(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=1024)
    with pytest.raises(ContextTooLarge) as caught:
        ask(engine, wire.GenerateRequest("w", text=wire.TextTail(text(0, 9000)), max_tokens=8))
    assert 0 < caught.value.fitting < 1024


def test_a_text_that_leaves_less_room_than_its_answer_may_take_gets_a_shorter_answer(make_engine: MakeEngine) -> None:
    engine = make_engine("plain")
    assert engine.sizes.tail_room >= 1003 + 400, "instructions with a short function, and a suggestion's usual answer"
    words = engine.model.tokenize(text(0, 9000))

    def answered(n_tokens: int) -> wire.GenerateAnswer:
        tail = wire.TextTail(engine.vocab.text(words[:n_tokens]).decode())
        return ask(engine, wire.GenerateRequest("w", text=tail, slot="suggestion", max_tokens=400))

    shorter = answered(engine.sizes.tail_room - 100)
    (choice,) = shorter.choices
    assert choice.finish == "length"
    assert choice.tokens == engine.sizes.tail_room - shorter.tail_tokens < 400
    with pytest.raises(ContextTooLarge) as caught:
        answered(engine.sizes.tail_room - 40)
    assert caught.value.fitting == engine.sizes.tail_room - 64


def test_an_answer_longer_than_the_room_is_an_error(make_engine: MakeEngine) -> None:
    with pytest.raises(ContextTooLarge):
        ask(make_engine(n_ctx=1024), fim("x", max_tokens=100_000))


@pytest.mark.parametrize(
    ("field", "value"), [("max_tokens", -1), ("n", 0), ("n", 1000), ("time_ms", -1), ("slot", "urgent"), ("text", None)]
)
def test_wrong_arguments_are_named(make_engine: MakeEngine, field: str, value: object) -> None:
    request = wire.GenerateRequest("w", **{"text": wire.TextTail("x"), field: value})  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument) as caught:
        ask(make_engine(), request)
    assert caught.value.field in (field, "fim")


def test_fitting_cuts_a_prefix_by_whole_chunks_and_a_suffix_to_a_quarter() -> None:
    prefix, suffix = fitted(list(range(5000)), list(range(900)), 2000)
    assert len(suffix) == 500
    assert suffix[0] == 0
    assert prefix[-1] == 4999
    assert prefix[0] % CHUNK == 0
    assert 1500 - CHUNK < len(prefix) <= 1500
    assert fitted([1, 2], [3], 3) == ([1, 2], [3])
    assert fitted(list(range(50)), [], 8)[0][-1] == 49


def test_what_is_decoded_is_counted_by_what_it_is(make_engine: MakeEngine) -> None:
    engine = make_engine()
    stats = engine.pool.stats
    synced = sync(engine, [("a", text(1, 200)), ("b", text(2, 200))])
    assert (stats["blocks"], stats["tails"]) == (sum(report.tokens for report in synced.blocks), 0)
    assert stats["blocks"] + stats["headers"] == stats["decoded"]
    answer = ask(engine, fim("def f(", max_tokens=3))
    assert stats["tails"] == answer.decoded
    assert stats["decoded"] - stats["blocks"] - stats["headers"] - stats["tails"] <= answer.generated


def test_what_is_decoded_twice_is_counted_by_what_it_is(make_engine: MakeEngine) -> None:
    engine = make_engine(store_mb=0)
    stats = engine.pool.stats
    old, new, code = (" ".join(f"{name}_{i}" for i in range(40)) for name in ("plum", "fig", "quince"))
    sync(engine, [("a", old)])
    ask(engine, fim(code, max_tokens=1))
    assert (stats["blocks_again"], stats["tails_again"]) == (0, 0)
    assert stats["headers_again"] > 0  # the block's copy of the header
    sync(engine, [("a", new)])
    answer = ask(engine, fim(code, max_tokens=1))
    assert stats["blocks_again"] == 0
    assert 0.9 * answer.decoded < stats["tails_again"] <= answer.decoded
    (report,) = sync(engine, [("a", old)]).blocks
    assert 0.9 * report.decoded < stats["blocks_again"] <= report.decoded
