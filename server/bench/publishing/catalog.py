"""Which tables there are: for each the command that measures it, and how its result is written.

Out: FIGURES, by the names of their regions in docs/measurements.md.  Runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.publishing import tables

Result = Mapping[str, Any]
FOLDER, FILE, PLOT, PICTURE = "FOLDER", "FILE", "docs/replay-hopping.svg", "docs/demo.svg"
"""Arguments that stand for something made for the run: the sources of packages, a client's recorded requests, pictures
in the documents."""


@dataclass(frozen=True, slots=True)
class Figure:
    """`command` is what a person would type, `--json` and `--model` aside; `small` what is added to try it only.
    `rows` are figures of it for the README."""

    command: tuple[str, ...]
    small: tuple[str, ...]
    write: Callable[[Result], str]
    rows: Callable[[Result], dict[str, str]] = lambda _: {}
    note: str = ""

    @property
    def is_module(self) -> bool:
        """A module beside the product, not a command of it."""
        return self.command[0] == "bench" or "." in self.command[0]

    @property
    def folder(self) -> str:
        """Where it is run, below the repository's root."""
        return "server" if self.command[0].startswith("training.") else "."

    def line(self) -> str:
        """As the documents show it."""
        return " ".join(["python -m" if self.is_module else "palimpsest", *self.command])


def _bench(*arguments: str) -> tuple[str, ...]:
    return ("bench", *arguments)


_REPLAYED = "8,192 cells, micro-batch 1,024"
_REQUESTS = ("--requests", "4", "--cache-reuse", "256")
FIGURES: dict[str, Figure] = {
    "demo": Figure(("demo", "--svg", PICTURE), (), tables.demo),
    "replay-hopping": Figure(
        _bench("replay", "--plot", PLOT), _REQUESTS, tables.replay, tables.of_replay, note=_REPLAYED
    ),
    "replay-history": Figure(_bench("replay", "--trace", "history"), _REQUESTS, tables.replay, note=_REPLAYED),
    "replay-typing": Figure(_bench("replay", "--trace", "typing"), _REQUESTS, tables.replay, note=_REPLAYED),
    "keystroke": Figure(_bench("keystroke"), ("--keystrokes", "3"), tables.keystroke, tables.of_keystroke),
    "vscode": Figure(("tests.editors.vscode.figures", "--keystrokes", "100"), ("--keystrokes", "3"), tables.editor),
    "neovim": Figure(("tests.editors.nvim.figures", "--keystrokes", "100"), ("--keystrokes", "3"), tables.editor),
    "layouts": Figure(_bench("layouts"), ("--middles", "2", "--words", "2", "--lines", "1"), tables.layouts),
    "quality": Figure(
        _bench("quality", "server/palimpsest", "--n", "8"), ("--n", "1", "--max-tokens", "8"), tables.quality
    ),
    "formats": Figure(
        _bench("formats", "server/palimpsest", "--n", "12"), ("--n", "1", "--max-tokens", "20"), tables.formats
    ),
    "names": Figure(_bench("names", FOLDER, "--n", "100"), ("--n", "2"), tables.names),
    "equivalence": Figure(
        _bench("equivalence", "--operations", "500"), ("--operations", "10"), tables.equivalence, tables.of_equivalence
    ),
    "cache-types": Figure(_bench("cache-types"), ("--positions", "4", "--shifts", "1"), tables.cache_types),
    "infill": Figure(
        _bench("infill", "--trace", FILE, "--peer", "llama-server", "--n-ctx", "8192"),
        ("--no-loss",),
        tables.infill,
        note="8,192 cells; the recording that the tests have",
    ),
    "blocks": Figure(
        ("training.evaluate", "--share", "0.2", "--only", "middles", "plain", "words", "names"),
        ("--quick",),
        tables.blocks,
        tables.of_blocks,
    ),
}
