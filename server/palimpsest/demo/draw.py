"""How the demonstration looks in a terminal.

In: events of the story.  Out: rich renderables.  Asks nobody anything.
"""

import re
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from palimpsest.demo.story import StoryEvent
from palimpsest.demo.talk import TalkStep

WIDTH = 72
COLOURS = {
    "header": "white",
    "footer": "white",
    "tail": "magenta",
    "class": "cyan",
    "scope": "green",
    "package": "yellow",
    "documentation": "blue",
    "filesystem": "bright_black",
    "file": "red",
    "recent": "bright_red",
}


def event(number: int, it: StoryEvent) -> RenderableType:
    title = Text(f"{number}. {it.event}", style="bold")
    parts: list[RenderableType] = [title, Padding(_figures(it), (0, 0, 0, 3)), Padding(_map(it.map), (0, 0, 0, 3))]
    if it.new:
        parts.append(Padding(_blocks(it), (0, 0, 0, 3)))
    if it.completion is not None:
        parts.append(Padding(_completion(it), (0, 0, 0, 3)))
    return Group(*parts, "")


def _figures(it: StoryEvent) -> Text:
    return Text.assemble(
        (f"{it.decoded:5d}", "bold green" if it.decoded < 30 else "bold yellow"),
        " tokens decoded of ",
        (f"{it.context}", "bold"),
        f": {it.reused} reused, {it.restored} restored, {it.warmed} warmed; {it.ms:.0f} ms",
        (f"\n{it.dropped:5d} more decoded and dropped: copies of the header" if it.dropped else "", "dim"),
    )


def _map(cache: dict[str, Any]) -> Text:
    """The cache from position 0 to the tail's end, one cell of the terminal for an equal share of positions."""
    spans = cache["spans"]
    end = max((span["end"] for span in spans), default=1)
    footer = next((s["start"] for s in spans if s["state"] == "footer"), end)
    arena = max((s["end"] for s in spans if s["state"] in ("attached", "detached", "header")), default=1)
    text = Text()
    room = min(footer, arena + max(1, arena // 12))
    for column in range(WIDTH - 10):
        at = column * room // (WIDTH - 10)
        span = next((s for s in spans if s["start"] <= at < s["end"]), None)
        if span is None:
            text.append("·", "bright_black")
        else:
            kind = span["type"] if span["state"] in ("attached", "detached") else span["state"]
            text.append("░" if span["state"] == "detached" else "█", COLOURS.get(kind, "white"))
    text.append("┄", "bright_black")
    text.append("█", COLOURS["footer"])
    n_tail = sum(s["end"] - s["start"] for s in spans if s["state"] == "tail")
    text.append("█" * min(8, 1 + n_tail // 64) if n_tail else "", COLOURS["tail"])
    return text


def _blocks(it: StoryEvent) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("new block")
    table.add_column("name", no_wrap=True, overflow="ellipsis", max_width=36)
    table.add_column("tokens", justify="right")
    table.add_column("positions", justify="right")
    for block in it.new:
        kind = Text("■ ", COLOURS.get(block["type"], "white")).append(block["type"], "default")
        start, end = block["span"] or ("", "")
        table.add_row(kind, block["name"], str(block["tokens"]), f"{start}–{end}")
    return table


def _completion(it: StoryEvent) -> RenderableType:
    if not it.completion:
        return Text("no completion worth showing", style="dim")
    typed, ghost = it.before_cursor, it.completion
    word = re.search(r"\w*\Z", typed)
    ghost = ghost.removeprefix(word[0] if word else "")  # the item's text begins with the word being typed
    return Text.assemble((typed, "default"), (ghost, "italic bright_black"))


def suggestion(answer: dict[str, Any]) -> RenderableType:
    if not answer.get("suggestions"):
        reasons = "; ".join(refusal["reason"] for refusal in answer.get("refused", []))
        return Text(f"no suggestion{': ' + reasons if reasons else ''}", style="dim")
    first = answer["suggestions"][0]
    parts: list[RenderableType] = [Syntax(first["diff"], "diff", theme="ansi_dark", background_color="default")]
    if answer.get("summary"):
        parts.append(Text(answer["summary"], style="italic"))
    return Padding(Group(*parts), (0, 0, 0, 3))


def step(number: int, it: TalkStep) -> RenderableType:
    """A step of the conversation."""
    parts: list[RenderableType] = [Text(f"{number}. {it.title}", style="bold")]
    parts += [Padding(Text(fact), (0, 0, 0, 3)) for fact in it.facts]
    if it.shown:
        code = Syntax(it.shown, it.language, theme="ansi_dark", background_color="default", word_wrap=True)
        parts.append(Padding(code, (0, 0, 0, 5)))
    return Group(*parts, "")


def legend() -> Text:
    """What colours mean, in lines of 80 columns, and what figures count."""
    text = Text()
    for kind in ("class", "scope", "package", "documentation", "recent", "file", "filesystem", "tail"):
        text.append("█ ", COLOURS[kind]).append(f"{kind} ", "dim")
    text.append("\n░ kept   · free\n", "dim")
    words = "Each token that the model sees was decoded now, reused, restored from memory, or warmed: "
    return text.append(f"{words}the code at the cursor, ahead of the next key.", "dim")
