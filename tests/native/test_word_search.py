"""The word being typed, searched for in the cache: the choice of plain decodes, and nothing left behind."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.known import typed_word
from palimpsest.engine.generation.words import WordCandidate, WordSearch
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, ask, difference, done, fim, sync, text
from tests.native.test_interruption import Failing, failing, sequences_in_use, stepped

BLOCKS = [("a", text(1)), ("b", "class Cart:\n    def valuation(self, values):\n        return sum(values)\n")]
SUFFIX = "\n    return self.items\n"
LAYOUTS = ["spm", "isolated", "psm"]
WIDTH = 4


def searching(prefix: str, **others: object) -> wire.GenerateRequest:
    return fim(prefix, SUFFIX, **{"word_search": WIDTH, **others})


def prepared(make_engine: MakeEngine, kind: str = "fim", **others: object) -> NativeEngine:
    engine = make_engine(kind, mode="whole-prompt" if kind == "swa" else "auto", **others)
    sync(engine, BLOCKS)
    return engine


def cold(engine: NativeEngine, request: wire.GenerateRequest) -> wire.GenerateAnswer:
    engine.workspaces.open("w").tails.drop_all()
    return ask(engine, request)


def check(engine: NativeEngine) -> None:
    """No sequence and no cell is anybody's but the workspaces' and their tails'."""
    assert engine.pool.free_sequences + sequences_in_use(engine) == engine.context.n_seq_max - engine.in_place
    workspace = engine.workspaces.open("w")
    assert workspace.verify()
    for tail in workspace.tails.values():
        if tail.gen >= 0 and tail.gen == tail.seq:
            assert engine.context.last(tail.gen) == tail.start + len(tail.tokens) - 1
    if engine.in_place:
        assert difference(engine, workspace) < CLOSE


def plain_logits(engine: NativeEngine, tokens: tuple[int, ...]) -> Logits:
    """The logits after the prompt of the last request and `tokens`, decoded one by one in a sequence of their own."""
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.prompt is not None
    assert tail.logits is not None
    # no door: where a tail's prompt ends in the cache is nobody else's to know
    row, end, seq = tail.logits, tail._prompt_end(tail.prompt), engine.pool.take()
    engine.context.copy(tail.gen, seq)
    engine.context.remove(seq, end)
    for i, token in enumerate(tokens):
        (found,) = engine.context.decode([Run([token], end + i, seq, logits=True)])
        assert found is not None
        row = found
    engine.pool.give(seq)
    return row


def plain_search(engine: NativeEngine, prefix: str, piece: str) -> WordSearch:
    """The same search behind the prompt of the last request."""
    typed = typed_word(piece)
    assert typed is not None
    joined, stem = typed
    tokens = engine.model.tokenize
    blocks = [tuple(tokens(content)) for _, content in BLOCKS]
    known = engine.generator.known_words.beginning(stem, prefix[: len(prefix) - len(piece)], SUFFIX, blocks)
    candidates = [WordCandidate((joined + k.word).encode(), tuple(tokens(joined + k.word)), k.boost) for k in known]
    search = WordSearch(engine.generator.lexicon, piece.encode(), plain_logits(engine, ()), candidates, width=WIDTH)
    while search.wanted:
        search.take([plain_logits(engine, path.tokens) for path in search.wanted])
    return search


@pytest.mark.parametrize(
    ("kind", "layout", "boost"),
    [
        ("fim", "spm", 4.0),
        ("fim", "spm", 60.0),
        ("fim", "isolated", 60.0),
        ("fim", "psm", 60.0),
        ("mrope", "isolated", 60.0),
        ("swa", "spm", 60.0),
    ],
)
def test_the_word_chosen_is_that_of_plain_decodes(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch, kind: str, layout: str, boost: float
) -> None:
    """Random weights think most words impossible: with the larger boost, known words are chosen among others."""
    # no door: random weights find every word unlikely
    monkeypatch.setattr("palimpsest.engine.generation.known.KNOWN", boost)
    engine = prepared(make_engine, kind)
    known_won = n_searched = 0
    for i, piece in enumerate(("    val", "x = self.valu", "x = va", "_")):
        prefix = text(7 * i, 160) + "\n" + piece
        answer = cold(engine, searching(prefix, layout=layout, max_tokens=16))
        kept = engine.workspaces.open("w").tails["typing"].answer
        assert kept is not None
        search = plain_search(engine, prefix, answer.healed)
        best = search.best
        assert best is not None
        n = len(best.tokens)
        assert tuple(kept.tokens[:n]) == best.tokens
        assert kept.logprobs[:n] == pytest.approx(best.logprobs, abs=CLOSE)
        assert answer.searched == search.n_taken
        if best.last is None:  # what follows is the likeliest of what does not go on with the word
            row, ending = plain_logits(engine, best.tokens), engine.generator.lexicon.ending
            assert kept.tokens[n] == ending[np.argmax(row[ending])]
        n_searched += answer.searched
        known_won += best.text.strip(b" .") in (b"valuation", b"values")
        check(engine)
    assert n_searched
    assert known_won or boost == 4.0, "known words were not weighed"


