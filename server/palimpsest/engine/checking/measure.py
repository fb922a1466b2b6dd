"""How well a model fills in the middle here, with blocks and without, and how fast.

In: a `TrialRequest`.  Out: a `ModelTrial`, told again after each place, so that what is measured is not lost with a
process that dies.  Loads the model itself, once with a cache that is edited in place and once with whole prompts.
"""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from palimpsest import wire
from palimpsest.calibration import bin_of
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.tail import FRESH
from palimpsest.engine.checking.rows import decode_again, finished, rows_of
from palimpsest.engine.checking.threads import thread_trials
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.llama.library import choose, library
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ContextTooLarge
from palimpsest.models.trials import LEAST_PLACES, PREFIX, Losses, ModelTrial, TrialPlace, TrialRequest

N_CTX = 8192
N_ANSWER = 24
"""Tokens of an answer whose probability is compared with what stands there."""
N_TYPED = 3
"""Keys that are typed at each place."""
N_SHOWN = 8
"""Tokens of an answer to a key."""
N_AGAIN = 16
"""Tokens of each block that EPIC's way decodes again (Hu et al. 2024, arXiv 2410.15332, LegoLink)."""
SHARE_OF_THREADS, SHARE_IN_PLACE = 0.15, 0.6
"""Shares of the time that is given: for numbers of threads, and until the last place is begun in place.  Whole prompts
are decoded of the same places afterwards."""
MOST_SHARE = 3.0
"""As much of the time may go to the first places, fewer of which say nothing."""
ALL_LAYOUTS = 16
"""At so many places every layout is tried, behind them the model's own alone: what blocks give is harder to tell."""

Told = Callable[[ModelTrial], None]


def measure(request: TrialRequest, told: Told) -> ModelTrial:
    """Raises EngineUnavailable, ModelError, ContextTooLarge, InvalidArgument."""
    path, began = Path(request.model), time.monotonic()
    settings = replace(EngineSettings(**request.settings), n_ctx=N_CTX, disk_mb=0)  # type: ignore[arg-type]
    choose(settings.library)
    trial = ModelTrial(
        library=library().api.version, threads=thread_trials(path, settings, request.seconds * SHARE_OF_THREADS)
    )
    told(trial)
    with closing(NativeEngine(path, replace(settings, mode="auto"))) as engine:
        about = engine.loaded.info()
        trial = replace(trial, name=about.name, fim_layout=about.fim_layout, why_not=about.why_not)
        told(trial)
        measured = list[TrialPlace]()
        for place in request.places:
            most = SHARE_IN_PLACE if len(trial.tokens) >= LEAST_PLACES else MOST_SHARE
            if trial.tokens and time.monotonic() - began > request.seconds * most:
                break
            with suppress(ContextTooLarge):  # a block or a tail that is too long for this model
                trial = _Behind(engine, request, place).added(trial)
                measured.append(place)
                told(trial)
    in_place_s = time.monotonic() - began
    if not trial.in_place.nats:
        return trial
    with closing(NativeEngine(path, replace(settings, mode="whole-prompt"))) as engine:
        for place in measured:
            try:
                nats = _Behind(engine, request, place).behind_blocks()
            except ContextTooLarge:  # of those behind it none is compared: each has its number
                break
            trial = replace(trial, in_order=trial.in_order.with_next(nats))
            told(trial)
            if time.monotonic() - began > 2 * max(request.seconds, in_place_s):
                break
    return trial


