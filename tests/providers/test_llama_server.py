"""A stock llama-server as an engine: the real one, with the embedded model."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from palimpsest.chat_templates.program import CHATML
from palimpsest.errors import (
    Cancelled,
    ContextTooLarge,
    EngineDied,
    EngineRefused,
    EngineUnavailable,
    InvalidArgument,
    ModelError,
    UnknownText,
)
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.llama_server.engine import LlamaServer
from palimpsest.wire import ChatTail, FimTail, GenerateAnswer, GenerateRequest, Message, TextTail, WantedBlock
from tests.models import transformer, written
from tests.providers.conftest import EMBEDDED, ENDLESS, endless
from tests.providers.peer import Peer, block, completion, killed_at, wanted


@pytest.fixture
async def engine(peer: Peer) -> AsyncIterator[LlamaServer]:
    async with at(peer) as it:
        yield it
        await it.reset("test")


@asynccontextmanager
async def at(peer: Peer, **place: object) -> AsyncIterator[LlamaServer]:
    it = LlamaServer(Endpoint(peer.url, **{"retries": 0, **place}))  # type: ignore[arg-type]
    yield it
    await it.aclose()


async def test_it_says_what_it_serves(engine: LlamaServer) -> None:
    assert (await engine.health()).state == "ready"
    info = await engine.model()
    assert (info.name, info.path) == ("palimpsest-embedded", str(EMBEDDED))
    assert (info.n_ctx, info.n_ctx_train, info.n_vocab) == (4096, 8192, 4096)  # two slots
    assert info.fim_layout == "spm"
    assert not info.in_place
    assert info.why_not
    assert not info.chat_template, "the template that llama-server makes up is none"


async def test_a_typed_character_decodes_one_token_and_a_word_a_few(engine: LlamaServer) -> None:
    sync = wanted(block("alpha"), block("beta"))
    first = await engine.generate(completion("for item in self.it", sync))
    assert first.decoded > 300
    assert first.healed == " it" or first.healed == ".it"
    inside = await engine.generate(completion("for item in self.ite", sync))
    assert inside.decoded <= 2
    assert inside.reused >= first.decoded - 2
    word = await engine.generate(completion("for item in self.items: to", sync))
    assert word.decoded <= 8


async def test_the_answer_begins_with_the_word_that_is_being_typed(engine: LlamaServer) -> None:
    healed = await engine.generate(completion("for item in self.ite"))
    assert healed.healed == ".ite"
    assert not healed.choices[0].text.startswith(".ite")
    whole = GenerateRequest("test", text=TextTail("for item in self"), grammar='root ::= ".ite" [a-z]{3}', max_tokens=9)
    (choice,) = (await engine.generate(whole)).choices
    assert choice.text.startswith(".ite")
    assert choice.finish == "end"


async def test_blocks_are_decoded_ahead_once_and_only_what_is_new(engine: LlamaServer) -> None:
    first = await engine.sync(wanted(block("one"), block("two")))
    assert [report.action for report in first.blocks] == ["written", "written"]
    assert first.decoded >= sum(report.tokens for report in first.blocks)
    again = await engine.sync(wanted(block("two"), block("one")))
    assert (again.decoded, [report.action for report in again.blocks]) == (0, ["kept", "kept"])
    third = await engine.sync(wanted(block("three"), block("two"), block("one")))
    assert [report.key for report in third.blocks] == ["package:one", "package:two", "package:three"]
    assert third.decoded <= third.blocks[-1].tokens + 8
    answer = await engine.generate(completion("x", wanted(block("three"), block("two"), block("one"))))
    assert answer.decoded <= answer.tail_tokens + 1
    spans = [span.span for span in third.blocks if span.span]
    assert len(spans) == 3
    assert all(before[1] == after[0] for before, after in itertools.pairwise(spans))


async def test_an_edit_is_written_under_its_grammar_in_a_slot_of_its_own(engine: LlamaServer) -> None:
    sync = wanted(block("alpha"))
    await engine.generate(completion("x", sync))
    grammar = 'root ::= "<suggestion>" [a-z]{2,6} "</suggestion>"'
    request = GenerateRequest("test", text=TextTail("L1 x\n"), grammar=grammar, sync=sync, slot="suggestion", n=2)
    answer = await engine.generate(request)
    assert len(answer.choices) == 2
    assert all(choice.text.startswith("<suggestion>") for choice in answer.choices)
    typed = await engine.generate(completion("x", sync))
    assert typed.decoded <= 2, "the edit took nothing from the slot for typing"


async def test_text_comes_as_it_is_written_and_stops_at_a_stop_string(engine: LlamaServer) -> None:
    request = GenerateRequest("test", text=TextTail("a = "), grammar='root ::= [a-z]{12} ";" [a-z]*', stop=[";"])
    items = [item async for item in engine.generate_stream(request)]
    pieces = [item.text for item in items if isinstance(item, TextPiece)]
    assert isinstance(items[-1], GenerateAnswer)
    (choice,) = items[-1].choices
    assert len(pieces) > 1
    assert "".join(pieces) == choice.text
    assert (len(choice.text), choice.finish) == (12, "stop")


async def test_a_time_limit_ends_an_answer_and_the_work(engine: LlamaServer, peer: Peer) -> None:
    request = GenerateRequest("test", text=TextTail("x = "), grammar=ENDLESS, max_tokens=1500, time_ms=1)
    (choice,) = (await engine.generate(request)).choices
    assert choice.finish == "time"
    assert 0 < choice.tokens < 1500
    await idle(peer)


async def idle(peer: Peer) -> None:
    while await asyncio.to_thread(peer.working):
        await asyncio.sleep(0.01)


async def test_leaving_a_stream_early_frees_the_slot(engine: LlamaServer, peer: Peer) -> None:
    before = peer.generated()
    async with aclosing(engine.generate_stream(endless(1500, stream=True))) as items:
        async for _ in items:
            break
    await idle(peer)
    assert peer.generated() - before < 1500


async def test_a_cancelled_task_frees_the_slot(engine: LlamaServer, peer: Peer) -> None:
    task = asyncio.create_task(engine.generate(endless(1500)))
    while not await asyncio.to_thread(peer.working):
        assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await idle(peer)


async def test_a_prompt_is_not_decoded_to_its_end_for_nobody() -> None:
    peer = Peer(EMBEDDED, "--batch", "32")
    try:
        async with at(peer) as engine:
            await engine.generate(completion("x"))
            long = completion("y", wanted(*(block(f"long{i}", 30) for i in range(4))))
            await engine.count([item.text or "" for item in (long.sync.blocks if long.sync else ())])
            task = asyncio.create_task(engine.generate(long))
            while not await asyncio.to_thread(peer.working):
                assert not task.done()
            task.cancel()
            await asyncio.wait({task})
            await idle(peer)
            assert peer.prompted() < 2000, "of some 2,600"
            ahead = asyncio.create_task(engine.sync(wanted(*(block(f"ahead{i}", 30) for i in range(4)))))
            while not await asyncio.to_thread(peer.working):
                assert not ahead.done()
            ahead.cancel()
            await asyncio.wait({ahead})
            await idle(peer)
            assert peer.prompted() < 4000
    finally:
        peer.kill()


async def test_the_newest_of_a_line_is_the_one_that_counts(engine: LlamaServer) -> None:
    def typed(text: str) -> GenerateRequest:
        return completion(text, replace="test:typing", stop=[], grammar=ENDLESS, max_tokens=200)

    tasks = []
    for text in ("a", "ab", "abc"):
        tasks.append(asyncio.create_task(engine.generate(typed(text))))
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [Cancelled, Cancelled, GenerateAnswer]


async def test_what_is_decoded_ahead_gives_way_to_typing(engine: LlamaServer, peer: Peer) -> None:
    await engine.generate(completion("x", wanted()))
    new = [block(f"block{i}") for i in range(4)]
    await engine.count([item.text or "" for item in new])  # from here on it is asked for nothing else
    peer.hold()
    ahead = asyncio.create_task(engine.sync(wanted(*new)))
    await asyncio.sleep(0.02)
    typing = asyncio.create_task(engine.generate(completion("x")))
    with pytest.raises(Cancelled):
        await ahead
    peer.go_on()
    assert (await typing).choices


async def test_an_empty_answer_only_decodes(engine: LlamaServer) -> None:
    sync = wanted(block("alpha"))
    warm = await engine.generate(completion("x = ", sync, max_tokens=0, slot="background"))
    assert warm.choices[0].text == ""
    assert (await engine.generate(completion("x = ", sync))).decoded <= 1


async def test_text_that_looks_like_a_special_token_is_text(engine: LlamaServer) -> None:
    plain, special = await engine.count(["fim_prefix", "<|fim_prefix|>"])
    assert special > plain


async def test_what_does_not_fit_is_named(engine: LlamaServer) -> None:
    large, small = block("large", 300), block("small", 2)
    answer = await engine.sync(wanted(large, small))
    assert answer.unfit == ["package:large"]
    assert [report.key for report in answer.blocks if report.action != "unfit"] == ["package:small"]
    with pytest.raises(ContextTooLarge):
        await engine.generate(GenerateRequest("test", text=TextTail("x = 1\n" * 2000)))


async def test_a_text_known_by_its_hash_alone_must_stand_there(engine: LlamaServer) -> None:
    alpha = block("alpha")
    await engine.sync(wanted(alpha))
    named = WantedBlock(alpha.key, None, alpha.hash)
    assert (await engine.sync(wanted(named))).blocks[0].action == "kept"
    await engine.reset("test")
    with pytest.raises(UnknownText) as error:
        await engine.sync(wanted(named))
    assert error.value.hashes == (alpha.hash,)


async def test_the_map_shows_the_prompt_and_forgets_it_when_told(engine: LlamaServer) -> None:
    await engine.sync(wanted(block("alpha")))
    found = await engine.cache_map("test")
    assert [span.state for span in found.spans] == ["header", "attached", "footer"]
    assert found.free == [(found.used_cells, found.n_ctx)]
    assert found.stats["decoded"] > 0
    await engine.reset("test")
    assert (await engine.cache_map("test")).spans == []
    await engine.close_workspace("never seen")


async def test_the_servers_own_words_are_passed_on(engine: LlamaServer) -> None:
    with pytest.raises(InvalidArgument, match="grammar"):
        await engine.generate(GenerateRequest("test", text=TextTail("x"), grammar="root ::= nowhere"))
    with pytest.raises(InvalidArgument, match="exactly one"):
        await engine.generate(GenerateRequest("test"))


async def test_a_model_without_fim_tokens_edits_and_says_why_it_does_not_complete(tmp_path: Path) -> None:
    peer = Peer(written("plain", tmp_path))
    try:
        async with at(peer) as engine:
            info = await engine.model()
            assert (info.fim_layout, info.chat_template) == ("", True)
            with pytest.raises(ModelError, match="FIM"):
                await engine.generate(completion("x"))
            edit = GenerateRequest("test", chat=ChatTail([Message("user", "L1 x\n")]), grammar='root ::= "ab"')
            answer = await engine.generate(edit)
            assert answer.choices[0].text == "ab"
            plain = await engine.generate(GenerateRequest("test", text=TextTail("L1 x\n"), grammar='root ::= "ab"'))
            assert answer.tail_tokens > plain.tail_tokens, "the turn is marked"
            said = [
                Message("system", "Be kind."),
                Message("user", "Hi"),
                Message("assistant", "Oh"),
                Message("user", "?"),
            ]
            begun = [*said, Message("assistant", "Well, ")]
            theirs = peer.tokens_of(said)
            for messages, n_more in ((said, 0), (begun, (await engine.count(["Well, "]))[0])):
                request = GenerateRequest("test", chat=ChatTail(messages), max_tokens=0)
                assert (await engine.generate(request)).tail_tokens == theirs + n_more
            with pytest.raises(InvalidArgument, match="exactly one"):
                await engine.generate(GenerateRequest("test", text=TextTail("x"), chat=ChatTail(said)))
    finally:
        peer.kill()


async def test_what_the_template_writes_of_a_thought_is_a_part_of_the_answer(tmp_path: Path) -> None:
    template = f"{CHATML}{{{{- '<think>\\n' -}}}}"
    path = tmp_path / "thinks.gguf"
    transformer(path, "llama", fim=False, biases=False, extra=lambda writer: writer.add_chat_template(template))
    peer = Peer(path)
    try:
        async with at(peer) as engine:
            request = GenerateRequest("test", chat=ChatTail([Message("user", "Hi")]), max_tokens=4)
            async with aclosing(engine.generate_stream(request)) as items:
                *pieces, answer = [item async for item in items]
            assert isinstance(answer, GenerateAnswer)
            assert answer.choices[0].text.startswith("<think>")
            assert "".join(one.text for one in pieces if isinstance(one, TextPiece)) == answer.choices[0].text
            answered = await engine.generate(replace(request, grammar='root ::= "ab"'))
            assert answered.choices[0].text == "ab", "a grammar leaves no room for one"
    finally:
        peer.kill()


async def test_our_default_model_is_known_by_its_name_and_completes_between_its_own_markers(tmp_path: Path) -> None:
    peer = Peer(written("palimpsest-smollm2", tmp_path))
    try:
        async with at(peer) as engine:
            assert (await engine.model()).fim_layout == "spm"
            tail = FimTail("x = ", "\n", heal=False)
            answer = await engine.generate(GenerateRequest("test", fim=tail, max_tokens=1))
            assert answer.tail_tokens == sum(await engine.count(["x = ", "\n"])) + 2
    finally:
        peer.kill()


async def test_killed_in_a_stream_it_is_gone_and_back_on_the_same_port_it_works(machine: object) -> None:
    peer = Peer(EMBEDDED)
    try:
        async with at(peer) as engine:
            sync = wanted(block("alpha"))
            with pytest.raises(EngineDied):
                await killed_at(peer, engine.generate_stream(endless(3000, stream=True)), 3)
            with pytest.raises(EngineUnavailable):
                await engine.health()
            with pytest.raises(EngineUnavailable, match=r"127\.0\.0\.1"):
                await engine.generate(completion("x", sync))
            peer.start()
            assert (await engine.generate(completion("x", sync))).choices
    finally:
        peer.kill()


async def test_who_waits_when_the_engine_is_given_up_is_told(peer: Peer) -> None:
    async with at(peer) as engine:
        task = asyncio.create_task(engine.generate(endless(1500)))
        while not await asyncio.to_thread(peer.working):
            assert not task.done()
        await engine.aclose()
        with pytest.raises(EngineDied):
            await task
    await idle(peer)


async def test_a_server_that_says_nothing_is_given_up(machine: object) -> None:
    peer = Peer(EMBEDDED)
    try:
        async with at(peer, timeout_s=0.3) as engine:
            await engine.generate(completion("x"))
            peer.hold()
            with pytest.raises(EngineUnavailable, match="silent"):
                await engine.generate(completion("x"))
    finally:
        peer.kill()


async def test_a_key_is_wanted_and_never_shown() -> None:
    peer = Peer(EMBEDDED, "--api-key", "s3cret-key")
    try:
        async with at(peer, key="s3cret-key") as engine:
            assert (await engine.generate(completion("x"))).choices
        async with at(peer, key="wr0ng-key", key_name="PALIMPSEST_API_KEY") as engine:
            assert (await engine.health()).state == "ready"
            with pytest.raises(EngineRefused, match="PALIMPSEST_API_KEY") as error:
                await engine.model()
            assert "wr0ng" not in str(error.value)
        assert "wr0ng" not in repr(Endpoint(peer.url, key="wr0ng-key"))
    finally:
        peer.kill()
