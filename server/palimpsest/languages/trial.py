"""Parses texts in a process of its own, which may die of one: `python -m palimpsest.languages.trial`.

In: on stdin, a line with a language's id and a number of bytes, then these.  Out: `ready`, and a line for each text,
whether its parse was in time.  The process ends with its stdin, at once at a text that takes far too long or too much
memory, and with status 0 behind one that has left it large.
"""

import sys

from tree_sitter import Tree

from palimpsest.languages.embedded import inner_parses
from palimpsest.languages.registry import languages
from palimpsest.syntax.parse import Parsed, parse_snapshot, parse_with
from palimpsest.syntax.parser import edited
from palimpsest.syntax.values import Trial
from palimpsest.system.machine import own_memory
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

PATIENCE_S, PATIENCE_PER_BYTE_S = 1.0, 4e-6
"""All parses of one text may take so much of the processor's time; a parse that ends here has given nobody a chance to
stop it."""
MOST_MEMORY = 1 << 30
"""Bytes of address space: a text of 20 kB has had three times that."""
MOST_KEPT = 150 << 20
"""Bytes that the process may have in use before it makes room for another one."""


def main() -> None:
    known = {language.id: language for language in languages()}
    _bound_memory()
    _say("ready")
    while header := sys.stdin.buffer.readline():
        id, n = header.split()
        text = sys.stdin.buffer.read(int(n)).decode("utf-8", "surrogatepass")
        trial: Trial = "lives"
        if (language := known.get(id.decode())) is not None:
            _bound_time(PATIENCE_S + PATIENCE_PER_BYTE_S * int(n))
            parsed = parse_snapshot(Snapshot("", 0, language.id, text), language)
            trial = "late" if parsed.tree is None else "lives"
            inner_parses(parsed)
            if parsed.tree is not None:
                _type(parsed, parsed.as_written or parsed.tree)
            _bound_time(0)
        _say(trial)
        if own_memory() > MOST_KEPT:
            break


def _type(parsed: Parsed, tree: Tree) -> None:
    """Parse the text as it is after a key at its beginning: what is nested deep may be sound until then."""
    snapshot, start = parsed.snapshot, Position(0, 0)
    typed, edits = snapshot.changed([ContentChange(Range(start, start), "x")], 1)
    parse_with(None, typed, parsed.language, edited(tree, edits))


def _say(word: str) -> None:
    sys.stdout.buffer.write(word.encode() + b"\n")
    sys.stdout.buffer.flush()


if sys.platform == "win32":

    def _bound_memory() -> None:
        pass

    def _bound_time(seconds: float) -> None:
        """Who asked ends the process, later than the system would."""
else:
    import resource
    import signal

    def _bound_memory() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))

    def _bound_time(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
