"""The language server against a real vLLM: `make test-servers`.  Times are waited for, never judged."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path

import httpx2
import pytest
from pygls.exceptions import JsonRpcException

from bench.replaying.ours import own_folders
from palimpsest import wire
from palimpsest.lsp.client.driver import Driver
from palimpsest.lsp.client.editor import plain_position
from palimpsest.models.families import of_server
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.openai.engine import OpenAI
from palimpsest.system import folders
from palimpsest.workspace import sample
from tests.servers import vllm as servers
from tests.servers.vllm import CODE, GENERATED, KEY, N_CTX, PAGE, TALK, WITH_TOOLS, NotHere, Vllm
from tests.sources import recorded

LONG_S = 3600
"""It is installed and started within the first test's time."""
pytestmark = pytest.mark.timeout(LONG_S)
Window = Callable[..., Awaitable[Driver]]
TOOL = {"type": "function", "function": {"name": "remember", "parameters": {"type": "object"}}}
CALL = r"""root ::= "<tool_call>\n{\"name\": \"remember\", \"arguments\": {\"text\": \"x\"}}\n</tool_call>" """
"""So small a model makes none by itself."""


@pytest.fixture(scope="session")
def server() -> Iterator[Vllm]:
    """In the person's cache folder, and kept there.  The run ends with a sentence where it cannot be had."""
    folder = folders.cache() / "vllm"
    server = None
    try:
        python, model = servers.prepare(folder)
        server = Vllm(python, model, folder / "server.log")
        server.start()
        yield server
    except NotHere as why:
        pytest.exit(f"There is no vLLM to test with: {why}", returncode=1)
    finally:
        if server is not None:
            server.stop()


@pytest.fixture
async def engine(server: Vllm) -> AsyncIterator[OpenAI]:
    it = OpenAI(Endpoint(server.url, KEY), CODE)
    yield it
    await it.aclose()


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pal-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
async def window(server: Vllm, home: Path) -> AsyncIterator[Window]:
    """Opens windows on the sample workspace."""
    sample.copy(home / "shop")
    variables, opened = own_folders(home), list[Driver]()

    async def open_one(model: str = CODE, *, key: str = KEY, n_ctx: int = 0) -> Driver:
        driver = Driver()
        engine = {"kind": "openai", "url": server.url, "api_key": key, "model": model, "n_ctx": n_ctx}
        await driver.start(home / "shop", {"engine": engine, "completion": {"time_ms": 20_000}}, variables)
        opened.append(driver)
        return driver

    yield open_one
    for driver in opened:
        await driver.stop()


async def status(driver: Driver, words: str) -> str:
    """Wait for a status with these words; its message."""
    for _ in range(int(servers.REPLY_S / 0.05)):
        message: str = driver.status.get("message") or ""
        if words in message:
            return message
        await asyncio.sleep(0.05)
    raise AssertionError(f"it is {driver.status}")


# Prefixes -------------------------------------------------------------------------------------------------------


def asked(texts: Sequence[str], typed: str = "") -> wire.GenerateRequest:
    """Blocks, and code at the cursor."""
    blocks = [wire.WantedBlock(f"b{text[:40]}", text, wire.text_hash(text)) for text in texts]
    sync = wire.SyncRequest("w", "<workspace>\n", "</workspace>\n", blocks)
    return wire.GenerateRequest("w", fim=wire.FimTail("def f(self):\n    " + typed, "\n"), sync=sync, max_tokens=4)


async def decoded(server: Vllm, engine: OpenAI, request: wire.GenerateRequest) -> tuple[int, int]:
    """Tokens that it decoded of the prompt, and those that it had, by its own counters; ours say the same."""
    queries, hits = server.prefix_cache()
    answer = await engine.generate(request)
    await server.idle()
    queries_then, hits_then = server.prefix_cache()
    missed, had = queries_then - queries - (hits_then - hits), hits_then - hits
    assert (answer.decoded, answer.reused) == (missed, had)
    print(f"{missed} tokens decoded, {had} had")
    return missed, had


