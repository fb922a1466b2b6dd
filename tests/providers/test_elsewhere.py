"""Engines on other machines as one server sees them: followed, away, back; the real ones, over loopback."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineDied, EngineRefused, EngineUnavailable, ModelError
from palimpsest.providers import provider
from palimpsest.providers.base.target import Target
from palimpsest.providers.supervisor import EngineStatus, Supervisor
from tests.providers.conftest import EMBEDDED, Process, endless
from tests.providers.peer import Peer, block, completion, wanted

PATIENCE_S = 60.0
NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks follow each other closely, so that no test waits for one."""
    # no door: how often an engine is looked at is nobody's to set
    monkeypatch.setattr(provider, "PROBE_S", dict.fromkeys(provider.PROBE_S, 0.05))
    monkeypatch.setattr(provider, "LONGEST_BACKOFF", 0)


@asynccontextmanager
async def following(**settings: object) -> AsyncIterator[Supervisor]:
    fields = {"kind": "llama-server", "retries": 0, **settings}
    supervisor = Supervisor(Target(Path("none.gguf"), EngineSettings(**fields)))  # type: ignore[arg-type]
    supervisor.start()
    yield supervisor
    await supervisor.aclose()


async def until(supervisor: Supervisor, *states: str) -> EngineStatus:
    while supervisor.status.state not in states:
        await asyncio.sleep(0.01)
    return supervisor.status


@pytest.fixture
def peer() -> Iterator[Peer]:
    """One of the test's own, to be killed."""
    it = Peer(EMBEDDED)
    yield it
    it.kill()


@pytest.mark.parametrize("kind", ["llama-server", "openai"])
async def test_killed_in_a_request_it_is_away_and_back_again_it_works(kind: str, peer: Peer) -> None:
    async with following(kind=kind, url=peer.url) as supervisor:
        engine = await supervisor.ready(PATIENCE_S)
        assert supervisor.status.model is not None

        async def use() -> None:
            async with supervisor.engine() as engine:
                async for _ in engine.generate_stream(endless(3000, stream=True)):
                    peer.kill()

        with pytest.raises(EngineDied):
            await use()
        status = await until(supervisor, "away")
        assert status.message == f"The engine at {peer.url} does not answer; trying again."
        assert status.model is None
        with pytest.raises(EngineUnavailable, match="trying again"):
            await supervisor.ready(PATIENCE_S)
        peer.start()
        await until(supervisor, "ready")
        engine = await supervisor.ready()
        assert (await engine.generate(completion("x", wanted(block("alpha"))))).choices


async def test_a_silent_death_is_noticed_while_nobody_asks(peer: Peer) -> None:
    async with following(url=peer.url) as supervisor:
        await supervisor.ready(PATIENCE_S)
        peer.kill()
        await until(supervisor, "away")


