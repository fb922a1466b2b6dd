"""`python -m bench next-edit`: what follows an edit, in cases that are scored, by trees, by a model, by both.

In: cursortab.nvim's evaluation (`next_edits/cases.py`), a repository's history (`next_edits/commits.py`), or pull
requests (`next_edits/pulls.py`).  Out:

    {"source", "with", "model", "format", "recorded",
     "score", "delta_chrf", "show", "quiet", "right", "cases", "quiet_cases", "ms": {"p50", "p95"},
     "keystroke": {"n", "tail": {"p50", "most"}, "blocks": {…}, "window": {…}, "within_window"},
     "rows": [{"case", "expects", "delta_chrf", "right", "shown", "kinds", "ms"}],
     "answers": {"score", "delta_chrf", "show", "quiet", "right", "to_the_letter", "for_other_lines"}}

`ms` is the time until the first answer, of cases with an edit.  `delta_chrf` is 0 where nothing was shown, `show` the
share of cases that expect an edit in which one is shown, `quiet` of those that expect none in which none is, and
`right` of all in which the document becomes what is expected; `score` is as `next_edits/scoring.py` says.  `keystroke`:
tokens decoded for a character that is typed while an edit by the model is shown (`tail`), for the changes that were
over with the pause before it (`blocks`), and how many the lines have that it rewrites.  `answers`, with `--recorded`:
what was recorded by itself, as if all of it were shown, and how often it was given to the letter
(`next_edits/stand_in.py`).

Of pull requests, whose edits are made one after the other, while the next one is asked for behind each of them:

    {"source": "pulls", "with", "model", "format", "asked", "repeats", "tuned", "pulls", "files", "next_edits",
     "kinds": {kind or "all": {"shown", "right", "near", "later"}}, "ms": {"p50", "p95"}}

`right` counts those that are a part of the next edit, `near` those in its lines, `later` those that some later edit of
the file makes.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.completing.asking import bar
from bench.next_edits import cases as archives
from bench.next_edits import commits, fetching, pulls, recorded
from bench.next_edits.cases import Case, lines_of
from bench.next_edits.playing import Answer, Keystroke, Outcome, Ways, follow, keystrokes, play
from bench.next_edits.pulls import Pull
from bench.next_edits.scoring import Judged, delta_chrf, rates
from bench.replaying.tally import percentile
from bench.shared.options import model_file, positive
from palimpsest.config.settings import (
    EngineSettings,
    IndexSettings,
    ModelSettings,
    NextEditSettings,
    Settings,
    StatisticsSettings,
)
from palimpsest.errors import ModelError
from palimpsest.models import next_edit_models
from palimpsest.models.files import embedded

NAME = "next-edit"
HELP = "next edits by trees, a model or both: cursortab.nvim's evaluation, or a repository's history, with its score"
WITH = ("trees", "model", "both")
FEWEST_VERSIONS = 2
"""The last edit of a file has none that follows."""
NAMES = {"sweep": "sweep-next-edit", "zeta-2": "zeta-2", "zeta-2.1": "zeta-2.1"}
"""What a file of another model is called, so that it is asked in a format."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--with", dest="ways", choices=WITH, default="both", help="what looks for next edits (both)")
    parser.add_argument(
        "--format", choices=tuple(NAMES), default="sweep", help="for a model whose file does not say which (sweep)"
    )
    parser.add_argument(
        "--recorded",
        metavar="NAME",
        default="",
        help=f"instead of a model, answers that it once gave: {', '.join((*recorded.MODELS, recorded.EXPECTED))}",
    )
    parser.add_argument(
        "--cases", type=Path, metavar="DIR", help="a checkout of cursortab.nvim, or its server/eval (it is fetched)"
    )
    parser.add_argument("--typed", action="store_true", help="where nothing was edited, the word before the cursor was")
    parser.add_argument("--history", type=Path, metavar="REPO", help="commits of a git repository instead of the cases")
    parser.add_argument(
        "--pulls", type=Path, metavar="DIR", help="a checkout of RealisticEditBench instead of the cases"
    )
    parser.add_argument("--tuned", action="store_true", help="of --pulls, those that something may be tuned on")
    parser.add_argument("--no-repeats", action="store_true", help="what was changed is not offered to be changed again")
    parser.add_argument("--asked", action="store_true", help="of --pulls: a person asks, not a pause")
    parser.add_argument("--until", metavar="COMMIT", default="HEAD", help="the newest of them (HEAD)")
    parser.add_argument("--n", type=positive, default=0, metavar="N", help="so many commits (30), cases or files (all)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of commits (0)")
    parser.add_argument(
        "--keystrokes",
        type=positive,
        default=5,
        metavar="N",
        help="cases in which a keystroke's tokens are counted (5)",
    )


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    if options.recorded:
        recorded.format_of(options.recorded)
    if options.pulls:
        return _of_pulls(options)
    if options.history:
        found = commits.read(options.history.resolve(), options.n or 30, options.seed, options.until)
    else:
        found = archives.read(options.cases or fetching.fetched(options.recorded))[: options.n or None]
    if options.typed:
        found = [archives.typed(case) for case in found]
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        ways, model, format = _ways(options, Path(folder))
        with Progress(console=Console(stderr=True), transient=True) as progress:
            advance = bar(progress, "cases", len(found))
            outcomes, strokes = asyncio.run(_played(found, ways, options.keystrokes, advance))
    return {
        "source": "history" if options.history else "cases",
        "with": options.ways,
        "model": model,
        "format": format,
        "recorded": options.recorded,
        **_summary(found, outcomes, options.recorded),
        "keystroke": _of_keystrokes(strokes),
    }


