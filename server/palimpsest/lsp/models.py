"""`palimpsest.model.*`: which model answers, which others there are, and another one fetched and used.

In: a person's choice.  Out: another model in use.  The fetching is `palimpsest model get`, in a process of its own:
merging the default model takes half a gigabyte for some seconds, which the server would keep.
"""

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from palimpsest.checking import running
from palimpsest.errors import ModelError
from palimpsest.lsp import answers
from palimpsest.lsp.arguments import Nothing, among
from palimpsest.lsp.command import Commands
from palimpsest.lsp.progress import report
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.subprocesses import our_answer
from palimpsest.models import catalogue, default_model
from palimpsest.models.known import recommended
from palimpsest.models.machine import this_machine
from palimpsest.providers.running import running_engines

GET = "palimpsest.model.get"


@dataclass(frozen=True, slots=True)
class Get:
    name: str = default_model.NAME


@dataclass(frozen=True, slots=True)
class UseArguments:
    name: str


COMMANDS = Commands()


@COMMANDS.add("palimpsest.model.info", "the model, and whether its cache is edited in place")
async def info(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    return answers.model(await server.window.session.engine.model())


@COMMANDS.add(
    "palimpsest.model.list",
    "the model in use, those that are here or can be fetched, and which suits this machine; `engines` that run",
)
async def listing(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    asked = asyncio.to_thread(this_machine, server.window.roots.folders)
    machine, engines = await asyncio.gather(asked, running_engines())
    settings = server.window.settings
    used, rows = await asyncio.to_thread(catalogue.listed, settings.model, machine)
    used = "" if catalogue.elsewhere(settings.engine) else used
    choice = recommended(machine)
    best = choice.model.name if choice.model else default_model.NAME
    return {
        "used": used,
        "memory": machine.memory,
        "recommended": best,
        "reason": choice.reason,
        "models": [{**asdict(row), "about": _about(row, used, best), "facts": _facts(row)} for row in rows],
        "engines": [asdict(engine) for engine in engines],
    }


def _about(row: catalogue.ListedModel, used: str, best: str) -> str:
    """What stands beside its title in a list."""
    marks = {
        "in use": row.name == used,
        "the default": row.name == default_model.NAME,
        "recommended here": row.name == best,
        "too large for this machine": not row.fits,
    }
    return " · ".join(mark for mark, holds in marks.items() if holds)


def _facts(row: catalogue.ListedModel) -> str:
    memory = f"{row.memory_gib:g} GiB of memory" if row.memory_gib else ""
    return " · ".join(filter(None, (row.purpose, f"{row.size_gb:g} GB", memory, row.licence)))


@COMMANDS.add(
    GET,
    "fetches the default model, or another one of the list, as `palimpsest model get` does, and uses it from then on",
    slow="Getting a model",
)
async def get(server: PalimpsestServer, asked: Get) -> dict[str, Any]:
    """Fetch it, use it from now on.  Raises ModelError."""
    among("name", asked.name, (name for name in catalogue.NAMES if name != catalogue.EMBEDDED))
    _need_choice(server)
    found = await our_answer("model", "get", asked.name, "--use", "--no-check", "--json", "--progress", told=_told)
    return await _used(server, found)


@COMMANDS.add("palimpsest.model.use", "uses a model that is here, by its name in the list or its path, from now on")
async def use(server: PalimpsestServer, asked: UseArguments) -> dict[str, Any]:
    """Use what is here already.  Raises ModelError."""
    _need_choice(server)
    found = await asyncio.to_thread(catalogue.use, asked.name)
    return await _used(server, {"path": str(found.path), "name": found.name})


def _need_choice(server: PalimpsestServer) -> None:
    """Raises ModelError where the choice that is kept here changes nothing."""
    settings = server.window.settings
    if settings.model.path:
        raise ModelError(
            f"model.path: expected to be empty where a model is chosen, got {settings.model.path}.",
            hint="Empty that setting first, then choose.",
        )
    if why := catalogue.elsewhere(settings.engine):
        raise ModelError(f"A model chosen here would not answer: {why}.", hint="Change that first, then choose.")


async def _used(server: PalimpsestServer, found: dict[str, Any]) -> dict[str, Any]:
    server.window.session.engine.model_chosen()
    folder = next(iter(server.window.roots.folders), None)
    wanted = server.window.settings.model.try_out
    is_tried = wanted and await asyncio.to_thread(running.begin, Path(found["path"]), folder)
    tried = " It is tried on this workspace's code in the background." if is_tried else ""
    return {"path": found["path"], "name": found["name"], "summary": f"{found['name']} is used from now on.{tried}"}


def _told(progress: dict[str, Any]) -> None:
    done, total = progress.get("done"), progress.get("total")
    if isinstance(done, int) and isinstance(total, int) and total:
        report(f"{100 * done // total} % of {total / 1e6:,.0f} MB")
