"""Measures a GGUF through llama.cpp: `python -m training.evaluate [--model FILE] [--json] [--quick]`.

In: a model; held-out packages found installed (`packages.txt` names them).  Out: a table, or with `--json` two lines:
everything that was measured, then what is to be compared:

    {"loss": {"in_place", "causal", "none", "wrong"}, "retained_gain", "names": {"with_blocks", "without"},
     "words": {"right", "of"}, "repairs": {…}}

`loss` is in nats for each token of what stood at the cursor, which stands where blocks matter most (`plain`: anywhere):
with its blocks in place, the same text in ordinary order, no blocks, and another package's blocks.  The retained gain
is (none − in place) / (none − causal).  `words` are identifiers with the cursor inside, `names` shares of those that
only a block has; both are healed and chosen as a whole, words that the prompt knows counting more, as the product does
(`palimpsest.kv.generation.words`).  Everything else is greedy.  The first line has the same figures for words chosen
token by token (`greedy`) and as a whole by the model alone (`searched`).
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
from dataclasses import dataclass
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


QUICK = Sizes(2, 8, 20, 15, 4, 6, 4)


def measure(model: Path, sizes: Sizes, n_threads: int = 2) -> dict[str, Any]:
    """Everything, by name.  Raises held.NothingHeldOut."""
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        found = held.make(Path(folder), sizes.n_modules, sizes.n_words, sizes.n_names)
    arena = Arena(model, n_threads=n_threads)
    try:
        prompt = Prompt(arena)
        result = {
            "model": model.name,
            "megabytes": round(model.stat().st_size / 1e6, 2),
            "packages": found.packages,
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, no GPU",
            "middles": measures.middles(prompt, found.workspaces, sizes.n_middles),
            "plain": measures.middles(prompt, found.plain, sizes.n_plain, measures.PLAIN_MODES)["spm"],
            "words": measures.words(prompt, found.words),
            "names": measures.names(prompt, found.names),
            "repairs": measures.repairs(prompt, found.workspaces, sizes.n_repairs),
        }
    finally:
        arena.close()
    result["edits"] = edits.measure(model, found.workspaces, sizes.n_edited, n_threads)
    return {**result, "seconds": round(time.time() - start, 1)}


def compared(result: dict[str, Any]) -> dict[str, Any]:
    """The few figures that models are compared by."""
    row = result["middles"]["spm"]["loss"]
    loss = {"in_place": row["in_place"], "causal": row["causal"], "none": row["none"], "wrong": row["wrong"]}
    names, words = result["names"], result["words"]
    n_names = max(1, names["of"])
    return {
        "loss": loss,
        "retained_gain": gain(loss),
        "names": {
            "with_blocks": round(names["in_place"] / n_names, 4),
            "without": round(names["without"] / n_names, 4),
        },
        "words": {"right": words["right"], "of": words["of"]},
        "repairs": {
            name: {k: v for k, v in result["repairs"][name].items() if k != "by_kind"} for name in ("free", "grammar")
        },
    }


def gain(loss: dict[str, float]) -> float | None:
    """Share of what blocks give that is left in place; None where they give nothing in ordinary order."""
    given = loss["none"] - loss["causal"]
    return round((loss["none"] - loss["in_place"]) / given, 3) if given > 0 else None


def table(result: dict[str, Any]) -> str:
    modes = [mode for mode, _ in measures.MODES]
    lines = [
        f"{result['model']}, {result['megabytes']} MB; {result['machine']}",
        "held out: " + ", ".join(result["packages"]),
        "",
        f"{'loss (share right)':26}" + "".join(f"{mode:>18}" for mode in modes),
    ]
    for layout, row in result["middles"].items():
        cells = "".join(f"{row['loss'][m]:10.3f} ({row['accuracy'][m]:.3f})" for m in modes)
        lines.append(f"{layout + ', ' + str(row['middles']) + ' middles':26}{cells}")
    for order in ORDERS[:2]:
        loss = result["middles"]["spm"]["loss"]
        lines.append(f"retained gain, {order}: {gain({**loss, 'in_place': loss[order]})}")
    for name in ("plain", "words", "names", "repairs", "edits"):
        lines += ["", f"{name}: {json.dumps(result[name])}"]
    return "\n".join(lines)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--model", type=Path, default=MODEL)
    cli.add_argument("--json", action="store_true")
    cli.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="one, while a training runs")
    cli.add_argument("--quick", action="store_true", help="a sample, in less than three minutes")
    a = cli.parse_args()
    try:
        result = measure(a.model, QUICK if a.quick else Sizes(), a.threads)
    except held.NothingHeldOut as error:
        sys.exit(str(error))
    if a.json:
        print(json.dumps(result))
        print(json.dumps(compared(result)))
    else:
        print(table(result))


if __name__ == "__main__":
    main()