def _of_pulls(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    found = pulls.read(options.pulls, tuned=options.tuned)[: options.n or None]
    found = [pull for pull in found if len(pull.versions) > FEWEST_VERSIONS]
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        ways, model, format = _ways(options, Path(folder))
        if options.no_repeats:
            next_edit = replace(ways.settings.next_edit, repeat=False)
            ways = replace(ways, settings=replace(ways.settings, next_edit=next_edit))
        with Progress(console=Console(stderr=True), transient=True) as progress:
            answers = asyncio.run(_followed(found, ways, options.asked, bar(progress, "files", len(found))))
    kinds = {"all": [one for one in answers if one.kind]}
    for one in kinds["all"]:
        kinds.setdefault(one.kind, []).append(one)
    return {
        "source": "pulls",
        "with": options.ways,
        "model": model,
        "format": format,
        "asked": options.asked,
        "repeats": not options.no_repeats,
        "tuned": options.tuned,
        "pulls": len({pull.pull for pull in found}),
        "files": len(found),
        "next_edits": len(answers),
        "kinds": {
            kind: {
                "shown": len(them),
                **{it: sum(getattr(one, it) for one in them) for it in ("right", "near", "later")},
            }
            for kind, them in kinds.items()
        },
        "ms": {f"p{n}": percentile([one.ms for one in answers], n / 100, 1) for n in (50, 95)},
    }


async def _followed(found: Sequence[Pull], ways: Ways, asked: bool, advance: Callable[[], None]) -> list[Answer]:
    answers = list[Answer]()
    for pull in found:
        answers += await follow(pull, ways, asked=asked)
        advance()
    return answers


def _show_pulls(result: dict[str, Any], console: Console) -> None:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for column in ("kind", "shown", "right", "in its lines", "made later"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind, row in result["kinds"].items():
        table.add_row(kind, *(str(row[it]) for it in ("shown", "right", "near", "later")))
    console.print(table)
    console.print(
        f"{result['next_edits']} next edits in {result['files']} files of {result['pulls']} pull requests; "
        f"{result['ms']['p50']:.0f} ms (p50), {result['ms']['p95']:.0f} (p95)"
    )


def show(result: dict[str, Any], console: Console) -> None:
    if result["source"] == "pulls":
        _show_pulls(result, console)
        return
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for column in ("case", "expects", "deltaChrF", "shown", "ms"):
        table.add_column(column, justify="left" if column in ("case", "shown") else "right")
    for row in result["rows"]:
        delta = "" if row["delta_chrf"] is None else f"{row['delta_chrf']:.1f}"
        table.add_row(row["case"], row["expects"], delta, " ".join(row["kinds"]), f"{row['ms']:.0f}")
    console.print(table)
    console.print(
        f"score {result['score']:.2f}: deltaChrF {result['delta_chrf']:.1f}, show {result['show']:.0%} of "
        f"{result['cases']}, quiet {result['quiet']:.0%} of {result['quiet_cases']}, right {result['right']:.0%}; "
        f"{result['ms']['p50']:.0f} ms (p50)"
    )
    if alone := result.get("answers"):
        console.print(
            f"the answers by themselves: score {alone['score']:.2f}, deltaChrF {alone['delta_chrf']:.1f}, show "
            f"{alone['show']:.0%}, quiet {alone['quiet']:.0%}; {alone['to_the_letter']} were given to the letter, "
            f"{alone['for_other_lines']} for other lines"
        )
    if strokes := result["keystroke"]:
        console.print(
            f"a keystroke decodes {strokes['tail']['p50']:.0f} tokens (p50), {strokes['tail']['most']} at most, and "
            f"{strokes['blocks']['p50']:.0f} behind a pause; the window has {strokes['window']['p50']:.0f}"
        )


def _ways(options: argparse.Namespace, folder: Path) -> tuple[Ways, str, str]:
    """And the file of a model, and the format in which it is asked.  Raises PalimpsestError."""
    first = ModelSettings(path="" if options.ways == "both" else str(embedded()))
    engine = EngineSettings(idle_exit_s=10)
    plain = Settings(
        model=first, engine=engine, index=IndexSettings(enabled=False), statistics=StatisticsSettings(enabled=False)
    )
    if options.ways == "trees":
        return Ways(replace(plain, engine=replace(engine, kind="none")), trees=True), "", ""
    if options.recorded:
        path, format = embedded(), recorded.format_of(options.recorded)
    else:
        path, format = next_edit_models.path_of(options.model) or model_file(options), options.format
    if not path.is_file():
        raise ModelError(f"There is no model file {path}.", hint="palimpsest model list")
    name = "" if options.recorded else path.name
    try:
        known = next_edit_models.inspect(str(path))
        assert known is not None
        format = known.format
    except ModelError:
        link = folder / f"{NAMES[format]}.gguf"
        link.symlink_to(path)
        path = link
    asks = options.ways == "both" and not options.recorded
    settings = replace(plain, next_edit=NextEditSettings(ask=asks, model=str(path)))
    return Ways(settings, options.ways == "both", options.recorded), name, format


async def _played(
    found: Sequence[Case], ways: Ways, n_strokes: int, advance: Callable[[], None]
) -> tuple[list[Outcome], list[Keystroke]]:
    outcomes, strokes, counted = list[Outcome](), list[Keystroke](), 0
    for case in found:
        outcome = await play(case, ways)
        outcomes.append(outcome)
        if (
            outcome.kinds[:1] == ("model",)
            and not ways.recorded
            and ways.settings.next_edit.model
            and counted < n_strokes
        ):
            strokes += await keystrokes(case, ways)
            counted += 1
        advance()
    return outcomes, strokes


def _summary(found: Sequence[Case], outcomes: Sequence[Outcome], model: str) -> dict[str, Any]:
    judged = [_judged(case, outcome.text, outcome.shown) for case, outcome in zip(found, outcomes, strict=True)]
    rows = [
        {
            "case": case.name,
            "expects": "nothing" if case.expected is None else "an edit",
            "delta_chrf": None if one.delta is None else round(one.delta, 1),
            "right": one.right,
            "shown": outcome.shown,
            "kinds": list(outcome.kinds),
            "ms": round(outcome.ms, 1),
        }
        for case, outcome, one in zip(found, outcomes, judged, strict=True)
    ]
    ms = [outcome.ms for case, outcome in zip(found, outcomes, strict=True) if case.was_edited]
    result = {
        **rates(judged),
        "cases": sum(one.delta is not None for one in judged),
        "quiet_cases": sum(one.delta is None for one in judged),
        "ms": {"p50": percentile(ms, 0.5, 1), "p95": percentile(ms, 0.95, 1)},
        "rows": rows,
    }
    if model:
        targets = [(case, recorded.recording(case, model).target) for case in found]
        result["answers"] = {
            **rates([_judged(case, text, text.rstrip() != case.text.rstrip()) for case, text in targets]),
            "to_the_letter": sum(outcome.exact for outcome in outcomes),
            "for_other_lines": sum(outcome.made for outcome in outcomes),
        }
    return result


def _judged(case: Case, text: str, shown: bool) -> Judged:
    if case.expected is None:
        return Judged(None, shown, not shown)
    delta = delta_chrf(*(lines_of(one) for one in (case.text, text, case.expected))) if shown else 0.0
    return Judged(delta, shown, text.rstrip() == case.expected.rstrip())


def _of_keystrokes(strokes: Sequence[Keystroke]) -> dict[str, Any] | None:
    if not strokes:
        return None
    counts = {name: [getattr(stroke, name) for stroke in strokes] for name in ("tail", "blocks", "window")}
    return {
        "n": len(strokes),
        **{name: {"p50": percentile(values, 0.5), "most": max(values)} for name, values in counts.items()},
        "within_window": sum(stroke.tail <= stroke.window for stroke in strokes),
    }
