"""`palimpsest` in a terminal: demo, doctor, bench, model; and the wheel in a clean environment."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from palimpsest import __version__
from palimpsest.command_line import main
from palimpsest.types import BLOCK_TYPES
from tests.llama_server.conftest import EMBEDDED, HttpEngine

ROOT = Path(__file__).parents[2]


def run(
    *arguments: str,
    status: int = 0,
    python: str = sys.executable,
    module: str = "palimpsest",
    timeout: float = 280,
    **more: Any,
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [python, "-m", module, *arguments], capture_output=True, text=True, timeout=timeout, check=False, **more
    )
    assert done.returncode == status, done.stderr
    return done


def last_object(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def check_demo(result: dict[str, Any]) -> None:
    events = {event["event"]: event for event in result["events"]}
    assert all({"event", "decoded", "context", "reused", "restored", "ms"} <= set(event) for event in result["events"])
    for event in result["events"]:
        parts = [event[name] for name in ("decoded", "reused", "restored", "warmed")]
        assert min(parts) >= 0
        assert sum(parts) == event["context"], event
    first = result["events"][0]
    assert first["dropped"] > 0, "each block comes with a copy of the header"
    assert events["type one character"]["decoded"] <= 8
    assert events["type the next"]["decoded"] <= 8
    assert events["and back to cart.py"]["decoded"] == 0
    added, removed = events["import json added, which nothing uses yet"], events["import json removed again"]
    assert 0 < removed["decoded"] < added["decoded"]  # the edits themselves, which are context now
    assert isinstance(result["completion"], str)
    assert result["completion"]
    assert {"suggestions", "summary", "refused"} <= set(result["suggestion"])
    check_conversation(result["conversation"])
    assert set(result["blocks"]) == set(BLOCK_TYPES)


def check_conversation(steps: dict[str, Any]) -> None:
    ref = steps["a part of a reply, written to a file"]
    assert ref["file"] == "shop/postage.py"
    assert ref["text"].startswith("def is_free_to_send(")
    output = steps["a long output, by page and searched"]
    assert output["lines"] > 100
    assert output["pages"] > 5
    assert output["found"] > 0
    forks = steps["two forks, side by side"]
    assert len(forks["decoded"]) == 2
    assert max(forks["decoded"]) < 40 < forks["before"], "a child decodes its own task alone"
    compaction = steps["a summary in the place of what was said"]
    assert compaction["written_by"] in ("model", "mechanical")
    assert compaction["after"] < compaction["before"]
    assert steps["SIGKILL"]["same"]


@pytest.mark.slow(part="benches")
def test_the_demo_shows_what_each_event_decodes(machine: dict[str, str], tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    check_demo(last_object(run("demo", "--json", "--svg", str(picture), cwd=tmp_path)))
    assert "and&#160;back&#160;to&#160;cart.py" in picture.read_text(encoding="utf-8")


@pytest.mark.slow(part="benches")
def test_the_demo_can_be_looked_at(machine: dict[str, str], tmp_path: Path) -> None:
    """Also by a person who has switched completions off."""
    own = Path(machine["XDG_CONFIG_HOME"]) / "palimpsest"
    own.mkdir(parents=True, exist_ok=True)
    (own / "palimpsest.toml").write_text('[completion]\nenabled = false\ndisabled_languages = ["python"]\n')
    picture = tmp_path / "demo.svg"
    done = run("demo", "--svg", str(picture), cwd=tmp_path)
    assert "and back to cart.py" in done.stdout
    lines = [line.strip() for line in done.stdout.splitlines()]  # of 80 columns, since nothing says how many there are
    assert any(line.startswith("█ class") and line.endswith("█ tail") for line in lines)
    assert "░ kept   · free" in lines
    (at,) = (at for at, line in enumerate(lines) if "children read the" in line)
    assert lines[at + 1].endswith("its own task:")
    assert not done.stderr, "nothing but the demo is to be read"
    assert "@font-face" not in picture.read_text(encoding="utf-8")  # which would be fetched from the network


def test_doctor_finds_all_well(machine: dict[str, str]) -> None:
    result = last_object(run("doctor", "--json"))
    assert result["ok"] is True
    names = [check["name"] for check in result["checks"]]
    assert {"version", "sockets", "llama.cpp", "model", "backend", "in place", "speed", "cache", "editors"} <= set(
        names
    )
    assert all(set(check) == {"name", "ok", "detail", "hint"} for check in result["checks"])


def test_doctor_says_that_the_demonstrator_is_in_use_where_it_is(machine: dict[str, str], tmp_path: Path) -> None:
    *_, last = run("doctor").stdout.splitlines()
    assert "demonstrator of 9 million parameters" in last
    assert "palimpsest model get default" in last
    own = shutil.copy(EMBEDDED, tmp_path)
    assert run("doctor", "--model", str(own)).stdout.splitlines()[-1] == "all is well"


def test_doctor_finds_an_engine_well_that_closes_and_shows_nothing_without_a_key(
    machine: dict[str, str], tmp_path: Path
) -> None:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048").ready()
    (tmp_path / "palimpsest").mkdir()
    settings = f'[engine]\nkind = "in-place"\nurl = "{engine.url}"\n'
    (tmp_path / "palimpsest" / "palimpsest.toml").write_text(settings, encoding="utf-8")
    result = last_object(run("doctor", "--json", env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}))
    checks = {check["name"]: check for check in result["checks"]}
    assert result["ok"] is True, checks
    assert "tokens/s" in checks["speed"]["detail"]
    assert "wants a key" in checks["memory"]["detail"]
    assert "--api-key-file" in checks["memory"]["hint"]
    assert checks["cache"]["ok"]
    engine.close()


def doctor(machine: dict[str, str], status: int, **engine: str) -> dict[str, Any]:
    done = run("doctor", "--json", "--settings", "-", input=json.dumps({"engine": engine}), status=status)
    return {check["name"]: check for check in last_object(done)["checks"]}


def test_doctor_names_the_log_of_no_engine_that_others_keep(machine: dict[str, str]) -> None:
    checks = doctor(machine, 1, kind="openai", url="http://127.0.0.1:9")
    assert "does not answer" in checks["engine"]["detail"]
    assert "engine.url" in checks["engine"]["hint"]
    assert "palimpsest log" not in checks["engine"]["hint"]


def test_doctor_misses_no_engine_where_there_is_to_be_none(machine: dict[str, str]) -> None:
    checks = doctor(machine, 0, kind="none")
    assert (checks["engine"]["ok"], checks["engine"]["detail"]) == (True, "off (engine.kind)")
    assert not {"llama.cpp", "model", "backend"} & checks.keys()


def test_doctor_says_what_is_wrong_with_a_model(
    machine: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.gguf"
    for content, words in ((None, "no"), (b"GGUF\x03\0\0\0", "cut off"), (b"hello" * 99, "GGUF")):
        if content is not None:
            path.write_bytes(content)
        assert main(["doctor", "--json", "--model", str(path)]) == 1
        result = json.loads(capsys.readouterr().out)
        model = next(check for check in result["checks"] if check["name"] == "model")
        assert result["ok"] is False
        assert model["ok"] is False
        assert words in model["detail"]
        assert model["hint"]
    assert str(path) in run("demo", "--model", str(path), status=1).stderr


@pytest.mark.slow(part="benches")
def test_bench_equivalence_holds(machine: dict[str, str]) -> None:
    result = last_object(run("equivalence", "--json", "--operations", "60", module="bench"))
    assert result["operations"] == 60
    assert result["kv_type"] == "f32"
    assert result["flash_attention"] is False
    assert result["max_logit_difference"] < 0.001
    assert result["scale"] > 0.1


@pytest.mark.slow(part="benches")
@pytest.mark.timeout(900)
def test_bench_equivalence_holds_over_500_operations(machine: dict[str, str]) -> None:
    """Some 150 s of two idle cores."""
    asked = ("--json", "--operations", "500", "--seed", "7")
    result = last_object(run("equivalence", *asked, module="bench", timeout=880))
    assert result["max_logit_difference"] < 0.001


def test_it_says_its_version_whichever_way_a_client_asks(machine: dict[str, str]) -> None:
    told = run("--version").stdout
    assert told == f"palimpsest {__version__}\n"
    assert run("serve", "--version").stdout == told


@pytest.mark.parametrize("words", ["completion bash", "mcp --help", "mcp", "acp"])
def test_without_the_protocols_libraries_the_rest_works(machine: dict[str, str], words: str) -> None:
    code = "import sys; sys.modules |= dict.fromkeys(('mcp', 'mcp_types', 'acp'))\n"
    code += "from palimpsest.command_line import main\n"
    command = [sys.executable, "-c", f"{code}sys.exit(main({words.split()}))"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, **machine})
    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if words in ("mcp", "acp") else 0)
    assert ("pip install" in done.stderr) == (words in ("mcp", "acp"))


def test_doctor_names_what_is_wrong_in_a_workspaces_file_and_looks_at_the_engine_all_the_same(
    machine: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "palimpsest.toml"
    file.write_text("[completion]\nmax_token = 9\n[engine]\nurl = 'http://x'\n", encoding="utf-8")
    found = last_object(run("doctor", "--json", "--folder", str(tmp_path), status=1))["checks"]
    wrong = [check for check in found if check["name"] == "settings"]
    assert [name for name in ("completion.max_token", "engine.url") if any(name in it["detail"] for it in wrong)] == [
        "completion.max_token",
        "engine.url",
    ]
    assert len(wrong) == 2
    assert all(str(file) in check["hint"] for check in wrong)
    assert {"backend", "cache"} <= {check["name"] for check in found}


def test_a_reader_that_leaves_early_ends_a_command_without_a_word(machine: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "palimpsest", "config", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_wrong_usage_says_what_there_is(machine: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "doctor" in run("frobnicate", status=2).stderr
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: palimpsest")
    for name in ("serve", "engine", "demo", "doctor", "model"):
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        assert "usage" in capsys.readouterr().out


@pytest.mark.slow(part="installers")
def test_the_wheel_carries_all_it_needs_and_works_from_any_folder(machine: dict[str, str], tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True, timeout=280)
    (wheel,) = tmp_path.glob("palimpsest_lsp-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {
        "palimpsest/assets/palimpsest-embedded.gguf",
        "palimpsest/languages/python/queries.scm",
        "palimpsest/demo/sample/shop/cart.py",
        "palimpsest/beside/training/adapt.py",
        "palimpsest/beside/bench/benches/typing.py",
    } <= set(names)
    place = tmp_path / "clean"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "pip", "-q", "install", wheel], check=True, timeout=280)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = run("demo", "--json", python=str(python), cwd=elsewhere, env=environment)
    check_demo(last_object(done))
    subprocess.run(["git", "init", "-q", elsewhere], check=True, timeout=60)
    assert (
        "-m pip install torch"
        in run("model", "adapt", python=str(python), cwd=elsewhere, env=environment, status=1).stderr
    )


@pytest.mark.slow(part="benches")
def test_the_sample_can_be_copied(machine: dict[str, str], tmp_path: Path) -> None:
    made = last_object(run("demo", "--copy", str(tmp_path / "shop"), "--json"))
    assert made["file"] == str(tmp_path / "shop" / "shop" / "cart.py")
    assert Path(made["file"]).is_file()
    again = run("demo", "--copy", str(tmp_path / "shop"), status=1)
    assert "is there already" in again.stderr
    assert "type `if self.disc`" in run("demo", "--copy", str(tmp_path / "other")).stdout
