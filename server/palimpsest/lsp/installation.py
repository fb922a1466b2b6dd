"""`palimpsest.doctor`, `.log`, `.sample`, `.engines.found`: what there is on this machine.

In: a person who looks, or begins.  Out: answers.  The examination is `palimpsest doctor`, in a process of its own and
with this window's settings.
"""

import asyncio
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from palimpsest.lsp.arguments import Nothing
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.subprocesses import our_answer
from palimpsest.providers.running import running_engines
from palimpsest.system import folders
from palimpsest.text.uris import to_uri
from palimpsest.workspace import sample

TYPE = "At the cursor, {}type “{}”. What follows is shown in grey: Tab accepts it."


@dataclass(frozen=True, slots=True)
class FolderArguments:
    folder: str = ""


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.doctor",
    "what is right here and what to do about what is not, as `palimpsest doctor` says it",
    slow="Checking the installation",
)
async def doctor(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    given = json.dumps(asdict(server.window.settings))
    where = [word for folder in server.window.roots.folders for word in ("--folder", str(folder))]
    answer = await our_answer("doctor", "--json", "--settings", "-", *(where or ["--no-folder"]), given=given)
    rows = [
        {"name": it["name"], "ok": it["ok"], "message": it["detail"], "hint": "" if it["ok"] else it["hint"]}
        for it in answer["checks"]
        if it["name"] != "editors"  # who asks has one
    ]
    lines = [
        f"{'✓' if row['ok'] else '✗'} {row['name']}: {row['message']}" + (f"\n  → {row['hint']}" if row["hint"] else "")
        for row in rows
    ]
    return {"ok": answer["ok"], "rows": rows, "text": "\n".join(lines)}


@COMMANDS.add("palimpsest.log", "where the server's log and its engine's are")
async def log(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    engine = server.window.session.services.supervisor.target.address()
    place = folders.logs_place()
    return {"path": str(place / folders.SERVER_LOG), "engine": str(place / f"{engine.name}.log")}


@COMMANDS.add(
    "palimpsest.sample",
    "a fresh copy of the sample workspace, in a new or empty `folder` or one of ours, and where to type what in it",
)
async def copy_sample(server: PalimpsestServer, asked: FolderArguments) -> dict[str, Any]:
    made = await asyncio.to_thread(sample.copy, Path(asked.folder) if asked.folder else None)
    position = {"line": made.line, "character": made.character}
    return {
        "folder": str(made.folder),
        "file": str(made.file),
        "uri": to_uri(made.file),
        "position": position,
        "type": sample.TYPED,
        "says": TYPE.format("press Enter and " if sample.TYPED.startswith("\n") else "", sample.TYPED.strip()),
    }


@COMMANDS.add(
    "palimpsest.engines.found",
    "engines that already run on this machine's loopback: ports 8012, 8080 and that of `LLAMA_ARG_PORT`",
)
async def engines_found(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    return {"engines": [asdict(engine) for engine in await running_engines()]}
