"""How sure a completion is, and where it ends for that."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.completions.sureness import BOUNDS, NEW_NAME, WHATEVER, Bound, Sureness, bound_at, n_signs

TEXT = "total = price * n"
SURE = Sureness(((5, 0.9), (6, 0.88), (11, 0.6), (12, 0.3), (13, 0.1)))

ENDS = st.lists(st.tuples(st.integers(1, 8), st.floats(0, 1)), min_size=1, max_size=6)
TEXTS = st.text("ab (\n", min_size=1, max_size=40).filter(str.strip)


def falling(ends: list[tuple[int, float]]) -> Sureness:
    at, found, least = 0, list[tuple[int, float]](), 1.0
    for n, share in ends:
        at, least = at + n, least * share
        found.append((at, least))
    return Sureness(tuple(found))


def test_it_ends_before_it_is_too_improbable() -> None:
    assert SURE.cut(TEXT, Bound(0.85)) == "total ="
    assert SURE.cut(TEXT, Bound(0.5)) == "total = price"
    assert SURE.cut(TEXT, Bound(0.95)) == ""


def test_it_ends_before_too_many_of_its_characters_are_expected_to_be_wrong() -> None:
    assert SURE.cut(TEXT, Bound(0.0, 0.7)) == "total ="
    assert SURE.cut(TEXT, Bound(0.0, 2.7)) == "total = price"
    assert SURE.cut(TEXT, Bound(0.5, 100)) == "total = price"


def test_what_spares_no_key_is_not_shown() -> None:
    one = Sureness(((1, 1.0), (2, 0.0)))
    assert one.cut(")x", Bound(0.5)) == ""
    assert one.cut("x", Bound(0.5)) == ""
    assert one.cut("x", WHATEVER) == "x"


def test_where_nobody_knows_all_is_shown() -> None:
    assert Sureness().cut(TEXT, Bound(0.99, 0.1)) == TEXT
    assert Sureness().of(TEXT) is None


def test_what_is_added_to_close_it_changes_nothing() -> None:
    assert SURE.of("total =") == 0.88
    assert SURE.of("total") == 0.9
    assert SURE.of(TEXT + ")") == 0.1


def test_what_was_typed_of_it_is_certain() -> None:
    left = SURE.behind("total = ")
    assert left.ends[0][0] == 5
    assert abs((left.of("price") or 0) - 0.6 / 0.88) < 1e-9
    assert SURE.behind("") == SURE


def test_that_a_word_ends_where_typing_stopped_is_not_known() -> None:
    sure = Sureness(((6, 0.05), (12, 0.04)))  # "gitdb." is likely, "gitdb" alone is not
    assert sure.behind("gitdbx").of("abcdef") == 0.04
    assert (sure.behind("gitdb.").of("abcdef") or 0) > 0.7


def test_blanks_that_a_model_writes_otherwise_do_not_count() -> None:
    sure = Sureness.of_choice("    return a\n\treturn b", [(12, 0.9), (22, 0.5)], "return a\n\treturn b")
    assert sure.cut("return a\n  return b", Bound(0.8)) == "return a"
    again = Sureness.of_choice("self.total", [(4, 0.99), (10, 0.6)], "total")
    assert again.ends == ((5, 0.6),)


def test_a_new_name_must_be_nearly_certain() -> None:
    assert bound_at("balanced", is_new_name=True).least == NEW_NAME
    assert bound_at("balanced") == BOUNDS["balanced"]
    assert bound_at("all", is_new_name=True) == WHATEVER


@given(TEXTS, ENDS, st.sampled_from(list(BOUNDS.values())))
def test_it_is_a_beginning_and_a_stricter_bound_gives_no_more(
    text: str, ends: list[tuple[int, float]], b: Bound
) -> None:
    sure = falling(ends)
    cut = sure.cut(text, b)
    assert text.startswith(cut)
    assert text.startswith(sure.cut(text, BOUNDS["quiet"]))
    if b is not WHATEVER:
        assert len(sure.cut(text, BOUNDS["quiet"])) <= len(cut)
        assert not cut or (sure.of(cut) or 0) >= b.least


@given(TEXTS, ENDS)
def test_the_rest_is_at_least_as_sure(text: str, ends: list[tuple[int, float]]) -> None:
    sure, half = falling(ends), text[: len(text) // 2]
    before, behind = sure.of(text), sure.behind(half).of(text[len(half) :])
    if before is not None and behind is not None and n_signs(text) <= sure.ends[-1][0]:
        assert behind >= before - 1e-9
