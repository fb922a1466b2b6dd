"""Completions found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.completions.ghost import Ghost, Remainder
from palimpsest.completions.results import CompletionResult, Results, together
from palimpsest.completions.sureness import Sureness
from palimpsest.wire import Candidate


def test_an_answer_is_found_where_it_was_made_and_along_what_is_typed() -> None:
    results = Results(10)
    results.put("here", "x = ", CompletionResult(("add(a)", "sub(b)")))
    assert results.find("here", "x = ") == CompletionResult(("add(a)", "sub(b)"))
    assert results.find("here", "x = a") == CompletionResult(("dd(a)",))
    assert results.find("here", "x = add(a") == CompletionResult((")",))
    assert results.find("here", "x = ") == CompletionResult(("add(a)", "sub(b)"))  # and back


def test_it_is_not_found_where_anything_is_different() -> None:
    results = Results(10)
    results.put("here", "x = ", CompletionResult(("add(a)",)))
    assert results.find("there", "x = ") is None
    assert results.find("here", "y = ") is None
    assert results.find("here", "x = b") is None
    assert results.find("here", "x =") is None
    assert results.find("here", "x = add(a)") is None  # typed out: what follows is another question
    assert results.find("here", "y = add") is None


def test_that_nothing_was_worth_showing_is_known_but_not_that_there_was_no_time() -> None:
    results = Results(10)
    results.put("here", "x", CompletionResult(()))
    assert results.find("here", "x") == CompletionResult(())
    results.put("here", "y", CompletionResult((), finished=False))
    assert results.find("here", "y") is None
    results.put("here", "y", CompletionResult(("z",), finished=False))
    assert results.find("here", "y") == CompletionResult(("z",), finished=False)


def test_alternatives_are_not_answered_from_fewer() -> None:
    results = Results(10)
    results.put("here", "x", CompletionResult(("a",)))
    assert results.find("here", "x", 3) is None
    results.put("here", "x", CompletionResult(("a", "b"), asked=3))
    assert results.find("here", "x", 3) == CompletionResult(("a", "b"), asked=3)
    assert results.find("here", "xb", 3) is None  # "b" is typed out


def test_none_are_kept_when_none_shall_be() -> None:
    results = Results(0)
    results.put("here", "x", CompletionResult(("a",)))
    assert results.find("here", "x") is None


WORDS = st.text(st.sampled_from("ab"), max_size=5)
ENTRIES = st.lists(st.tuples(st.sampled_from("pq"), WORDS, st.lists(WORDS, max_size=3)), max_size=20)


@given(ENTRIES, st.integers(1, 6), st.sampled_from("pq"), WORDS)
def test_whatever_is_found_was_said_there(
    entries: list[tuple[str, str, list[str]]], limit: int, place: str, prefix: str
) -> None:
    results = Results(limit)
    for at, before, texts in entries:
        results.put(at, before, CompletionResult(tuple(texts)))
        assert len(results) <= limit
        assert results.find(at, before) == CompletionResult(tuple(texts))
    said = {before + text for at, before, texts in entries if at == place for text in texts}
    found = results.find(place, prefix)
    if found is not None and found.texts:
        assert {prefix + text for text in found.texts} <= said
    newest = {(at, before): texts for at, before, texts in entries}
    if len(newest) <= limit and found is None:  # nothing was pushed out: so there is nothing to be found
        assert (place, prefix) not in newest
        assert not any(
            prefix.startswith(before) and (before + text).startswith(prefix) and before + text != prefix
            for (at, before), texts in newest.items()
            if at == place
            for text in texts
        )


@given(WORDS, WORDS, st.lists(WORDS, max_size=3), WORDS, WORDS)
def test_the_ghost_shows_what_is_left_of_what_it_showed(
    before: str, after: str, texts: list[str], now: str, behind: str
) -> None:
    ghost = Ghost()
    ghost.show("uri", before, after, texts)
    left = ghost.remainders("uri", now, behind)
    assert [x for x in left if now + x.text != before + texts[x.index]] == []
    assert not left or behind == after
    assert ghost.remainders("uri", before, after) == [Remainder(i, text) for i, text in enumerate(texts) if text]
    assert ghost.remainders("other", before, after) == []


def test_answers_for_one_place_are_compared_where_the_code_behind_was_read_after_them() -> None:
    sure = Sureness(((2, 0.5),))
    near = CompletionResult(("b()", "c()"), 3, sure=sure, candidates=(Candidate("b()", -4.0, -20.0, -1.0),)).behind(
        "        "
    )
    outer = CompletionResult(("else:",), 3, candidates=(Candidate("else:", -3.0, -10.0, -2.0),)).behind("    ")
    found = together([near, outer])
    assert found.texts == ("    else:", "        b()", "        c()")
    assert found.sure == Sureness(), "nobody says how sure the other one is"
    assert together([near]).texts == near.texts
    assert together([near]).sure == sure
    assert together([CompletionResult(("        b()",), 3), outer]).texts == ("        b()", "    else:"), (
        "it was not read after"
    )
