"""`palimpsest doctor`: what is right here, and what to do about what is not.

In: this machine.  Out: one line a check, or `{"ok", "checks": [{"name", "ok", "detail", "hint"}]}`.
Exit status 1 when something that is needed is not right; an editor that is not found is no fault.
"""

import argparse
import asyncio
import dataclasses
import json
import os
import platform
import shutil
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest import __version__, wire
from palimpsest.cli.checks import Check, index_checks
from palimpsest.cli.engine_library import described
from palimpsest.config.layers import from_file, merged, read_toml
from palimpsest.config.settings import EngineSettings, ModelSettings, Settings
from palimpsest.engine.llama.trial import tried
from palimpsest.errors import EngineError, EngineSilent, EngineUnavailable, ModelError, PalimpsestError
from palimpsest.libraries.locate import located
from palimpsest.models import next_edit_models
from palimpsest.models.files import embedded, inspect, model_path
from palimpsest.prompt.blocks import FOOTER, HEADER
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target, target_of
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.palimpsest.launch import HUNG_S, find
from palimpsest.system import folders, given, loops, process_lock
from palimpsest.system.terminal import terminal

if TYPE_CHECKING:
    from rich.console import Console

START_S = 120.0
LOADING_S = 0.2
FASTER = "`palimpsest engine get` brings one that is built for this processor, or its GPU"
DEMONSTRATOR = "no model of your own: the demonstrator of 9 million parameters that comes in the package is in use"
BETTER = "`palimpsest model get default` fetches the default model, `palimpsest model list` shows others"
LOG = "See the engine's log: `palimpsest log` says where it is."
ELSEWHERE = "Is a server running there, and is `engine.url` its address?  Its own log says more."
EDITORS = {"nvim": "Neovim", "code": "VS Code", "codium": "VSCodium", "hx": "Helix", "emacs": "Emacs", "zed": "Zed"}
SETTINGS = "palimpsest.toml"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--model", metavar="PATH", default="", help="look at this GGUF file")
    parser.add_argument("--settings", choices=("-",), help="read an editor's settings, one JSON object, from stdin")
    parser.add_argument("--folder", metavar="DIR", type=Path, action="append", help="a workspace (the current folder)")
    parser.add_argument("--no-folder", action="store_true", help=argparse.SUPPRESS)  # of a window without one


def run(options: argparse.Namespace) -> int:
    editor, workspaces = {}, options.folder or ([] if options.no_folder else [Path.cwd()])
    if options.settings:
        wanted = "an editor's settings, one JSON object"
        written = given.text(options.parser, "--settings", None, wanted)
        editor = given.json_object(options.parser, "--settings", written)
    show = (lambda _check: None) if options.json else _line(terminal(soft_wrap=True))
    checks = loops.run(_all(examine(options.model, editor, workspaces), show))
    ok = all(check.ok for check in checks if check.needed)
    if options.json:
        rows = [{k: v for k, v in asdict(check).items() if k not in ("needed", "but")} for check in checks]
        print(json.dumps({"ok": ok, "checks": rows}))
    else:
        _end(checks, ok)
    return 0 if ok else 1


async def _all(checks: AsyncIterator[Check], show: Callable[[Check], None]) -> list[Check]:
    """All checks; each is shown as soon as it is known, since the engine is still to be started then."""
    every = list[Check]()
    async for check in checks:
        show(check)
        every.append(check)
    return every


async def examine(model: str, editor: Mapping[str, Any], workspaces: Sequence[Path]) -> AsyncIterator[Check]:
    own, python = folders.config() / SETTINGS, f"{platform.python_version()} on {platform.platform()}"
    table, problems = read_toml(own)
    layer, refused = from_file(table, whose="user")
    settings, wrong = merged([layer, editor, {"model": {"path": model}} if model else {}])
    here = [
        Check("version", True, f"palimpsest {__version__} in {sys.prefix}, Python {python}"),
        *[Check("settings", False, str(problem), _correct(own)) for problem in problems + refused + wrong],
        *_of_workspaces(workspaces),
        *_folders(),
        *(_not_started(settings.engine) or [_library(settings.engine), *_model(settings.model)]),
        *_next_edits(settings),
    ]
    for check in here:
        yield check
    if _is_ours(settings.engine):
        async for check in running(target_of(settings)):
            yield check
    is_right = all(check.ok for check in here if check.needed and check.name != "settings")
    if settings.engine.kind != "none" and is_right:
        async for check in _engine(settings):
            yield check
    for check in (*index_checks(settings.index, workspaces), *_editors()):
        yield check


def _of_workspaces(workspaces: Sequence[Path]) -> Iterator[Check]:
    for file in (folder.resolve() / SETTINGS for folder in workspaces):
        table, problems = read_toml(file, file.parent)
        layer, refused = from_file(table, whose="workspace")
        yield from (
            Check("settings", False, str(problem), _correct(file))
            for problem in problems + refused + merged([layer])[1]
        )


def _correct(file: Path) -> str:
    return f"Correct it in {file} or in your editor; until then its default is used."


