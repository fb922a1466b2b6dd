"""A prebuilt llama.cpp from a registry as npm is set up for it: fetched, checked, unpacked, used."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import http.server
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from palimpsest.command_line import main
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.trial import Tried
from palimpsest.errors import EngineUnavailable, InvalidArgument, ModelError
from palimpsest.libraries import get, known, npm
from palimpsest.libraries.known import ARCHIVES, Archive
from palimpsest.libraries.locate import installed, located, used
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.http.http import Http

WANTED = ("package/bins/linux-x64/libllama.v0.4.0.so", "package/bins/linux-x64/libggml-base.so", "package/LICENSE")
OTHERS = (
    "package/bins/linux-x64/llama-addon.node", "package/bins/linux-x64/libllama-common.so", "package/dist/index.js",
    "../libllama.so", "/libllama.so", "package/bins/../../libllama.so", "package/bins/a/b/libllama.so",
)  # fmt: skip


def packed(names: tuple[str, ...], filling: bytes = b"") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(name) + len(filling)
            tar.addfile(member, io.BytesIO(name.encode() + filling))
        link = tarfile.TarInfo("package/bins/linux-x64/libggml-link.so")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return out.getvalue()


@dataclass
class Registry:
    content: bytes
    url: str = ""
    refuses: int = 0
    """With this status."""
    cut: int = 0
    """Bytes after which a connection ends, once."""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, range, authorization."""

    def archive(self) -> Archive:
        digest = base64.b64encode(hashlib.sha512(self.content).digest()).decode()
        return Archive("linux-x64", digest, len(self.content))


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    state = Registry(packed(WANTED + OTHERS))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            state.asked.append((self.path, self.headers.get("Range", ""), self.headers.get("Authorization", "")))
            if state.refuses:
                self.send_error(state.refuses)
                return
            rest = state.content[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(state.content) - 1}/{len(state.content)}")
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            sent, state.cut = (rest[: state.cut] if state.cut else rest), 0
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/npm/"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.delenv("npm_config_registry", raising=False)
    host = state.url.removeprefix("http:")
    (tmp_path / "npmrc").write_text(f"; mine\nregistry={state.url}\n{host}:_authToken=${{TOKEN}}\n", encoding="utf-8")
    monkeypatch.setenv("TOKEN", "secret")
    yield state
    server.shutdown()
    server.server_close()


def test_what_is_wanted_of_an_archive_is_unpacked_and_nothing_else(registry: Registry) -> None:
    found = get.get(registry.archive())
    assert {file.name for file in found.folder.iterdir()} == {Path(name).name for name in WANTED}
    assert [(path, token) for path, _, token in registry.asked] == [
        ("/npm/@node-llama-cpp/linux-x64/-/linux-x64-3.21.1.tgz", "Bearer secret")
    ]
    assert used() is None
    get.use(registry.archive())
    assert used() == found.folder
    assert located().file == found.folder / "libllama.v0.4.0.so"
    get.get(registry.archive())
    assert len(registry.asked) == 1, "it is here already"


def test_a_transfer_that_was_cut_off_goes_on_where_it_stopped(registry: Registry) -> None:
    registry.content = packed(WANTED[:1], random.Random(0).randbytes(3 << 20))
    registry.cut = 5 << 19
    get.get(registry.archive())
    assert [asked for _, asked, _ in registry.asked] == ["", f"bytes={2 << 20}-"]


def test_another_content_than_the_pinned_one_is_dropped(registry: Registry) -> None:
    archive = registry.archive()
    registry.content = packed(WANTED)
    registry.content += bytes(archive.size - len(registry.content))
    with pytest.raises(ModelError, match="does not have the SHA-512"):
        get.get(archive)
    assert not list((get.home()).glob("*.tgz*"))
    assert used() is None


def test_a_registry_that_refuses_is_named(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    archive = registry.archive()
    registry.content = b""
    with pytest.raises(ModelError, match=r"linux-x64-3.21.1.tgz"):
        get.get(Archive("linux-x64", archive.sha512, 0x1000))


def test_backends_and_platforms_that_are_not_there_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgument, match="none of auto, cpu, vulkan, cuda, metal"):
        get.wanted("rocm")
    # no door: what machine this is
    monkeypatch.setattr(get, "machine", lambda: "linux-riscv64")
    with pytest.raises(ModelError, match=r"no prebuilt llama\.cpp for linux-riscv64"):
        get.wanted("auto")
    # no door: what machine this is
    monkeypatch.setattr(get, "machine", lambda: "linux-arm64")
    with pytest.raises(ModelError, match=r"no prebuilt llama\.cpp with cuda for linux-arm64") as refused:
        get.wanted("cuda")
    assert refused.value.hint == "There is cpu."


