"""Pure: what a model's trial says, in words, and what its engine makes of it.

In: a `ModelTrial`.  Out: a `Profile`.  A difference counts where it is larger than twice its standard error, over
places: what cannot be told from chance changes nothing.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.calibration import AS_SAID, fitted
from palimpsest.models.profiles import Profile
from palimpsest.models.trials import LEAST_PLACES, PREFIX, Losses, ModelTrial, ThreadTrial
from palimpsest.text.amounts import amount

LEAST_KEPT = 0.9
"""Share of what blocks give, below which whole prompts are decoded."""
WHOLE_PLACES, WHOLE_ERRORS = 16, 3
"""Whole prompts take much longer: that they are worth it must show at so many places, and by so many standard errors.
"""
FASTER = 0.9
"""Another way of decoding is chosen where it takes at most this share of the time of the machine's own choice; a
smaller gain may be the moment's."""
IDLE = 0.8
"""Share of its threads' cores that a trial must have had, so that anything can be said of other numbers of threads."""


@dataclass(frozen=True, slots=True)
class Gain:
    """By how many nats a token one way is better than another, and the standard error of that."""

    nats: float
    error: float

    @property
    def is_sure(self) -> bool:
        return self.nats > 2 * self.error


def gain(worse: Losses, better: Losses, tokens: Sequence[int]) -> Gain:
    """Over the places at which both were measured; infinite error where these are too few."""
    return _sure([a - b for a, b in zip(worse.nats, better.nats, strict=False)], tokens)


def _sure(differences: Sequence[float], tokens: Sequence[int]) -> Gain:
    n, n_tokens = len(differences), sum(tokens[: len(differences)])
    if n < LEAST_PLACES or not n_tokens:
        return Gain(sum(differences) / max(1, n_tokens), math.inf)
    return Gain(sum(differences) / n_tokens, statistics.stdev(differences) * math.sqrt(n) / n_tokens)


