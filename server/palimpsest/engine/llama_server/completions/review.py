"""The completions of an infill in the order that the code behind the cursor gives to them and to other lines.

In: candidates with what the model gives to them, completions.  Out: as many completions as are asked for.  Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from palimpsest.candidates import order
from palimpsest.engine.llama_server.completions.outcome import Done
from palimpsest.engine.llama_server.requests.params import Params
from palimpsest.wire import Candidate


def by_review(
    candidates: Sequence[Candidate],
    dones: Sequence[Done],
    params: Params,
    begins: str,
    tokenize: Callable[[str], Sequence[int]],
) -> list[Done]:
    """The first of the candidates is the first of `dones`; `begins` stands in front of every text.  Where there are not
    enough different ones, some come twice: a client gets as many as it asked for."""
    by_line = {done.text.partition("\n")[0]: done for done in reversed(dones)}
    ended = "\n" if "\n" in params.stop else ""

    def of_line(line: str) -> Done:
        tokens, like = tuple(tokenize(line)), dones[0]
        return replace(
            like,
            text=line,
            tokens=tokens,
            stop="word" if ended else "eos",
            stopping_word=ended,
            timings=replace(like.timings, predicted_n=len(tokens)),
            has_new_line=False,
        )

    ranked = order(candidates)
    with_likeliest = list(dict.fromkeys([*ranked[:1], *([0] if ranked else []), *ranked]))
    lines = [begins + candidates[i].text if i else "" for i in with_likeliest]
    chosen = [(by_line.get(line) or of_line(line)) if line else dones[0] for line in lines] or [dones[0]]
    different = list({done.text: done for done in (*chosen, *dones[1:])}.values())
    return [*different, *dones][: params.n]
