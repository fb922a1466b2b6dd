"""What commands answer: plain dictionaries with the field names of docs/commands.md.

In: the session's and the engine's values.  Out: JSON.  Sends nothing.
"""

from dataclasses import asdict
from typing import Any

from palimpsest import wire
from palimpsest.context.choice.why import Holder, Why
from palimpsest.session.context import ContextBudget, ShownContext
from palimpsest.types import Block, BlockKey
from palimpsest.window import cache_page, context_page
from palimpsest.window.context_page import LEFT_OUT
from palimpsest.window.usage import Usage


def context(shown: ShownContext) -> dict[str, Any]:
    editing = shown.view.editing
    return {
        "editing": {
            "type": editing.type,
            "name": editing.name,
            "file": editing.file,
            "uri": shown.view.uri,
            "text": editing.with_marker,
        },
        "blocks": [_block(block, shown) for block in shown.blocks],
        "prompt": shown.prompt,
    }


def why(shown: ShownContext, found: Why) -> dict[str, Any]:
    """`order`: all blocks in their turn, with what they cost and are worth now."""
    editing, chosen = shown.view.editing, {block.key for block in shown.blocks}
    return {
        "name": found.name,
        "summary": found.summary,
        "editing": {"type": editing.type, "name": editing.name, "file": editing.file},
        "uses": list(found.uses),
        "own_line": found.own_line,
        "definitions": list(map(asdict, found.definitions)),
        "n_definitions": found.n_definitions,
        "complete": found.is_complete,
        "imports": list(map(asdict, found.imports)),
        "blocks": [_holder(it, shown) for it in found.holders],
        "n_blocks": found.n_holders,
        "order": [
            {
                "type": it.block.type,
                "name": it.block.name,
                "tokens": it.tokens,
                "value": round(it.score, 1),
                "chosen": it.block.key in chosen,
            }
            for it in found.selection.ranked
        ],
        "tokens": found.selection.tokens,
        "budget": found.budget,
        "sources": list(map(asdict, found.looked)),
    }


def _holder(found: Holder, shown: ShownContext) -> dict[str, Any]:
    block = found.block
    return {
        "block": _block(block, shown) if found.outcome == "chosen" else left_out(block, found.tokens),
        "source": found.source,
        "outcome": found.outcome,
        "declares": found.declares,
        "text": found.line,
        "place": found.place,
        "instead": found.instead._asdict() if found.instead is not None else None,
    }


def budget(found: ContextBudget) -> dict[str, Any]:
    """`budgets`: the most that the blocks, and the code at the cursor, may take."""
    tail = {"used": found.tail, "budget": found.tail_budget, "percentage": _percentage(found.tail, found.tail_budget)}
    return {
        "total": found.total,
        "used": found.used,
        "available": max(0, found.total - found.used),
        "parts": {"system": found.system, "blocks": found.blocks, "tail": tail},
        "budgets": {"blocks": found.blocks_budget, "tail": found.tail_budget},
        "estimated": found.estimated,
    }


def _percentage(used: int, budget: int) -> int:
    return round(100 * used / budget) if budget else 0


def _block(block: Block, shown: ShownContext) -> dict[str, Any]:
    report = shown.reports.get(block.key)
    span = list(report.span) if report is not None and report.span is not None else None
    state = "resident" if span is not None else "stored" if block.key in shown.stored else "wanted"
    if report is not None and report.action == "unfit":
        state = LEFT_OUT
    return _described(block, shown.tokens[block.key], state, span)


def left_out(block: Block, tokens: int) -> dict[str, Any]:
    """A block that was put and is not among the chosen ones, for want of room or because nobody has chosen yet."""
    return _described(block, tokens, LEFT_OUT, None)


def _described(block: Block, tokens: int, state: str, span: list[int] | None) -> dict[str, Any]:
    """`about` stands beside the name, where an editor lists blocks."""
    return {
        "type": block.type,
        "name": block.name,
        "editable": block.editable,
        "text": block.text,
        "tokens": tokens,
        "span": span,
        "state": state,
        "about": context_page.about(block.type, tokens, state),
        "pinned": block.pinned,
        "source": block.source,
        "uri": block.uri,
        "line": next((line for line in block.lines or () if line is not None), None),
    }


def cache_map(found: wire.CacheMap, usage: Usage) -> dict[str, Any]:
    """`stats` are this window's sums, of answers it got, and `decoded` the tokens of each block; `engine` are the
    engine's, of all it did for all windows, `again` of these the tokens that it had decoded before; `ms` says where the
    time of the last completion or edit went (`usage.Usage.parts`)."""
    spans = []
    for span in found.spans:
        key = BlockKey.parse(span.key)
        spans.append({"start": span.start, "end": span.end, "type": key.type, "name": key.name, "state": span.state})
    totals = asdict(usage.totals)
    decoded = [{"type": key.type, "name": key.name, "tokens": n} for key, n in usage.by_block.items()]
    return {
        "n_ctx": found.n_ctx,
        "n_positions": found.n_positions,
        "used": found.used_cells,
        "header_copies": found.header_copies,
        "spans": spans,
        "free": [list(hole) for hole in found.free],
        "stored": {"blocks": len(found.stored), "bytes": found.stored_bytes},
        "memory": dict(found.memory),
        "stats": totals,
        "decoded": decoded,
        "engine": dict(found.stats),
        "again": {part: found.stats.get(f"{part}_again", 0) for part in cache_page.AGAIN},
        "ms": dict(usage.parts),
    }


def model(info: wire.ModelInfo) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "path": info.path,
        "name": info.name,
        "n_ctx": info.n_ctx,
        "n_params": info.n_params,
        "fim": {"layout": info.fim_layout, "layouts": info.fim_layouts},
        "in_place": info.in_place,
        "backend": info.backend,
    }
    if info.why_not:
        answer["why_not"] = info.why_not
    return answer
