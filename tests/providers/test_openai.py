"""A server with OpenAI's protocol as an engine: llama-server's /v1 routes, with the embedded model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from gguf import GGUFReader

from palimpsest.errors import Cancelled, ContextTooLarge, EngineDied, EngineError, InvalidArgument, ModelError
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.openai.engine import OpenAI
from palimpsest.providers.openai.facts import facts
from palimpsest.providers.openai.prompt import SentState, put
from palimpsest.wire import ChatTail, GenerateAnswer, GenerateRequest, Message, NativeChat, NativeMessage, TextTail
from tests.models import written
from tests.providers.conftest import EMBEDDED, ENDLESS, endless
from tests.providers.peer import Peer, block, completion, killed_at, wanted
from tests.providers.test_http import answer, events, saying


@asynccontextmanager
async def at(peer: Peer, path: str = "", model: str = "") -> AsyncIterator[OpenAI]:
    it = OpenAI(Endpoint(peer.url + path, retries=0), model)
    yield it
    await it.aclose()


@pytest.fixture
async def engine(peer: Peer) -> AsyncIterator[OpenAI]:
    async with at(peer) as it:
        yield it


async def test_it_says_what_it_serves(engine: OpenAI) -> None:
    assert (await engine.health()).state == "ready"
    info = await engine.model()
    n_params = sum(int(tensor.n_elements) for tensor in GGUFReader(EMBEDDED).tensors)
    assert (info.path, info.n_ctx, info.n_params) == (str(EMBEDDED), 4096, n_params)
    assert info.fim_layout == "spm"
    assert not info.in_place
    assert not info.chat_template


async def test_an_address_with_a_path_is_the_apis_own(peer: Peer) -> None:
    async with at(peer, "/v1") as engine:
        assert (await engine.generate(completion("x"))).choices


async def test_tokens_are_counted_beside_the_api() -> None:
    vllm = answer(200, {"data": [{"id": "code", "owned_by": "vllm"}]})
    async with saying(vllm, answer(200, {"count": 7})) as (http, asked):
        it = OpenAI(Endpoint(f"{http.endpoint.url}/v1", retries=0))
        assert (await it.count(["text"]), it.estimates) == ([7], False)
        await it.aclose()
        assert asked[-1].startswith("POST /tokenize ")


async def test_a_model_that_is_not_there_is_named(peer: Peer) -> None:
    async with at(peer, model="gpt-9") as engine:
        with pytest.raises(ModelError, match=r"palimpsest-embedded\.gguf"):
            await engine.model()


async def test_a_typed_character_decodes_a_few_tokens(engine: OpenAI) -> None:
    sync = wanted(block("openai_one"), block("openai_two"))
    first = await engine.generate(completion("for item in self.it", sync))
    assert first.decoded > 300
    text = "for item in self.it"
    for character in "ems: ":
        text += character
        assert (await engine.generate(completion(text, sync))).decoded <= 3


async def test_blocks_are_decoded_ahead_once_and_keep_their_order(engine: OpenAI) -> None:
    first = await engine.sync(wanted(block("ahead_one"), block("ahead_two")))
    assert first.decoded > 300
    assert (await engine.sync(wanted(block("ahead_two"), block("ahead_one")))).decoded == 0
    answer = await engine.generate(completion("x", wanted(block("new"), block("ahead_two"), block("ahead_one"))))
    assert answer.reused >= first.decoded - 10
    assert answer.sync is not None
    assert [report.key for report in answer.sync.blocks][-1] == "package:new"


async def test_an_edit_is_written_under_its_grammar_and_text_comes_as_it_is_written(engine: OpenAI) -> None:
    grammar = 'root ::= "<suggestion>" [a-z]{12} ";" [a-z]*'
    request = GenerateRequest("test", text=TextTail("L1 x\n"), grammar=grammar, stop=[";"], slot="suggestion", n=2)
    items = [item async for item in engine.generate_stream(request)]
    assert isinstance(items[-1], GenerateAnswer)
    choices = items[-1].choices
    assert len(choices) == 2
    for i, choice in enumerate(choices):
        pieces = [item.text for item in items if isinstance(item, TextPiece) and item.choice == i]
        assert "".join(pieces) == choice.text
        assert len(pieces) > 1
        assert (len(choice.text), choice.text[:12], choice.finish) == (24, "<suggestion>", "stop")


async def idle(peer: Peer) -> None:
    while await asyncio.to_thread(peer.working):
        await asyncio.sleep(0.01)


async def test_leaving_early_and_cancelling_free_the_slot(engine: OpenAI, peer: Peer) -> None:
    before = peer.generated()
    async with aclosing(engine.generate_stream(endless(3000, stream=True))) as items:
        async for _ in items:
            break
    await idle(peer)
    task = asyncio.create_task(engine.generate(endless(3000)))
    while not await asyncio.to_thread(peer.working):
        assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await idle(peer)
    assert peer.generated() - before < 6000


async def test_the_newest_of_a_line_is_the_one_that_counts(engine: OpenAI) -> None:
    requests = [
        completion(text, replace="test:typing", stop=[], grammar=ENDLESS, max_tokens=100) for text in ("a", "ab")
    ]
    tasks = []
    for request in requests:
        tasks.append(asyncio.create_task(engine.generate(request)))
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [Cancelled, GenerateAnswer]


async def test_a_time_limit_ends_an_answer(engine: OpenAI) -> None:
    request = GenerateRequest("test", text=TextTail("x = "), grammar=ENDLESS, max_tokens=3000, time_ms=1)
    (choice,) = (await engine.generate(request)).choices
    assert choice.finish == "time"
    assert choice.text


async def test_an_empty_answer_only_decodes(engine: OpenAI) -> None:
    sync = wanted(block("warm"))
    warm = await engine.generate(completion("x = ", sync, max_tokens=0, slot="background"))
    assert warm.choices[0].text == ""
    assert (await engine.generate(completion("x = ", sync))).decoded <= 1


async def test_the_map_counts_and_errors(engine: OpenAI) -> None:
    await engine.sync(wanted(block("mapped")))
    found = await engine.cache_map("test")
    assert [span.state for span in found.spans] == ["header", "attached", "footer"]
    assert found.stats["decoded"] > 0
    await engine.reset("test")
    assert (await engine.cache_map("test")).spans == []
    assert await engine.count(["", "abcdefgh"]) == [0, 3]
    with pytest.raises(ContextTooLarge):
        await engine.generate(GenerateRequest("test", text=TextTail("x = 1\n" * 4000)))
    with pytest.raises(InvalidArgument, match="exactly one"):
        await engine.generate(GenerateRequest("test"))


async def test_a_model_without_fim_is_asked_in_words(tmp_path: Path) -> None:
    peer = Peer(written("plain", tmp_path))
    try:
        async with at(peer) as engine:
            info = await engine.model()
            assert (info.fim_layout, info.chat_template) == ("chat", True)
            answer = await engine.generate(completion("x = ", wanted(block("talked")), stop=[]))
            assert answer.layout == "chat"
            assert answer.choices[0].tokens == 8
            assert answer.decoded > 100
            edit = GenerateRequest("test", chat=ChatTail([Message("user", "L1 x\n")]), grammar='root ::= "ab"')
            assert (await engine.generate(edit)).choices[0].text == "ab"
    finally:
        peer.kill()


async def test_killed_in_a_stream_it_is_gone() -> None:
    peer = Peer(EMBEDDED)
    try:
        async with at(peer) as engine:
            with pytest.raises(EngineDied):
                await killed_at(peer, engine.generate_stream(endless(3000, stream=True)), 3)
    finally:
        peer.kill()


def listed(name: str, owner: str = "", **more: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": name, "owned_by": owner, **more}]}


@pytest.mark.parametrize(
    ("answer", "way", "talks", "n_ctx", "grammar"),
    [
        (listed("Qwen/Qwen2.5-Coder-7B", "vllm", max_model_len=8192), "tokens", False, 8192, "structured_outputs"),
        (listed("Qwen/Qwen2.5-Coder-7B-Instruct", "sglang"), "tokens", True, 16384, "ebnf"),
        (listed("deepseek-chat", "deepseek"), "suffix", True, 16384, None),
        (listed("gpt-5", "openai", context_window=400_000), "chat", True, 16384, None),
        (listed("/m/codestral.gguf", "llamacpp", meta={"n_ctx": 9000}), "tokens", True, 9000, "grammar"),
    ],
)
def test_what_a_server_lists_says_how_it_is_asked(
    answer: dict[str, Any], way: str, talks: bool, n_ctx: int, grammar: str | None
) -> None:
    found = facts(answer, "", 0)
    assert (found.way, found.talks, found.n_ctx) == (way, talks, n_ctx)
    assert list(found.constraint("root ::= [a-z]")) == ([grammar] if grammar else [])
    assert facts(answer, "", 1234).n_ctx == 1234


LISTED = answer(200, {"data": [{"id": "code-instruct"}]})


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([{"delta": {"refusal": "I call"}}, {"delta": {"refusal": " no tool."}, "finish_reason": "stop"}], "no tool"),
        ([{"delta": {"content": "x = "}}, {"delta": {}, "finish_reason": "content_filter"}], "a filter of its own"),
        ([{"text": "", "finish_reason": "content_filter"}], "a filter of its own"),
    ],
)
async def test_an_answer_that_is_refused_is_an_error_and_asked_once(pieces: list[dict[str, Any]], words: str) -> None:
    said = [{"choices": [piece]} for piece in pieces]
    native = NativeChat([NativeMessage("user", "Hi")], [{"type": "function", "function": {"name": "a"}}])
    async with saying(LISTED, events(*said)) as (http, asked):
        it = OpenAI(Endpoint(http.endpoint.url, retries=0))
        for request in (completion("x = "), GenerateRequest("test", chat=ChatTail([Message("user", "Hi")], native))):
            with pytest.raises(EngineError, match=f"will not answer: .*{words}"):
                await it.generate(request)
        await it.aclose()
        assert len(asked) == 3


def test_a_server_that_takes_a_suffix_gets_one() -> None:
    how = put(completion("x = "), SentState(), facts(listed("deepseek-chat"), "", 0))
    assert how.suffix is not None
    assert how.suffix.endswith("</editing>\n")
    assert how.prompt.endswith("x = ")


def test_a_conversation_is_sent_as_it_is_with_the_blocks_before_what_the_user_says_first() -> None:
    said = [Message("system", "Be kind."), Message("user", "Hi"), Message("assistant", "Oh"), Message("user", "?")]
    workspace = SentState()
    sync = wanted(block("alpha"))
    workspace.blocks.place(sync, ["<alpha>"], [3], (1, 1), 1000)
    base = "".join(workspace.blocks.parts)
    how = put(GenerateRequest("test", chat=ChatTail(said)), workspace, facts(listed("gpt-5", "openai"), "", 0))
    assert base.strip()
    assert how.messages == (said[0], Message("user", f"{base}Hi"), *said[2:])
    base_model = facts(listed("Qwen/Qwen2.5-Coder-7B", "vllm"), "", 0)
    plain = put(GenerateRequest("test", chat=ChatTail(said)), workspace, base_model)
    assert (plain.layout, plain.prompt) == ("text", f"{base}Be kind.\nHi\nOh\n?\n")
