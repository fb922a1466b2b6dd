"""Whether a request means anything, before anything is done for it.

In: requests for text, forks and batches.  Out: nothing, or an error that names the field.  Knows no model.  What a
field may be by itself stands in `wire.py`, also for requests that did not come as JSON.
"""

from palimpsest import wire
from palimpsest.errors import InvalidArgument, shown
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
        raise _wrong("sync.workspace", shown(request.workspace), request.sync.workspace)


def _check_generation(request: wire.GenerateRequest, field: str = "") -> None:
    if (n_prompts := sum(one is not None for one in (request.fim, request.text, request.chat))) != 1:
        raise _wrong(f"{field}fim", "exactly one of fim, text and chat", n_prompts)
    if request.chat is not None and not request.chat.messages:
        raise _wrong(f"{field}chat.messages", "at least one", [])
    for i, name in enumerate(request.names):
        if any("\ud800" <= char <= "\udfff" for char in name):
            raise _wrong(f"{field}names[{i}]", "whole characters (no lone surrogate)", name)


def _check_score(request: wire.ScoreRequest) -> None:
    n_lines = len(request.lines)
    if not n_lines:
        raise _wrong("lines", "at least one", [])
    if not request.lines[0]:
        raise _wrong("lines[0]", "a text", "")
    for i, variant in enumerate(request.variants):
        if n_lines == 1:
            raise _wrong("variants", "none where there is one line, which stays as it is", len(request.variants))
        if not 0 < variant.start < n_lines:
            raise _wrong(f"variants[{i}].start", f"1 to {n_lines - 1}", variant.start)
        if not variant.start <= variant.end <= n_lines:
            raise _wrong(f"variants[{i}].end", f"{variant.start} to {n_lines}", variant.end)


def _check_batch(request: wire.BatchRequest) -> None:
    tails = set()
    for i, one in enumerate(request.requests):
        field = f"requests[{i}]."
        _check_generation(one, field)
        if one.workspace != request.workspace:
            raise _wrong(f"{field}workspace", shown(request.workspace), one.workspace)
        if one.n != 1:
            raise _wrong(f"{field}n", "1", one.n)
        if one.sync is not None:
            raise InvalidArgument(f"{field}sync", "expected none: the batch has one.")
        if not one.tail or one.tail in tails:
            raise _wrong(f"{field}tail", "a name that is no other request's", one.tail)
        tails.add(one.tail)


def _wrong(field: str, wanted: str, got: object) -> InvalidArgument:
    return InvalidArgument(field, f"expected {wanted}, got {shown(got)}.")
