"""`palimpsest demo`: the real server and engine on a sample workspace, driven as an editor would.

In: options.  Out: a picture in the terminal, or one JSON object.  Exit status 1 when there is no engine to show.
"""

import argparse
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from palimpsest.demo import draw
from palimpsest.demo.story import Story, StoryEvent
from palimpsest.demo.talk import DemoTalk
from palimpsest.errors import PalimpsestError
from palimpsest.features import features
from palimpsest.lsp.client.driver import Driver
from palimpsest.models.files import inspect
from palimpsest.system import loops
from palimpsest.system.terminal import terminal
from palimpsest.workspace import sample

START_S = 120.0
PICTURE_WIDTH = 100
REPLY_TOKENS = 96
PICTURE = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""rich's own frame, without its fonts from the network."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the picture")
    parser.add_argument("--model", metavar="PATH", default="", help="a GGUF file instead of the default one")
    parser.add_argument("--svg", metavar="PATH", default="", help="write the picture there, too")
    parser.add_argument("--copy", metavar="DIR", type=Path, help="copy the sample workspace there, and no more")


def run(options: argparse.Namespace) -> int:
    if options.copy is not None:
        return _copy(options.copy, as_json=options.json)
    picture = Path(options.svg) if options.svg else None
    if picture is not None and (picture.is_dir() or not picture.parent.is_dir()):
        options.parser.error(f"--svg: expected a file in a folder that is there; got {picture}")
    recording = {"record": True, "width": PICTURE_WIDTH} if picture is not None else {}
    file = io.StringIO() if options.json else None
    console = terminal(file=file, **recording)
    try:
        if options.model:
            inspect(Path(options.model).expanduser().absolute())
        result = loops.run(_run(console, options.model))
        if picture is not None:
            svg = console.export_svg(title="palimpsest demo", code_format=PICTURE)
            picture.write_text(svg, encoding="utf-8")
    except (PalimpsestError, OSError) as error:
        print(f"palimpsest demo: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(result))
    return 0


def _copy(folder: Path, *, as_json: bool) -> int:
    try:
        made = sample.copy(folder)
    except PalimpsestError as error:
        print(f"palimpsest demo: {error}", file=sys.stderr)
        return 1
    position = {"line": made.line, "character": made.character}
    result = {"folder": str(made.folder), "file": str(made.file), "position": position, "type": sample.TYPED}
    typed = sample.TYPED.strip()
    print(json.dumps(result) if as_json else f"{made.file}: type `{typed}` on a new line behind line {made.line + 1}.")
    return 0


async def _run(console: Console, model: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="palimpsest-demo-") as folder:
        root = Path(folder).resolve() / "shop"
        sample.copy(root)
        settings: dict[str, Any] = {
            # What the model says is to be seen, also where a person has switched completions off.
            "completion": {"confidence": "all", "enabled": True, "disabled_languages": [], "disabled_folders": []},
            "conversation": {"reply_tokens": REPLY_TOKENS, "temperature": 0.0},
            "statistics": {"enabled": False},  # they are of what a person was shown
        }
        if model:
            settings["model"] = {"path": str(Path(model).expanduser().resolve())}
        window = DemoWindow(root, settings)
        await window.open()
        try:
            console.print("starting the engine …", style="dim")
            await window.driver.ready(START_S)
            shown = await _show(console, window.driver, root)
            return {**shown, "conversation": await _talk(console, window)} if has_conversations() else shown
        finally:
            await window.driver.stop()
            if has_conversations():
                window.forget()


def has_conversations() -> bool:
    """Whether the installation has them."""
    return any(feature.name == "conversations" for feature in features())


class DemoWindow:
    """An editor window on the sample; `driver` is the present one's."""

    def __init__(self, root: Path, settings: dict[str, Any]) -> None:
        self.root = root
        self._settings = settings
        self.driver = Driver()

    async def open(self) -> None:
        await self.driver.start(self.root, self._settings)

    async def restart(self) -> Driver:
        """Kill the server, and start another one."""
        await self.driver.kill()
        self.driver = Driver()
        await self.open()
        await self.driver.ready(START_S)
        return self.driver

    def forget(self) -> None:
        """What a conversation about a folder that is gone left in the state folder."""
        from palimpsest.conversations.database_path import path_of  # which an installation may lack

        path = path_of([self.root])
        for one in path.parent.glob(f"{path.name}*"):
            one.unlink(missing_ok=True)


async def _talk(console: Console, window: DemoWindow) -> dict[str, Any]:
    about = " about the same workspace, with its own part of the cache"
    console.print(Text.assemble("\n", ("A conversation", "bold"), about), "")
    results: dict[str, Any] = {}
    number = 0
    async for step in DemoTalk(window.driver, window.root, window.restart).play():
        number += 1
        console.print(draw.step(number, step))
        results[step.title] = step.result
    return results


async def _show(console: Console, driver: Driver, root: Path) -> dict[str, Any]:
    info = await driver.command("palimpsest.model.info")
    place = "edited in place" if info["in_place"] else f"whole prompts: {info.get('why_not', '')}"
    model = f", {info['n_params'] / 1e6:.1f} M parameters, {info['backend']}, {place}"
    console.print(Text.assemble("\n", (info["name"], "bold"), model))
    console.print(draw.legend(), "", sep="\n")
    story = Story(driver, root)
    events: list[StoryEvent] = []
    async for event in story.play():
        events.append(event)
        console.print(draw.event(len(events), event))
    console.print(draw.suggestion(story.suggestion))
    kinds = sorted({block["type"] for event in events for block in event.blocks})
    names = ("event", "decoded", "context", "reused", "restored", "warmed", "dropped", "ms")
    return {
        "events": [{name: getattr(event, name) for name in names} for event in events],
        "completion": story.completion,
        "suggestion": story.suggestion,
        "blocks": kinds,
    }
