"""What it costs that the code at the cursor was decoded behind other blocks than the present ones.

In: a model file, places with their blocks.  Out: sums of nats and counts for `python -m bench stale`.

The tail is the engine's own (`Tail.snapshot`): its code is decoded behind the blocks of `before`, these are exchanged
for the present ones, and then only the last tokens and the middle are decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.checking.rows import finished, rows_of
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError

FRESH = (1, 16, 32)
ALL = 1 << 20
"""Fresh tokens: more than any prompt has, so that all of it is decoded again."""
N_CTX = 8192
LEAST_TAIL = 120
"""Tokens of the code before the cursor; with fewer there is hardly anything that could be stale."""


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at a cursor, `middle`, with the blocks chosen there, by key.  `other` is a block of another place."""

    prefix: str
    suffix: str
    middle: str
    blocks: Mapping[str, str]
    other: str


@dataclass
class Measured:
    """Of one way: nats and tokens of middles, tokens that the model has as its first choice, middles of which it has
    all; nats and tokens of names that only blocks have."""

    nats: float = 0.0
    n: int = 0
    right: int = 0
    whole: int = 0
    places: int = 0
    names: float = 0.0
    n_names: int = 0
    decoded: int = 0

    def row(self) -> dict[str, Any]:
        return {
            "nats": round(self.nats / max(1, self.n), 4),
            "right": round(self.right / max(1, self.n), 4),
            "whole": self.whole,
            "names": round(self.names / max(1, self.n_names), 4),
            "decoded": round(self.decoded / max(1, self.places), 1),
            "places": self.places,
            "tokens": self.n,
            "names_tokens": self.n_names,
        }


@dataclass
class Contradicted:
    """Of one way: the nats of the name that the blocks have now and of the one that they had, and how often the first
    is the likelier."""

    now: float = 0.0
    then: float = 0.0
    likelier: int = 0
    n: int = 0

    def row(self) -> dict[str, Any]:
        n = max(1, self.n)
        return {"now": round(self.now / n, 3), "then": round(self.then / n, 3), "likelier": self.likelier, "n": self.n}