@pytest.mark.parametrize("piece", ["x = self.", "x = f()[0].", "x = self.va"])
def test_a_name_that_can_stand_there_is_chosen(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """Random weights find every word unlikely, and those that they write hardly are names."""
    # no door: random weights find every word unlikely
    monkeypatch.setattr("palimpsest.engine.generation.known.CAN_STAND", 600.0)
    engine, prefix, names = prepared(make_engine), text(2, 160) + "\n" + piece, ["vast", "valet", "zoo"]
    answer = cold(engine, searching(prefix, names=names))
    word = re.match(r"\w*", (piece + answer.choices[0].text).rpartition(".")[2])
    assert word is not None
    assert word[0] in names
    assert answer.searched
    assert cold(engine, searching(prefix)).choices[0].text != answer.choices[0].text
    again = ask(engine, searching(prefix, names=names))
    assert again.choices[0].text == answer.choices[0].text, "an answer that knew of no names does not stand"
    assert ask(engine, searching(prefix + word[0][2:] if piece.endswith("va") else prefix + word[0])).decoded <= 1
    check(engine)
    for wrong in (["a"] * 300, ["\ud800"], ["ze\ud83d"]):
        with pytest.raises(InvalidArgument, match="names"):
            ask(engine, searching(prefix, names=wrong))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_typing_on_in_the_word_that_was_found_decodes_nothing(make_engine: MakeEngine, layout: str) -> None:
    engine = prepared(make_engine)
    start = text(2, 160) + "\n    self.val"
    answer = ask(engine, searching(start, layout=layout))
    said = answer.choices[0].text
    word = said[: next(i for i, c in enumerate(said) if not (c.isalnum() or c == "_"))]
    assert len(word) > 1
    for n in range(1, len(word) + 1):
        again = ask(engine, searching(start + word[:n], layout=layout))
        assert (again.decoded, again.searched, again.steps) == (0, 0, 0)
        assert word[:n] + again.choices[0].text == said
    check(engine)


def test_the_answer_goes_on_as_one_that_knew_its_word(make_engine: MakeEngine) -> None:
    """The cells handed over are the word's: what follows is what follows a prompt that ends with it."""
    engine = prepared(make_engine)
    prefix = text(2, 160) + "\n    self.val"
    ask(engine, searching(prefix, max_tokens=12))
    tail = engine.workspaces.open("w").tails["typing"]
    assert tail.answer is not None
    tokens, n_right = tuple(tail.answer.tokens), 0
    for n in range(1, len(tokens)):
        row = plain_logits(engine, tokens[:n])
        row[engine.vocab.hidden] = -np.inf
        n_right += tokens[n] == int(row.argmax())
    assert n_right >= len(tokens) - 6, "what is behind the word is chosen token by token"


def test_an_answer_chosen_in_another_way_does_not_stand(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine)
    for i in range(40):  # of a random model not every answer differs
        prefix = text(i, 160)
        texts = {width: cold(engine, searching(prefix, word_search=width)).choices[0].text for width in (0, WIDTH)}
        if texts[0] != texts[WIDTH]:
            break
    assert texts[0] != texts[WIDTH]
    for width in (0, WIDTH, 0):
        answer = ask(engine, searching(prefix, word_search=width))
        assert answer.choices[0].text == texts[width]
        assert answer.decoded <= 1
    check(engine)


def test_alternatives_begin_with_other_words(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine)
    prefix = text(2, 160) + "\n    x = s"
    alone = cold(engine, searching(prefix)).choices[0].text
    answer = cold(engine, searching(prefix, n=3, sampling=wire.Sampling(seed=1)))
    assert answer.choices[0].text == alone
    words = {plain_word(choice.text) for choice in answer.choices}
    assert len(words) == 3
    assert answer.generated == sum(choice.tokens for choice in answer.choices)
    check(engine)


def plain_word(said: str) -> str:
    return said[: next((i for i, c in enumerate(said) if not (c.isalnum() or c == "_")), len(said))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_search_closed_at_any_yield_leaves_nothing(make_engine: MakeEngine, layout: str) -> None:
    engine = prepared(make_engine)
    wanted = searching(text(2, 120) + "\n    zq", layout=layout, n=2, max_tokens=3)
    expected = cold(engine, wanted).choices[0].text
    n, unfinished = 0, True
    while unfinished:
        engine.workspaces.open("w").tails.drop_all()
        work = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
        unfinished = stepped(work, n)
        work.close()
        check(engine)
        n += 1
    assert n > 12
    assert ask(engine, wanted).choices[0].text == expected


@pytest.mark.parametrize("code", [1, 2, -3])
def test_a_search_survives_a_decode_that_fails(make_engine: MakeEngine, code: int) -> None:
    engine = prepared(make_engine, make_context=Failing)
    wanted = searching(text(2, 120) + "\n    zq", max_tokens=2)  # nothing is said before the search is over
    plain = cold(engine, replace(wanted, word_search=0)).choices[0].text
    failing(engine).fail({})
    answer = cold(engine, wanted)
    n_calls, found = failing(engine).n_calls, answer.choices[0].text
    assert answer.steps > 1
    for call in range(n_calls - answer.steps + 1, n_calls + 1):
        sync(engine, BLOCKS)
        engine.workspaces.open("w").tails.drop_all()
        failing(engine).fail({call: code})
        assert ask(engine, wanted).choices[0].text in ((found, plain) if code == 1 else (found,))
        failing(engine).fail({})
        check(engine)


def test_nobody_is_driven_out_for_a_search(make_engine: MakeEngine) -> None:
    """Without sequences to spare, the answer is that of token by token."""
    engine = prepared(make_engine)
    prefix = text(2, 160) + "\n    self.val"
    plain = cold(engine, searching(prefix, word_search=0)).choices[0].text
    others = [engine.pool.take() for _ in range(engine.pool.free_sequences - WIDTH)]
    answer = cold(engine, searching(prefix))
    assert (answer.searched, answer.choices[0].text) == (0, plain)
    for seq in others:
        engine.pool.give(seq)
    check(engine)


@pytest.mark.parametrize("kind", ["mamba", "hybrid"])
def test_memories_that_cannot_be_cut_are_not_searched(make_engine: MakeEngine, kind: str) -> None:
    engine = prepared(make_engine, kind)
    prefix = text(2, 160) + "\n    self.val"
    plain = cold(engine, searching(prefix, word_search=0)).choices[0].text
    answer = cold(engine, searching(prefix))
    assert (answer.searched, answer.choices[0].text) == (0, plain)


@pytest.mark.parametrize(
    "others",
    [
        {"sampling": wire.Sampling(temperature=0.5, seed=1)},
        {"sampling": wire.Sampling(repeat_penalty=1.1)},
        {"grammar": "root ::= [a-z]*"},
        {"heal": False},
        {"max_tokens": 0},
        {"max_tokens": 1},
    ],
)
def test_only_a_greedy_healed_answer_is_searched(make_engine: MakeEngine, others: dict[str, object]) -> None:
    engine = prepared(make_engine)
    assert ask(engine, searching(text(2, 160) + "\n    self.val", **others)).searched == 0


def test_a_cursor_behind_no_word_is_not_searched(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine)
    for end in ("x = ", "f(", "\n", "x = 12"):
        assert ask(engine, searching(text(2, 160) + "\n" + end)).searched == 0


def test_a_search_ends_with_its_time(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine)
    wanted = searching(text(2, 160) + "\n    self.val", time_ms=1)
    work = generate(engine.generator, engine.workspaces.open("w"), wanted, None)
    answer = done(work)
    assert answer.searched <= WIDTH + 16, "one step at most was begun in time"
    check(engine)


def test_a_width_below_none_is_named(make_engine: MakeEngine) -> None:
    with pytest.raises(InvalidArgument) as caught:
        ask(make_engine(), searching("x", word_search=-1))
    assert caught.value.field == "word_search"


def test_a_search_ends_where_no_word_can_be_said(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, n_searched = prepared(make_engine), [0, 0]
    code = "class Cart:\n    def total(self):\n        return "
    for begun in ("", "s", "se", "self.", "self.v", "self.val", "su", "x", "th"):
        for least, risk in ((0.3, 1.0), (0.6, 1.0), (0.95, 0.0), (0.0, 0.5)):
            request = searching(code + begun, least=least, risk=risk, max_tokens=6)
            found = cold(engine, request)
            with monkeypatch.context() as patch:
                patch.setattr(WordSearch, "is_hopeless", lambda *_: False)  # no door: what it would have found
                whole = cold(engine, request)
            assert found.choices[0].text == whole.choices[0].text, (begun, least, risk)
            assert found.searched <= whole.searched
            n_searched[0] += found.searched
            n_searched[1] += whole.searched
    assert n_searched[0] < 0.8 * n_searched[1]
    check(engine)


def test_a_search_is_counted(make_engine: MakeEngine) -> None:
    engine = prepared(make_engine)
    before = dict(engine.pool.stats)
    answer = cold(engine, searching(text(2, 160) + "\n    self.val", max_tokens=6))
    assert answer.searched > 0
    assert engine.pool.stats["searched"] - before["searched"] == answer.searched
    assert answer.generated == answer.choices[0].tokens == engine.pool.stats["generated"] - before["generated"] == 6
    plain = cold(engine, replace(searching(text(2, 160) + "\n    self.val", max_tokens=6), word_search=0))
    assert answer.steps > 6 - len(plain.choices[0].text)
