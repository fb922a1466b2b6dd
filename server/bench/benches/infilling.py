"""`python -m bench infilling FILE`: infilling problems of a public set, completed and tried by their own tests.

In: JSON lines, each `{"prompt", "suffix", "canonical_solution", "test", "entry_point"}` (and `task_id`), as the
single-line infilling sets that were made from HumanEval have them: a program is prompt + solution + suffix, and `test`
defines `check`, which is called with the function `entry_point`.  Out:

    {"set", "sha256", "problems", "passed", "offered", "broken", "exact", "rate", "known_good", "ms": {"p50", "p95"},
     "failed"}

`broken`: of those offered, how many leave a program that Python cannot read, with all that was shown in it.
`known_good` is how many problems pass with their own solution: the others are not counted.  The set is not part of
Palimpsest and none was trained on.  Each problem is one file open in the real server; what the model writes is run,
apart and bounded (`completing/isolated.py`).
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench.completing import completions, isolated
from bench.completing.asking import Question, ask, bar
from bench.replaying.tally import percentile
from bench.shared.options import model_file, positive
from palimpsest.errors import InvalidArgument

NAME = "infilling"
HELP = "a set of infilling problems (JSON lines), completed by the real server and tried by the problems' own tests"
FIELDS = ("prompt", "suffix", "canonical_solution", "test", "entry_point")
MAX_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Problem:
    """`one_line`: its solution is one whole line, so the cursor stands on an empty line between prompt and suffix."""

    name: str
    prompt: str
    suffix: str
    solution: str
    test: str
    entry_point: str

    @property
    def one_line(self) -> bool:
        return self.solution.endswith("\n") and "\n" not in self.solution[:-1]

    def question(self, path: Path) -> Question:
        return Question(path, self.prompt, ("\n" if self.one_line else "") + self.suffix)

    def program(self, middle: str, taken: int = 0) -> str:
        """`taken`: characters of the prompt that the middle stands in the place of."""
        call = f"check({self.entry_point})" if self.entry_point else ""
        prompt = self.prompt[: len(self.prompt) - taken]
        return f"{prompt}{middle}{self.suffix}\n{self.test}\n{call}\n"

    def filled(self, text: str) -> str:
        """What was offered as a middle: of a one-line problem the first line."""
        return (text.partition("\n")[0] + "\n") if self.one_line else text


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="JSON lines, each with prompt, suffix, canonical_solution, test, entry_point; what a model writes is run",
    )
    parser.add_argument("--n", type=positive, default=0, metavar="N", help="a sample of so many problems (all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--asked", action="store_true", help="as one asks for a completion, not as while typing")
    parser.add_argument("--max-tokens", type=positive, default=64, metavar="N", help="of one completion (64)")
    parser.add_argument("--timeout", type=positive, default=5, metavar="S", help="seconds for one problem's tests (5)")
    parser.add_argument("--memory", type=positive, default=1024, metavar="MB", help="for one problem's tests (1024)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    isolated.check()
    problems, digest = read(options.file)
    if options.n and options.n < len(problems):
        problems = Random(options.seed).sample(problems, options.n)
    bounds = isolated.Bounds(options.timeout, options.memory << 20)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        good = _good(problems, bounds, bar(progress, "the problems' own solutions", len(problems)))
        if not good:
            raise InvalidArgument("FILE", "no problem passes with its own solution.", hint="Are these Python programs?")
        settings = completions.settings(model_file(options), options.max_tokens)
        with tempfile.TemporaryDirectory(prefix="pal-") as folder:
            advance = bar(progress, "completions", len(good))
            root = Path(folder).resolve() / "problems"
            root.mkdir()
            questions = [problem.question(root / "problem.py") for problem in good]
            asked = ask(root, questions, settings, root.parent, advance, invoked=options.asked)
            name, answers = asyncio.run(asked)
        texts = [problem.filled(a.text) if a.text else "" for problem, a in zip(good, answers, strict=True)]
        ms = [answer.ms for answer in answers]
        advance = bar(progress, "tests", len(good))
        passed = []
        shown = [
            p.program(f"{a.text}\n" if p.one_line else a.text, a.taken) for p, a in zip(good, answers, strict=True)
        ]
        programs = [p.program(text, a.taken) for p, text, a in zip(good, texts, answers, strict=True)]
        for program, text in zip(programs, texts, strict=True):
            passed.append(bool(text) and isolated.passes(program, bounds))
            advance()
    return {
        "model": name,
        "set": options.file.name,
        "sha256": digest,
        "problems": len(good),
        "known_good": f"{len(good)} of {len(problems)}",
        "passed": sum(passed),
        "rate": round(sum(passed) / len(good), 4),
        "offered": sum(bool(text.strip()) for text in texts),
        "broken": sum(bool(text.strip()) and not _reads(whole) for whole, text in zip(shown, texts, strict=True)),
        "exact": sum(text.strip() == problem.solution.strip() for problem, text in zip(good, texts, strict=True)),
        "ms": {"p50": percentile(ms, 0.5, 1), "p95": percentile(ms, 0.95, 1)},
        "failed": [problem.name for problem, ok in zip(good, passed, strict=True) if not ok],
    }


def _reads(program: str) -> bool:
    try:
        ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def show(result: dict[str, Any], console: Console) -> None:
    console.print(
        f"{result['model']} on {result['set']} (SHA-256 {result['sha256'][:12]}…): {result['passed']} of "
        f"{result['problems']} pass ({result['rate']:.2f}), {result['broken']} cannot be read; "
        f"{result['exact']} are the solution to the letter, for "
        f"{result['problems'] - result['offered']} nothing was offered; {result['ms']['p50']:.0f} ms (p50) and "
        f"{result['ms']['p95']:.0f} ms (p95) a completion.  {result['known_good']} pass with their own solution."
    )


def read(file: Path) -> tuple[list[Problem], str]:
    """The problems and the file's SHA-256.  Raises InvalidArgument that names the line and the field."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidArgument("FILE", f"{file} is larger than {MAX_BYTES:,} bytes.")
        data = file.read_bytes()
        lines = data.decode("utf-8").splitlines()
    except OSError as error:
        raise InvalidArgument("FILE", f"{file} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InvalidArgument("FILE", f"{file} is not UTF-8.", hint="Unpack it first, if it is compressed.") from None
    found = [_problem(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise InvalidArgument("FILE", f"{file} has no problems in it.")
    return found, hashlib.sha256(data).hexdigest()


def _problem(line: str, number: int) -> Problem:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("FILE", f"line {number} is not JSON: {error}.") from None
    wrong = [name for name in FIELDS if not isinstance(row, dict) or not isinstance(row.get(name), str)]
    if wrong:
        raise InvalidArgument("FILE", f"line {number} has no text in {', '.join(wrong)}.")
    return Problem(str(row.get("task_id", f"line {number}")), *(row[name] for name in FIELDS))


def _good(problems: Sequence[Problem], bounds: isolated.Bounds, advance: Callable[[], None]) -> list[Problem]:
    """Those whose own solution passes: nothing could be told from the others."""
    found = []
    for problem in problems:
        if isolated.passes(problem.program(problem.solution), bounds):
            found.append(problem)
        advance()
    return found
