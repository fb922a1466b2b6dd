"""Measures libraries and settings of llama.cpp side by side, in minutes.

A configuration is `name=value,…` of: library (its path alone is enough; the one in use without it), model, threads,
batch, type_k, type_v, flash (-1 auto, 0, 1), OMP_WAIT_POLICY. Each runs in a process of its own and all take turns,
so that what else the machine does hits all of them alike. Out: a Markdown table of medians: tokens a second of 1,024
prefilled and of single ones, milliseconds of 6, 63 and 64 tokens behind 1,024.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from palimpsest.errors import PalimpsestError

ROUNDS = 7
PROMPT, TAIL, SINGLE = 1024, 64, 24
TYPES = {"f16": 1, "q8_0": 8}
COLUMNS = {
    "1,024 tokens/s": "prefill",
    "one by one/s": "single",
    "6 tokens, ms": "six",
    "63 tokens, ms": "less",
    "64 tokens, ms": "tail",
}


def child(asked: dict[str, str]) -> None:
    """Measures once for each line of stdin."""
    from palimpsest.engine.llama import library
    from palimpsest.engine.llama.native import Context, ContextParams, Model, Run

    library.choose(asked.get("library", ""))
    said = os.fdopen(os.dup(1), "w")
    model = Model(Path(asked["model"]), n_gpu_layers=0, extra_bufts=asked.get("repacking", "1") == "1")
    context = Context(
        model,
        ContextParams(
            n_ctx=2048,
            n_batch=int(asked.get("batch", "512")),
            n_seq_max=2,
            n_threads=int(asked.get("threads", "2")),
            type_k=TYPES[asked.get("type_k", "f16")],
            type_v=TYPES[asked.get("type_v", "f16")],
            flash_attention=int(asked.get("flash", "-1")),
            offload=False,
        ),
    )

    def seconds(n: int, start: int) -> float:
        began, at = time.perf_counter(), start
        while at < start + n:
            some = min(context.n_batch, start + n - at)
            context.decode([Run([100 + i % 997 for i in range(at, at + some)], at, 0, logits=True)])
            at += some
        return time.perf_counter() - began

    for _ in sys.stdin:
        context.remove(0)
        prefill = seconds(PROMPT, 0)
        less = seconds(TAIL - 1, PROMPT)
        context.remove(0, PROMPT)
        tail = seconds(TAIL, PROMPT)
        six = seconds(6, PROMPT + TAIL)
        began = time.perf_counter()
        for i in range(SINGLE):
            seconds(1, PROMPT + TAIL + 6 + i)
        single = (time.perf_counter() - began) / SINGLE
        found = {
            "prefill": PROMPT / prefill,
            "single": 1 / single,
            "six": 1000 * six,
            "less": 1000 * less,
            "tail": 1000 * tail,
        }
        print(json.dumps({name: round(value, 1) for name, value in found.items()}), file=said, flush=True)


def main(model: str, texts: list[str]) -> None:
    parts = [[part if "=" in part else f"library={part}" for part in text.split(",") if part] for text in texts]
    asked = [dict(part.split("=", 1) for part in them) for them in parts]
    children = []
    for one in asked:
        environment = os.environ | {name: value for name, value in one.items() if name.isupper()}
        command = [sys.executable, __file__, "--child", json.dumps({"model": model} | one)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        children.append(subprocess.Popen(command, env=environment, text=True, **pipes))  # type: ignore[call-overload]
    found: list[list[dict[str, float]]] = [[] for _ in asked]
    for turn in range(ROUNDS + 1):
        for text, process, rows in zip(texts, children, found, strict=True):
            print("go", file=process.stdin, flush=True)
            line = process.stdout.readline()
            if not line:  # it has said why
                sys.exit(1)
            print(f"turn {turn} of {ROUNDS}, {text or 'as it is'}: {line.strip()}", file=sys.stderr)
            if turn:  # the first is slower
                rows.append(json.loads(line))
    print("| | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * len(COLUMNS))
    for text, rows in zip(texts, found, strict=True):
        cells = [f"{statistics.median(row[name] for row in rows):,.1f}" for name in COLUMNS.values()]
        print(f"| {text} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        try:
            child(json.loads(sys.argv[2]))
        except PalimpsestError as error:
            sys.exit(str(error))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("model")
        parser.add_argument("configurations", nargs="*", metavar="configuration", default=[""])
        options = parser.parse_args()
        main(options.model, options.configurations)