def _folders() -> Iterator[Check]:
    try:
        runtime = folders.runtime()
        mode = stat.S_IMODE(runtime.stat().st_mode)
        private = os.name == "nt" or mode == 0o700
        hint = "" if private else f"chmod 700 {runtime}"
        yield Check("sockets", private, f"{runtime}, mode {mode:o}", hint)
    except OSError as error:
        yield Check("sockets", False, str(error), "Set XDG_RUNTIME_DIR to a folder that you can write to.")
    try:
        yield Check("folders", True, f"cache {folders.cache()}, state {folders.state()}, logs {folders.logs()}")
    except OSError as error:
        hint = "No log, index, statistics or conversation is kept: let Palimpsest write there, or set XDG_{}_HOME."
        of = "CACHE" if str(error.filename).startswith(str(folders.cache_place())) else "STATE"
        yield Check("folders", False, folders.refusal(error), hint.format(of), needed=False)


def _is_ours(settings: EngineSettings) -> bool:
    """Whether the engine is one that is started here, with a log here."""
    return settings.kind != "none" and not Target(Path(), settings).is_remote


def _not_started(settings: EngineSettings) -> list[Check]:
    """Where an engine is met that others keep running, or that there is to be none; empty for one of ours."""
    if _is_ours(settings):
        return []
    if settings.kind == "none":
        return [Check("engine", True, "off (engine.kind)", needed=False)]
    try:
        endpoint = Endpoint.of(settings)
    except ModelError as error:
        return [Check("engine.url", False, error.message.removeprefix("engine.url: "), error.hint)]
    detail = f"{settings.kind} at {endpoint.url}, {'with' if endpoint.key else 'without'} a key"
    hint = "Code goes there unencrypted: use https, or a tunnel." if endpoint.is_unencrypted else ""
    return [Check("engine.url", not hint, detail, hint, needed=False)]


def _library(settings: EngineSettings) -> Check:
    try:
        place = located(settings.library)
        library = tried(place.file)
    except EngineUnavailable as error:
        return Check("llama.cpp", False, error.message, error.hint)
    faster = "" if library.gpus or library.processor else f" ({FASTER})"
    return Check("llama.cpp", True, f"{described(library)}, from {place.source}: {place.file}{faster}")


def _model(settings: ModelSettings) -> Iterator[Check]:
    path = model_path(settings)
    try:
        model = inspect(path)
    except ModelError as error:
        yield Check("model", False, error.message, error.hint)
        return
    detail = f"{model.name}, {model.architecture}, {model.size / 1e6:,.0f} MB, context {model.n_ctx_train:,}: {path}"
    if path == embedded():
        yield Check("model", True, f"{detail} (a demonstrator: {BETTER})", but=f"{DEMONSTRATOR}. {BETTER}.")
    else:
        yield Check("model", True, detail)


def _next_edits(settings: Settings) -> Iterator[Check]:
    """The model that was made for them, where one is wanted."""
    if not _is_ours(settings.engine):
        if settings.next_edit.model and settings.engine.kind != "none":
            yield Check(
                "next edits", False, next_edit_models.ELSEWHERE.message, next_edit_models.ELSEWHERE.hint, needed=False
            )
        return
    try:
        if second := next_edit_models.inspect(settings.next_edit.model):
            file = second.file
            detail = f"{file.name}, as {second.format}, {file.size / 1e6:,.0f} MB, beside the other: {file.path}"
            yield Check("next edits", True, detail, needed=False)
    except ModelError as error:
        yield Check("next edits", False, error.message, error.hint, needed=False)


async def running(target: Target) -> AsyncIterator[Check]:
    """An engine that hangs is worth a word: what comes next waits for it, and replaces it."""
    try:
        if engine := await find(target.address()):
            await engine.aclose()
    except EngineSilent:
        pid = process_lock.holder(target.address().lock)
        detail = f"the one that runs{f' (process {pid})' if pid else ''} does not answer"
        hint = f"It is ended and replaced after {HUNG_S:.0f} seconds; `palimpsest.restartEngine` does it at once."
        yield Check("engine process", False, detail, hint, needed=False)


async def _engine(settings: Settings) -> AsyncIterator[Check]:
    try:
        async with _started(settings) as (engine, safe_mode):
            info = await engine.model()
            yield Check("backend", True, info.backend, needed=False)
            hint = "" if info.in_place else "Every change of context decodes the prompt from there on."
            yield Check("in place", info.in_place, info.why_not or "the cache is edited in place", hint, needed=False)
            fim = info.fim_layout or "none"
            hint = "Edits work; completions come only from your code and project. `palimpsest model list` shows others."
            hint = "" if info.fim_layout else hint
            yield Check("fill in the middle", bool(info.fim_layout), f"layout {fim}", hint, needed=False)
            if safe_mode:
                yield Check(
                    "safe mode",
                    False,
                    "the engine died and runs without GPU and repacking",
                    LOG,
                    False,
                )
            yield await _speed(engine)
            yield await _memory(engine)
            if isinstance(engine, InPlaceEngine):
                yield await _cache(engine)
                if target_of(settings).next_edit_model is not None and not safe_mode:
                    yield await _memory_of_next_edits(engine)
    except PalimpsestError as error:
        yield Check("engine", False, error.message, error.hint or (LOG if _is_ours(settings.engine) else ELSEWHERE))


