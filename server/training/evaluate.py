"""Measures a GGUF through llama.cpp: `python -m training.evaluate [--model FILE] [--json] [--quick]`.

In: a model; held-out packages found installed (`packages.txt` names them).  Out: a table, or with `--json` two lines:
everything that was measured, then what is to be compared:

    {"loss": {"in_place", "causal", "none", "wrong"}, "retained_gain", "a_character": {…}, "own": {…}, "end",
     "names": {"with_blocks", "without"}, "words": {"right", "lines", "of"}, "repairs": {…}}

`loss` is in nats for each token of what stood at the cursor, which stands where blocks matter most (`plain`: anywhere):
with its blocks in place, the same text in ordinary order, no blocks, and another package's blocks.  The retained gain
is (none − in place) / (none − causal).  `a_character` has the same in nats for each character of the text, by which
models with different tokenizers compare; `own` is that of this project's own source, renamed, which no model has read.
`end`: how often the end of a middle is the likeliest token there.
`words` are identifiers with the cursor inside, `names` shares of those that only a block has; both are healed and
chosen as a whole, words that the prompt knows counting more, as the product does
(`palimpsest.engine.generation.words`).
Everything else is greedy.  The first line has the same figures for words chosen token by token (`greedy`) and as a
whole by the model alone (`searched`).
Any GGUF will do: three orders are measured side by side (`training.prompt`), so that it can be seen what editing a
cache in place costs a model that was not trained for it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from training import edits, held, measures
from training.arena import Arena
from training.prompt import ORDERS, Prompt

MODEL = Path(__file__).parents[1] / "palimpsest" / "assets" / "palimpsest-embedded.gguf"


@dataclass(frozen=True)
class Sizes:
    """How much is measured; `n_modules` of each package."""

    n_modules: int = 20
    n_middles: int = 60  # workspaces
    n_words: int = 500
    n_names: int = 150
    n_repairs: int = 60
    n_edited: int = 60  # middles behind an edited cache
    n_plain: int = 60  # workspaces with the cursor anywhere
    n_own: int = 40  # workspaces of this project's own source

    def times(self, share: float) -> Sizes:
        """A part of it, drawn from as many modules."""
        counts = {f.name: max(1, round(getattr(self, f.name) * share)) for f in fields(self)}
        return Sizes(**{**counts, "n_modules": self.n_modules})


QUICK = Sizes(2, 8, 20, 15, 4, 6, 4, 4)
COMPARED = ("in_place", "causal", "none", "wrong")
PARTS = ("middles", "plain", "own", "words", "names", "repairs", "edits")


def measure(
    model: Path, sizes: Sizes, n_threads: int = 2, only: Collection[str] = PARTS, share: float = 1.0
) -> dict[str, Any]:
    """Some of PARTS, by name, of the first cases, a share of all.  Raises held.NothingHeldOut."""
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        found = held.make(Path(folder), sizes.n_modules, sizes.n_words, sizes.n_names)
    sizes = sizes.times(share)
    arena = Arena(model, n_threads=n_threads)
    try:
        prompt = Prompt(arena)
        result = {
            "model": model.name,
            "megabytes": round(model.stat().st_size / 1e6, 2),
            "packages": found.packages,
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, no GPU",
        }
        few = measures.PLAIN_MODES
        parts: dict[str, Callable[[], Any]] = {
            "middles": lambda: measures.middles(prompt, found.workspaces, sizes.n_middles),
            "plain": lambda: measures.middles(prompt, found.plain, sizes.n_plain, few)["spm"],
            "own": lambda: measures.middles(prompt, found.own, sizes.n_own, few)["spm"],
            "words": lambda: measures.words(prompt, found.words[: sizes.n_words]),
            "names": lambda: measures.names(prompt, found.names[: sizes.n_names]),
            "repairs": lambda: measures.repairs(prompt, found.workspaces, sizes.n_repairs),
        }
        result |= {name: part() for name, part in parts.items() if name in only}
    finally:
        arena.close()
    if "edits" in only:
        result["edits"] = edits.measure(model, found.workspaces, sizes.n_edited, n_threads)
    return {**result, "seconds": round(time.time() - start, 1)}


def compared(result: dict[str, Any]) -> dict[str, Any]:
    """The few figures that models are compared by, of what was measured."""
    found: dict[str, Any] = {}
    if "middles" in result:
        row = result["middles"]["spm"]
        loss, each = ({mode: row[of][mode] for mode in COMPARED} for of in ("loss", "a_character"))
        found |= {"loss": loss, "retained_gain": gain(loss), "a_character": {**each, "retained_gain": gain(each)}}
        found["end"] = row["ended"]["in_place"]
    if "own" in result:
        found["own"] = result["own"]["a_character"]
    if "names" in result:
        n = max(1, result["names"]["of"])
        keys = {"with_blocks": "in_place", "without": "without"}
        found["names"] = {name: round(result["names"][key] / n, 4) for name, key in keys.items()}
    if "words" in result:
        found["words"] = {name: result["words"][name] for name in ("right", "lines", "of")}
    if "repairs" in result:
        ways = ("free", "grammar")
        found["repairs"] = {w: {k: v for k, v in result["repairs"][w].items() if k != "by_kind"} for w in ways}
    return found


def gain(loss: dict[str, float]) -> float | None:
    """Share of what blocks give that is left in place; None where they give nothing in ordinary order."""
    given = loss["none"] - loss["causal"]
    return round((loss["none"] - loss["in_place"]) / given, 3) if given > 0 else None


def table(result: dict[str, Any]) -> str:
    lines = [f"{result['model']}, {result['megabytes']} MB; {result['machine']}"]
    lines += ["held out: " + ", ".join(result["packages"]), ""]
    if "middles" in result:
        lines += middles_table(result["middles"])
    for name in PARTS[1:]:
        if name in result:
            lines += ["", f"{name}: {json.dumps(result[name])}"]
    return "\n".join(lines)


def middles_table(found: dict[str, Any]) -> list[str]:
    modes = [mode for mode, _ in measures.MODES]
    lines = [f"{'loss (share right)':26}" + "".join(f"{mode:>18}" for mode in modes)]
    for layout, row in found.items():
        cells = "".join(f"{row['loss'][m]:10.3f} ({row['accuracy'][m]:.3f})" for m in modes)
        lines.append(f"{layout + ', ' + str(row['middles']) + ' middles':26}{cells}")
        cells = "".join(f"{row['a_character'][m]:10.4f}        " for m in modes)
        lines.append(f"{'  nats a character':26}{cells}")
    row = found["spm"]
    for order in ORDERS[:2]:
        gains = (gain({**row[of], "in_place": row[of][order]}) for of in ("loss", "a_character"))
        lines.append(f"retained gain, {order}: " + ", by character ".join(map(str, gains)))
    lines.append(f"end, in place: {row['end']['in_place']} nats, the likeliest {row['ended']['in_place']}")
    return lines


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--model", type=Path, default=MODEL)
    cli.add_argument("--json", action="store_true")
    cli.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="one, while a training runs")
    cli.add_argument("--quick", action="store_true", help="a sample, in less than three minutes")
    cli.add_argument(
        "--share", type=float, default=1.0, help="of all cases; a model of 135 M parameters takes its time"
    )
    cli.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    a = cli.parse_args()
    try:
        result = measure(a.model, QUICK if a.quick else Sizes(), a.threads, a.only, a.share)
    except held.NothingHeldOut as error:
        sys.exit(str(error))
    if a.json:
        print(json.dumps(result))
        print(json.dumps(compared(result)))
    else:
        print(table(result))


if __name__ == "__main__":
    main()