@dataclass
class Stale:
    """Asks one engine; sums up."""

    path: Path
    header: str
    footer: str
    n_threads: int = 1
    ways: dict[str, Measured] = field(default_factory=dict)
    contradictions: dict[str, Contradicted] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = EngineSettings(n_ctx=N_CTX, extra_bufts="off", n_threads=self.n_threads)
        self.engine = NativeEngine(self.path, settings)
        about = self.engine.loaded.info()
        if not about.fim_layout or not about.in_place:
            raise ModelError(f"{about.name} has no cache that is edited in place, or does not fill in the middle.")
        self.name = about.name
        self.workspace = self.engine.workspaces.open("stale")

    def close(self) -> None:
        self.engine.close()

    def add(self, place: Place) -> None:
        """Every way of one place; nothing where its code is short or its blocks do not fit."""
        if not place.blocks or not self._attach(place.blocks):
            return
        composed = self._composed(place)
        if len(composed.tokens) < LEAST_TAIL:
            return
        key = max(place.blocks, key=lambda key: len(place.blocks[key]))
        changed = {**place.blocks, key: place.other}
        self._count("exact", place, self._rows(place, place.blocks, place.blocks, ALL))
        self._count("no block", place, self._rows(place, {}, {}, ALL))
        self._count("the largest is another's", place, self._rows(place, changed, changed, ALL))
        for fresh in FRESH:
            self._count(f"behind no block, {fresh} fresh", place, self._rows(place, {}, place.blocks, fresh))
        self._count("behind another's largest, 16 fresh", place, self._rows(place, changed, place.blocks, 16))
        for fresh in FRESH[1:]:
            found = self._rows(place, place.blocks, place.blocks, fresh, _further(place))
            self._count(f"behind another suffix, {fresh} fresh", place, found)
        self._contradict(place)

    def _contradict(self, place: Place) -> None:
        """A name of the middle that blocks alone have is another one in the blocks that the code was decoded behind."""
        own = set(re.findall(r"\w+", place.prefix + place.suffix))
        names = [
            one
            for one in dict.fromkeys(re.findall(r"[^\W\d]\w{4,}", place.middle))
            if one not in own and any(re.search(rf"\b{one}\b", text) for text in place.blocks.values())
        ]
        if not names:
            return
        name = names[0]
        other = _renamed(name)
        old = {key: re.sub(rf"\b{name}\b", other, text) for key, text in place.blocks.items()}
        lead = place.middle[: place.middle.index(name)]

        def ask(way: str, before: Mapping[str, str], now: Mapping[str, str], fresh: int) -> None:
            nats = []
            for one in (name, other):
                asked = Place(place.prefix, place.suffix, lead + one, place.blocks, place.other)
                target, rows = self._rows(asked, before, now, fresh)
                n = len(self._target(Place(place.prefix, place.suffix, lead, {}, ""))) if lead else 0
                nats.append(
                    -sum(log_probability(row, token) for token, row in list(zip(target, rows, strict=True))[n:])
                )
            found = self.contradictions.setdefault(way, Contradicted())
            found.now, found.then = found.now + nats[0], found.then + nats[1]
            found.likelier, found.n = found.likelier + (nats[0] < nats[1]), found.n + 1

        ask("exact", place.blocks, place.blocks, ALL)
        ask("behind the old, exact", old, old, ALL)
        for fresh in FRESH:
            ask(f"{fresh} fresh", old, place.blocks, fresh)

    def _attach(self, blocks: Mapping[str, str]) -> bool:
        wanted = [wire.WantedBlock(key, text, wire.text_hash(text)) for key, text in blocks.items()]
        request = wire.SyncRequest(self.workspace.name, self.header, self.footer, wanted)
        answer = finished(self.workspace.sync(request))
        return not any(report.action in ("unfit", "deferred") for report in answer.blocks)

    def _composed(self, place: Place) -> TailPrompt:
        fim = wire.FimTail(place.prefix, place.suffix, heal=False)
        request = wire.GenerateRequest(self.workspace.name, fim=fim, max_tokens=64)
        return self.engine.generator.composer.compose(request, self.engine.sizes.fim_room)

    def _target(self, place: Place) -> Sequence[int]:
        return self.engine.model.tokenize(place.middle)

    def _rows(
        self, place: Place, before: Mapping[str, str], now: Mapping[str, str], fresh: int, at: Place | None = None
    ) -> tuple[Sequence[int], list[Logits]]:
        """The middle's tokens and the logits before each, behind code that was decoded behind `before`, and for the
        cursor `at` another place."""
        engine, workspace, composed = self.engine, self.workspace, self._composed(place)
        target = self._target(place)
        workspace.tails.drop_all()
        stale = before != now or at is not None
        if stale:
            self._attach(before)
            fim = wire.FimTail((at or place).prefix, (at or place).suffix, heal=False)
            request = wire.GenerateRequest(workspace.name, fim=fim, max_tokens=0, kv="leave")
            finished(generate(engine.generator, workspace, request, None))
        self._attach(now)
        start, rows = rows_of(engine, workspace, composed, target, leaves=stale, fresh=fresh)
        self._decoded = start.decoded
        assert at is not None or (start.stale > 0) == stale, (start, fresh)
        return target, rows

    def _count(self, way: str, place: Place, found: tuple[Sequence[int], Iterable[Logits]]) -> None:
        target, rows = found
        measured = self.ways.setdefault(way, Measured())
        own = set(re.findall(r"\w+", place.prefix + place.suffix))
        spans = [m.span() for m in re.finditer(r"[^\W\d]\w{2,}", place.middle) if m.group() not in own]
        at, hits = 0, []
        for token, row in zip(target, rows, strict=True):
            nats = -log_probability(row, token)
            hits.append(int(np.argmax(row)) == token)
            size = len(self.engine.vocab.pieces[token].decode("utf-8", "replace"))
            measured.nats, measured.n, measured.right = measured.nats + nats, measured.n + 1, measured.right + hits[-1]
            if any(start < at + size and at < end for start, end in spans):
                measured.names, measured.n_names = measured.names + nats, measured.n_names + 1
            at += size
        measured.whole += all(hits)
        measured.places += 1
        measured.decoded += self._decoded


def _further(place: Place) -> Place:
    """The cursor three lines further down, with the middle written."""
    lines = place.suffix.split("\n")
    n = min(4, len(lines) - 1)
    passed = "\n".join(lines[:n])
    return Place(place.prefix + place.middle + passed, place.suffix[len(passed) :], "", {}, "")


def _renamed(name: str) -> str:
    """Another name of the same shape: its letters in groups of three, the last first."""
    parts = [name[i : i + 3] for i in range(0, len(name), 3)]
    other = "".join(reversed(parts))
    return other if other != name and not other[0].isdigit() else f"{name[::-1]}x"