@asynccontextmanager
async def _started(settings: Settings) -> AsyncIterator[tuple[Engine, bool]]:
    from palimpsest.providers.supervisor import Supervisor

    supervisor = Supervisor(target_of(settings))
    supervisor.start()
    try:
        yield await supervisor.ready(START_S), supervisor.status.safe_mode
    finally:
        await supervisor.aclose()


async def _speed(engine: Engine) -> Check:
    """Prefill and generation as this machine does them, on a prompt of some 500 tokens of its own."""
    workspace = f"doctor-{os.getpid()}"
    text = "\n".join(f"def area_{i}(width: float, height: float) -> float: ..." for i in range(24))
    wanted = [wire.WantedBlock("file:speed", text)]
    try:
        synced = await engine.sync(wire.SyncRequest(workspace, HEADER, FOOTER, wanted, "suggestion"))
        request = wire.GenerateRequest(workspace, text=wire.TextTail("def area("), max_tokens=32, slot="suggestion")
        answer = await engine.generate(request)
    except EngineError as error:
        return Check("speed", False, error.message, error.hint)
    finally:
        with suppress(EngineError):  # without a key an engine on HTTP closes none when asked; it does when we leave
            await engine.close_workspace(workspace)
    prefill = synced.decoded / max(synced.ms.get("decode", 0.0), 0.1) * 1000
    generation = answer.generated / max(answer.ms.get("sample", 0.0) + answer.ms.get("decode", 0.0), 0.1) * 1000
    return Check("speed", True, f"{prefill:,.0f} tokens/s prefill, {generation:,.0f} tokens/s generation", needed=False)


async def _memory(engine: Engine) -> Check:
    """What the model takes here, of host and GPU memory together."""
    try:
        cache = await engine.cache_map(f"doctor-{os.getpid()}")
    except EngineError as error:  # an engine on HTTP shows none without a key
        return Check("memory", False, f"not known: {error.message}", error.hint, needed=False)
    if not cache.memory:
        return Check("memory", True, f"{cache.n_ctx:,} tokens of context, in another server's memory", needed=False)
    sizes = {name: n / (1 << 20) for name, n in cache.memory.items()}
    parts = [
        f"{name} {sizes[name]:,.0f} MiB" for name in ("model", "cache", "compute", "store", "disk") if name in sizes
    ]
    per_token = cache.memory.get("cache", 0) / max(1, cache.n_ctx)
    detail = f"{', '.join(parts)}; {per_token:,.0f} bytes of cache a token, {cache.n_ctx:,} tokens"
    if sizes.get("limit"):
        detail += f"; cache and compute may take {sizes['limit']:,.0f} MiB"
    return Check("memory", True, detail, needed=False)


async def _memory_of_next_edits(engine: InPlaceEngine) -> Check:
    """What the second model takes in the same process, once it is there."""
    name, second, end = "memory for next edits", engine.for_next_edits(), time.monotonic() + START_S
    try:
        while (health := await second.health()).state == "loading" and time.monotonic() < end:
            await asyncio.sleep(LOADING_S)
        if health.state != "ready":
            error = health.error or {}
            return Check(
                name, False, error.get("message", "the model is still being loaded"), error.get("hint", LOG), False
            )
        return dataclasses.replace(await _memory(second), name=name)
    except PalimpsestError as error:
        return Check(name, False, error.message, error.hint or LOG, needed=False)


async def _cache(engine: InPlaceEngine) -> Check:
    try:
        unsound = (await engine.check()).unsound
    except PalimpsestError as error:  # one that was started by an earlier version does not know the question
        return Check("cache", False, f"the engine cannot say whether it is sound: {error.message}", needed=False)
    hint = "`palimpsest engine --stop NAME` ends it, with its name from `palimpsest engine --list`; please report this."
    return Check("cache", not unsound, unsound or "sound", hint)


def _editors() -> Iterator[Check]:
    editors = [f"{name} ({path})" for command, name in EDITORS.items() if (path := shutil.which(command))]
    detail = ", ".join(editors) or "none on PATH"
    yield Check(
        "editors", bool(editors), detail, "" if editors else "Any LSP client will do; see the README.", needed=False
    )


def _line(console: "Console") -> Callable[[Check], None]:
    from rich.text import Text

    def show(check: Check) -> None:
        mark = ("✓", "green") if check.ok else ("✗", "red") if check.needed else ("–", "yellow")
        console.print(Text.assemble(mark, " ", (check.name, "bold"), f"  {check.detail}"))
        if check.hint and not check.ok:
            console.print(f"  → {check.hint}", style="yellow")

    return show


def _end(checks: Sequence[Check], ok: bool) -> None:
    console = terminal(soft_wrap=True)
    but = " ".join(check.but for check in checks if check.but)
    if not ok:
        console.print("something needs your hand", style="red")
    else:
        console.print(but or "all is well", style="yellow" if but else "green")
