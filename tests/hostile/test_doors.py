"""Clients that connect and say nothing, say it slowly, or say what is not theirs to say."""

from __future__ import annotations

import json
import os
import resource
import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import trustme

from palimpsest import wire
from palimpsest.engine.http.request_handling import MAX_BODY
from palimpsest.json_data import to_json
from tests.llama_server.conftest import EMBEDDED, Client, HttpEngine

KEY = "a-key-of-this-test"
NORMAL = {"prompt": "def add(a, b):\n    return", "n_predict": 8, "temperature": 0}
COMPLETE = {"workspace": "w", "fim": {"prefix": "x = ", "suffix": ""}, "max_tokens": 4}
HEAD = b"POST /completion HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[HttpEngine]:
    """Without a key."""
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048").ready()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def keyed() -> Iterator[HttpEngine]:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048", PALIMPSEST_API_KEY=KEY).ready()
    yield engine
    engine.close()


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(4096, before[1])), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def connected(engine: HttpEngine, sent: bytes, *, socket_path: bool = False) -> socket.socket:
    if socket_path:
        opened = socket.socket(socket.AF_UNIX)
        opened.settimeout(60)
        opened.connect(str(engine.folder / "e.sock"))
    else:
        opened = socket.create_connection(("127.0.0.1", engine.port), timeout=60)
    opened.sendall(sent)
    return opened


def n_descriptors(engine: HttpEngine) -> int:
    return len(os.listdir(f"/proc/{engine.popen.pid}/fd"))


@pytest.mark.slow(part="storms")
@pytest.mark.parametrize("door", ["keyed", "engine"])
@pytest.mark.parametrize("sent", [b"", b"POST /comp", HEAD + b"Content-Length: 100\r\n\r\n{"])
def test_a_thousand_unfinished_requests_keep_nobody_out(
    request: pytest.FixtureRequest, many_descriptors: None, door: str, sent: bytes
) -> None:
    engine: HttpEngine = request.getfixturevalue(door)
    headers = (("Authorization", f"Bearer {KEY}"),) if door == "keyed" else ()
    before = n_descriptors(engine)
    with ExitStack() as stack:
        for _ in range(1100):
            try:
                stack.enter_context(closing(connected(engine, sent)))
            except OSError:  # the door took it and closed it
                continue
        assert engine.editors.ask("/v1/generate", COMPLETE).status == 200
        assert Client(engine.url, headers).post("/completion", **NORMAL).status == 200
        assert n_descriptors(engine) < before + 300
    assert engine.popen.poll() is None


