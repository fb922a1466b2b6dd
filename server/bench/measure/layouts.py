"""Measures FIM layouts: how well a model completes in each, and what typing costs.

In: a model file, cases as text.  Out: plain numbers for `python -m bench layouts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.checking.rows import finished, rows_of
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.sampler import log_sum
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError

N_CTX = 4096
MAX_WORD, MAX_SHOWN = 12, 12
"""Tokens of an answer to a cursor in a word, and to a keystroke."""
MAX_TYPED = 24
"""Characters of a line that are typed."""


class Gap(Protocol):
    """Text around a cursor."""

    @property
    def prefix(self) -> str: ...
    @property
    def suffix(self) -> str: ...


class Middle(Gap, Protocol):
    @property
    def text(self) -> str: ...


class Word(Gap, Protocol):
    @property
    def rest(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Texts:
    """What is asked: `middles` and `lines` with what stands there, `words` with what is missing of them."""

    header: str
    footer: str
    middles: Sequence[Middle]
    words: Sequence[Word]
    lines: Sequence[Middle]


def measure(path: Path, texts: Texts) -> dict[str, Any]:
    """{"model", "family", "in_place", "default", "layouts": {layout: {"healed" | "as_is": row}}}; a row is
    {"loss", "words", "keystroke": {"agreeing", "other"}}, each keystroke {"n", "decoded", "most"}.

    `loss`: nats for each token of the middle, as tokenized by itself; healed, the tokens that spell the piece held back
    are chosen among those that can.  Raises ModelError for a model without FIM tokens.
    """
    settings = EngineSettings(n_ctx=N_CTX, extra_bufts="off")
    engine = NativeEngine(path, settings)
    try:
        about = engine.loaded.info()
        if not about.fim_layouts:
            raise ModelError(f"{about.name} has no FIM tokens: there is no layout to measure.")
        workspace = engine.workspaces.open("layouts")
        finished(workspace.sync(wire.SyncRequest(workspace.name, texts.header, texts.footer, [])))
        layouts: dict[str, dict[str, dict[str, Any]]] = {layout: {} for layout in about.fim_layouts}
        for layout, rows in layouts.items():
            for name, heal in (("healed", True), ("as_is", False)):
                rows[name] = _Layout(engine, workspace, layout, heal).row(texts)
        assert engine.facts.fim is not None
        return {
            "model": about.name,
            "family": engine.facts.fim.family,
            "in_place": about.in_place,
            "default": about.fim_layout,
            "layouts": layouts,
        }
    finally:
        engine.close()


class _Layout:
    """One layout, healed or not."""

    def __init__(self, engine: NativeEngine, workspace: Workspace, layout: str, heal: bool) -> None:
        self._engine = engine
        self._workspace = workspace
        self._layout = layout
        self._heal = heal

    def row(self, texts: Texts) -> dict[str, Any]:
        nats, n_tokens = 0.0, 0
        for middle in texts.middles:
            nats += self._nats(middle)
            n_tokens += len(self._engine.model.tokenize(middle.text))
        right = sum(self._completes(word) for word in texts.words)
        return {
            "loss": round(nats / max(1, n_tokens), 4),
            "words": round(right / max(1, len(texts.words)), 4),
            "keystroke": self._keystrokes(texts.lines),
        }

    def _request(self, prefix: str, suffix: str, max_tokens: int) -> wire.GenerateRequest:
        fim = wire.FimTail(prefix, suffix, self._layout, self._heal)  # type: ignore[arg-type]
        return wire.GenerateRequest(self._workspace.name, fim=fim, max_tokens=max_tokens)

    def _ask(self, prefix: str, suffix: str, max_tokens: int) -> tuple[str, int]:
        """The answer's text and how many tokens of the tail were decoded for it."""
        request = self._request(prefix, suffix, max_tokens)
        answer = finished(generate(self._engine.generator, self._workspace, request, None))
        return answer.choices[0].text, answer.decoded

    # How good

    def _nats(self, middle: Middle) -> float:
        engine = self._engine
        request = self._request(middle.prefix, middle.suffix, 64)
        composed = engine.generator.composer.compose(request, engine.sizes.fim_room)
        target = engine.model.tokenize(composed.piece.decode("utf-8") + middle.text)
        left, nats = composed.piece, 0.0
        for token, row in zip(target, rows_of(engine, self._workspace, composed, target)[1], strict=True):
            among = row[engine.vocab.beginning(left)] if left else row
            nats += log_sum(among) - float(row[token])
            left = left[len(engine.vocab.pieces[token]) :]
        return nats

    def _completes(self, word: Word) -> bool:
        text, _ = self._ask(word.prefix, word.suffix, MAX_WORD)
        found = re.match(r"\w*", text)
        return found is not None and found.group() == word.rest

    # What typing costs

    def _keystrokes(self, lines: Iterable[Middle]) -> dict[str, dict[str, float]]:
        """Each line typed as it is, then as the answers say; keystrokes told apart by whether the answer on screen
        began with the character typed."""
        costs: dict[bool, list[int]] = {True: [], False: []}
        for line in lines:
            for said in (False, True):
                self._workspace.tails.drop_all()
                shown, _ = self._ask(line.prefix, line.suffix, MAX_SHOWN)
                typed = ""
                while len(typed) < MAX_TYPED:
                    character = (shown if said else line.text[len(typed) :])[:1]
                    if character in ("", "\n"):
                        break
                    typed += character
                    agrees = shown.startswith(character)
                    shown, decoded = self._ask(line.prefix + typed, line.suffix, MAX_SHOWN)
                    costs[agrees].append(decoded)
        return {"agreeing": _summed(costs[True]), "other": _summed(costs[False])}


def _summed(costs: Sequence[int]) -> dict[str, float]:
    mean = round(sum(costs) / len(costs), 2) if costs else 0.0
    return {"n": len(costs), "decoded": mean, "most": max(costs, default=0)}
