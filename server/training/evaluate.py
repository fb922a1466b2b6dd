"""Measures a GGUF through llama.cpp: `python -m training.evaluate [--model FILE] [--held FILE] [--json] [--quick]`.

In: the model and held-out workspaces as text (`held.jsonl`; without it, or with `--quick`, workspaces made from the
product's own source, which is no training data either).  Out: figures, as a table or as JSON:

    middles   loss and share of tokens right on what stood at the cursor, by layout, with the blocks in place, with
              none, with another workspace's, and with all text in ordinary causal order
    words     identifiers with the cursor inside, completed exactly: healed (the cursor's word is a constraint), healed
              without blocks, and as is (the cursor's word is prompt)
    repairs   replies to broken functions: well-formed, lines as expected, and by kind of damage

Decoding is greedy and free of any grammar.  Numbers are of one machine only where they are times.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from palimpsest.prompt.blocks import EDITING_END, FOOTER, HEADER
from training.arena import Arena
from training.corpus import read_folder
from training.examples import Tail, Workspace, make_index, workspaces

PRODUCT = Path(__file__).parents[1] / "palimpsest"
MODEL = PRODUCT / "assets" / "palimpsest-embedded.gguf"
END, PREFIX, MIDDLE, SUFFIX = range(4)
GAP, SLACK = 48, 32
WORD = re.compile(r"[^\w\n]?[^\W\d]\w{4,}")
MODES = ("in place", "none", "another's", "causal")


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    n_middles: int = 120  # workspaces
    n_words: int = 200
    n_repairs: int = 200


class Prompt:
    """A workspace laid out in the arena, ready for one tail after another."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.header, self.footer = arena.tokens(HEADER, bos=True), arena.tokens(FOOTER)
        self.end = 0
        self.in_place = True

    def lay_out(self, blocks: Sequence[str], in_place: bool) -> None:
        """Header, blocks and footer; in ordinary causal order where not in place."""
        self.arena.clear()
        self.arena.decode(self.header, 0)
        self.end, self.in_place = len(self.header), in_place
        for text in [*blocks, FOOTER]:
            tokens = self.arena.tokens(text)
            self.end += GAP + len(self.header) if in_place and text != FOOTER else len(self.header) * in_place
            self._add(tokens)

    def _add(self, tokens: Sequence[int]) -> None:
        if self.in_place:
            self.arena.put(self.header, tokens, self.end)
        else:
            self.arena.decode(tokens, self.end)
        self.end += len(tokens)

    def logits(self, tail: Tail, n_wanted: int, continuation: Sequence[int]) -> tuple[np.ndarray[Any, Any], int]:
        """Decodes a tail and what follows it; logits of the last `n_wanted` tokens, and the next position."""
        arena, base = self.arena, self.end
        arena.cut_back(base)
        prefix, suffix = arena.tokens(tail.prefix), arena.tokens(tail.suffix)
        match tail.layout:
            case "spm":
                self._add([SUFFIX, *suffix])
                head = [PREFIX, *prefix]
            case "isolated":
                arena.decode([PREFIX, *prefix], base)
                self.end += len(prefix) + 1 + (SLACK if self.in_place else 0)
                self._add([SUFFIX, *suffix])
                head = [MIDDLE]
            case "psm":
                head = [PREFIX, *prefix, SUFFIX, *suffix, MIDDLE]
            case "repair":
                head = prefix
        logits = arena.decode([*head, *continuation], self.end, n_wanted)
        position, self.end = self.end + len(head) + len(continuation), base
        return logits, position

    def generate(self, tail: Tail, stop: Callable[[bytes], bool], n_most: int, constraint: bytes = b"") -> str:
        """Greedy text that begins with `constraint`, until the end token, `stop` or `n_most` tokens."""
        logits, position = self.logits(tail, 1, ())
        text, left = b"", constraint
        for _ in range(n_most):
            row = logits[-1]
            if left:
                fits = [
                    t
                    for t, piece in enumerate(self.arena.pieces)
                    if piece and (left.startswith(piece) or piece.startswith(left))
                ]
                token = max(fits, key=lambda t: row[t])
            else:
                token = int(row.argmax())
            if token == END:
                break
            piece = self.arena.pieces[token]
            text, left = text + piece, left[len(piece) :]
            if stop(text):
                break
            logits, position = self.arena.decode([token], position, 1), position + 1
        return text.decode("utf-8", "replace")