@pytest.mark.slow(part="storms")
def test_handshakes_that_do_not_go_on_keep_nobody_out(many_descriptors: None, tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    tls = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    engine = HttpEngine(EMBEDDED, "--n-ctx", "512", *tls)
    client = Client(f"https://127.0.0.1:{engine.port}", tls=context)
    try:
        engine.ready(client)
        with ExitStack() as stack:
            for i in range(600):
                with suppress(OSError):
                    stack.enter_context(closing(connected(engine, b"\x16\x03" * (i % 2))))
            assert client.post("/completion", **NORMAL).status == 200
            assert engine.editors.ask("/v1/generate", COMPLETE).status == 200
    finally:
        engine.close()


@pytest.mark.slow(part="storms")
def test_a_head_that_does_not_come_is_not_waited_for(engine: HttpEngine) -> None:
    with ExitStack() as stack:
        opened = [connected(engine, b"GET /v1/heal", socket_path=path) for path in (False, True)]
        for slow in [stack.enter_context(closing(one)) for one in opened]:
            with suppress(ConnectionResetError):
                assert slow.recv(1) == b""


@pytest.mark.slow(part="storms")
def test_a_body_that_does_not_come_is_not_waited_for(engine: HttpEngine) -> None:
    with closing(connected(engine, HEAD + b"Content-Length: 100\r\n\r\n{")) as slow:
        assert slow.recv(20).startswith(b"HTTP/1.1 408")


def test_the_key_is_asked_for_before_the_body(keyed: HttpEngine) -> None:
    with closing(connected(keyed, HEAD + b"Content-Length: 100\r\n\r\n")) as unfinished:
        said = b""
        with suppress(ConnectionResetError):
            while piece := unfinished.recv(4096):
                said += piece
        assert said.startswith(b"HTTP/1.1 401")
        assert b"Invalid API Key" in said


def test_all_bodies_together_are_bounded(engine: HttpEngine) -> None:
    """Twenty of nearly the greatest size, unfinished: those that are too much are refused, and nothing else is."""
    part = b'{"x": "' + b"a" * (MAX_BODY - 100)
    head = HEAD + f"Content-Length: {MAX_BODY}\r\n\r\n".encode()
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(connected(engine, head))) for _ in range(20)]
        gone = 0
        for one in opened:
            try:
                one.sendall(part)
            except OSError:
                gone += 1
        answered = [one for one in opened if one.fileno() >= 0]
        refused = set[socket.socket]()
        while len(refused) + gone < 4:
            ready, _, _ = select.select([one for one in answered if one not in refused], [], [], 60)
            assert ready
            for one in ready:
                assert one.recv(20).startswith(b"HTTP/1.1 503")
                refused.add(one)
        assert engine.editors.ask("/v1/generate", COMPLETE).status == 200


def test_without_a_key_nothing_of_others_is_ended_or_shown(engine: HttpEngine) -> None:
    sync = to_json(wire.SyncRequest("window", "", "", [wire.WantedBlock("secret.py", "TOKEN = 1\n")]))
    assert engine.editors.ask("/v1/sync", sync).data["decoded"] > 0
    stranger = Client(engine.url)
    for path in ("/v1/shutdown", "/v1/reset", "/v1/close"):
        answer = stranger.ask(path, {"workspace": "window"})
        assert (answer.status, "wants a key" in answer.text) == (403, True)
    assert stranger.ask("/v1/map?workspace=window").status == 403
    other = sync | {"blocks": [], "header": "other"}
    for path, asked in (("/v1/sync", other), ("/v1/generate", COMPLETE | {"workspace": "window", "sync": other})):
        assert stranger.ask(path, asked).status == 200
    spans = engine.editors.ask("/v1/map?workspace=window").data["spans"]
    assert any((span["key"], span["state"]) == ("secret.py", "attached") for span in spans)
    assert engine.editors.ask("/v1/sync", sync).data["decoded"] == 0
    for path in ("/slots", "/metrics", "/props"):
        assert "secret.py" not in stranger.ask(path).text
    for path, method in (("/slots/0?action=save", "POST"), ("/props", "POST")):
        assert stranger.ask(path, {"filename": "/tmp/x"}, method).status in (404, 405, 501)


def test_only_this_machines_names_are_let_in_without_a_key(engine: HttpEngine) -> None:
    for host in ("127.0.0.1", "localhost:80", "[::1]", "[::1]:8012", "LOCALHOST"):
        assert Client(engine.url).ask("/health", Host=host).status == 200
    for host in (
        *("[::1].evil.com", "[::1]evil", "[::1]:80.evil.com", "localhost.evil.com", "127.0.0.1.nip.io", "127.0.0.1:"),
        *("localhost:80:80", "", "evil.com", "[::1", "127.0.0.1@evil.com", "localhost/../evil"),
    ):
        assert Client(engine.url).ask("/health", Host=host).status == 403, host


def test_the_usual_client_is_served_on_one_connection(engine: HttpEngine) -> None:
    """Answers, refusals and bodies one after another, as a pool of connections sends them."""
    with closing(Client(engine.url).connect()) as connection:
        for asked, status in ((NORMAL, 200), ({"prompt": 5}, 400), (NORMAL, 200)):
            connection.request("POST", "/completion", json.dumps(asked))
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (status, True)
