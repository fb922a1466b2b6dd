"""Parses texts of all scripts with one grammar, each stopped at every look at the clock: `python -m
tests.syntax.hard_texts ID`.

A process of its own, since what is looked for ends it.
"""

from __future__ import annotations

import sys
import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from palimpsest.languages.registry import language_of
from palimpsest.syntax import parse
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Range, Snapshot

URI = "file:///a"
SHORTEST = 4_500
"""Bytes: some pieces of a text."""
MOST_STOPS = 6
CODE = """
x = f(a) { } [ ] ; : , . < > / # // /* */ -- <!-- ''' ' " ` $ ${ @ <<A <<<A r#" R"( - ? | & * \\
"""
SPACE = [" ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\ufeff", "\0"]
SCRIPTS = [
    some.characters(min_codepoint=first, max_codepoint=last)
    for first, last in ((0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF), (0x4E00, 0x9FFF), (0x1F600, 0x1F64F))
]
HALVES = some.characters(categories=["Cs"])
COMBINED = some.sampled_from(["e\u0301", "\u202e", "\u200d", "👩\u200d👩\u200d👧", "\u0300"])
PIECES = some.one_of(*SCRIPTS, HALVES, COMBINED, some.sampled_from([*CODE.split(), *SPACE]))
UNITS = some.lists(PIECES, min_size=1, max_size=40).map("".join)


class Clock:
    """Time is over at a look at it."""

    def __init__(self) -> None:
        self.n, self.last = 0, sys.maxsize

    def begin(self, last: int = sys.maxsize) -> None:
        self.n, self.last = 0, last

    def look(self) -> float:
        self.n += 1
        return NOW() if self.n < self.last else sys.maxsize


NOW, CLOCK = time.thread_time, Clock()


def check(language_id: str, unit: str, typed: str, at: float) -> None:
    text = unit * (SHORTEST // len(unit.encode("utf-8", "surrogatepass")) + 1)
    snapshot = Snapshot(URI, 1, language_id, text)
    place = snapshot.position(int(at * len(text)))
    edited, edits = snapshot.changed([ContentChange(Range(place, place), typed)], 2)
    CLOCK.begin()
    Parser(language_of).parse(snapshot)
    looks = CLOCK.n
    for last in range(2, looks + 1, looks // MOST_STOPS + 1):
        parser = Parser(language_of)
        CLOCK.begin(last)
        parser.parse(snapshot)
        CLOCK.begin()
        parser.update(snapshot, edited, edits)
        known = Parser(language_of)
        known.parse(snapshot)
        CLOCK.begin(last)
        known.update(snapshot, edited, edits)
        CLOCK.begin()
        parsed = known.parse(edited)
        assert parsed.root is None or parsed.root.end_byte <= len(edited.utf8)


def main() -> None:
    language_id = sys.argv[1]
    # no door: a clock of its own, so that time is over at each look at it
    parse.time.thread_time = CLOCK.look

    @settings(max_examples=10, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(UNITS, UNITS, some.floats(0, 1))
    def run(unit: str, typed: str, at: float) -> None:
        check(language_id, unit, typed, at)

    run()


if __name__ == "__main__":
    main()
