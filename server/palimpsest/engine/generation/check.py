"""Whether a request means anything, before anything is done for it.

In: requests for text, forks and batches.  Out: nothing, or an error that names the field.  Knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest import wire
from palimpsest.errors import InvalidArgument

Request = wire.SyncRequest | wire.GenerateRequest | wire.ForkRequest | wire.BatchRequest | wire.ScoreRequest
MAX_N = 16
MAX_NAMES = 256
MAX_STOPS, LONGEST_STOP = 128, 1_024
"""Stop strings, and characters of one: all of them are looked for at every token."""
MAX_VARIANTS = 64
MAX_NAME = 64
"""Characters of a tail's name."""
MOST = 2**31 - 1


def check_stops(stops: Sequence[str]) -> None:
    """Raises InvalidArgument."""
    if len(stops) > MAX_STOPS:
        raise InvalidArgument("stop", f"expected {MAX_STOPS} stop strings at most, got {len(stops)}.")
    if any(len(stop) > LONGEST_STOP for stop in stops):
        raise InvalidArgument("stop", f"a stop string is {LONGEST_STOP:,} characters long at most.")


def check_request(request: wire.GenerateRequest) -> None:
    """Raises InvalidArgument, naming the field, for values that mean nothing."""
    sampling = request.sampling
    for name, value, low in (
        ("max_tokens", request.max_tokens, 0),
        ("n", request.n, 1),
        ("time_ms", request.time_ms, 0),
        ("draft", request.draft, 0),
        ("word_search", request.word_search, 0),
        ("review", request.review, 0),
        ("sampling.temperature", sampling.temperature, 0),
        ("sampling.repeat_penalty", sampling.repeat_penalty, 1e-3),
    ):
        if not value >= low:  # so that NaN is caught too
            raise InvalidArgument(name, f"expected {low} or more, got {value}.")
        if value > MOST:
            raise InvalidArgument(name, f"expected {MOST:,} or less, got {value}.")
    for name, number in (
        ("sampling.top_k", sampling.top_k),
        ("sampling.top_p", sampling.top_p),
        ("sampling.min_p", sampling.min_p),
        ("sampling.repeat_last_n", sampling.repeat_last_n),
    ):
        if not -MOST <= number <= MOST:
            raise InvalidArgument(name, f"expected a number from {-MOST:,} to {MOST:,}, got {number}.")
    check_stops(request.stop)
    if request.chat is not None and not request.chat.messages:
        raise InvalidArgument("chat.messages", "is empty.")
    if request.n > MAX_N:
        raise InvalidArgument("n", f"expected {MAX_N} or fewer, got {request.n}.")
    if request.review > MAX_N:
        raise InvalidArgument("review", f"expected {MAX_N} or fewer, got {request.review}.")
    if len(request.names) > MAX_NAMES:
        raise InvalidArgument("names", f"expected {MAX_NAMES} or fewer, got {len(request.names)}.")
    if any("\ud800" <= char <= "\udfff" for name in request.names for char in name):
        raise InvalidArgument("names", "one has half of a character (a lone surrogate).")
    if request.sync is not None and request.sync.workspace != request.workspace:
        raise InvalidArgument("sync.workspace", f"expected {request.workspace!r}, got {request.sync.workspace!r}.")
    check_slot(request.slot)
    if request.tail:
        check_tail("tail", request.tail)


def check(request: Request) -> None:
    """Raises InvalidArgument."""
    match request:
        case wire.GenerateRequest():
            check_request(request)
        case wire.ForkRequest():
            check_fork(request)
        case wire.BatchRequest():
            check_batch(request)
        case wire.ScoreRequest():
            check_score(request)
        case _:
            check_slot(request.slot)


def check_slot(slot: str) -> None:
    if slot not in wire.SLOTS:
        raise InvalidArgument("slot", f"expected one of {', '.join(wire.SLOTS)}, got {slot!r}.")


def check_tail(field: str, name: str) -> None:
    if not 0 < len(name) <= MAX_NAME:
        raise InvalidArgument(field, f"expected a name of 1 to {MAX_NAME} characters, got {len(name)}.")


def check_fork(request: wire.ForkRequest) -> None:
    """Raises InvalidArgument."""
    check_slot(request.slot)
    for name in (request.tail, *request.names):
        check_tail("names" if name in request.names else "tail", name)


def check_score(request: wire.ScoreRequest) -> None:
    """Raises InvalidArgument."""
    check_slot(request.slot)
    if request.sync is not None and request.sync.workspace != request.workspace:
        raise InvalidArgument("sync.workspace", f"expected {request.workspace!r}, got {request.sync.workspace!r}.")
    if not request.lines or not request.lines[0]:
        raise InvalidArgument("lines", "expected at least one, and a first one that has a text.")
    if len(request.variants) > MAX_VARIANTS:
        raise InvalidArgument("variants", f"expected {MAX_VARIANTS} or fewer, got {len(request.variants)}.")
    for variant in request.variants:
        if not 0 < variant.start <= variant.end <= len(request.lines) or variant.start == len(request.lines):
            raise InvalidArgument(
                "variants", f"expected lines from 1 to {len(request.lines)}, got {variant.start} to {variant.end}."
            )


def check_batch(request: wire.BatchRequest) -> None:
    """Raises InvalidArgument."""
    check_slot(request.slot)
    if request.sync is not None and request.sync.workspace != request.workspace:
        raise InvalidArgument("sync.workspace", f"expected {request.workspace!r}, got {request.sync.workspace!r}.")
    if not 0 < len(request.requests) <= MAX_N:
        raise InvalidArgument("requests", f"expected 1 to {MAX_N} of them, got {len(request.requests)}.")
    tails = set()
    for one in request.requests:
        check_request(one)
        if one.workspace != request.workspace:
            raise InvalidArgument("requests.workspace", f"expected {request.workspace!r}, got {one.workspace!r}.")
        if one.n != 1 or one.sync is not None:
            raise InvalidArgument("requests", "each wants one alternative and has no sync of its own.")
        if not one.tail or one.tail in tails:
            raise InvalidArgument("requests.tail", "each names a tail of its own.")
        tails.add(one.tail)
