"""What needs no model: an answer's text, parameters, chosen fields, prompts, templates."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.chat_templates.rendering import Renderer
from palimpsest.engine.llama_server.answers.shapes import chosen
from palimpsest.engine.llama_server.completions.answer_text import AnswerText
from palimpsest.engine.llama_server.requests import chat, params, prompts
from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.errors import InvalidArgument
from palimpsest.types import MARKUP

PIECES = st.lists(st.text(alphabet="ab\n é日", max_size=4), max_size=12)


def said(words: AnswerText, pieces: list[bytes]) -> str:
    sent = ""
    for piece in pieces:
        sent += words.push(piece, out_of_time=False, end=False) or ""
        if words.stop != "none":
            return sent
    return sent + words.finish("limit")


@given(PIECES, st.lists(st.text(alphabet="ab\n", min_size=1, max_size=3), max_size=2))
def test_what_was_sent_is_the_text_up_to_the_first_stop_string(pieces: list[str], stops: list[str]) -> None:
    words = AnswerText(stops)
    whole = "".join(pieces)
    sent = said(words, [bytes([b]) for b in whole.encode()])  # one byte at a time: characters come in parts
    found = [at for at in (whole.find(stop) for stop in stops) if at >= 0]
    if found:
        assert words.stop == "word"
        assert any(whole.startswith(sent + stop) for stop in stops)
        assert not any(stop in sent for stop in stops)
    else:
        assert (words.stop, sent) == ("limit", whole)
    assert words.text == sent


def test_what_was_healed_is_not_said() -> None:
    words = AnswerText([], skip=3)
    assert said(words, [b"wi", b"dth"]) == "th"


def test_a_line_indented_less_ends_the_answer() -> None:
    words = AnswerText([], n_indent=4)
    assert said(words, [b"x = 1", b"\n", b"    y", b"\n", b"  z", b" = 2"]).startswith("x = 1\n    y\n")
    assert (words.stop, words.text) == ("limit", "x = 1\n    y\n  ")


def test_a_time_that_is_over_ends_the_answer_at_a_line_end() -> None:
    words = AnswerText([])
    assert words.push(b"x", out_of_time=True, end=False) == "x"
    assert words.stop == "none"
    words.push(b"\n", out_of_time=True, end=False)
    assert words.stop == "limit"


def test_an_answer_cut_inside_a_character_has_none_of_it() -> None:
    words = AnswerText([])
    assert words.push("日".encode()[:2], out_of_time=False, end=False) is None
    assert words.finish("limit") == ""


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["content"], {"content": "x"}),
        (["timings/prompt_n", "nothing", "timings/none", "content/deeper"], {"timings/prompt_n": 3}),
        (["timings"], {"timings": {"prompt_n": 3}}),
        ([""], {}),
        ([], {}),
    ],
)
def test_chosen_fields_keep_their_whole_names(names: list[str], found: dict[str, Any]) -> None:
    assert chosen({"content": "x", "timings": {"prompt_n": 3}}, names) == found


def test_null_is_as_good_as_nothing_and_fractions_are_cut_off() -> None:
    read = params.read(Fields({"n_predict": None, "max_tokens": 3.7, "temperature": None, "stop": None}))
    assert (read.n_predict, read.sampling["temperature"], read.stop) == (3, 0.8, ())


NAMES = [
    "top_k",
    "seed",
    "n_predict",
    "stop",
    "samplers",
    "logit_bias",
    "stream",
    "response_fields",
    "json_schema",
    "n_probs",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*params.FLOATS, *params.INTS, *NAMES]), JSON))
def test_whatever_is_sent_is_read_or_refused_by_name(body: dict[str, Any]) -> None:
    try:
        read = params.read(Fields(body))
    except InvalidArgument as error:
        named = error.field
    else:
        json.dumps(params.settings(read))
        return
    assert named in body


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a", [("a",)]),
        ([1, 2], [(1, 2)]),
        ([1, "a"], [(1, "a")]),
        (["a", "b"], [("a",), ("b",)]),
        ([[1, 2], "a"], [(1, 2), ("a",)]),
        ([[1], []], [(1,), ()]),
        ({"prompt_string": "a"}, [("a",)]),
    ],
)
def test_prompts_come_in_many_forms(value: Any, found: list[Any]) -> None:
    assert prompts.read(value) == found


def rendered(template: str, messages: list[dict[str, Any]], **more: Any) -> str:
    asked = chat.read(Fields({"messages": messages, **more}))
    with closing(Renderer()) as renderer:
        return asked.text(renderer, template, bos="<s>", eos="</s>")


HELLO = [{"role": "user", "content": "hello"}]


def test_a_template_gets_what_templates_use() -> None:
    template = (
        "{{ bos_token }}{% for m in messages %}{% if loop.index0 > 9 %}{% break %}{% endif %}"
        "[{{ m.role | tojson }}]{{ m.content | trim }}{{ eos_token }}{% endfor %}{{ mood }}"
    )
    assert rendered(template, HELLO, chat_template_kwargs={"mood": "!"}) == '["user"]hello</s>!'


def test_a_template_that_refuses_is_quoted() -> None:
    with pytest.raises(InvalidArgument, match="roles must alternate"):
        rendered("{{ raise_exception('roles must alternate') }}", HELLO)


def test_a_template_cannot_reach_out() -> None:
    with pytest.raises(InvalidArgument):
        rendered("{{ messages.__class__.__mro__[1].__subclasses__() }}", HELLO)


def test_a_template_that_cannot_be_read_gives_way_to_chatml(caplog: pytest.LogCaptureFixture) -> None:
    assert rendered("{% for %}", HELLO) == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
    assert "the model's chat template cannot be used: it cannot be read" in caplog.text


@pytest.mark.parametrize(
    ("pieces", "text", "stop"),
    [
        (["x = 1\n", "</", "edit", "ing>\n", "more"], "x = 1", "eos"),
        (["</editing>"], "", "eos"),
        (["x\n", "  <suggestion", ' name="editing">'], "x", "eos"),
        (["x\n", "<sug", "gest"], "x\n<suggest", "limit"),
        (["x = y<context ", "type"], "x = y", "eos"),
        (["/// <summary>", "a"], "/// <summary>a", "limit"),
        (["    \n", "<summary>a"], "", "eos"),
        (["a < b and c\n", "</div>"], "a < b and c\n</div>", "limit"),
        (['x = "', "<summary>", '"'], 'x = "<summary>"', "limit"),
    ],
)
def test_the_models_own_markup_ends_an_answer_and_is_not_told(pieces: list[str], text: str, stop: str) -> None:
    words = AnswerText([], markup=MARKUP)
    sent = said(words, [piece.encode() for piece in pieces])
    assert (words.text, words.stop) == (text, stop)
    assert sent.rstrip() == text.rstrip()
    assert not any(tag in sent for tag in ("</editing", "<suggestion "))


def test_what_goes_round_in_circles_ends_the_answer_behind_its_first_copy() -> None:
    words = AnswerText([], before="x = 1\n")
    sent = said(words, [b"y = 2\n"] * 25)
    assert (words.text, words.stop) == ("y = 2", "limit")
    assert sent.count("y = 2") <= 3
    short = AnswerText([], before="print(")
    said(short, [b"notona(notona("])
    assert short.text == "notona("
