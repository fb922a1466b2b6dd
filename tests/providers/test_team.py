"""One engine for a team: windows over TLS, with a key each.  Whose turn it is, a cache that is full, a key revoked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineRefused, EngineUnavailable
from palimpsest.providers import provider
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.supervisor import EngineStatus, Supervisor
from palimpsest.session.building import workspace_name
from tests.native.helpers import text
from tests.providers.conftest import ENDLESS
from tests.providers.test_elsewhere import Engine, until

N = 20
CLOSE = 0.1
"""Nats: a token's log-probability depends a little on where the cells are (by 0.056 at most here). With the blocks of
another window in place of its own, 18 of 20 windows differ by more."""


class Team:
    """An engine over TLS, and the keys that it takes."""

    def __init__(self, model: Path, folder: Path, n_ctx: int) -> None:
        authority = trustme.CA()
        certificate = authority.issue_cert("127.0.0.1")
        self.ca, self.file = folder / "ca.pem", folder / "keys"
        authority.cert_pem.write_to_path(str(self.ca))
        certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
        certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
        self.keys = [f"key-of-window-{i}" for i in range(N)]
        self.give(*self.keys)
        tls = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
        steady = ("--n-batch", "32", "--n-threads", "1", "--n-ctx", str(n_ctx))
        self.engine = Engine(model, "--api-key-file", str(self.file), *tls, *steady)
        self.url = f"https://127.0.0.1:{self.engine.port}"

    def give(self, *keys: str) -> None:
        """From now on these are taken, and no others."""
        new = self.file.with_suffix(".new")
        new.write_text("".join(f"{key}\n" for key in keys))
        new.replace(self.file)

    def settings(self, key: str) -> EngineSettings:
        return EngineSettings(url=self.url, ca_file=str(self.ca), api_key=key, retries=0)

    @asynccontextmanager
    async def windows(self, n: int = N) -> AsyncIterator[list[InPlaceEngine]]:
        """Clients with a key each, once the engine answers."""
        windows = [InPlaceEngine.remote(Endpoint(self.url, key, ca_file=str(self.ca))) for key in self.keys[:n]]
        try:
            while not await answers(windows[0]):
                await asyncio.sleep(0.1)
            yield windows
        finally:
            for window in windows:
                await window.aclose()


async def answers(window: InPlaceEngine) -> bool:
    try:
        return (await window.health()).state == "ready"
    except EngineUnavailable:  # it is being started
        return False


@pytest.fixture
def folder(tmp_path: Path, machine: Path) -> Path:
    return tmp_path


@pytest.fixture
def team(model: Path, folder: Path) -> Iterator[Team]:
    it = Team(model, folder, 8192)
    yield it
    it.engine.kill()


def blocks(i: int) -> wire.SyncRequest:
    """Two of a window's own."""
    wanted = [wire.WantedBlock(f"b{j}", text(100 * i + j, 150)) for j in range(2)]
    return wire.SyncRequest(f"w{i}", "<workspace>\n", "</workspace>\n", wanted)


def key(i: int) -> wire.GenerateRequest:
    """A keystroke in a window."""
    tail = wire.FimTail("def area(self):\n    " + text(100 * i + 50, 60), "\n")
    return wire.GenerateRequest(f"w{i}", fim=tail, sync=blocks(i), max_tokens=6)


async def waiting(engine: InPlaceEngine, n: int, held: asyncio.Task[wire.GenerateAnswer]) -> None:
    """Return once the engine has so many jobs, the first of which it works on."""
    while (await engine.health()).waiting < n:
        assert not held.done(), held.result()
        await asyncio.sleep(0.01)


async def test_no_window_waits_for_more_than_one_request_of_each_other_one(team: Team) -> None:
    """One asks for twenty things at once, before nineteen others ask for one."""
    done = list[int]()

    async def ask(engine: InPlaceEngine, i: int) -> None:
        assert (await engine.generate(key(i))).choices
        done.append(i)

    async with team.windows() as windows, asyncio.TaskGroup() as group:
        long = wire.GenerateRequest("long", text=wire.TextTail("x = "), max_tokens=7000, grammar=ENDLESS)
        held = asyncio.create_task(windows[0].generate(long))  # until all have asked
        await waiting(windows[1], 1, held)
        for i in range(N):
            group.create_task(ask(windows[0], 0))
            await waiting(windows[1], 2 + i, held)
        for i in range(1, N):
            group.create_task(ask(windows[i], i))
            await waiting(windows[1], 1 + N + i, held)
        assert not held.done()
        held.cancel()
    assert len(done) == 2 * N - 1
    first = done[: done.index(N - 1) + 1]
    assert first.count(0) <= 2, "however many one asks for"
    assert sorted(i for i in first if i) == list(range(1, N)), "each in its turn"