def test_every_platform_has_one_for_its_processor() -> None:
    for platform in ("linux-x64", "linux-arm64", "linux-armv7l", "mac-arm64", "mac-x64", "win-x64", "win-arm64"):
        found = known.archive("cpu", platform)
        assert found is not None
        assert len(base64.b64decode(found.sha512)) == 64


def test_npms_settings_are_kept_to(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text(
        "# a comment\n@node-llama-cpp:registry=https://mine.example/a/b/\n//mine.example/a/:_authToken=one\n"
        "cafile = /etc/ca.pem\nregistry=https://other.example/\n"
    )
    found = npm.registry("@node-llama-cpp", {}, tmp_path)
    assert found == npm.Registry("https://mine.example/a/b/", "one", Path("/etc/ca.pem"))
    assert npm.registry("@else", {}, tmp_path).url == "https://other.example/"
    assert npm.registry("@else", {"NPM_CONFIG_REGISTRY": "https://variable/"}, tmp_path).url == "https://variable/"
    assert npm.registry("@else", {}, tmp_path / "nobody").url == npm.PUBLIC


def test_a_library_that_is_set_and_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="none is not there"):
        located(str(tmp_path / "none"))
    with pytest.raises(EngineUnavailable, match="has none in it"):
        located(str(tmp_path))
    os.mkfifo(tmp_path / "libllama.so")  # a loader would wait for somebody to write to it
    (tmp_path / "libllama.so.0").symlink_to(tmp_path / "gone")
    with pytest.raises(EngineUnavailable, match="has none in it"):
        located(str(tmp_path))
    with pytest.raises(EngineUnavailable, match="is no file"):
        located(str(tmp_path / "libllama.so"))
    (tmp_path / "libllama.so.0.5").touch()
    (tmp_path / "libllama-common.so").touch()
    assert located(str(tmp_path)).file == tmp_path / "libllama.so.0.5"


