"""Whether a request means anything, before anything is done for it.

In: requests for text, forks and batches.  Out: nothing, or an error that names the field.  Knows no model.  What a
field may be by itself stands in `wire.py`, also for requests that did not come as JSON.
"""

from __future__ import annotations

from palimpsest import wire
from palimpsest.errors import InvalidArgument
from palimpsest.json_data import checked

Request = wire.SyncRequest | wire.GenerateRequest | wire.ForkRequest | wire.BatchRequest | wire.ScoreRequest


def check(request: Request) -> None:
    """Raises InvalidArgument."""
    checked(request)
    if isinstance(request, wire.GenerateRequest | wire.BatchRequest | wire.ScoreRequest):
        _check_sync(request)
    if isinstance(request, wire.GenerateRequest):
        _check_generation(request)
    elif isinstance(request, wire.ScoreRequest):
        _check_score(request)
    elif isinstance(request, wire.BatchRequest):
        _check_batch(request)


def _check_sync(request: wire.GenerateRequest | wire.BatchRequest | wire.ScoreRequest) -> None:
    if request.sync is not None and request.sync.workspace != request.workspace:
        raise InvalidArgument("sync.workspace", f"expected {request.workspace!r}, got {request.sync.workspace!r}.")


def _check_generation(request: wire.GenerateRequest) -> None:
    if request.chat is not None and not request.chat.messages:
        raise InvalidArgument("chat.messages", "is empty.")
    if any("\ud800" <= char <= "\udfff" for name in request.names for char in name):
        raise InvalidArgument("names", "one has half of a character (a lone surrogate).")


def _check_score(request: wire.ScoreRequest) -> None:
    if not request.lines or not request.lines[0]:
        raise InvalidArgument("lines", "expected at least one, and a first one that has a text.")
    for variant in request.variants:
        if not 0 < variant.start <= variant.end <= len(request.lines) or variant.start == len(request.lines):
            raise InvalidArgument(
                "variants", f"expected lines from 1 to {len(request.lines)}, got {variant.start} to {variant.end}."
            )


def _check_batch(request: wire.BatchRequest) -> None:
    tails = set()
    for one in request.requests:
        _check_generation(one)
        if one.workspace != request.workspace:
            raise InvalidArgument("requests.workspace", f"expected {request.workspace!r}, got {one.workspace!r}.")
        if one.n != 1 or one.sync is not None:
            raise InvalidArgument("requests", "each wants one alternative and has no sync of its own.")
        if not one.tail or one.tail in tails:
            raise InvalidArgument("requests.tail", "each names a tail of its own.")
        tails.add(one.tail)