class _Behind:
    """One place, asked in one engine."""

    def __init__(self, engine: NativeEngine, request: TrialRequest, place: TrialPlace) -> None:
        self._engine, self._request, self._place = engine, request, place
        self._workspace = engine.workspaces.open("trial")
        self._target = engine.model.tokenize(place.middle)

    def added(self, trial: ModelTrial) -> ModelTrial:
        """The trial with this place, in the cache that `auto` means.  Raises ContextTooLarge before anything is."""
        layouts = dict[str, float]()
        if len(trial.tokens) < ALL_LAYOUTS or not trial.fim_layout:
            layouts[PREFIX] = self._without_blocks("")
        for layout in self._engine.loaded.info().fim_layouts:
            if len(trial.tokens) < ALL_LAYOUTS or layout == trial.fim_layout:
                layouts[layout] = self._without_blocks(layout)
        own, in_place = self.behind_blocks(), self._engine.in_place
        said, typed = (self._said(), self._typed()) if trial.fim_layout else ({}, [])
        return replace(
            trial,
            tokens=[*trial.tokens, len(self._target)],
            layouts=_joined(trial.layouts, layouts),
            said={bin: _sum(trial.said.get(bin), said.get(bin)) for bin in {*trial.said, *said}},
            keystroke_ms=[*trial.keystroke_ms, *typed],
            in_place=trial.in_place.with_next(own) if in_place else trial.in_place,
            epic=trial.epic.with_next(self._epic()) if in_place and trial.fim_layout else trial.epic,
            stale=trial.stale.with_next(self._stale()) if in_place and trial.fim_layout else trial.stale,
            in_order=trial.in_order if in_place else trial.in_order.with_next(own),
        )

    def behind_blocks(self) -> float:
        """Nats of the middle, in this engine's way; of a model without FIM tokens behind the code before it."""
        self._attach(self._place.blocks)
        return self._nats(self._request_in("auto" if self._engine.facts.fim else ""))

    def _without_blocks(self, layout: str) -> float:
        self._attach({})
        return self._nats(self._request_in(layout))

    def _request_in(self, layout: str) -> wire.GenerateRequest:
        """In a layout; "" has the code before the cursor alone."""
        text = wire.TextTail(self._place.prefix)
        return self._fim(layout) if layout else wire.GenerateRequest("trial", text=text)

    def _stale(self) -> float:
        """The tail is decoded behind no block; its last tokens are decoded again behind all."""
        self._attach({})
        finished(generate(self._engine.generator, self._workspace, self._fim("auto", kv="leave"), None))
        self._attach(self._place.blocks)
        return self._nats(self._fim("auto"), stale=True)

    def _epic(self) -> float:
        """The beginning of each block is decoded again, behind the blocks before it."""
        workspace = self._workspace
        assert isinstance(workspace, InPlaceWorkspace)
        self._attach(self._place.blocks)
        decode_again(workspace, N_AGAIN)
        nats = self._nats(self._fim("auto"))
        self._attach({})  # what stands there now is nobody's: the next time, the blocks themselves are attached
        return nats

    def _said(self) -> dict[str, tuple[float, float]]:
        """Of the beginnings of the answer that may be shown: how probable they were said to be, and whether that stands
        there.  All beginnings of one answer together count once."""
        request = replace(self._fim("auto"), max_tokens=N_ANSWER, stop=["\n"])
        choice = finished(generate(self._engine.generator, self._workspace, request, None)).choices[0]
        stands, found = self._place.middle + self._place.suffix, dict[str, tuple[float, float]]()
        for n, probability in choice.sure:
            right = float(stands.startswith(choice.text[:n]))
            one = 1 / len(choice.sure), right / len(choice.sure)
            found[bin_of(probability)] = _sum(found.get(bin_of(probability)), one)
        return found

    def _typed(self) -> list[float]:
        """Milliseconds of some keystrokes: what stands there, letter by letter."""
        took = list[float]()
        for n in range(1, min(N_TYPED, len(self._place.middle) - 1) + 1):
            place = replace(self._place, prefix=self._place.prefix + self._place.middle[:n])
            request = replace(self._fim("auto", place=place), max_tokens=N_SHOWN, stop=["\n"], least=0.5)
            began = time.perf_counter()
            finished(generate(self._engine.generator, self._workspace, request, None))
            took.append((time.perf_counter() - began) * 1000)
        return took

    def _attach(self, blocks: dict[str, str]) -> wire.SyncAnswer:
        wanted = [wire.WantedBlock(key, text, wire.text_hash(text)) for key, text in blocks.items()]
        request = wire.SyncRequest("trial", self._request.header, self._request.footer, wanted)
        return finished(self._workspace.sync(request))

    def _fim(
        self, layout: str, *, kv: wire.KvPolicy = "decode", place: TrialPlace | None = None
    ) -> wire.GenerateRequest:
        at = place or self._place
        fim = wire.FimTail(at.prefix, at.suffix, layout, heal=False)  # type: ignore[arg-type]
        return wire.GenerateRequest("trial", fim=fim, max_tokens=0 if kv == "leave" else 64, kv=kv)

    def _nats(self, request: wire.GenerateRequest, *, stale: bool = False) -> float:
        engine = self._engine
        room = engine.sizes.room(fim=request.fim is not None)
        composed = engine.generator.composer.compose(request, room)
        fresh = FRESH if stale else 0
        _, rows = rows_of(engine, self._workspace, composed, self._target, leaves=stale, fresh=fresh)
        return -sum(log_probability(row, token) for row, token in zip(rows, self._target, strict=True))


def _joined(before: dict[str, Losses], found: dict[str, float]) -> dict[str, Losses]:
    return before | {layout: before.get(layout, Losses()).with_next(nats) for layout, nats in found.items()}


def _sum(one: tuple[float, float] | None, other: tuple[float, float] | None) -> tuple[float, float]:
    a, b = one or (0.0, 0.0), other or (0.0, 0.0)
    return a[0] + b[0], a[1] + b[1]
