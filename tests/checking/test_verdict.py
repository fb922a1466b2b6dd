"""What is concluded from a model's trial."""

from dataclasses import replace

import pytest

from palimpsest.calibration import AS_SAID
from palimpsest.checking.verdict import concluded, gain
from palimpsest.config.settings import EngineSettings
from palimpsest.models.profiles import Profile
from palimpsest.models.trials import LEAST_PLACES, Losses, ModelTrial, ThreadTrial

N = 20
TOKENS = [10] * N
DAY = "2026-11-30"


def losses(mean: float, n: int = N) -> Losses:
    """Nats a token that are nearly the same at each place."""
    return Losses([10 * mean + (i % 3 - 1) * 0.1 for i in range(n)])


def trial(
    in_place: float = 1.5, in_order: float = 1.48, none: float = 2.0, prefix: float = 2.4, **more: object
) -> ModelTrial:
    layouts = {"prefix": losses(prefix), "spm": losses(none), "psm": losses(none + 0.2)}
    threads = [way(2, 10.0), way(1, 12.0)]
    given = {"layouts": layouts, "threads": threads, "in_place": losses(in_place), "in_order": losses(in_order), **more}
    return ModelTrial(name="a", fim_layout="spm", tokens=TOKENS, keystroke_ms=[30.0, 40.0, 90.0], **given)  # type: ignore[arg-type]


def way(n_threads: int, ms: float, flash: str = "auto", cores: float | None = None) -> ThreadTrial:
    return ThreadTrial(n_threads, flash, 500.0, ms, 2 * ms, cores or n_threads)


def test_a_model_that_keeps_what_context_gives_stays_as_it_is() -> None:
    profile = concluded(trial(), DAY)
    assert (profile.layout, profile.mode, profile.n_threads, profile.flash_attention) == ("", "", 0, "")
    assert any("keeps 0.96 of what context gives" in one for one in profile.verdict), profile.verdict
    assert "A keystroke takes 40 ms." in profile.verdict
    assert profile.figures["kept"] == pytest.approx(0.96, abs=0.01)
    assert profile.calibration == AS_SAID
    assert profile.made == DAY


def test_a_model_that_loses_more_than_a_tenth_in_place_gets_whole_prompts() -> None:
    profile = concluded(trial(in_place=1.8), DAY)
    assert profile.mode == "whole-prompt"
    assert any("whole prompts are decoded" in one for one in profile.verdict)


def test_a_loss_that_may_be_less_than_a_tenth_changes_nothing() -> None:
    uneven = Losses([10 * 1.56 + (4 if i % 2 else -4) for i in range(N)])
    profile = concluded(replace(trial(), in_place=uneven), DAY)
    assert profile.figures["kept"] < 0.9
    assert profile.mode == ""
    assert any("since the rest may be chance" in one for one in profile.verdict), profile.verdict


def test_what_blocks_give_must_be_more_than_chance() -> None:
    noise = Losses([10 * 1.9 + (30 if i % 2 else -30) for i in range(N)])
    one = ModelTrial(
        name="a", fim_layout="spm", tokens=TOKENS, layouts={"prefix": losses(2.4), "spm": losses(2.0)}, in_order=noise,
        in_place=losses(2.0),
    )  # fmt: skip
    profile = concluded(one, DAY)
    assert profile.mode == ""
    assert any("No clear gain" in sentence for sentence in profile.verdict)


def test_of_few_places_nothing_is_concluded() -> None:
    n = LEAST_PLACES - 1
    few = ModelTrial(
        name="a", fim_layout="spm", tokens=TOKENS[:n], layouts={"prefix": losses(1.0, n), "spm": losses(5.0, n)},
        in_place=losses(9.0, n), in_order=losses(1.0, n),
    )  # fmt: skip
    profile = concluded(few, DAY)
    assert (profile.layout, profile.mode) == ("", "")
    assert len(profile.verdict) == 1
    assert profile.verdict[0].startswith(f"Only {n} places")


def test_a_layout_that_is_surely_better_is_used() -> None:
    layouts = {"prefix": losses(2.4), "spm": losses(2.0), "psm": losses(1.7)}
    assert concluded(trial(layouts=layouts), DAY).layout == "psm"


def test_a_model_that_is_worse_with_its_markers_than_without_is_not_asked_to_complete() -> None:
    layouts = {"prefix": losses(1.5), "spm": losses(3.0), "psm": losses(2.5)}
    profile = concluded(trial(layouts=layouts), DAY)
    assert profile.layout == "none"
    assert any("does not fill in the middle" in sentence for sentence in profile.verdict)


def test_a_model_without_markers_says_so() -> None:
    one = ModelTrial(name="a", tokens=TOKENS, layouts={"prefix": losses(1.5)}, threads=[way(2, 10)])
    profile = concluded(one, DAY)
    assert profile.layout == ""
    assert any("no tokens to fill in" in sentence for sentence in profile.verdict)


def test_a_cache_that_cannot_be_edited_says_why() -> None:
    one = ModelTrial(
        name="a", fim_layout="psm", tokens=TOKENS, layouts={"prefix": losses(2.4), "psm": losses(2.0)},
        in_order=losses(1.5), why_not="it is a recurrent model.",
    )  # fmt: skip
    profile = concluded(one, DAY)
    assert "Its cache cannot be edited in place: it is a recurrent model." in profile.verdict


@pytest.mark.parametrize(
    ("threads", "expected"),
    [
        ([way(4, 10), way(2, 8), way(8, 20)], (2, "")),
        ([way(4, 10), way(2, 9.5)], (0, "")),  # too little to change anything
        ([way(4, 10, cores=2.0), way(2, 5)], (0, "")),  # the machine was busy
        ([way(4, 10), way(4, 10, "on"), way(4, 7, "off")], (0, "off")),
        ([way(4, 10), way(4, 10, "on"), way(4, 12, "off")], (0, "")),
        ([way(4, 10), way(4, 10, "on", cores=1.0), way(4, 7, "off")], (0, "")),  # it was, in the meantime
        ([way(4, 10), way(2, 9.5), way(2, 10, "on"), way(2, 7, "off")], (0, "")),  # of threads that are not used
        ([], (0, "")),
    ],
)
def test_threads_and_flash_attention_change_where_that_is_surely_faster(
    threads: list[ThreadTrial], expected: tuple[int, str]
) -> None:
    profile = concluded(trial(threads=threads), DAY)
    assert (profile.n_threads, profile.flash_attention) == expected


def test_a_gain_of_few_places_is_never_sure() -> None:
    assert not gain(Losses([10.0] * 3), Losses([1.0] * 3), [10] * 3).is_sure
    assert gain(Losses([10.0] * N), Losses([1.0] * N), TOKENS).is_sure
    assert gain(Losses([10.0] * N), Losses([1.0] * N), TOKENS).nats == pytest.approx(0.9)


def test_a_profile_says_what_the_settings_leave_open_and_nothing_else() -> None:
    profile = Profile("a", DAY, [], mode="whole-prompt", n_threads=3, flash_attention="off")
    applied = profile.applied(EngineSettings())
    assert (applied.mode, applied.n_threads, applied.flash_attention) == ("whole-prompt", 3, "off")
    asked = EngineSettings(mode="in-place", n_threads=1, flash_attention="on")
    assert profile.applied(asked) == asked
    quantized = EngineSettings(type_v="q8_0")
    assert profile.applied(quantized).flash_attention == "auto", "a quantized V needs it"
    assert Profile("a", DAY, []).applied(EngineSettings()) == EngineSettings()
