"""Costs of a session, by kind of event and in sum.

In: per request what it was, and what it cost each side.  Out: JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.replaying.cost import Cost, Decoded
from bench.replaying.kinds import KINDS, Measured


def tallied(measured: Sequence[Measured], ours: Sequence[Cost], peers: Mapping[str, Sequence[Cost]]) -> dict[str, Any]:
    """`events` by kind and `total`; `peer` is the one of `peers` that decoded least, None where there is none.

    Per side: `decoded` and `reused` tokens over all its `requests`; milliseconds to the first token, p50 and p95.
    """
    best = best_of(peers)
    rival = peers[best] if best else None
    events = {}
    for kind in KINDS:
        chosen = [i for i, m in enumerate(measured) if m.kind == kind]
        if not chosen:
            continue
        events[kind] = {
            "requests": len(chosen),
            "ours": _side([ours[i] for i in chosen]),
            "peer": _side([rival[i] for i in chosen]) if rival else None,
            "floor": sum(measured[i].floor for i in chosen),
            "new_block": sum(measured[i].new_block for i in chosen),
            "tail": sum(measured[i].tail for i in chosen),
            "excess": _excess([measured[i] for i in chosen], [ours[i] for i in chosen]),
        }
    total: dict[str, Any] = {"requests": len(ours), "ours": _total(ours), "peer": _total(rival) if rival else None}
    total["floor"] = sum(m.floor for m in measured)
    total["excess"] = _excess(measured, ours)
    total["peers"] = {name: _total(costs) for name, costs in peers.items()}
    total["ratio"] = _ratio(total["ours"], total["peer"]) if rival else None
    each = [
        {
            "kind": m.kind,
            "floor": m.floor,
            "new_block": m.new_block,
            "ours": ours[i].decoded,
            "peer": rival[i].decoded if rival else None,
            "excess": _excess([m], [ours[i]]),
            "changes": dict(m.changes),
        }
        for i, m in enumerate(measured)
    ]
    return {"events": events, "total": total, "requests": each}


def _excess(measured: Sequence[Measured], costs: Sequence[Cost]) -> dict[str, int]:
    """Our tokens beyond the floor, by what was decoded that the model had been shown: context blocks, the code at the
    cursor; the header, which blocks are decoded behind; and answers."""
    parts = sum((cost.parts for cost in costs), Decoded())
    floor, new_block = sum(m.floor for m in measured), sum(m.new_block for m in measured)
    return {
        "blocks": parts.blocks - new_block,
        "tails": parts.tails - (floor - new_block),
        "headers": parts.headers,
        "answers": parts.tokens - parts.blocks - parts.headers - parts.tails,
        "all": parts.tokens - floor,
    }


def best_of(peers: Mapping[str, Sequence[Cost]]) -> str:
    return min(peers, key=lambda name: sum(cost.decoded for cost in peers[name]), default="")


def _side(costs: Sequence[Cost]) -> dict[str, float]:
    times = [cost.ms for cost in costs if cost.asked]
    return {
        "decoded": sum(cost.decoded for cost in costs),
        "per_request": round(sum(cost.decoded for cost in costs) / len(costs), 1),
        "most": max(cost.decoded for cost in costs),
        "background": sum(cost.background for cost in costs),
        "reused": sum(cost.reused for cost in costs),
        "ms_p50": percentile(times, 0.5),
        "ms_p95": percentile(times, 0.95),
        "prompt": percentile([cost.prompt for cost in costs if cost.asked], 0.5),
    }


def _total(costs: Sequence[Cost]) -> dict[str, float]:
    return {
        "decoded": sum(cost.decoded for cost in costs),
        "background": sum(cost.background for cost in costs),
        "reused": sum(cost.reused for cost in costs),
        "ms": round(sum(cost.ms for cost in costs)),
        "background_ms": round(sum(cost.background_ms for cost in costs)),
        "prompt_p50": percentile([cost.prompt for cost in costs if cost.asked], 0.5),
        "prompt_most": max((cost.prompt for cost in costs), default=0),
    }


def _ratio(ours: Mapping[str, float], peer: Mapping[str, float]) -> dict[str, float]:
    """Ours as a share of the peer's."""
    time = [side["ms"] + side["background_ms"] for side in (ours, peer)]
    return {
        "decoded": round(ours["decoded"] / max(1, peer["decoded"]), 4),
        "ms": round(time[0] / max(1, time[1]), 4),
    }


def percentile(values: Sequence[float], share: float, digits: int = 1) -> float:
    """The least value that so many of them do not exceed, rounded; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], digits)
