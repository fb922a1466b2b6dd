"""What is measured of a model: losses, words, names, lines, repairs.

In: a laid-out `Prompt`, held-out workspaces and cases.  Out: plain numbers.  Prints nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from palimpsest.edits.grammar import grammar_for
from palimpsest.edits.shown import EDITING, ShownBlock
from palimpsest.types import ShownLine
from training.arena import Grammar
from training.examples import Tail, Workspace
from training.held import Case
from training.prompt import ORDERS, Order, Prompt, Rows, Ways

MODES: tuple[tuple[str, Order], ...] = (
    *((order, order) for order in ORDERS),
    ("none", "in_place"),
    ("wrong", "in_place"),
)
"""The rows of the table: whose blocks, in which order."""
PLAIN_MODES = tuple(row for row in MODES if row[0] in ("in_place", "causal", "none"))


N_WORD, N_BEHIND = 12, 1
"""Tokens that a word may have, and those wanted behind one that is found as a whole."""
BOUNDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""How sure the model must be, for what would be shown then."""
OTHER_WAYS: tuple[tuple[Ways, int], ...] = (("searched", N_BEHIND), ("greedy", N_WORD))


def cross_entropy(logits: Rows, targets: Sequence[int]) -> tuple[Rows, Rows]:
    """Loss and hit of each row."""
    rows = logits.astype(np.float64)
    rows -= rows.max(1, keepdims=True)
    at = np.arange(len(targets))
    return np.log(np.exp(rows).sum(1)) - rows[at, targets], rows.argmax(1) == np.array(targets)


def of_any(logits: Rows, ends: Sequence[int]) -> tuple[float, bool]:
    """Loss and hit of an end, whichever of a model's it is: all end an answer."""
    row = logits.astype(np.float64)
    all_, some = (np.logaddexp.reduce(each) for each in (row, row[list(ends)]))
    return float(all_ - some), int(row.argmax()) in ends


def middles(
    prompt: Prompt, found: Sequence[Workspace], n: int, modes: Sequence[tuple[str, Order]] = MODES
) -> dict[str, Any]:
    """By layout, of `n` workspaces: {"middles", "tokens", "characters", "loss": {mode: nats a token}, "accuracy":
    {mode: share}, "a_character": {mode: nats}, "end": {mode: nats}, "ended": {mode: share}}.

    Losses of a character are for comparing tokenizers: the end is left out of them, and stands apart.
    """
    losses: dict[tuple[str, str], list[Rows]] = defaultdict(list)
    hits: dict[tuple[str, str], list[Rows]] = defaultdict(list)
    characters: dict[str, int] = defaultdict(int)
    found = found[:n]
    for i, workspace in enumerate(found):
        others = next((w for w in [*found[i + 1 :], *found] if w.package != workspace.package), found[i - 1])
        for tail in workspace.tails:
            characters[tail.layout] += len(tail.middle)
        for mode, order in modes:
            prompt.lay_out({"none": (), "wrong": others.blocks}.get(mode, workspace.blocks), order)
            for tail in workspace.tails:
                target = prompt.target(tail)
                logits, _ = prompt.logits(tail, len(target), target[:-1])
                loss, hit = cross_entropy(logits, target)
                if prompt.is_spm:
                    loss[-1], hit[-1] = of_any(logits[-1], sorted(prompt.arena.ends))
                losses[tail.layout, mode].append(loss)
                hits[tail.layout, mode].append(hit)

    def mean(rows: list[Rows]) -> float:
        return round(float(np.concatenate(rows).mean()), 4)

    n_end = int(prompt.is_spm)

    def of_text(rows: list[Rows], layout: str) -> float:
        return round(float(sum(row[: len(row) - n_end].sum() for row in rows)) / max(1, characters[layout]), 4)

    def of_end(rows: list[Rows]) -> float | None:
        return mean([row[-1:] for row in rows]) if n_end else None

    return {
        layout: {
            "middles": len(losses[layout, modes[0][0]]),
            "tokens": sum(map(len, losses[layout, modes[0][0]])),
            "loss": {mode: mean(losses[layout, mode]) for mode, _ in modes},
            "accuracy": {mode: mean(hits[layout, mode]) for mode, _ in modes},
            "characters": characters[layout],
            "a_character": {mode: of_text(losses[layout, mode], layout) for mode, _ in modes},
            "end": {mode: of_end(losses[layout, mode]) for mode, _ in modes},
            "ended": {mode: of_end(hits[layout, mode]) for mode, _ in modes},
        }
        for layout in sorted({layout for layout, _ in losses})
    }


def completed(
    prompt: Prompt, case: Case, blocks: Sequence[str], order: Order, n_most: int, ways: Ways = "known"
) -> str:
    """What the model writes from the beginning of the word on, to the line's end."""
    prompt.lay_out(blocks, order)
    tail = Tail("spm", case.prefix, case.suffix, "", "word")
    return prompt.generate(tail, lambda text: b"\n" in text, n_most, case.typed.encode(), ways=ways).split("\n")[0]


def completed_as_is(prompt: Prompt, case: Case, n_most: int) -> str:
    """The same with what is typed as prompt and not as constraint."""
    prompt.lay_out(case.blocks, "in_place")
    tail = Tail("spm", case.prefix + case.typed, case.suffix, "", "word")
    return (case.typed + prompt.generate(tail, lambda text: b"\n" in text, n_most)).split("\n")[0]


def is_word(text: str, case: Case) -> bool:
    match = re.match(r"\W?\w+", text)
    return match is not None and match[0] == case.word


