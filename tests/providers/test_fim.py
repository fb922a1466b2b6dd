"""How families are asked to fill in the middle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.models.families import FAMILIES, OTHER, Family, fitted, of_server, of_tokens
from palimpsest.providers.llama_server.tokenizer import FimIds
from palimpsest.providers.whole_prompt.fim import Anchor, answered, held_back

NAMED = {family.name: family for family in FAMILIES}
QWEN, CODESTRAL, SEED = NAMED["Qwen Coder"], NAMED["Codestral"], NAMED["Seed-Coder"]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen/Qwen2.5-Coder-1.5B", "Qwen Coder"),
        ("qwen3-coder:30b", "Qwen Coder"),
        ("Qwen/Qwen3-Coder-Next", "Qwen Coder"),
        ("google/codegemma-2b", "CodeGemma"),
        ("/models/palimpsest-embedded.gguf", "Palimpsest"),
        ("/models/palimpsest-smollm2-135m-3.gguf", "Palimpsest SmolLM2"),
        ("bigcode/starcoder2-3b", "StarCoder"),
        ("ibm-granite/granite-3b-code-base", "Granite Code"),
        ("ibm-granite/granite-3.3-8b-base", "Granite 3"),
        ("granite4:micro", "Granite 4"),
        ("ibm-granite/granite-4.0-h-tiny-base", "Granite 4"),
        ("ByteDance-Seed/Seed-Coder-8B-Base", "Seed-Coder"),
        ("JetBrains/Mellum-4b-sft-python", "Mellum"),
        ("JetBrains/Mellum2-12B-A2.5B-Base", "Mellum"),
        ("deepseek-ai/deepseek-coder-6.7b-base", "DeepSeek-Coder"),
        ("codellama/CodeLlama-7b-hf", "Code Llama"),
        ("codestral-latest", "Codestral"),
        ("qwen3.6:35b-a3b", "Qwen Coder"),
        ("Qwen/Qwen3.5-9B", "Qwen Coder"),
        ("ibm-granite/granite-4.1-3b-base", "Granite 4"),
        ("ibm-granite/granite-4.2-3b", None),
        ("zai-org/GLM-4.5-Air", "GLM"),
        ("zai-org/glm-4-9b-chat", None),
        ("gpt-5", None),
        ("Qwen2.5-7B-Instruct", None),
    ],
)
def test_a_models_name_tells_its_family(name: str, family: str | None) -> None:
    found = of_server(name)
    assert (found.name if found else None) == family


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("ByteDance-Seed/Seed-Coder-8B-Base", "<[fim-suffix]>z<[fim-prefix]>a<[fim-middle]>b"),
        ("JetBrains/Mellum-4b-base", "<fim_suffix>z<fim_prefix>a<fim_middle>b"),
        ("JetBrains/Mellum2-12B-A2.5B-Base", "<fim_suffix>z<fim_prefix>a<fim_middle>b"),
        ("granite4:micro", "<|fim_prefix|>a<|fim_suffix|>z<|fim_middle|>b"),
        ("granite3.3:8b", "<fim_prefix>a<fim_suffix>z<fim_middle>b"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "<|fim_prefix|>a<|fim_suffix|>z<|fim_middle|>b"),
        ("bigcode/starcoder2-3b", "<fim_prefix>a<fim_suffix>z<fim_middle>b"),
        ("deepseek-ai/DeepSeek-Coder-V2-Lite-Base", "<｜fim▁begin｜>a<｜fim▁hole｜>z<｜fim▁end｜>b"),
        ("codellama/CodeLlama-7b-hf", "<PRE> a <SUF>z <MID>b"),
        ("google/codegemma-2b", "<|fim_prefix|>a<|fim_suffix|>z<|fim_middle|>b"),
        ("stabilityai/stable-code-3b", "<fim_prefix>a<fim_suffix>z<fim_middle>b"),
        ("ibm-granite/granite-8b-code-base", "<fim_prefix>a<fim_suffix>z<fim_middle>b"),
        ("zai-org/codegeex4-all-9b", "<|code_suffix|>z<|code_prefix|>a<|code_middle|>b"),
        ("zai-org/GLM-4.5-Air", "<|code_prefix|>a<|code_suffix|>z<|code_middle|>b"),
        ("codestral-latest", "[SUFFIX]z[PREFIX]ab"),
        ("palimpsest-embedded", "<|fim_suffix|>z<|fim_prefix|>ab"),
        ("palimpsest-smollm2-135m", "<repo_name>z<file_sep>ab"),
    ],
)
def test_each_is_asked_as_its_makers_show_it(name: str, prompt: str) -> None:
    family = of_server(name)
    assert family is not None
    assert family.render("a", "z", "b") == prompt


def test_markers_that_several_share_are_the_named_ones() -> None:
    starcoder = NAMED["StarCoder"].markers
    assert of_tokens(starcoder, "Mellum-4b-base.Q8_0") is NAMED["Mellum"]
    assert of_tokens(starcoder, "starcoder2-3b") is NAMED["StarCoder"]
    assert not of_tokens(starcoder, "model").trained
    assert of_tokens(OTHER.markers, "model").layout == "psm"


@pytest.mark.parametrize("family", [*FAMILIES, OTHER], ids=lambda family: family.name)
@pytest.mark.parametrize("layout", ["psm", "spm"])
def test_ids_stand_as_the_text_does(family: Family, layout: str) -> None:
    marks = FimIds(1, 2, 3, family)
    names = dict(zip((1, 2, 3), family.markers, strict=True)) | {10: "a", 20: "z", 30: "b"}
    assert "".join(names[i] for i in marks.laid_out(layout, [10], [20], [30])) == family.render("a", "z", "b", layout)


def test_what_is_typed_comes_last() -> None:
    assert QWEN.render("a", "z", "b") == "<|fim_prefix|>a<|fim_suffix|>z<|fim_middle|>b"
    assert QWEN.render("a", "z", "b", "spm") == "<|fim_prefix|><|fim_suffix|>z<|fim_middle|>ab"
    assert CODESTRAL.render("a", "z", "b") == "[SUFFIX]z[PREFIX]ab"
    assert [family.types_behind("spm") for family in (QWEN, CODESTRAL, SEED)] == [False, False, True]


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
