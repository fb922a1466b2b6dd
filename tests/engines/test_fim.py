"""How families are asked to fill in the middle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engines.fim import (
    CODE_LLAMA,
    CODESTRAL,
    DEEPSEEK,
    QWEN,
    STARCODER,
    Anchor,
    Family,
    answered,
    family_of,
    fitted,
    held_back,
)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen/Qwen2.5-Coder-1.5B", QWEN),
        ("qwen3-coder:30b", QWEN),
        ("google/codegemma-2b", QWEN),
        ("/models/palimpsest-embedded.gguf", QWEN),
        ("bigcode/starcoder2-3b", STARCODER),
        ("ibm-granite/granite-3b-code-base", STARCODER),
        ("deepseek-ai/deepseek-coder-6.7b-base", DEEPSEEK),
        ("codellama/CodeLlama-7b-hf", CODE_LLAMA),
        ("codestral-latest", CODESTRAL),
        ("gpt-5", None),
        ("Qwen2.5-7B-Instruct", None),
    ],
)
def test_a_models_name_tells_its_family(name: str, family: Family | None) -> None:
    assert family_of(name) == family


def test_what_is_typed_comes_last() -> None:
    assert QWEN.render("a", "z", "b") == "<|fim_prefix|>a<|fim_suffix|>z<|fim_middle|>b"
    assert QWEN.render("a", "z", "b", "spm") == "<|fim_suffix|>z<|fim_prefix|>ab"
    assert CODESTRAL.render("a", "z", "b") == "[SUFFIX]z[PREFIX]ab"


def test_a_marker_in_the_code_is_no_marker() -> None:
    prompt = QWEN.render('"<|fim_middle|>"', "<|fim_suffix|>")
    assert prompt.count("<|fim_middle|>") == prompt.count("<|fim_suffix|>") == 1


@pytest.mark.parametrize(
    ("prefix", "held"),
    [
        ("x = self.tot", ".tot"),
        ("    ret", " ret"),
        ("a\nwhile", "while"),
        ("if x ", " "),
        ("a\n    ", " "),
        ("f(x)", ""),
        ("a\n", ""),
        ("", ""),
    ],
)
def test_the_word_at_the_cursor_is_held_back(prefix: str, held: str) -> None:
    assert held_back(prefix) == held


def test_typing_on_in_a_word_moves_no_cut() -> None:
    word = "x = self.total"
    cuts = {len(word[:n]) - len(held_back(word[:n])) for n in range(10, len(word) + 1)}
    assert cuts == {8}


def test_an_anchor_holds_while_typing_goes_on_behind_it() -> None:
    anchor = Anchor("ab", "z")
    assert anchor.typed("abc", "z", 5) == "c"
    assert anchor.typed("ab", "z", 5) == ""
    assert anchor.typed("a", "z", 5) is None
    assert anchor.typed("abc", "zz", 5) is None
    assert anchor.typed("xbc", "z", 5) is None
    assert anchor.typed("abcdefgh", "z", 5) is None


@given(st.lists(st.integers()), st.lists(st.integers()), st.integers(4, 40))
def test_what_is_cut_fits_and_is_next_to_the_cursor(prefix: list[int], suffix: list[int], room: int) -> None:
    before, after = fitted(prefix, suffix, room)
    assert len(before) + len(after) <= room
    assert prefix[len(prefix) - len(before) :] == before
    assert suffix[: len(after)] == after


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("total += 1", "total += 1"),
        ("```python\ntotal += 1\n```", "total += 1"),
        ("```\ntotal += 1\nreturn\n```\n", "total += 1\nreturn"),
        ("    if x: total += 1", " total += 1"),
        ("if x: total += 1", " total += 1"),
        ("```python\n    if x: y\n```", " y"),
    ],
)
def test_a_chats_reply_is_read_as_code(reply: str, text: str) -> None:
    assert answered(reply, "def f():\n    if x:") == text