def test_what_was_fetched_and_does_not_load_is_not_used(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The archive's libraries are made-up texts."""
    archive = registry.archive()
    # no door: the hashes are fixed
    monkeypatch.setattr("palimpsest.libraries.get.archive", lambda *_: archive)
    assert main(["engine", "get", "cpu", "--json"]) == 1
    assert "cut off, or no library" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert used() is None


def test_what_was_fetched_and_is_damaged_is_fetched_again(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = registry.archive()
    # no door: the hashes are fixed
    monkeypatch.setattr("palimpsest.libraries.get.archive", lambda *_: archive)

    def loads(file: Path) -> Tried:
        if b"libllama" not in file.read_bytes():
            raise EngineUnavailable(f"{file} does not load.")
        return Tried("0.4.0", "", ())

    # no door: the archive's libraries are made-up texts
    monkeypatch.setattr("palimpsest.cli.engine_library.tried", loads)
    assert main(["engine", "get", "cpu"]) == 0
    located().file.write_bytes(b"")
    capsys.readouterr()
    assert main(["engine", "get", "cpu"]) == 0
    assert "does not load.  It is fetched again." in capsys.readouterr().out
    assert len(registry.asked) == 2
    assert main(["engine", "get", "cpu"]) == 0
    assert "MB" not in capsys.readouterr().out, "it is here already"
    assert len(registry.asked) == 2


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("registry", "http://[", "npm's setting `registry` is no address"),
        ("registry", "http://a\x01b/", "npm's setting `registry` is no address"),
        ("cafile", "/nonexistent.pem", "npm's setting `cafile` is no file of certificates: /nonexistent.pem"),
        ("cafile", "/etc/passwd", "npm's setting `cafile` is no file of certificates: /etc/passwd"),
    ],
)
def test_a_wrong_setting_of_npms_is_named(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    setting: str, value: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.setenv(f"npm_config_{setting}", value)
    assert main(["engine", "get", "cpu"]) == 1
    assert said in capsys.readouterr().err


def test_where_what_is_used_cannot_be_noted_it_is_said(registry: Registry) -> None:
    (get.home() / "used" / "in the way").mkdir(parents=True)
    with pytest.raises(ModelError, match="used cannot be written"):
        get.use(registry.archive())
    assert [file.name for file in get.home().iterdir()] == ["used"]


def test_where_the_one_for_a_gpu_cannot_be_used_the_one_for_processors_is_tried(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = registry.archive()
    named = {"vulkan": replace(archive, name="linux-x64-vulkan"), "cpu": archive}
    # no door: what GPU is here, and a driver for it
    monkeypatch.setattr("palimpsest.libraries.get.suggested", lambda: "vulkan")
    monkeypatch.setattr("palimpsest.libraries.get.has_driver", lambda _: True)
    for module in ("libraries.get", "cli.engine_library"):
        # no door: the hashes are fixed
        monkeypatch.setattr(f"palimpsest.{module}.archive", lambda backend, _: named[backend])
    assert main(["engine", "get"]) == 1  # the archive's libraries are made-up texts
    assert "linux-x64-vulkan cannot be used here" in capsys.readouterr().out
    # no door: the archive's libraries are made-up texts
    monkeypatch.setattr("palimpsest.cli.engine_library.tried", lambda _: Tried("0.4.0", "", (), "no driver"))
    assert main(["engine", "get", "vulkan"]) == 1
    assert "can use no GPU here (no driver), so it is not used" in capsys.readouterr().err
    assert used() is None
    assert main(["engine", "get", "cpu"]) == 0
    assert used() is not None
    names = [path.split("/")[3] for path, *_ in registry.asked]
    assert names == ["linux-x64-vulkan", "linux-x64"] * 2, "what is of no use is not kept"


def test_what_was_chosen_before_stays_until_a_backend_is_asked_for(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ARCHIVES["linux-x64"]
    (get.home() / chosen.folder).mkdir(parents=True)
    (get.home() / chosen.folder / "libllama.so").symlink_to(next(installed()).file)  # one that loads
    get.use(chosen)
    assert main(["engine", "get", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["library"] == str(get.home() / chosen.folder / "libllama.so")
    assert registry.asked == []
    (get.home() / chosen.folder / "LICENSE").touch()  # as where all of it is there
    assert main(["engine", "get", "cpu"]) == 0
    assert "to fetch" not in capsys.readouterr().out
    (get.home() / chosen.folder / "LICENSE").unlink()
    assert main(["engine", "get", "cpu", "--json"]) == 1
    assert registry.asked


EXPECTED = "expected an HTTP proxy, such as http://proxy.example:3128."


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9", f"ALL_PROXY: {EXPECTED}"),
        ("HTTPS_PROXY", "foo://x:1", f"HTTPS_PROXY: {EXPECTED}"),
        ("https_proxy", "http://[::1", f"https_proxy: {EXPECTED}"),
        ("SSL_CERT_FILE", "/nope", "SSL_CERT_FILE: expected certificates (PEM); /nope cannot be used: No such file"),
        (
            "TOKEN",
            "s\N{LATIN SMALL LETTER E WITH ACUTE}cret",
            "npm's setting `_authToken`: expected a token of printable",
        ),
        ("TOKEN", "secret\x01", "npm's setting `_authToken`: expected a token of printable"),
        ("TOKEN", None, ":_authToken` names the variable TOKEN, which is not set."),
        ("npm_config_registry", "nonsense", "`registry` is no address: expected one such as https://"),
        ("npm_config_registry", "ftp://x/", "`registry` is no address"),
        ("npm_config_registry", "http://", "`registry` is no address"),
        ("npm_config_registry", "http://x:1e9/", "`registry` is no address"),
        ("npm_config_cafile", "~/none.pem", "/home/none.pem (No such file or directory)."),
        ("npm_config_cafile", "~/pipe", "/home/pipe (is not a regular file)."),
    ],
)
def test_a_wrong_setting_of_the_network_is_named(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, value: str | None, said: str,
) -> None:  # fmt: skip
    (tmp_path / "home").mkdir()
    os.mkfifo(tmp_path / "home" / "pipe")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    assert main(["engine", "get", "cpu"]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "cret" not in error


def test_models_and_engines_elsewhere_name_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")

    async def reached() -> None:
        Http(Endpoint.of(EngineSettings(kind="openai", url="https://gpu.example")))

    with pytest.raises(ModelError, match="ALL_PROXY: expected"):
        asyncio.run(reached())
    assert main(["model", "get", "owner/repo/one.gguf"]) == 1
    assert f"ALL_PROXY: {EXPECTED}" in capsys.readouterr().err
    monkeypatch.delenv("ALL_PROXY")
    monkeypatch.setenv("HF_TOKEN", "sécret")
    assert main(["model", "get", "owner/repo/one.gguf"]) == 1
    assert "HF_TOKEN: expected a token of printable ASCII" in capsys.readouterr().err
    with pytest.raises(ModelError, match=r"engine\.api_key: expected a key of printable ASCII"):
        Endpoint.of(EngineSettings(kind="openai", url="https://gpu.example", api_key="sécret"))


def test_pipes_are_not_waited_for(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "pipe"))
    assert npm.registry("@else").url == npm.PUBLIC
    get.home().mkdir(parents=True)
    os.mkfifo(get.home() / "used")
    assert used() is None
    (get.home() / "used").unlink()
    (get.home() / "used").write_text("x" * 5000)
    assert used() is None


@pytest.mark.parametrize("status", [401, 503])
def test_a_refusal_shows_no_password_and_says_what_helps(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    registry.refuses = status
    monkeypatch.setenv("npm_config_registry", registry.url.replace("//", "//me:hunter2pass@"))
    assert main(["engine", "get", "cpu", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["message"].endswith(f"/linux-x64-3.21.1.tgz: the registry answers {status}.")
    assert "hunter2pass" not in str(error)
    assert ("goes on where it stopped" in error["hint"]) == (status == 503)
    assert ("_authToken" in error["hint"]) == (status == 401)


def test_what_a_killed_attempt_left_goes(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    def left() -> list[Path]:
        return [path for path in get.home().glob(".*") if path.is_dir()]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfileobj", killed)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            get.get(registry.archive())
    assert left()
    monkeypatch.setattr(os, "getpid", lambda: 1)  # another process
    get.get(registry.archive())
    assert not left()


def test_a_library_that_is_set_goes_before_what_is_fetched(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    archive = registry.archive()
    # no door: the hashes are fixed
    monkeypatch.setattr("palimpsest.libraries.get.archive", lambda *_: archive)
    # no door: the archive's libraries are made-up texts
    monkeypatch.setattr("palimpsest.cli.engine_library.tried", lambda _: Tried("0.4.0", "", ()))
    (tmp_path / "palimpsest").mkdir()
    (tmp_path / "palimpsest" / "palimpsest.toml").write_text("[engine]\nlibrary = '/mine.so'\n")
    assert main(["engine", "get", "cpu"]) == 0
    assert "The setting engine.library, which names /mine.so, goes before it." in capsys.readouterr().out


def test_what_a_setting_names_and_nobody_can_look_at_is_said() -> None:
    with pytest.raises(EngineUnavailable, match="cannot be looked at: File name too long"):
        located("x" * 5000)
    assert located("  ") == located()


UNREADABLE = """
import os, sys
from palimpsest.engine.llama.binding import opened
from palimpsest.errors import EngineUnavailable
from palimpsest.libraries.locate import located
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
for path in sys.argv[1:]:
    try:
        print(opened(located(path).file))
    except EngineUnavailable as error:
        print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_what_may_not_be_read_is_said() -> None:
    """Root may read anything, so a test of root's goes on as nobody."""
    with tempfile.TemporaryDirectory() as made:
        there = Path(made)
        there.chmod(0o755)
        for folder in ("closed", "open", "half"):
            (there / folder).mkdir()
            (there / folder / "libllama.so").touch()
        (there / "half" / "libggml.so").touch()
        for name in ("closed", "open/libllama.so", "half/libggml.so"):
            (there / name).chmod(0)
        paths = [str(there / name) for name in ("closed/libllama.so", "closed", "open", "half")]
        command = [sys.executable, "-c", UNREADABLE, *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (there / "closed").chmod(0o700)
    assert done.returncode == 0, done.stderr
    looked, folder, library, beside = done.stdout.splitlines()
    assert looked.endswith("closed/libllama.so cannot be looked at: Permission denied.")
    assert folder.endswith("closed cannot be read.")
    assert library.endswith("open/libllama.so cannot be used: it cannot be read: Permission denied.")
    assert beside.endswith("half/libggml.so cannot be used: it cannot be read: Permission denied.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "python -m bench: engine.library: expected a libllama or a folder with one; /mine.so is not there."),
        (("--model", "/nope"), "python -m bench: There is no model file /nope."),
    ],
)
def test_a_bench_takes_the_library_that_is_set_and_the_model_that_is_named(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "palimpsest").mkdir()
    (tmp_path / "palimpsest" / "palimpsest.toml").write_text("[engine]\nlibrary = '/mine.so'\n")
    command = [sys.executable, "-m", "bench", "equivalence", "--json", *arguments]
    done = subprocess.run(
        command, env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith(said)
