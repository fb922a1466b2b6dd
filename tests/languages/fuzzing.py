"""Texts of all kinds for languages of data, made by hypothesis: `python -m tests.languages.fuzzing 50`, of each.

A grammar can end the process, so that this runs in one of its own.
"""

from __future__ import annotations

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.context.editing.block import editing_at
from palimpsest.languages.embedded import parsed_at
from palimpsest.languages.registry import language_of
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scope_at, scopes
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

MARKS = {
    "markdown": "# ## - * + 1. > ``` ```python ~~~ | |-| --- === <div> </div> <!-- --> [a]: [x] ` `` \\ def x(): { } $",
    "html": "<div> </div> <p> <br> <script> </script> <style> </style> <!-- --> <a href=' \" <li> &amp; <x-y a=1 /> <!",
    "yaml": "a: - ? : b: | >- &a *a !!t --- ... ' \" { } [ ] , # %YAML << : \\ a:b 'c' \"d\"",
    "json": "{ } [ ] : , \" \"a\" \"a\": 1 null // /* */ \\",
    "css": "a { } .b #c : ; @media @x ( ) , \"d\" /* */ --e: > ~ + !important url(",
    "toml": "a = [ ] [[ ]] \"b\" ''' \"\"\" # { } , . 1 true",
    "sql": "select from where ( ) , ; 'a' \" -- /* */ create table as with a b . * = $$ begin end",
}  # fmt: skip


def texts(language: str) -> st.SearchStrategy[str]:
    parts = st.sampled_from(
        [*MARKS[language].split(" "), "\n", "\n\n", "  ", "\t", " ", "\r\n", "é", "🍐", "\0", "abc"]
    )
    runs = st.tuples(parts, st.sampled_from([1, 1, 1, 1, 2, 3, 7, 40, 130])).map(lambda run: run[0] * run[1])
    return st.lists(st.one_of(parts, runs, st.text(max_size=5)), max_size=60).map("".join)


def look(language_id: str, text: str, more: str, where: float) -> None:
    """Every question at a place, and again after something was typed there."""
    parser = Parser(language_of)
    snapshot = Snapshot(f"file:///a.{language_id}", 1, language_id, text)
    for again in (False, True):
        place = snapshot.position(int(len(text) * where))
        if again:
            before = snapshot
            snapshot, edits = before.changed([ContentChange(Range(place, place), more)], 2)
            parser.update(before, snapshot, edits)
            place = Position(place.line, place.column)
        parsed = parser.parse(snapshot)
        inner = parsed_at(parsed, place)
        for one in (parsed, inner):
            block = editing_at(one, place, "a", 100)
            at = snapshot.clamp(place)
            assert block.lines[block.cursor_line].document_line == at.line
            scopes(one)
            visible(one, scope_at(one, at.line, at.column))
            names_in(one, at.line, at.line + 1)
            shape_at(one, at)


def main(language_id: str, n: int) -> None:
    @settings(max_examples=n, deadline=None, derandomize=True, database=None)
    @given(texts(language_id), texts(language_id), st.floats(0, 1))
    def run(text: str, more: str, where: float) -> None:
        look(language_id, text, more, where)

    print(language_id, flush=True)
    run()


if __name__ == "__main__":
    for each in MARKS:
        main(each, int(sys.argv[1]))
