"""What an event decodes, as token counts: the product's promise."""

from __future__ import annotations

import pytest

from tests.native.conftest import MakeEngine
from tests.native.helpers import ask, fim, sized, sync, text

PREFIX = "class Cart:\n    def add(self, item):\n        self.items.app"


def test_one_block_of_fifteen_costs_that_block_alone(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=8192)
    blocks = [(f"b{i}", sized(engine, 120, i)) for i in range(14)] + [("long", sized(engine, 300, 20))]
    sync(engine, blocks)
    blocks[-1] = ("long", sized(engine, 300, 40))
    answer = sync(engine, blocks)
    assert (answer.decoded, answer.replayed) == (300, 0), "the header's copy is there"
    assert [report.key for report in answer.blocks if report.decoded] == ["long"]


def test_going_back_to_earlier_blocks_decodes_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine()
    one = [("x", text(1)), ("y", text(2)), ("z", text(3))]
    two = [("x", text(4)), ("y", text(2)), ("v", text(5))]
    sync(engine, one)
    sync(engine, two)
    back = sync(engine, one)
    assert back.decoded == 0
    assert {report.action for report in back.blocks} == {"restored", "kept", "attached"}
    assert sync(engine, one).blocks[0].action == "kept"


def test_the_same_sync_again_changes_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine()
    first = sync(engine, [("x", text(1)), ("y", text(2))])
    again = sync(engine, [("y", text(2)), ("x", text(1))])
    assert (again.decoded, again.revision) == (0, first.revision)


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_typing_decodes_few_tokens_where_the_layout_allows_it(make_engine: MakeEngine, layout: str) -> None:
    engine = make_engine()
    sync(engine, [("x", text(1)), ("y", text(2))])
    suffix = "\n        return self.items\n"
    for typed in ("end(item)\n        re", "end(item)\n        ret", "end(item)\n        return len(s", "end(item"):
        answer = ask(engine, fim(PREFIX + typed[:1], suffix, layout=layout))
        costs = []
        for i in range(2, len(typed) + 1):
            answer = ask(engine, fim(PREFIX + typed[:i], suffix, layout=layout))
            assert answer.decoded + answer.reused == answer.tail_tokens
            costs.append(answer.decoded)
        assert answer.layout == layout
        if layout != "psm":
            assert max(costs) <= 8, costs


@pytest.mark.parametrize("layout", ["spm", "isolated", "psm"])
def test_typing_on_what_was_answered_decodes_nothing(make_engine: MakeEngine, layout: str) -> None:
    engine = make_engine()
    sync(engine, [("x", text(1))])
    first = ask(engine, fim(PREFIX, layout=layout))
    assert first.generated == 8
    for n in range(1, len(first.choices[0].text)):
        letter = first.choices[0].text[n - 1]
        if not (letter.isalnum() or letter == "_"):
            break
        answer = ask(engine, fim(PREFIX + first.choices[0].text[:n], layout=layout))
        assert (answer.decoded, answer.generated) == (0, 0)
        assert answer.choices[0].text == first.choices[0].text[n:]


def test_a_kept_answer_is_what_a_fresh_cache_answers(make_engine: MakeEngine) -> None:
    """Typing on through several words of an answer: each request equals one to an engine that knows nothing."""
    engine, other = make_engine(), make_engine()
    for one in (engine, other):
        sync(one, [("x", text(1))])
    answer = ask(engine, fim(PREFIX, max_tokens=16)).choices[0].text
    for n in range(1, len(answer), 3):
        request = fim(PREFIX + answer[:n], max_tokens=16)
        other.workspaces.open("w").tails.drop_all()
        mine, theirs = ask(engine, request).choices[0], ask(other, request).choices[0]
        assert (mine.text, mine.finish) == (theirs.text, theirs.finish), f"after {answer[:n]!r}"


def test_accepting_an_answer_reuses_its_tokens(make_engine: MakeEngine) -> None:
    """The embedded model writes a text in the tokens that it is cut into; random weights do not."""
    engine = make_engine("embedded")
    sync(engine, [("x", text(1))])
    answer = ask(engine, fim(PREFIX, max_tokens=24)).choices[0].text
    accepted = ask(engine, fim(PREFIX + answer + "\n", max_tokens=4))
    assert accepted.decoded <= 8


def test_a_changed_block_keeps_the_suffix_and_decodes_the_prefix_again(make_engine: MakeEngine) -> None:
    engine = make_engine()
    suffix = text(6, 400)
    sync(engine, [("x", text(1))])
    ask(engine, fim(PREFIX, suffix))
    sync(engine, [("x", text(1)), ("y", text(2))])
    answer = ask(engine, fim(PREFIX, suffix))
    assert answer.reused >= len(engine.model.tokenize(suffix))
    assert answer.decoded == answer.tail_tokens - answer.reused


def test_a_prefix_too_long_keeps_its_beginning_for_many_keystrokes(make_engine: MakeEngine) -> None:
    engine = make_engine(n_ctx=1024)
    sync(engine, [("x", text(1))])
    prefix = text(1, 6000)
    ask(engine, fim(prefix, text(3, 3000)))
    costs = [ask(engine, fim(prefix + " x" * n, text(3, 3000))).decoded for n in range(1, 12)]
    assert sorted(costs)[-2] <= 8, costs