def held_out(file: Path | None) -> list[Workspace]:
    """Workspaces from a file, or from the product's own source."""
    if file is not None:
        with open(file) as lines:
            found = [json.loads(line) for line in lines]
        return [Workspace(w["package"], tuple(w["blocks"]), tuple(Tail(**t) for t in w["tails"])) for w in found]
    modules = list(read_folder(PRODUCT, "palimpsest", "palimpsest/"))[::3]
    index, seen, rng = make_index(modules), set[int](), Random(7)
    return [w for m in modules for w in workspaces(m, index, seen, rng, share_renamed=0.0)]


def cross_entropy(
    logits: np.ndarray[Any, Any], targets: Sequence[int]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Loss and hit of each row."""
    rows = logits.astype(np.float64)
    rows -= rows.max(1, keepdims=True)
    at = np.arange(len(targets))
    return np.log(np.exp(rows).sum(1)) - rows[at, targets], rows.argmax(1) == np.array(targets)


def measure_middles(prompt: Prompt, found: Sequence[Workspace], n: int) -> dict[str, Any]:
    losses: dict[tuple[str, str], list[Any]] = defaultdict(list)
    hits: dict[tuple[str, str], list[Any]] = defaultdict(list)
    found = found[:n]
    for i, workspace in enumerate(found):
        for mode in MODES:
            blocks = {"none": (), "another's": found[(i + 1) % len(found)].blocks}.get(mode, workspace.blocks)
            prompt.lay_out(blocks, mode != "causal")
            for tail in workspace.tails:
                target = [*prompt.arena.tokens(tail.middle), END]
                logits, _ = prompt.logits(tail, len(target), target[:-1])
                loss, hit = cross_entropy(logits, target)
                losses[tail.layout, mode].append(loss)
                hits[tail.layout, mode].append(hit)

    def row(layout: str) -> dict[str, Any]:
        mean = {mode: round(float(np.concatenate(losses[layout, mode]).mean()), 4) for mode in MODES}
        right = {mode: round(float(np.concatenate(hits[layout, mode]).mean()), 4) for mode in MODES}
        return {"n_middles": len(losses[layout, "none"]), "loss": mean, "accuracy": right}

    return {layout: row(layout) for layout in sorted({layout for layout, _ in losses})}


def words(found: Sequence[Workspace], rng: Random) -> Iterator[tuple[Workspace, str, str, str, str]]:
    """(workspace, text before the word, typed part with the character before it, word likewise, text behind)."""
    for workspace in found:
        for tail in workspace.tails:
            if tail.layout == "repair":
                continue
            head = tail.prefix.index("\n") + 1
            text = tail.prefix + tail.middle + tail.suffix.removesuffix(EDITING_END)
            body = text.find("\n", head)
            matches = list(WORD.finditer(text, body)) if body > 0 else []
            if matches:
                match = rng.choice(matches)
                whole = match.group()
                joined = int(not (whole[0].isalnum() or whole[0] == "_"))
                typed = whole[: joined + rng.randint(1, len(whole) - joined - 2)]
                line_end = text.find("\n", match.end())
                after = (text[line_end:] if line_end >= 0 else "") + EDITING_END
                yield workspace, text[: match.start()], typed, whole, after
                break


def measure_words(prompt: Prompt, found: Sequence[Workspace], n: int) -> dict[str, Any]:
    right: dict[str, int] = defaultdict(int)
    cases = [case for case, _ in zip(words(found, Random(3)), range(n), strict=False)]
    for workspace, before, typed, whole, after in cases:
        for name, blocks, healed in (
            ("healed", workspace.blocks, True),
            ("healed, no blocks", (), True),
            ("as is", workspace.blocks, False),
        ):
            prompt.lay_out(blocks, True)
            rest = b"" if healed else typed.encode()
            tail = Tail("spm", before if healed else before + typed, after, "", "word")

            def is_over(text: bytes, rest: bytes = rest) -> bool:
                return re.match(r"\W?\w+\W", (rest + text).decode("utf-8", "replace")) is not None

            text = rest.decode() + prompt.generate(tail, is_over, 16, typed.encode() if healed else b"")
            match = re.match(r"\W?\w+", text)
            right[name] += match is not None and match.group() == whole
    return {"n_words": len(cases), **{name: round(count / max(1, len(cases)), 4) for name, count in right.items()}}


REPLY = re.compile(
    r'<suggestion name="editing">\n((?:(?:L\d+(?:\+|-)?(?: .*)?|[^L\n].*)\n)+)</suggestion>\n'
    r"<summary>[^\n]*</summary>\n"
)


def is_well_formed(reply: str, n_lines: int) -> bool:
    match = REPLY.fullmatch(reply)
    return match is not None and all(int(n) <= n_lines for n in re.findall(r"^L(\d+)", match.group(1), re.M))


def edit_of(reply: str) -> str:
    return reply.split("</suggestion>")[0]


def measure_repairs(prompt: Prompt, found: Sequence[Workspace], n: int) -> dict[str, Any]:
    cases = [(w, t) for w in found for t in w.tails if t.layout == "repair"][:n]
    by_kind: dict[str, list[bool]] = defaultdict(list)
    well_formed = place = summary = 0
    for workspace, tail in cases:
        prompt.lay_out(workspace.blocks, True)
        reply = prompt.generate(tail, lambda text: text.endswith(b"</summary>\n"), 200)
        well_formed += is_well_formed(reply, len(re.findall(r"^L\d+", tail.prefix, re.M)))
        by_kind[tail.kind].append(edit_of(reply) == edit_of(tail.middle))
        numbers = [re.findall(r"^L\d+[+-]?", edit_of(text), re.M) for text in (reply, tail.middle)]
        place += numbers[0] == numbers[1]
        summary += reply.split("<summary>")[-1] == tail.middle.split("<summary>")[-1]
    count = max(1, len(cases))
    return {
        "n_repairs": len(cases),
        "well_formed": round(well_formed / count, 4),
        "right_place": round(place / count, 4),
        "exact": round(sum(map(sum, by_kind.values())) / count, 4),
        "summary": round(summary / count, 4),
        "exact_by_kind": {kind: f"{sum(hits)}/{len(hits)}" for kind, hits in sorted(by_kind.items())},
    }


def measure(model: Path, held: Path | None, sizes: Sizes, n_threads: int = 2) -> dict[str, Any]:
    start = time.time()
    found = held_out(held)
    arena = Arena(model, n_threads=n_threads)
    prompt = Prompt(arena)
    result = {
        "model": model.name,
        "megabytes": round(model.stat().st_size / 1e6, 2),
        "examples": held.name if held else "the product's own source",
        "packages": sorted({w.package for w in found}),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, no GPU",
        "middles": measure_middles(prompt, found, sizes.n_middles),
        "words": measure_words(prompt, found, sizes.n_words),
        "repairs": measure_repairs(prompt, found, sizes.n_repairs),
    }
    arena.close()
    return {**result, "seconds": round(time.time() - start, 1)}


def table(result: dict[str, Any]) -> str:
    lines = [
        f"{result['model']}, {result['megabytes']} MB, on {result['examples']}; {result['machine']}",
        "",
        f"{'middles: loss (accuracy)':26}" + "".join(f"{mode:>18}" for mode in MODES),
    ]
    for layout, row in result["middles"].items():
        cells = "".join(f"{row['loss'][m]:10.3f} ({row['accuracy'][m]:.3f})" for m in MODES)
        lines.append(f"{layout + ', ' + str(row['n_middles']):26}{cells}")
    for name in ("words", "repairs"):
        lines += ["", f"{name}: " + ", ".join(f"{k} {v}" for k, v in result[name].items())]
    return "\n".join(lines)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--model", type=Path, default=MODEL)
    cli.add_argument("--held", type=Path, help="held.jsonl as training.data wrote it")
    cli.add_argument("--json", action="store_true")
    cli.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="one, while a training runs")
    cli.add_argument("--quick", action="store_true", help="a few examples from the product's own source")
    a = cli.parse_args()
    sizes = Sizes(6, 8, 4) if a.quick else Sizes()
    result = measure(a.model, None if a.quick else a.held, sizes, a.threads)
    print(json.dumps(result, indent=1) if a.json else table(result))


if __name__ == "__main__":
    main()
