"""What was changed more than once, and where it can be changed again, as pure functions of texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.next_edits.repeats import Place, all_tokens, examples, places, rule_of, rule_of_one, tokens


def offered(before: str, *versions: str, ends: str = "\n") -> list[Place]:
    """What the newest edit and one before it have in common, in the text as it is."""
    texts = (before, *versions)
    made = [list(examples(old, new)) for old, new in pairwise(texts)]
    newest, earlier = sorted(made[-1], key=lambda it: -len(it.new)), [one for some in made for one in some]
    rules = [rule_of(one, other) for one in newest for other in earlier if one is not other]
    found = [
        place for rule in rules if rule is not None for place in places(rule, texts[-1], all_tokens(texts[-1]), ends)
    ]
    return list(dict.fromkeys(found))


def made(text: str, place: Place) -> str:
    return text[: place.start] + place.text + text[place.end :]


CALLS = """\
def pay(cart):
    one = cart.total(rate)
    two = cart.total(tax)
    all = cart.total(rest)
    return cart.sum(rest)
"""


def test_an_argument_that_was_added_twice_is_added_again_whatever_the_names_beside_it() -> None:
    once = CALLS.replace("total(rate)", "total(rate, exact=True)")
    twice = once.replace("total(tax)", "total(tax, exact=True)")
    (place,) = offered(CALLS, once, twice)
    assert made(twice, place) == twice.replace("total(rest)", "total(rest, exact=True)")


def test_a_name_that_is_moved_is_taken_from_the_place() -> None:
    text = "self.width = width or 0\nself.height = height or 0\nself.depth = depth or 0\n"
    once = text.replace("width or 0", "check(width) or 0")
    twice = once.replace("height or 0", "check(height) or 0")
    place, *_ = offered(text, once, twice)
    assert made(twice, place).endswith("self.depth = check(depth) or 0\n")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_put_in_are_indented_as_their_place(ends: str) -> None:
    text = "if a:\n    start(job)\n    go(job)\nif b:\n    start(job)\n    go(job)\n"
    text += "for c in d:\n    if c:\n        start(job)\n        go(job)\n"
    once = text.replace("    start(job)\n", "    log(job)\n    start(job)\n", 1)
    at = once.index("if b:")
    twice = once[:at] + once[at:].replace("    start(job)\n", "    log(job)\n    start(job)\n", 1)
    places = offered(*(one.replace("\n", ends) for one in (text, once, twice)))
    results = {made(twice.replace("\n", ends), place) for place in places}
    wanted = twice.replace("        start(job)\n", "        log(job)\n        start(job)\n")
    assert wanted.replace("\n", ends) in results


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_taken_out_go_with_their_indentation(ends: str) -> None:
    text = "".join(f"def {name}():\n    trace()\n    one(1)\n    return\n" for name in "abc")
    once = text.replace("    trace()\n", "", 1)
    twice = once.replace("    trace()\n", "", 1)
    (place,) = offered(*(one.replace("\n", ends) for one in (text, once, twice)))
    assert made(twice.replace("\n", ends), place) == text.replace("    trace()\n", "").replace("\n", ends)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("r = go(@, 1) * 3\n", "r = go(@, 1) * 3 + one\n"),
        ("if go(@, 1) or 2:\n", "if go(@, 1) and ok or 2:\n"),
        ("  r = go(@, 1)\n", "  r = await go(@, 1)\n"),
        ("  r = await go(@, 1)\n", "  r = go(@, 1)\n"),
        ("    go(@, 1)\n", "    await go(@, 1)\n"),
        (" go(@, 1)\n", " return go(@, 1)\n"),
        ("\tgo(@, 1)\n", "\tr = go(@, 1)\n"),
        ("    await go(@, 1)\n", "    go(@, 1)\n"),
        ("def g@(x, y):\n", "def g@(x, y) -> None:\n"),
        ("go(@.x, 1)\n", "go(@.x, 1)  # noqa\n"),
        ("go( @.x, 1 )\n", "go( @.x, 1, 2 )\n"),
        ("all @ in the list of it\n", "all @ in the long list of it\n"),
        ("* [ ] @ is to be done\n", "* [x] @ is to be done\n"),
        ("<li>the @</li>\n", "<li class='x'>the @</li>\n"),
        ("assert.equal(a.@, b.@);\n", "expect(a.@).toBe(b.@);\n"),
        ("int n@ = list.get(@).size() + 1;\n", "final int n@ = sizes.of(list, @) + 1;\n"),
        ("print('value of {} is'.format(@))\n", "print(f'value of {@} is')\n"),
        ("a[@]  =  2\n", "b[@]  =  2\n"),
    ],
)
def test_blanks_beside_a_change_are_those_that_a_person_would_have_typed(before: str, after: str) -> None:
    def text(*done: str) -> str:
        return "".join(["x\n", *((after if name in done else before).replace("@", name) for name in "kmnp"), "x\n"])

    found = offered(text(), text("k"), text("k", "m"))
    assert {made(text("k", "m"), place) for place in found} == {text("k", "m", "n"), text("k", "m", "p")}


WRAPPED = {
    "in a statement": ("    run(@)\n", "    if job.@:\n        run(@)\n"),
    "in braces": ("    run(@);\n", "    if (job.@) {\n        run(@);\n    }\n"),
    "two lines": ("    run(@)\n    end(@)\n", "    with job.lock:\n        run(@)\n        end(@)\n"),
    "and no more": ("    with job.lock:\n        run(@)\n        end(@)\n", "    run(@)\n    end(@)\n"),
    "changed beside one another": ("    a = one(@)\n    two(a, @)\n", "    b = first(@)\n    last(b, @)\n"),
}


@pytest.mark.parametrize(("before", "after"), WRAPPED.values(), ids=WRAPPED)
def test_lines_that_are_wrapped_and_two_that_are_changed_together_are_one_change(before: str, after: str) -> None:
    def text(n_made: int) -> str:
        places = [after if n < n_made else before for n in range(3)]
        return "".join(
            f"f_@:\n{place}    return 1\n\n".replace("@", name) for name, place in zip("kmn", places, strict=True)
        )

    largest, *_ = offered(text(0), text(1), text(2))
    assert made(text(2), largest) == text(3)


@pytest.mark.parametrize("end", ["\n", ""])
def test_the_first_and_the_last_line_of_a_text_are_lines_like_others(end: str) -> None:
    def text(*done: str) -> str:
        return "\n".join(f"{'pub ' if name in done else ''}fn {name}(x: i32) {{}}" for name in "kmn") + end

    assert [made(text("k", "m"), place) for place in offered(text(), text("k"), text("k", "m"))] == [text(*"kmn")]
    assert [made(text("m", "n"), place) for place in offered(text(), text("n"), text("m", "n"))] == [text(*"kmn")]


def test_of_equal_lines_those_that_were_changed_are_the_examples() -> None:
    lines = ["    log(a, 1)\n"] * 9
    once = [*lines[:3], "    log(a, 1, 2)\n", *lines[4:]]
    twice = [*once[:5], "    log(a, 1, 2)\n", *once[6:]]
    (one, other) = examples("".join(lines), "".join(twice))
    assert one.new == other.new == (",", "2")
    found = offered(*("".join(it) for it in (lines, once, twice)))
    assert {made("".join(twice), place).count("log(a, 1, 2)") for place in found} == {3}
    assert len(found) == 7


def test_texts_with_lines_that_end_differently_are_read() -> None:
    text = "a(x, 1)\r\nb(x, 1)\n" * 4
    once = text.replace("b(x, 1)\n", "log(x)\nb(x, 1)\n", 1)
    at = once.index("b(x, 1)", once.index("b(x, 1)") + 1)
    twice = f"{once[:at]}log(x)\n{once[at:]}"
    assert made(twice, offered(text, once, twice)[0]).count("log(x)") == 3


def test_what_has_little_in_common_is_no_rule() -> None:
    text = "a = f(1)\nb = g(2)\nc = h(1)\n"
    once = text.replace("f(1)", "f(7)")
    twice = once.replace("h(1)", "h(7)")
    assert offered("x = 1\n" + text, "x = 1\n" + once, "x = 1\n" + twice) == []
    assert offered("f(x)\ng(y)\nh(z)\n", "f(x, 1)\ng(y)\nh(z)\n", "f(x, 1)\ng(y, 2)\nh(z)\n") == []


def test_what_is_made_already_is_not_made_again() -> None:
    once = CALLS.replace("total(rate)", "total(rate, exact=True)")
    twice = once.replace("total(tax)", "total(tax, exact=True)")
    thrice = twice.replace("total(rest)", "total(rest, exact=True)")
    assert offered(CALLS, once, twice, thrice) == []


def test_one_example_wants_the_same_beside_it() -> None:
    text = "x = [read(path, mode=0)]\ny = [read(path, mode=0)]\nz = [read(name, mode=0)]\n"
    (one,) = examples(text, text.replace("path", "folder", 1))
    rule = rule_of_one(one)
    assert rule is not None
    now = text.replace("path", "folder", 1)
    (place,) = places(rule, now, all_tokens(now), "\n")
    assert made(now, place) == text.replace("path", "folder")


WORDS = st.sampled_from(
    ["a", "b", "é", "名", "x_1", "(", ")", ",", ".", "\n", "\r\n", " ", "    ", "7", "\t", "'", "#"]
)
TEXTS = st.lists(WORDS, max_size=40).map("".join)


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_was_edited_places_are_within_the_text_and_are_no_longer_there_once_made(
    one: str, two: str, three: str
) -> None:
    for place in offered(one, two, three):
        assert 0 <= place.start <= place.end <= len(three)
        assert place not in offered(one, two, made(three, place))


@given(TEXTS, TEXTS)
def test_an_example_says_what_stands_in_the_new_text(before: str, after: str) -> None:
    for one in examples(before, after):
        assert after[one.start : one.start + len(one.text)] == one.text
        assert [token.text for token in tokens(one.text)] == list(one.new)


def test_what_a_formatter_does_is_no_example() -> None:
    lines = [f"  x_{n} = f(x_{n})\n" for n in range(2_000)]
    assert list(examples("".join(lines), "".join(f"  {line}" if n % 7 else line for n, line in enumerate(lines)))) == []
    assert list(examples("a\n" * 5_000, "b\n" + "a\n" * 4_998 + "b\n")) == []
    long = "x" * 1_000_000
    assert list(examples(f"f(a)\n{long}\nf(b)\n", f"f(a, 1)\n{long}\nf(b, 1)\n")) == []
