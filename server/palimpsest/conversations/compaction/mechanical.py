"""Summaries without a model, and what is added to every summary whoever wrote it.

In: turns, the summary before them.  Out: summaries.  Pure.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from palimpsest.conversations.compaction.collecting import (
    TurnWithCalls,
    call_line,
    failures,
    names,
    paths,
    short,
    with_short_calls,
    without_code,
)
from palimpsest.conversations.compaction.compactions import LISTS, TEXTS, Summary

FAILED = "Tried and failed: "
NAMES = "Names: "
DONE = "Called: "
WANTED = "Wanted of this summary: "
MOST_ITEMS = 24
"""Each list has at most this many items, so that a summary of summaries does not grow."""
MOST_DONE = 10
MOST_TEXT = 400


def mechanical(
    turns: Sequence[TurnWithCalls], before: Summary | None, instruction: str = "", tools: Collection[str] = ()
) -> Summary:
    """A summary of the turns by rules alone.  `instruction`: what a person wants of it, which rules cannot follow: the
    model reads it instead.  `tools`: names."""
    requests = [turn.text for turn in turns if turn.role == "user" and turn.text.strip()]
    replies = [turn.text for turn in turns if turn.role == "assistant" and turn.text.strip()]
    last = _in_short(requests[-1]) if requests else before.instruction if before else ""
    goal = before.goal if before else _in_short(requests[0]) if requests else "The conversation so far."
    done = [DONE + call_line(call) for turn in turns for call in turn.calls if not call.failed]
    summary = Summary(
        goal=goal,
        instruction=last,
        discoveries=[WANTED + short(instruction, MOST_TEXT)] if instruction.strip() else [],
        completed=done[-MOST_DONE:],
        current_status=_in_short(f"Last answer: {replies[-1]}") if replies else "Nothing was answered yet.",
        likely_next_work="Go on with what was asked last." if last else "",
        relevant_files_directories=[],
    )
    return completed(summary, turns, before, tools)


def completed(
    summary: Summary, turns: Sequence[TurnWithCalls], before: Summary | None, tools: Collection[str] = ()
) -> Summary:
    """A summary with the names, paths and failures of the turns, and those that the summary before them held."""
    old = before or Summary("", "", [], [], "", "", [])
    every = _joined(names(turns, tools), (name for name in _names_of(old.discoveries) if name not in tools))
    mentioned = [one for one in old.discoveries if not one.startswith((NAMES, WANTED))]
    tried = [FAILED + one for one in failures(turns, tools)]
    own = [with_short_calls(one, tools) for one in summary.discoveries if not one.startswith(NAMES)]
    discoveries = _joined(own, tried, mentioned)
    return replace(
        summary,
        discoveries=[*discoveries, NAMES + ", ".join(every)] if every else discoveries,
        completed=_joined([with_short_calls(one, tools) for one in summary.completed], old.completed),
        relevant_files_directories=_joined(
            summary.relevant_files_directories, paths(turns), old.relevant_files_directories
        ),
    )


def fitted(summary: Summary, most_chars: int) -> Summary:
    """The summary with some `most_chars` at most in what the model reads: of the longest list the last item goes first,
    then texts are cut."""
    lists = {name: list(getattr(summary, name)) for name in LISTS}
    texts = {name: getattr(summary, name) for name in TEXTS}
    room = most_chars - sum(map(len, texts.values()))
    while sum(map(_n_chars, lists.values())) > max(0, room):
        max(lists.values(), key=_n_chars).pop()
    if room < 0:
        texts = {name: short(text, most_chars // len(texts)) for name, text in texts.items()}
    fields: dict[str, Any] = {**texts, **lists}
    return replace(summary, **fields)


def _in_short(text: str) -> str:
    return short(without_code(text), MOST_TEXT)


def _n_chars(items: Sequence[str]) -> int:
    return sum(map(len, items))


def _joined(*lists: Iterable[str]) -> list[str]:
    """The items of all lists, each once, the first lists' before the others'."""
    return list(dict.fromkeys(item for items in lists for item in items))[:MOST_ITEMS]


def _names_of(discoveries: Iterable[str]) -> list[str]:
    lists = [one.removeprefix(NAMES).split(", ") for one in discoveries if one.startswith(NAMES)]
    return [name for names_ in lists for name in names_]