def words(prompt: Prompt, cases: Sequence[Case]) -> dict[str, Any]:
    """How many rests of words are exactly right, and how many rests of lines, as the product completes them; words
    right when they are chosen as a whole by the model alone, and token by token.  Of every fifth case: healed as
    before, without blocks, and token by token with the cursor's word as prompt and not as constraint.

    `sure`: by how sure the model must be of the rest of the line (`completion.min_confidence`), how many are shown, and
    of how many of them word and line are right."""
    shown: list[tuple[float, bool, bool]] = []
    right = lines = greedy = searched = 0
    sample: dict[str, int] = defaultdict(int)
    for i, case in enumerate(cases):
        text = completed(prompt, case, case.blocks, "in_place", 32)
        is_right, is_line = is_word(text, case), text.rstrip() == case.rest.rstrip()
        shown.append((float(np.exp(np.mean(prompt.logprobs))), is_right, is_line))
        right += is_right
        lines += is_line
        greedy += is_word(completed(prompt, case, case.blocks, "in_place", N_WORD, "greedy"), case)
        searched += is_word(completed(prompt, case, case.blocks, "in_place", N_BEHIND, "searched"), case)
        if i % 5 == 0:
            sample["of"] += 1
            sample["healed"] += is_word(text, case)
            sample["as_is"] += is_word(completed_as_is(prompt, case, N_WORD), case)
            sample["without"] += is_word(completed(prompt, case, (), "in_place", N_BEHIND), case)
    figures = {"right": right, "lines": lines, "greedy": greedy, "searched": searched, "of": len(cases)}
    return {**figures, "sample": dict(sample), "sure": [of_sure(shown, least) for least in BOUNDS]}


def of_sure(shown: Sequence[tuple[float, bool, bool]], least: float) -> dict[str, float]:
    kept = [rest for confidence, *rest in shown if confidence >= least]
    word, line = (sum(rights[i] for rights in kept) for i in range(2))
    return {"least": least, "shown": len(kept), "words": word, "lines": line}


def names(prompt: Prompt, cases: Sequence[Case]) -> dict[str, Any]:
    """How many names that only a block has are right with the blocks (in each order) and without them, as the product
    completes them; in place and without them also as a whole by the model alone, and token by token."""
    right: dict[str, int] = defaultdict(int)
    for case in cases:
        for blocks, key, end in ((case.blocks, "in_place", ""), ((), "without", "_without")):
            right[key] += is_word(completed(prompt, case, blocks, "in_place", N_BEHIND), case)
            for ways, n_most in OTHER_WAYS:
                right[ways + end] += is_word(completed(prompt, case, blocks, "in_place", n_most, ways), case)
        for order in ORDERS[1:]:
            right[order] += is_word(completed(prompt, case, case.blocks, order, N_BEHIND), case)
    keys = (*ORDERS, "without", *(f"{ways}{end}" for ways, _ in OTHER_WAYS for end in ("", "_without")))
    return {**{key: right[key] for key in keys}, "of": len(cases)}


LONGEST_REPLY = 160
"""Tokens."""
REPLY = re.compile(
    r'<suggestion name="editing">\n((?:(?:L\d+(?:\+|-)?(?: .*)?|[^L\n].*)\n)+)</suggestion>\n'
    r"<summary>[^\n]*</summary>\n?"
)


def is_well_formed(reply: str, n_lines: int) -> bool:
    match = REPLY.fullmatch(reply)
    return match is not None and all(int(n) <= n_lines for n in re.findall(r"^L(\d+)", match.group(1), re.M))


def edit_of(reply: str) -> str:
    return reply.split("</suggestion>")[0].rstrip()


def numbered(tail: Tail) -> ShownBlock:
    """The editing block of a repair as the grammar wants it."""
    lines = [re.match(r"L(\d+)(?: (.*))?", line) for line in tail.prefix.split("\n")]
    shown = tuple(ShownLine(m[2] or "", int(m[1]), int(m[1]) - 1) for m in lines if m)
    return ShownBlock(EDITING, True, "", 0, shown)


def repairs(prompt: Prompt, found: Sequence[Workspace], n: int) -> dict[str, Any]:
    """Replies to `n` broken functions: {"of", "free", "grammar"}, the last two {"well_formed", "cut", "place", …}.

    `cut`: replies that were not at their end after LONGEST_REPLY tokens; they are not well-formed, whatever they say.
    """
    cases = [(w, t) for w in found for t in w.tails if t.layout == "repair"][:n]
    result: dict[str, Any] = {"of": len(cases)}
    for name in ("free", "grammar"):
        counts: dict[str, int] = defaultdict(int)
        by_kind: dict[str, list[bool]] = defaultdict(list)
        for workspace, tail in cases:
            prompt.lay_out(workspace.blocks, "in_place")
            shown = numbered(tail)
            grammar = Grammar(prompt.arena, grammar_for([shown])) if name == "grammar" else None
            reply = prompt.generate(tail, lambda text: text.endswith(b"</summary>\n"), LONGEST_REPLY, grammar=grammar)
            if grammar:
                grammar.close()
            by_kind[tail.kind].append(edit_of(reply) == edit_of(tail.middle))
            counts["well_formed"] += is_well_formed(reply, len(shown.lines))
            counts["cut"] += not reply.endswith("</summary>\n")
            marks = [re.findall(r"^L\d+[+-]?", edit_of(text), re.M) for text in (reply, tail.middle)]
            counts["place"] += marks[0] == marks[1]
        count = max(1, len(cases))
        result[name] = {
            "well_formed": round(counts["well_formed"] / count, 4),
            "cut": round(counts["cut"] / count, 4),
            "place": round(counts["place"] / count, 4),
            "exact": round(sum(map(sum, by_kind.values())) / count, 4),
            "by_kind": {kind: f"{sum(hits)}/{len(hits)}" for kind, hits in sorted(by_kind.items())},
        }
    return result
