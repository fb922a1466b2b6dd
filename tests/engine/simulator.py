"""A cache without a model: one token per position, and the steps carried out on it as the engine would.

Every rule of the real cache that a plan could break is an assertion here.
"""

from dataclasses import dataclass, field

from palimpsest.engine.arena.arena import Arena, Move
from palimpsest.engine.arena.plan import Plan, PlanLimits, Wanted, plan
from palimpsest.engine.arena.span import Span
from palimpsest.engine.arena.steps import (
    Attach,
    Cut,
    Detach,
    Evict,
    Free,
    Keep,
    Rekey,
    Restore,
    Save,
    Step,
    Write,
    apply,
)

ORDER = (Detach, (Save, Evict, Free), Cut, Rekey, Move, (Keep, Attach), Restore, Write)


def digest_of(tokens):
    return "digest of " + " ".join(map(str, tokens))


def wanted(key, tokens):
    return Wanted(key, tuple(tokens), digest_of(tokens))


@dataclass
class Cache:
    """`cells` maps a resident position to its token, `main` are the positions that are attached."""

    arena: Arena
    n_cells: int
    header_tokens: int = 4
    stores: bool = True
    cells: dict[int, int] = field(default_factory=dict)
    main: set[int] = field(default_factory=set)
    store: dict[str, tuple[tuple[int, ...], int]] = field(default_factory=dict)

    @property
    def limits(self) -> PlanLimits:
        return PlanLimits(self.n_cells - len(self.cells), self.header_tokens, store=self.stores, min_common_prefix=3)

    def stored(self, digest):
        return self.store[digest][1] if digest in self.store else None

    def plan(self, blocks, max_decode=None, **limits) -> Plan:
        return plan(self.arena, blocks, self.stored, PlanLimits(**{**asdict(self.limits), **limits}), max_decode)

    def sync(self, blocks, **limits) -> Plan:
        made = self.plan(blocks, **limits)
        self.carry_out(made)
        return made

    def carry_out(self, made: Plan) -> None:
        held = {step.digest: self.store[step.digest] for step in made.restores}
        for step in made.steps:
            self.do(step, held)
            apply(self.arena, step, made.tick)
            self.arena.check()
            assert self.cells.keys() == {p for r in self.arena for p in range(*r.used)}
        assert self.arena == made.arena

    def do(self, step: Step, held) -> None:
        match step:
            case Detach(_, span, n):
                self.main -= positions(span, n)
            case Save(_, span, n, digest):
                self._save(span, n, digest)
            case Evict(_, span, n, digest):
                self._save(span, n, digest)
                self._remove(positions(span, n))
            case Free(_, span, n):
                self._remove(positions(span, n))
            case Cut(_, span, n, old):
                self._remove(positions(span, old) - positions(span, n))
            case Rekey():
                pass
            case Move(_, old, new, n):
                attached = old.start in self.main
                tokens = self._read(old, n)
                self._remove(positions(old, n))
                self._put(new.start, tokens, attached)
            case Keep(_, span, n):
                assert positions(span, n) <= self.main
            case Attach(_, span, n):
                assert positions(span, n) <= self.cells.keys()
                assert not positions(span, n) & self.main
                self.main |= positions(span, n)
            case Restore(_, span, tokens, digest, _, saved_start):
                assert held[digest] == (tokens, saved_start)
                self._put(span.start, tokens, attached=True)
            case Write(_, span, tokens, _, _, kept):
                assert self._read(span, kept) == tokens[:kept]
                if step.n_decoded:
                    assert len(self.cells) + step.n_decoded + self.header_tokens <= self.n_cells
                self._put(span.start + kept, tokens[kept:], attached=True)
                self.main |= positions(span, kept)

    def _read(self, span, n):
        return tuple(self.cells[p] for p in range(span.start, span.start + n))

    def _save(self, span, n, digest):
        assert self.stores
        assert digest_of(self._read(span, n)) == digest
        self.store[digest] = self._read(span, n), span.start

    def _remove(self, gone):
        assert gone <= self.cells.keys()
        self.main -= gone
        for position in gone:
            del self.cells[position]

    def _put(self, start, tokens, attached):
        span = Span(start, start + len(tokens))
        assert not positions(span, len(tokens)) & self.cells.keys(), f"{span} is taken"
        assert self.arena.span.contains(span)
        self.cells.update(zip(range(*span), tokens, strict=True))
        assert len(self.cells) <= self.n_cells
        if attached:
            self.main |= set(range(*span))


def asdict(limits: PlanLimits) -> dict:
    return {name: getattr(limits, name) for name in PlanLimits.__dataclass_fields__}


def positions(span, n):
    return set(range(span.start, span.start + n))


def kinds(made: Plan) -> list[str]:
    return [type(step).__name__ for step in made.steps]


def of(made: Plan, kind) -> list:
    return [step for step in made.steps if isinstance(step, kind)]


def stage(step: Step) -> int:
    return next(i for i, kind in enumerate(ORDER) if isinstance(step, kind))