async def test_in_a_full_cache_the_blocks_of_whoever_was_away_longest_go_and_every_answer_is_right(
    model: Path, folder: Path
) -> None:
    team = Team(model, folder, 1536)
    try:
        async with team.windows() as windows:

            async def ask(i: int) -> float:
                """How probable the likeliest token is: of two that are as likely, either may come."""
                asked = key(i)
                assert asked.fim is not None
                asked = replace(asked, fim=replace(asked.fim, heal=False), max_tokens=1)
                return (await windows[i].generate(asked)).choices[0].logprob

            async def here() -> list[int]:
                """Those who have blocks in the cache."""
                maps = [await window.cache_map(f"w{i}") for i, window in enumerate(windows)]
                return [i for i, found in enumerate(maps) if any(span.state == "attached" for span in found.spans)]

            alone = list[float]()
            for i in range(N):
                alone.append(await ask(i))
                await windows[i].reset(f"w{i}")
            right = [pytest.approx(one, abs=CLOSE) for one in alone]
            for i in range(N):
                assert await ask(i) == right[i], f"window {i}"
            stay = await here()
            assert 1 < len(stay) < N
            assert stay == list(range(stay[0], N)), "the others were used longer ago"
            for i in (stay[0], 0, 1):  # one that is used again, and two that come back
                assert await ask(i) == right[i], f"window {i}"
            then = await here()
            assert stay[0] in then
            assert stay[1] not in then
            for i in reversed(range(N)):
                assert await ask(i) == right[i], f"window {i}"
            assert (await windows[0].check()).unsound == ""
    finally:
        team.engine.kill()


async def test_a_key_that_is_revoked_in_use_is_refused_at_once_and_the_others_go_on(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no door: how often an engine is looked at is nobody's to set
    monkeypatch.setattr(provider, "PROBE_S", dict.fromkeys(provider.PROBE_S, 0.05))
    statuses = list[EngineStatus]()
    first, second = team.keys[:2]
    supervisor = Supervisor(Target(Path("none.gguf"), team.settings(first)))
    supervisor.on_status(statuses.append)
    async with team.windows(2) as (_, other):
        supervisor.start()
        await until(supervisor, "ready")
        async with supervisor.engine() as engine:
            assert (await engine.generate(key(0))).choices
            team.give(second)
            with pytest.raises(EngineRefused, match="refused the key"):
                await engine.generate(key(0))
        status = await until(supervisor, "failed")
        said = "The engine refused the key. Set the environment variable PALIMPSEST_API_KEY, or `engine.api_key`"
        assert status.message.startswith(said)
        assert {seen.state for seen in statuses} <= {"starting", "away", "loading", "ready", "failed"}
        ready = next(i for i, seen in enumerate(statuses) if seen.state == "ready")
        assert [seen.state for seen in statuses[ready:]] == ["ready", "failed"], "it is not away"
        assert (await other.generate(key(1))).choices
        team.give(second, "a-new-one")
        await supervisor.restart(Target(Path("none.gguf"), team.settings("a-new-one")))
        await until(supervisor, "ready")
        assert (await (await supervisor.ready()).generate(key(0))).choices
        await supervisor.aclose()


async def test_a_file_of_keys_that_is_emptied_or_gone_opens_to_nobody(team: Team) -> None:
    async with team.windows(1) as (engine,):
        team.give()
        with pytest.raises(EngineRefused):
            await engine.model()
        team.give(team.keys[0])
        assert (await engine.model()).name
        team.file.unlink()
        with pytest.raises(EngineRefused):
            await engine.model()
        team.give(team.keys[0])
        assert (await engine.model()).name
    nobody = InPlaceEngine.remote(Endpoint(team.url, "", ca_file=str(team.ca)))
    with pytest.raises(EngineRefused):
        await nobody.model()
    await nobody.aclose()


def test_windows_on_the_same_folder_of_two_machines_are_told_apart() -> None:
    """Both may be containers, in which a window has the same process number."""
    roots = (Path("/workspaces/shop"),)
    assert workspace_name(roots) != workspace_name(roots)
