"""Requests for the code at a cursor, in the terms of `wire`.

In: a view, chosen blocks, settings.  Out: requests.  Sends nothing; says when other lines are tried beside the
likeliest (`engine/generation/review.py` is how).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from palimpsest import wire
from palimpsest.calibration import AS_SAID, Calibration
from palimpsest.completions.inline import open_brackets, stops
from palimpsest.completions.sureness import WHATEVER, Bound
from palimpsest.context.view import CursorView
from palimpsest.prompt.blocks import render_fim
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block
from palimpsest.window.requests import Requests
from palimpsest.window.services import Services

WORD_SEARCH = 4
"""Paths that the search for a word follows at once."""
SMALL = 500_000_000
"""Parameters of a model up to which the search is cheap compared with the answer."""

NAME_TOKENS = 16
"""The most tokens of a name."""
N_LINES = 8
"""A review tries this many lines; four were nearly as good."""


def completion(
    requests: Requests,
    view: CursorView,
    blocks: Iterable[Block],
    multiline: bool,
    n: int = 1,
    *,
    first: bool = True,
    calibration: Calibration = AS_SAID,
    bound: Bound = WHATEVER,
    review: int = 0,
    names: Sequence[str] = (),
) -> wire.GenerateRequest:
    """The middle at the cursor; replaces an older one that still waits or runs.  `first`: with little time, since
    somebody waits.  `calibration`: how probable what the model says is; `bound`: how sure it must be.  `review`: other
    lines that are tried, where there is code behind.  `names` that can stand at the cursor, where that is known."""
    options = requests.settings.completion
    prefix, suffix = (well_formed(masked_block(it)) for it in render_fim(view.editing))
    # An open bracket is a statement that goes on, also where one line is asked for.
    brackets = open_brackets(view.editing.prefix, view.editing.suffix, view.parsed.language)
    return wire.GenerateRequest(
        workspace=requests.workspace,
        fim=wire.FimTail(prefix, suffix, layout=options.layout, heal=options.heal),  # type: ignore[arg-type]
        slot="typing",
        sync=requests.sync(blocks, "typing", first=first),
        max_tokens=options.max_tokens,
        time_ms=min(options.first_ms, options.time_ms) if first else options.time_ms,
        stop=stops(multiline, brackets=brackets),
        n=n,
        sampling=wire.Sampling(temperature=0.0, seed=0),
        replace=f"{requests.workspace}:typing",
        word_search=word_search(requests),
        calibration=calibration,
        least=bound.least,
        risk=bound.risk,
        review=review,
        names=list(names),
        kv=options.kv,  # type: ignore[arg-type]
    )


def word_search(requests: Requests) -> int:
    """Paths of the search for the word being typed, 0 where there is none."""
    choice, n_params = requests.settings.completion.known_words, requests.n_params()
    wanted = choice == "always" or (choice == "auto" and n_params is not None and n_params <= SMALL)
    return WORD_SEARCH if wanted else 0


def warm_up(requests: Requests, view: CursorView) -> wire.GenerateRequest:
    """Decode the tail that `completion` asks for, after the blocks that are there, when nothing is more urgent; a
    completion that comes meanwhile continues from what is decoded."""
    request = completion(requests, view, (), multiline=False, n=1)
    return replace(request, slot="background", tail="typing", sync=None, max_tokens=0)


def completion_ahead(
    requests: Requests, request: wire.GenerateRequest, blocks: Iterable[Block]
) -> wire.GenerateRequest:
    """A completion's request for when nothing is more urgent; whoever types replaces it, and finds its tail."""
    return replace(request, slot="background", tail="typing", sync=requests.sync(blocks, "background"))


def name(requests: Requests, view: CursorView, blocks: Iterable[Block]) -> wire.GenerateRequest:
    """The rest of a name, for someone who waits for an edit and does not type."""
    request = completion(requests, view, (), multiline=False, n=1, first=False)
    return replace(
        request, slot="suggestion", sync=requests.sync(blocks, "suggestion"), max_tokens=NAME_TOKENS, replace=""
    )


def n_lines(services: Services) -> int:
    """Other lines that are tried beside the likeliest for one who asks, 0 where the engine cannot."""
    model = services.supervisor.status.model
    is_wanted = services.settings.completion.review == "asked" and model is not None and model.in_place
    return N_LINES if is_wanted else 0
