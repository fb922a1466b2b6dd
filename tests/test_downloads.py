"""Getting a model against servers on the loopback: whom it tells the person's token, what it takes, what it refuses."""

from __future__ import annotations

import dataclasses
import hashlib
import http.server
import io
import json
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from palimpsest.command_line import main
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.models import files as model_files
from palimpsest.models import hub as hubs
from palimpsest.models import transfer
from palimpsest.models.download import Unverified, get
from palimpsest.models.known import KNOWN
from palimpsest.system import folders
from tests.test_model_files import config, write_model

__all__ = ["config"]
TOKEN = "hf_not_for_others"
REPO, FILE = "owner/repo", "m.gguf"
ON_HUB = f"/{REPO}/resolve/main/{FILE}"


@dataclass
class Server:
    """What it has, does wrong, and was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    """Bytes after which each of the next bodies is cut off."""
    failing: bool = False
    corrupt: bool = False
    plain_etag: bool = False
    says: int | None = None
    """The size that it announces, where that is not the true one."""
    more: bytes = b""
    """What is sent on and on behind the content."""
    sizeless: bool = False
    asked: list[tuple[str, str, str | None, str | None]] = field(default_factory=list)
    """Method, path, Range and Authorization of each request."""
    url: str = ""

    @property
    def told(self) -> set[str]:
        return {token for *_, token in self.asked if token}

    @property
    def ranges(self) -> list[str | None]:
        return [wanted for method, _, wanted, _ in self.asked if method == "GET"]


class Handler(http.server.BaseHTTPRequestHandler):
    """As much of the hub as a download needs: metadata in HEAD's headers, byte ranges in GET."""

    server_state: Server

    def do_HEAD(self) -> None:
        if (content := self.begin()) is None:
            return
        server, digest = self.server_state, hashlib.sha256(content).hexdigest()
        self.send_response(200)
        self.send_header("ETag", '"weak"' if server.plain_etag else f'"{digest}"')
        size = len(content) if server.says is None else server.says
        if not server.sizeless:
            self.send_header("Content-Length", str(size))
        if not server.plain_etag:
            self.send_header("X-Linked-Etag", f'"{digest}"')
            self.send_header("X-Linked-Size", str(size))
        self.end_headers()

    def do_GET(self) -> None:
        if (content := self.begin()) is None:
            return
        server = self.server_state
        if server.failing:
            self.send_error(503)
            return
        body = content[:-9] + b"corrupted" if server.corrupt else content
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted else 0
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if not server.more:
            self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = server.cut_after.pop(0) + start if server.cut_after else len(body)
        with suppress(OSError):
            self.wfile.write(body[start:end])
            while server.more:
                self.wfile.write(server.more)
        self.close_connection = True

    def begin(self) -> bytes | None:
        """The content, or None where the answer is sent."""
        server = self.server_state
        server.asked.append((self.command, self.path, self.headers.get("Range"), self.headers.get("Authorization")))
        path = self.path.partition("?")[0]
        there, content = server.redirects.get(path), server.files.get(path)
        if there is None and content is not None:
            return content
        self.send_response(404 if there is None else 302)
        if there is not None:
            self.send_header("Location", there)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def log_message(self, *args: Any) -> None:
        pass


def serving() -> Iterator[Server]:
    state = Server()
    handler = type("StateHandler", (Handler,), {"server_state": state})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


class Terminal(io.StringIO):
    """One at which a person types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The person's hub, who has a token for it."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    # no door: the real ones are for files of gigabytes
    monkeypatch.setattr(transfer, "CHUNK", 10_000)
    monkeypatch.setattr(transfer, "PAUSE_S", 0.0)
    for state in serving():
        monkeypatch.setenv("HF_ENDPOINT", state.url)
        yield state


@pytest.fixture
def other(hub: Server) -> Iterator[Server]:
    """Somebody else's server."""
    yield from serving()