@dataclass
class _Verdict:
    """Collects the sentences and figures."""

    trial: ModelTrial
    sentences: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    def fills_in(self) -> str:
        """The layout for the profile, "" where the family's own stays."""
        trial, tokens = self.trial, self.trial.tokens
        if not trial.fim_layout:
            self.sentences.append("It has no tokens to fill in the middle: completions come from what the code says.")
            self.figures[f"nats.{PREFIX}"] = trial.layouts[PREFIX].mean(tokens)
            return ""
        own, prefix = trial.layouts[trial.fim_layout], trial.layouts[PREFIX]
        for layout, losses in trial.layouts.items():
            self.figures[f"nats.{layout}"] = losses.mean(tokens)
        others = {name: losses for name, losses in trial.layouts.items() if name != PREFIX}
        best = min(others, key=lambda name: others[name].mean(tokens))
        if all(gain(losses, prefix, tokens).is_sure for losses in others.values()):
            self.sentences.append(
                f"It does not fill in the middle: {others[best].mean(tokens):.2f} nats a token with its own markers, "
                f"{prefix.mean(tokens):.2f} without them. It is not asked to complete."
            )
            return "none"
        if best != trial.fim_layout and gain(own, others[best], tokens).is_sure:
            self.sentences.append(
                f"It fills in the middle better in the layout {best} than in {trial.fim_layout}, which its family is "
                f"said to have: {others[best].mean(tokens):.2f} and {own.mean(tokens):.2f} nats a token."
            )
            return best
        behind = gain(prefix, own, tokens)
        known = (
            f"the code after the cursor gains {behind.nats:.2f} nats a token"
            if behind.is_sure
            else ("no clear gain from the code after the cursor")
        )
        self.sentences.append(f"It fills in the middle in its own layout ({trial.fim_layout}): {known}.")
        return ""

    def in_place(self) -> bool:
        """Whether the cache stays one that is edited in place."""
        trial, tokens = self.trial, self.trial.tokens
        none = trial.layouts[trial.fim_layout or PREFIX]
        for name in ("in_place", "in_order", "epic", "stale"):
            losses: Losses = getattr(trial, name)
            if losses.nats:
                self.figures[f"nats.{name}"] = losses.mean(tokens)
        given = gain(none, trial.in_order, tokens)
        if not trial.in_place.nats:
            self.sentences.append(f"Its cache cannot be edited in place: {trial.why_not}")
            return True
        if not given.is_sure:
            self.sentences.append("No clear gain from context blocks; its cache is edited in place.")
            return True
        kept = gain(none, trial.in_place, tokens).nats / given.nats
        self.figures["kept"] = kept
        if trial.epic.nats:
            self.figures["kept.epic"] = gain(none, trial.epic, tokens).nats / given.nats
        three = zip(none.nats, trial.in_place.nats, trial.in_order.nats, strict=False)
        lost = _sure([a - b - (1 - LEAST_KEPT) * (c - b) for c, a, b in three], tokens)
        loses = len(trial.in_order.nats) >= WHOLE_PLACES and lost.nats > WHOLE_ERRORS * lost.error
        then = "whole prompts are decoded, which takes longer" if loses else "it is edited in place"
        then += ", since the rest may be chance" if kept < LEAST_KEPT and not loses else ""
        self.sentences.append(f"In place, its cache keeps {kept:.2f} of what context gives: {then}.")
        return not loses

    def threads(self) -> tuple[int, str]:
        """Threads and flash attention, 0 and "" where the machine's own choice stays."""
        tried = [one for one in self.trial.threads if one.flash_attention not in ("on", "off")]
        if not tried:
            return 0, ""
        own, best = tried[0], min(tried, key=_cost)
        with_flash = {one.flash_attention: one for one in self.trial.threads}
        on, off = with_flash.get("on"), with_flash.get("off")
        is_idle = _is_idle(own) and _is_idle(best)
        is_better = is_idle and _cost(best) < FASTER * _cost(own)
        used, is_off = best if is_better else own, False
        if on is not None and off is not None and on.n_threads == used.n_threads and _is_idle(on) and _is_idle(off):
            is_off = _cost(off) < FASTER * _cost(on)
            used = off if is_off else used
        self.figures |= {"prefill": used.prefill, "token_ms": used.token_ms, "batch_ms": used.batch_ms}
        chosen = f"{used.n_threads} thread{'' if used.n_threads == 1 else 's'}"
        if is_off:
            chosen += ", without flash attention"
        if not is_idle:
            chosen += "; the machine was busy, so no other number was chosen"
        self.sentences.append(
            f"It reads {used.prefill:.0f} tokens a second and writes {1000 / used.token_ms:.0f} ({chosen})."
        )
        return used.n_threads if is_better else 0, "off" if is_off else ""

    def keystroke(self) -> None:
        if self.trial.keystroke_ms:
            self.figures["keystroke_ms"] = median = statistics.median(self.trial.keystroke_ms)
            self.sentences.append(f"A keystroke takes {median:.0f} ms.")


def _is_idle(one: ThreadTrial) -> bool:
    return one.cores >= IDLE * one.n_threads


def _cost(one: ThreadTrial) -> float:
    return one.keystroke_ms


def concluded(trial: ModelTrial, made: str, tried_on: str = "") -> Profile:
    """What to keep of a trial.  `made`: the day; `tried_on`: whose code."""
    n = len(trial.tokens)
    if n < LEAST_PLACES:
        few = f"Only {amount(n, 'place')} could be tried, where {LEAST_PLACES} are needed: nothing is concluded."
        return Profile(trial.name, made, [few], tried_on, figures={"places": n})
    verdict = _Verdict(trial)
    layout, is_in_place = verdict.fills_in(), verdict.in_place()
    n_threads, flash = verdict.threads()
    verdict.keystroke()
    return Profile(
        model=trial.name,
        made=made,
        verdict=verdict.sentences,
        tried_on=tried_on,
        layout=layout,  # type: ignore[arg-type]
        mode="" if is_in_place else "whole-prompt",
        n_threads=n_threads,
        flash_attention="off" if flash else "",
        calibration=fitted(trial.said) if trial.said and not layout else AS_SAID,  # what was said, was in its own
        figures={name: round(value, 4) for name, value in {**verdict.figures, "places": n}.items()},
    )