def sources(first: int, n: int) -> list[str]:
    return [recorded()[at : at + 700] for at in range(first, first + 1000 * n, 1000)]


async def counts(engine: OpenAI, texts: Sequence[str]) -> list[int]:
    made = await engine.count(texts)
    assert not engine.estimates
    return made


async def test_a_keystroke_decodes_a_page_at_most_and_what_is_new(server: Vllm, engine: OpenAI) -> None:
    texts = sources(0, 4)
    await decoded(server, engine, asked(texts))
    for typed in ("r", "re", "ret"):
        missed, had = await decoded(server, engine, asked(texts, typed))
        assert missed <= PAGE + 8
        assert had >= sum(await counts(engine, texts)) - PAGE


async def test_a_block_at_the_end_leaves_what_stands_before_it(server: Vllm, engine: OpenAI) -> None:
    texts, (new,) = sources(10_000, 4), sources(15_000, 1)
    _, before = await decoded(server, engine, asked(texts)), sum(await counts(engine, texts))
    missed, had = await decoded(server, engine, asked([*texts, new]))
    (n_new,) = await counts(engine, [new])
    assert had >= before - PAGE
    assert n_new <= missed <= n_new + 2 * PAGE + 32


async def test_of_a_block_changed_in_the_middle_all_that_stands_behind_it_is_decoded(
    server: Vllm, engine: OpenAI
) -> None:
    """The others keep their order, and the new text goes to the end."""
    texts, (new,) = sources(20_000, 4), sources(25_000, 1)
    await decoded(server, engine, asked(texts))
    missed, had = await decoded(server, engine, asked([texts[0], new, *texts[2:]]))
    first, *rest = await counts(engine, [texts[0], *texts[2:], new])
    assert first - PAGE <= had <= first + PAGE
    assert missed >= sum(rest) - PAGE
    again, _ = await decoded(server, engine, asked(texts))
    assert again <= PAGE + 8, "the prompt of before is still there"


# Answers --------------------------------------------------------------------------------------------------------


def test_greedy_middles_are_those_of_our_engine_mostly(server: Vllm, home: Path) -> None:
    """Ours has the weights of the file, vLLM the same in f32."""
    family, same, different = of_server(CODE), 0, list[str]()
    assert family is not None
    lines = (sample.copy(home / "shop").file).read_text(encoding="utf-8").split("\n")
    with servers.own_engine() as ours:
        for i in [i for i, line in enumerate(lines) if line.startswith("        ")][::3]:
            before, behind = "\n".join([*lines[:i], lines[i][:12]]), "\n".join(["", *lines[i + 1 :]])
            body = {"model": CODE, "prompt": family.render(before, behind), "max_tokens": 24, "temperature": 0}
            texts = []
            for url in (ours, server.url):
                headers = {"Authorization": f"Bearer {KEY}"}
                answer = httpx2.post(f"{url}/v1/completions", json=body, headers=headers, trust_env=False, timeout=120)
                texts.append(answer.raise_for_status().json()["choices"][0]["text"])
            same += texts[0] == texts[1]
            different += [f"{texts[0]!r} {texts[1]!r}"] if texts[0] != texts[1] else []
    print(f"{same} of {same + len(different)} middles are the same")
    assert same >= 3 * len(different), different


async def test_a_window_completes_what_is_typed_and_an_edit_keeps_to_its_grammar(server: Vllm, window: Window) -> None:
    driver = await window()
    await driver.ready()
    uri = driver.open(str(sample.FILE))
    position = driver.type(uri, driver.at(uri, sample.AFTER), "\n        if self.lim")
    await driver.settled(uri, position)
    before, shown = await driver.stats(), 0
    for letter in "itqz":
        shown += len(await driver.complete(uri, position))
        position = driver.type(uri, position, letter)
    after = await driver.stats()
    assert shown
    assert after["decoded"] - before["decoded"] < after["reused"] - before["reused"]
    refusals = server.refusals()
    where = {"uri": uri, "position": plain_position(driver.at(uri, "self.discount.amount(totla)"))}
    answer = await driver.command("palimpsest.suggest", where)
    assert server.refusals() == refusals, "it refused the grammar"
    assert answer["suggestions"] or answer["refused"], answer