@pytest.fixture
def content(hub: Server, tmp_path: Path) -> bytes:
    hub.files[ON_HUB] = write_model(tmp_path / "source.gguf", rows=2000).read_bytes()
    return hub.files[ON_HUB]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def models_folder() -> list[str]:
    return sorted(path.name for path in folders.models().rglob("*") if path.is_file())


class TestTheToken:
    def test_goes_to_the_hub(self, hub: Server, content: bytes) -> None:
        get(f"{REPO}/{FILE}")
        assert hub.told == {f"Bearer {TOKEN}"}

    def test_goes_to_no_other_address(self, hub: Server, other: Server, content: bytes) -> None:
        other.files["/m.gguf"] = content
        get(f"{other.url}/m.gguf#sha256={sha256(content)}")
        with pytest.raises(Unverified):
            get(f"{other.url}/m.gguf?again")
        assert other.asked
        assert other.told == set()

    def test_goes_along_no_redirect(self, hub: Server, other: Server, content: bytes) -> None:
        other.files["/cdn/m.gguf"] = content
        hub.redirects[ON_HUB] = f"{other.url}/cdn/m.gguf"
        assert get(f"{REPO}/{FILE}", unverified=True).path.read_bytes() == content
        assert other.ranges == [None]
        assert other.told == set()
        assert hub.told == {f"Bearer {TOKEN}"}

    def test_comes_back_along_no_redirect_to_where_it_was_not_sent(
        self, hub: Server, other: Server, content: bytes
    ) -> None:
        """Another host of the same name is another origin: the port counts."""
        assert not hubs.Hub("https://hub.example").owns("https://hub.example:8443/x")
        assert not hubs.Hub("https://hub.example").owns("http://hub.example/x")
        assert not hubs.Hub("https://hub.example").owns("https://hub.example.evil/x")
        assert hubs.Hub("https://hub.example").owns("https://HUB.example:443/x")

    def test_is_not_sent_in_the_open(self, hub: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_ENDPOINT", "http://hub.example")
        with pytest.raises(ModelError, match="others can read"):
            get(f"{REPO}/{FILE}")

    def test_is_in_no_message(self, hub: Server) -> None:
        hub.failing = True
        hub.files[ON_HUB] = b"GGUF"
        with pytest.raises(ModelError) as caught:
            get(f"{REPO}/{FILE}")
        assert TOKEN not in str(caught.value)


class TestWhatIsTaken:
    def test_a_known_model_of_its_revision_with_its_hash_and_it_tells_how_far_it_is(
        self, hub: Server, content: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = dataclasses.replace(KNOWN[0], sha256=sha256(content))
        # no door: the known models are hundreds of megabytes
        monkeypatch.setattr(hubs, "KNOWN", (known,))
        place = f"/{known.repo}/resolve/{known.revision}/{known.file}"
        hub.files[place] = content
        seen = list[tuple[int, int]]()
        found = get(known.name, progress=lambda done, total: seen.append((done, total)))
        assert found.path == folders.models() / known.repo.replace("/", "--") / known.file
        assert found.path.read_bytes() == content
        assert seen[-1] == (len(content), len(content))
        assert models_folder() == [known.file]
        asked = len(hub.asked)
        get(known.name)
        assert len(hub.asked) == asked, "what is here and has the hash is asked for nowhere"

    def test_a_known_model_with_another_content_is_refused(self, hub: Server, content: bytes) -> None:
        known = KNOWN[0]
        hub.files[f"/{known.repo}/resolve/{known.revision}/{known.file}"] = content
        with pytest.raises(ModelError, match="SHA-256"):
            get(known.name)
        assert not [name for name in models_folder() if not name.endswith(".lock")]

    def test_all_known_models_are_pinned_or_left_to_the_hubs_hash(self) -> None:
        for known in KNOWN:
            if known.sha256:
                assert hubs.SHA256.fullmatch(known.sha256), known.name
            if known.revision != "main":
                assert re.fullmatch("[0-9a-f]{40}", known.revision), known.name
            assert known.licence
        assert len({(known.repo, known.file) for known in KNOWN}) == len({known.name for known in KNOWN}) == len(KNOWN)

    def test_again_loads_nothing(self, hub: Server, content: bytes) -> None:
        get(f"{REPO}/{FILE}")
        assert get(f"{REPO}/{FILE}").path.read_bytes() == content
        assert hub.ranges == [None]

    def test_goes_on_when_the_connection_is_cut(self, hub: Server, content: bytes) -> None:
        hub.cut_after = [100_000]
        assert get(f"{REPO}/{FILE}").path.read_bytes() == content
        assert hub.ranges == [None, "bytes=100000-"]

    def test_goes_on_in_a_later_call_where_an_earlier_one_failed(self, hub: Server, content: bytes) -> None:
        part = self.interrupted(hub, keep=70_000)
        hub.failing = True
        with pytest.raises(ModelError, match="503") as caught:
            get(f"{REPO}/{FILE}")
        assert "goes on where it stopped" in caught.value.hint
        assert part.stat().st_size == 70_000
        hub.failing, hub.asked = False, []
        assert get(f"{REPO}/{FILE}").path.read_bytes() == content
        assert hub.ranges == ["bytes=70000-"]
        assert models_folder() == [FILE]

    def interrupted(self, hub: Server, *, keep: int) -> Path:
        """A call that a person stopped after so many bytes: the file it leaves."""

        def stop(done: int, total: int) -> None:
            if done >= keep:
                raise KeyboardInterrupt

        hub.cut_after = [keep]
        with pytest.raises(KeyboardInterrupt):
            get(f"{REPO}/{FILE}", progress=stop)
        (part,) = folders.models().rglob("*.part")
        assert part.stat().st_size == keep
        return part

    def test_a_url_with_its_hash(self, other: Server, content: bytes) -> None:
        other.files["/files/m.gguf"], other.plain_etag = content, True
        url = f"{other.url}/files/m.gguf"
        assert get(f"{url}#sha256={sha256(content)}").path == folders.models() / "m.gguf"
        with pytest.raises(ModelError, match="SHA-256"):
            get(f"{url}#sha256={'0' * 64}")
        with pytest.raises(InvalidArgument, match="SHA-256"):
            get(f"{url}#sha256=12")

    def test_a_url_without_one_is_for_a_person_to_decide(
        self, other: Server, content: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        other.files["/files/m.gguf"] = content  # its own word for the hash is no proof
        url = f"{other.url}/files/m.gguf"
        assert main(["model", "get", url, "--json"]) == 1
        answer = json.loads(capsys.readouterr().out)
        assert "--unverified" in answer["error"]["hint"]
        assert models_folder() == []
        for said, status in (("n\n", 1), ("\n", 1), ("y\n", 0)):
            monkeypatch.setattr("sys.stdin", Terminal(said))
            assert main(["model", "get", url]) == status
            assert models_folder() == ([] if status else ["m.gguf"])
        assert main(["model", "get", url, "--unverified", "--json"]) == 0

    def test_may_be_used_at_once(self, hub: Server, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", f"{REPO}/{FILE}", "--use", "--no-check", "--json"]) == 0
        assert model_files.chosen() == Path(json.loads(capsys.readouterr().out)["path"])


class TestWhatIsRefused:
    def test_a_corrupted_file_and_the_good_one_stays(self, hub: Server, content: bytes) -> None:
        good = get(f"{REPO}/{FILE}").path
        hub.files[ON_HUB] = content[:-1] + b"!"
        hub.corrupt = True
        with pytest.raises(ModelError, match="does not have the SHA-256"):
            get(f"{REPO}/{FILE}")
        assert good.read_bytes() == content
        hub.corrupt = False
        assert get(f"{REPO}/{FILE}").path.read_bytes() == hub.files[ON_HUB]
        assert models_folder() == [FILE]

    def test_a_file_that_is_no_model_after_its_first_bytes(self, hub: Server) -> None:
        hub.files[ON_HUB] = b"<html>sign in</html>" * 50_000
        seen = list[int]()
        with pytest.raises(ModelError, match="not a GGUF file"):
            get(f"{REPO}/{FILE}", progress=lambda done, total: seen.append(done))
        assert seen == []
        assert not [name for name in models_folder() if not name.endswith((".lock", ".part"))]

    def test_a_body_without_an_end(self, hub: Server, content: bytes) -> None:
        hub.more = b"x" * 10_000
        with pytest.raises(ModelError, match="More came"):
            get(f"{REPO}/{FILE}")
        assert sum(path.stat().st_size for path in folders.models().rglob("*.part")) == 0

    def test_a_body_shorter_than_it_was_said_to_be(self, hub: Server, content: bytes) -> None:
        hub.says = len(content) + 1000
        with pytest.raises(ModelError):
            get(f"{REPO}/{FILE}")
        assert len(hub.asked) < 12

    def test_a_file_whose_size_is_not_said(self, other: Server, content: bytes) -> None:
        other.files["/m.gguf"], other.plain_etag, other.sizeless = content, True, True
        with pytest.raises(ModelError, match="how large"):
            get(f"{other.url}/m.gguf", unverified=True)

    def test_a_body_that_only_drips(self, hub: Server, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        # no door: a body that drips is given up after a minute
        monkeypatch.setattr(transfer, "PACE_S", 0.0)
        monkeypatch.setattr(transfer, "SLOWEST", 1e12)
        with pytest.raises(ModelError, match="too slow"):
            get(f"{REPO}/{FILE}")

    def test_a_file_larger_than_the_disk(self, hub: Server, content: bytes) -> None:
        hub.says = 1 << 50
        with pytest.raises(ModelError, match="has room for"):
            get(f"{REPO}/{FILE}")
        assert hub.ranges == []

    def test_redirects_without_an_end(self, hub: Server) -> None:
        hub.redirects = {ON_HUB: "/again", "/again": ON_HUB}
        with pytest.raises(ModelError, match="without an end"):
            get(f"{REPO}/{FILE}")

    def test_a_redirect_into_the_open(self, hub: Server) -> None:
        hub.redirects[ON_HUB] = "http://cdn.example/m.gguf?signature=s3cret"
        with pytest.raises(ModelError, match="others can read") as caught:
            get(f"{REPO}/{FILE}")
        assert "s3cret" not in str(caught.value)

    def test_a_server_that_is_not_there_whose_message_and_hint_are_two_sentences(self, hub: Server) -> None:
        with pytest.raises(ModelError, match=r"cannot be downloaded: .*[^.]\. Check the name and the connection"):
            get("http://127.0.0.1:9/m.gguf", unverified=True)

    def test_what_is_no_name(self, hub: Server) -> None:
        with pytest.raises(ModelError, match=r"o/r/none\.gguf cannot be downloaded: the answer is 404"):
            get("o/r/none.gguf")
        with pytest.raises(InvalidArgument, match=KNOWN[0].name):
            get("gpt")
        with pytest.raises(InvalidArgument):
            get("../../x.gguf")
        with pytest.raises(InvalidArgument, match=r"does not end in \.gguf"):
            get("o/r/model.safetensors")

    def test_a_second_download_of_the_same_file_at_the_same_time(self, hub: Server, content: bytes) -> None:
        """Another process has the lock: a POSIX lock does not keep its own process out."""
        import subprocess
        import sys

        part = TestWhatIsTaken().interrupted(hub, keep=30_000)
        code = "import sys; from pathlib import Path; from palimpsest.system.process_lock import take; "
        code += "take(Path(sys.argv[1]));"
        command = [sys.executable, "-c", code + "print(flush=True); input()", str(part.with_suffix(".lock"))]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            with pytest.raises(ModelError, match="Another process"):
                get(f"{REPO}/{FILE}")
            process.kill()
        assert get(f"{REPO}/{FILE}").path.read_bytes() == content
