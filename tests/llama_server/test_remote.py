"""Keys, certificates, and the engine's own protocol over TCP."""

from __future__ import annotations

import dataclasses
import signal
import socket
import ssl
import time
from collections.abc import Iterator

import pytest
import trustme

from palimpsest import wire
from palimpsest.command_line import main
from palimpsest.json_data import from_json, to_json
from tests.llama_server.conftest import EMBEDDED, Client, HttpEngine

KEY = "a-key-of-this-test"
SMALL = ("--n-ctx", "1024", "--store-mb", "16")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def guarded(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpEngine]:
    """An engine that others can reach: with a key and a certificate."""
    folder = tmp_path_factory.mktemp("tls")
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificate.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    (folder / "keys").write_text(f"another\n{KEY}\n")
    tls = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
    engine = HttpEngine(
        EMBEDDED, *SMALL, *tls, "--api-key-file", str(folder / "keys"), "--log-level", "debug", host="0.0.0.0"
    )
    yield engine.ready(_client(engine, authority))
    said = "".join(engine.close())
    assert KEY not in said


def _client(engine: HttpEngine, authority: trustme.CA, *headers: tuple[str, str]) -> Client:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return Client(f"https://127.0.0.1:{engine.port}", headers, context)


def test_a_key_opens_in_either_header_and_nothing_else_does(guarded: HttpEngine, authority: trustme.CA) -> None:
    body = {"prompt": "a", "n_predict": 1, "temperature": 0, "response_fields": ["content"]}
    for header in (("Authorization", f"Bearer {KEY}"), ("X-Api-Key", KEY), ("X-Api-Key", "another")):
        assert _client(guarded, authority, header).ask("/completion", body).status == 200
    for headers in ((), (("Authorization", f"Bearer {KEY}x"),), (("Authorization", KEY),), (("X-Api-Key", ""),)):
        answer = _client(guarded, authority, *headers).ask("/completion", body)
        error = {"message": "Invalid API Key", "type": "authentication_error", "code": 401}
        assert (answer.status, answer.data["error"]) == (401, error)
    assert _client(guarded, authority).ask("/slots").status == 401
    assert _client(guarded, authority).ask("/v1/health").data == {"status": "ok"}
    assert guarded.popen.poll() is None
    log = "".join(path.read_text() for path in guarded.folder.rglob("*.log"))
    assert log
    assert KEY not in log


def test_the_engines_own_protocol_is_served_too(guarded: HttpEngine, authority: trustme.CA) -> None:
    client = _client(guarded, authority, ("Authorization", f"Bearer {KEY}"))
    health = client.ask("/v1/health").data
    assert (health["state"], health["status"], health["pid"]) == ("ready", "ok", guarded.popen.pid)
    sync = wire.SyncRequest("far", "", "", [wire.WantedBlock("a", "def area(w, h): return w * h\n")])
    first, second = (client.ask("/v1/sync", to_json(sync)).data for _ in range(2))
    assert first["decoded"] > second["decoded"] == 0
    asked = wire.GenerateRequest("far", fim=wire.FimTail("def f(w, h):\n    return ", "\n"), max_tokens=4)
    answer = from_json(client.ask("/v1/generate", to_json(asked)).data, wire.GenerateAnswer)
    assert answer.choices
    stream = client.ask("/v1/generate", to_json(dataclasses.replace(asked, stream=True)))
    assert '"answer"' in stream.text
    wrong = client.ask("/v1/sync", {"workspace": 5})
    assert (wrong.status, wrong.data["error"]["code"]) == (400, "invalid_argument")
    refused = _client(guarded, authority).ask("/v1/model")
    assert (refused.status, refused.data["error"]["code"]) == (401, "unavailable")


def test_a_client_that_does_not_trust_the_certificate_is_not_deceived(guarded: HttpEngine) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        Client(f"https://127.0.0.1:{guarded.port}", tls=ssl.create_default_context()).ask("/health")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--http", "0.0.0.0:8012"], "others can reach 0.0.0.0"),
        (["--http", "nowhere"], "expected a port"),
        (["--http", "127.0.0.1:99999"], "expected a port"),
        (["--api-key", "k"], "--api-key: goes with --http"),
        (["--http", "1", "--tls-cert", "x"], "give both"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["engine", "--model", str(EMBEDDED), *arguments])
    assert ended.value.code == 2
    assert message in capfd.readouterr().err


def test_a_request_that_was_let_in_before_the_engine_is_told_to_stop_is_answered() -> None:
    """Its job begins only after that: nobody waits for 900 tokens, or gets an error that says nothing."""
    engine = HttpEngine(EMBEDDED, *SMALL)
    try:
        engine.ready()
        body = b'{"prompt": "x", "n_predict": 900, "grammar": "root ::= [a-z] root"}'
        with (
            socket.create_connection(("127.0.0.1", engine.port), timeout=30) as connection,
            connection.makefile("rb") as said,
        ):
            head = f"POST /completion HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
            connection.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
            assert b"100 Continue" in said.readline()  # it waits for the body
            engine.popen.send_signal(signal.SIGTERM)
            while _stays(engine):
                time.sleep(0.01)
            connection.sendall(body)
            answer = said.read()
        assert answer.split(b"\r\n")[1].startswith(b"HTTP/1.1 503"), answer
        assert b"The engine is stopping" in answer
        assert engine.popen.wait(timeout=30) == 0
    finally:
        engine.close()


def _stays(engine: HttpEngine) -> bool:
    try:
        return Client(engine.url).ask("/props").status == 200
    except OSError:
        return False  # it takes no more connections


def test_a_key_may_come_from_the_environment_and_an_engine_on_http_stays() -> None:
    engine = HttpEngine(EMBEDDED, *SMALL, "--settings", '{"idle_exit_s": 1}', PALIMPSEST_API_KEY=KEY)
    try:
        engine.ready()
        assert Client(engine.url).ask("/props").status == 401
        assert Client(engine.url, (("X-Api-Key", KEY),)).ask("/props").status == 200
        time.sleep(1.5)
        assert engine.popen.poll() is None
        second = HttpEngine(EMBEDDED, *SMALL, "--socket", str(engine.folder / "e.sock"))
        _, said = second.popen.communicate(timeout=60)
        assert second.popen.returncode == 1
        assert "another engine runs" in said
        begun = Client(engine.url, (("X-Api-Key", KEY),)).connect()
        body = '{"prompt": "x", "n_predict": 900, "grammar": "root ::= [a-z] root"}'
        begun.request("POST", "/completion", body, {"X-Api-Key": KEY})
        engine.popen.send_signal(signal.SIGTERM)
        answer = begun.getresponse()
        assert answer.status in (200, 503), answer.read()
        begun.close()
        assert engine.popen.wait(timeout=30) == 0
    finally:
        engine.close()
