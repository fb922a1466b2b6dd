"""Places where the change that was just made can be made again.

In: bursts of edits, the open documents, the files next to them.  Out: changes and their sites.  Owner of the examples
in these bursts.

A place is offered once the change was made twice, in the direction in which it was made: who goes down a file has
passed what is above.  Then come the other documents.  Who asks is also offered what was passed, and in documents that
are open what was made once.  Only the newest burst counts: who does something else is done with it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from palimpsest.next_edits.bursts import Burst
from palimpsest.next_edits.changes import Repeat, Site
from palimpsest.next_edits.repeats import Example, Rule, TextToken, all_tokens, examples, places, rule_of, rule_of_one
from palimpsest.next_edits.targets import File, where
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.prose import prose_at
from palimpsest.text.positions import utf8

MOST_EXAMPLES = 24
"""A burst with more changes is a formatter's, or another text."""
LONGEST = 1_000_000
"""Characters of a document in which a change is made again."""
MOST_SITES = 400
"""Places of one change in one document that are looked at."""
FEWEST_WORDS = 3
"""In other documents a change is offered unasked only if so many words of each place are known: little but marks fits
everywhere."""
LONGEST_SHOWN = 40
Near = Callable[[Sequence[File], Sequence[Collection[str]]], Iterable[File]]
"""The files next to some, which are not open, that have all the words of one of these lots."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule, by which example it is one, the documents in which it was made before, and whether it was made
    upwards."""

    rule: Rule
    newest: Example
    made_in: Collection[str] = ()
    upwards: bool = False


class Repeating:
    """Remembers the examples of bursts for as long as it is asked about them."""

    def __init__(self) -> None:
        self._made = dict[Burst, tuple[Example, ...]]()

    def read(self, bursts: Sequence[Burst]) -> None:
        """These are the bursts that count; of several that one change event made, the last one."""
        known = self._made
        events = {(id(burst.before), id(burst.after)): burst for burst in bursts}
        self._made = {burst: known[burst] if burst in known else _examples(burst) for burst in events.values()}

    def has(self, burst: Burst) -> bool:
        return bool(self._made.get(burst))

    def sites(
        self, newest: Burst, open_files: Mapping[str, File], near: Near, *, asked: bool
    ) -> Iterator[tuple[Repeat, File, Site]]:
        """The places of the newest burst's changes: in its document, in the others that are open, then in those `near`
        it."""
        home = open_files.get(newest.after.uri)
        if home is None or home.parsed.snapshot.text != newest.after.text:
            return
        found = list(self._rules(newest, asked=asked))
        twice = [one for one in found if one.made_in and (asked or one.rule.n_words >= FEWEST_WORDS)]
        others = [(file, found if asked else twice) for file in open_files.values() if file is not home]
        made_in = dict.fromkeys([home.uri, *(uri for one in twice for uri in one.made_in)])
        around = [open_files[uri] for uri in made_in if uri in open_files]
        closed = ((file, twice) for file in near(around, [one.rule.known for one in twice])) if twice else ()
        for file, rules in chain([(home, found)], others, closed):
            taken = list[Site]()
            for one in rules:
                if file is not home and file.uri in one.made_in and not asked:
                    continue  # who went on to another document has passed what was left there
                for change, site in _sites(one, home, file, passed=asked or file is not home):
                    if not any(_meet(site, other) for other in taken):  # of two changes of a place the larger is made
                        taken.append(site)
                        yield change, file, site

    def _rules(self, newest: Burst, *, asked: bool) -> Iterator[_Found]:
        """The largest change first."""
        new = self._made.get(newest, ())
        known = [(burst.after.uri, one) for burst, made in self._made.items() for one in made if burst is not newest]
        undone = {(one.new, one.old) for _, one in known}
        rules = dict[Rule, _Found]()
        lines = newest.after
        near = sorted(new, key=lambda one: abs(lines.position(one.start).line - newest.newest))
        for n, example in sorted(enumerate(near), key=lambda it: -len(it[1].old) - len(it[1].new)):
            if (example.old, example.new) in undone:
                continue
            made_in = set[str]()
            for uri, earlier in [*known, *((lines.uri, one) for one in near[n + 1 :])]:
                if (rule := rule_of(example, earlier)) is not None:
                    made_in.add(uri)
                    upwards = uri == lines.uri and example.start < earlier.start
                    rules.setdefault(rule, _Found(rule, example, made_in, upwards))
            if asked and (rule := rule_of_one(example)) is not None:
                rules.setdefault(rule, _Found(rule, example))
        yield from rules.values()


def _examples(burst: Burst) -> tuple[Example, ...]:
    found = tuple(examples(burst.before.text, burst.after.text))
    return found if len(found) <= MOST_EXAMPLES else ()


def _sites(found: _Found, home: File, file: File, *, passed: bool) -> Iterator[tuple[Repeat, Site]]:
    """`passed`: also those that a person has passed by."""
    parsed, snapshot, newest = file.parsed, file.parsed.snapshot, found.newest
    if len(snapshot.text) > LONGEST:
        return
    kind = prose_at(home.parsed, home.parsed.snapshot.position(newest.start))
    every = places(found.rule, snapshot.text, parsed.once(_tokens), snapshot.line_end)
    for place in islice(every, MOST_SITES):
        is_passed = not passed and (place.start > newest.start if found.upwards else place.end < newest.start)
        if is_passed or prose_at(parsed, snapshot.position(place.start)) != kind:
            continue
        start = len(utf8(snapshot.text[: place.start]))
        before = snapshot.text[place.start : place.end]
        scope = where(parsed, snapshot.position(place.start).line)
        message = f"once more: {_shown(before)} → {_shown(place.text)}"
        end = start + len(utf8(before))
        site = Site(file.uri, start, end, before, place.text, "repeat", message, scope)
        yield Repeat(found.rule), site


def _meet(one: Site, other: Site) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def _tokens(parsed: Parsed) -> list[TextToken]:
    return all_tokens(parsed.snapshot.text)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        return "nothing"
    return f"`{line}`" if len(line) <= LONGEST_SHOWN else f"`{line[: LONGEST_SHOWN - 1]}…`"