async def test_a_reply_that_is_stopped_is_worked_on_no_more(server: Vllm) -> None:
    engine = OpenAI(Endpoint(server.url, KEY), TALK)
    tail = wire.ChatTail([wire.Message("user", "Write the numbers from 1 to 300, one per line.")])
    grammar = 'root ::= ([0-9]+ "\\n")+'
    wanted = wire.GenerateRequest("w", chat=tail, grammar=grammar, max_tokens=2000, slot="chat")
    before = server.counter(GENERATED)
    async with aclosing(engine.generate_stream(wanted)) as pieces:
        async for _ in pieces:
            if server.counter(GENERATED) >= before + 8:
                break
    await server.idle()
    assert server.counter(GENERATED) < before + 2000
    await engine.aclose()


@contextmanager
def too_long() -> Iterator[None]:
    """A reply, or the error that says why there is none."""
    try:
        yield
    except JsonRpcException as error:
        if "longer than the model can read" not in str(error):
            raise


async def test_a_conversation_goes_on_from_what_was_decoded_and_is_compacted_where_it_is_too_long(
    server: Vllm, window: Window
) -> None:
    """The person says that it reads more than it does."""
    driver = await window(TALK, n_ctx=2 * N_CTX)
    await driver.ready()
    first = await driver.command("palimpsest.ask", {"text": "What is a cart? Answer in one sentence."})
    _, had = server.prefix_cache()
    await driver.command("palimpsest.ask", {"text": "And a discount?", "conversation": first["conversation"]})
    assert server.prefix_cache()[1] > had
    talk = (await driver.command("palimpsest.conversation.new", {"name": "Long"}))["conversation"]
    for i in range(5):
        said = {"role": "user", "content": f"Number {i}: " + "one two three four five " * 300}
        await driver.command("palimpsest.conversation.append", {"conversation": talk, **said})
    with too_long():
        assert (await driver.command("palimpsest.ask", {"conversation": talk, "text": "And now?"}))["reply"]


async def test_a_wrong_key_is_named(window: Window) -> None:
    driver = await window(key="another")
    assert "refuses the key" in await status(driver, "refuses the key")


async def test_it_ends_and_starts_again_with_tools_and_the_window_goes_on(server: Vllm, window: Window) -> None:
    driver = await window()
    await driver.ready()
    uri = driver.open(str(sample.FILE))
    server.stop()
    await driver.complete(uri, driver.type(uri, driver.at(uri, "return total"), " "))
    await status(driver, "does not answer")
    await asyncio.to_thread(server.start, *WITH_TOOLS)
    await driver.ready(servers.REPLY_S, patient=True)
    position = driver.type(uri, driver.at(uri, sample.AFTER), "\n        if self.dis")
    assert await driver.complete(uri, position)
    engine = OpenAI(Endpoint(server.url, KEY), TALK)
    native = wire.NativeChat([wire.NativeMessage("user", "Note x.")], [TOOL])
    tail = wire.ChatTail([wire.Message("user", "Note x.")], native)
    answer = await engine.generate(wire.GenerateRequest("trial", chat=tail, grammar=CALL, max_tokens=64))
    await engine.aclose()
    (call,) = answer.choices[0].calls
    assert (call.name, answer.choices[0].text) == ("remember", "")


def test_where_it_cannot_be_had_a_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(NotHere, match=f"{servers.VLLM} cannot be installed on this machine"):
        servers.prepare(tmp_path)