async def test_it_is_left_in_the_moment_in_which_a_request_fails(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Python 3.12, `asyncio.wait_for` forgets that it was cancelled when what it waits for comes as well."""
    # no door: how often an engine is looked at is nobody's to set
    monkeypatch.setattr(provider, "PROBE_S", dict.fromkeys(provider.PROBE_S, 600.0))
    async with following(url=peer.url) as supervisor, asyncio.timeout(PATIENCE_S):
        await supervisor.ready(PATIENCE_S)
        for _ in range(100):  # until it waits for the next look
            await asyncio.sleep(0)
        with pytest.raises(EngineUnavailable):
            async with supervisor.engine():
                raise EngineUnavailable("the network was gone for a moment")
        await supervisor.aclose()


async def test_it_is_awaited_where_nobody_answers_yet() -> None:
    async with following(url=NOBODY) as supervisor:
        assert "does not answer" in (await until(supervisor, "away")).message
        await supervisor.restart()
        assert (await until(supervisor, "away")).model is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"url": ""}, "engine.url"),
        ({"url": "gpu:8080"}, "http://"),
        ({"url": "http://me:secret@gpu"}, "no name and no password"),
        ({"url": "https://gpu", "ca_file": "/nowhere.pem"}, "engine.ca_file"),
    ],
)
async def test_a_wrong_address_is_named_and_not_tried_again(settings: dict[str, str], words: str) -> None:
    async with following(**settings) as supervisor:
        with pytest.raises(ModelError, match=words) as error:
            await supervisor.ready(PATIENCE_S)
        assert "secret" not in str(error.value)
        assert supervisor.status.state == "failed"


async def test_a_wrong_key_is_named_and_the_right_one_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer = Peer(EMBEDDED, "--api-key", "r1ght-key")
    try:
        monkeypatch.setenv("MY_KEY", "wr0ng-key")
        async with following(url=peer.url, api_key_env="MY_KEY") as supervisor:
            with pytest.raises(EngineRefused, match="MY_KEY"):
                await supervisor.ready(PATIENCE_S)
            monkeypatch.setenv("MY_KEY", "r1ght-key")
            await supervisor.restart()
            await supervisor.ready(PATIENCE_S)
        async with following(url=peer.url, api_key_env="MY_KEY", api_key="wr0ng-key") as supervisor:
            with pytest.raises(EngineRefused):
                await supervisor.ready(PATIENCE_S)
    finally:
        peer.kill()
    assert "r1ght-key" not in caplog.text
    assert "wr0ng-key" not in caplog.text


class Engine:
    """`palimpsest engine --http` on a port that stays the same."""

    def __init__(self, model: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        place = ["--model", str(model), "--n-ctx", "1024", "--store-mb", "16", "--http", f"127.0.0.1:{self.port}"]
        self._arguments = [*place, *options]
        self._process: Process | None = None
        self.start()

    def start(self) -> None:
        self._process = Process(*self._arguments)

    def kill(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = None


async def test_our_own_engine_elsewhere_is_followed_over_its_end(machine: Path, model: Path) -> None:
    engine = Engine(model)
    try:
        async with following(kind="in-place", url=f"http://127.0.0.1:{engine.port}") as supervisor:
            await until(supervisor, "ready")
            ours = await supervisor.ready()
            sync = wanted(block("alpha", 4), block("beta", 4))
            first = await ours.sync(sync)
            assert first.decoded > 0
            assert (await ours.sync(sync)).decoded == 0
            engine.kill()
            assert "does not answer" in (await until(supervisor, "away")).message
            engine.start()
            await until(supervisor, "ready")
            answer = await (await supervisor.ready()).generate(completion("x", sync))
            assert answer.sync is not None
            assert [report.action for report in answer.sync.blocks] == ["written", "written"], "all sent anew"
            await supervisor.restart()
            await supervisor.ready(PATIENCE_S)
            assert (await (await supervisor.ready()).sync(sync)).decoded == 0, "a restart here ends no engine there"
    finally:
        engine.kill()


async def test_our_own_engine_over_tls_with_a_key(
    machine: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    ca, cert, key, keys = (tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem", "keys"))
    authority.cert_pem.write_to_path(str(ca))
    certificate.cert_chain_pems[0].write_to_path(str(cert))
    certificate.private_key_pem.write_to_path(str(key))
    keys.write_text("r1ght-key\n")
    engine = Engine(model, "--api-key-file", str(keys), "--tls-cert", str(cert), "--tls-key", str(key))
    url = f"https://127.0.0.1:{engine.port}"
    try:
        async with following(kind="in-place", url=url, ca_file=str(ca), api_key="r1ght-key") as supervisor:
            await until(supervisor, "ready")
            assert (await (await supervisor.ready()).generate(completion("x"))).choices
        async with following(kind="in-place", url=url, ca_file=str(ca), api_key="wr0ng-key") as supervisor:
            with pytest.raises(EngineRefused, match="key"):
                await supervisor.ready(PATIENCE_S)
        async with following(kind="in-place", url=url, api_key="r1ght-key") as supervisor:
            said = (await until(supervisor, "away")).message
            assert "certificate" in said.lower()
            assert said.endswith("Name its certificate in engine.ca_file.")
    finally:
        engine.kill()
