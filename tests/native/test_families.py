"""FIM layouts by family: which a model gets by itself, and its very tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest import wire
from palimpsest.engine.cache.tail_prompt import Layout
from palimpsest.engine.generation.compose import laid_out
from palimpsest.engine.model.facts import FimTokens
from palimpsest.models.families import FAMILIES, OTHER, SuffixFirst, of_file, of_server
from tests.native.conftest import MakeEngine
from tests.native.helpers import about, ask, fim, sync, text

PRE, SUF, MID = 1, 2, 3


@pytest.mark.parametrize(
    ("marker", "names", "family"),
    [
        ("<|fim_suffix|>", "qwen2 Qwen2.5-Coder-1.5B Qwen2.5 Coder 1.5B", "Qwen Coder"),
        ("<fim_suffix>", "qwen2 CodeQwen1.5-7B", "Qwen Coder"),
        ("<fim_suffix>", "starcoder2 starcoder2-3b", "StarCoder"),
        ("<fim_suffix>", "starcoder granite-20b-code-base", "StarCoder"),
        ("<fim_suffix>", "llama Granite 8B Code Instruct", "Granite Code"),
        ("<|fim_suffix|>", "granite Granite 4.0 Tiny", "Granite 4"),
        ("<|fim_suffix|>", "granitehybrid Granite 4.0 H Micro Base", "Granite 4"),
        ("<fim_suffix>", "granite Granite 3.3 8B Base", "Granite 3"),
        ("<|fim_suffix|>", "qwen3moe Qwen3-Coder-30B-A3B-Instruct", "Qwen Coder"),
        ("<|fim_suffix|>", "qwen3next Qwen3 Coder Next", "Qwen Coder"),
        ("<fim_suffix>", "llama Mellum-4b-sft-python", "Mellum"),
        ("<fim_suffix>", "mellum2 Mellum2 12B A2.5B Base", "Mellum"),
        ("▁<SUF>", "llama CodeLlama-7b", "Code Llama"),
        ("<｜fim▁hole｜>", "deepseek2 DeepSeek-Coder-V2-Lite", "DeepSeek-Coder"),
        ("<|fim_suffix|>", "gemma codegemma-2b", "CodeGemma"),
        ("[SUFFIX]", "llama Codestral-22B-v0.1", "Codestral"),
        ("<[fim-suffix]>", "llama Seed-Coder-8B-Base", "Seed-Coder"),
        ("<fim_suffix>", "llama Mellum-4b-base", "Mellum"),
        ("<fim_suffix>", "stablelm stable-code-3b", "Stable Code"),
        ("<|code_suffix|>", "chatglm codegeex4-all-9b", "CodeGeeX"),
        ("<|code_suffix|>", "glm4moe GLM 4.5 Air", "GLM"),
        ("<fim_suffix>", "llama something", "other"),
    ],
)
def test_families_are_told_by_marker_and_name(marker: str, names: str, family: str) -> None:
    assert of_file(marker, names).name == family


def test_what_is_no_family_is_asked_as_most_are() -> None:
    assert (OTHER.trained, OTHER.layout, OTHER.order) == (False, "psm", "prefix-suffix-middle")
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def test_a_file_and_a_server_that_offers_it_are_of_one_family() -> None:
    for marker, names, served in (
        ("<[fim-suffix]>", "llama Seed-Coder-8B-Base", "ByteDance-Seed/Seed-Coder-8B-Base"),
        ("<fim_suffix>", "llama Mellum-4b-base", "JetBrains/Mellum-4b-base"),
        ("<|fim_suffix|>", "granite Granite 4.0 Micro", "granite4:micro"),
        ("<fim_suffix>", "granite Granite 3.3 8B", "ibm-granite/granite-3.3-8b-base"),
        ("<|fim_suffix|>", "qwen3moe Qwen3-Coder-30B-A3B", "Qwen/Qwen3-Coder-30B-A3B-Instruct"),
    ):
        assert of_file(marker, names) == of_server(served)


def test_markers_that_llama_cpp_does_not_know_are_found_in_the_vocabulary(make_engine: MakeEngine) -> None:
    engine = make_engine("seed")
    found = engine.facts.fim
    assert found is not None
    assert (found.prefix, found.middle, found.suffix) == (1, 2, 3)
    assert (found.family, found.order, engine.facts.fim_layout) == ("Seed-Coder", "suffix-prefix-middle", "spm")
    assert {1, 2, 3} <= engine.facts.ends
    assert ask(engine, fim("def f(", layout="auto")).layout == "spm"
    assert engine.tokenizer.tokens_of("<[fim-suffix]>") != (3,), "in a document it is text like any other"


@pytest.mark.parametrize(
    ("layout", "order", "middle", "whole"),
    [
        ("spm", "suffix-prefix", -1, [SUF, 20, PRE, 10]),
        ("spm", "suffix-prefix", MID, [SUF, 20, PRE, 10]),
        ("spm", "suffix-prefix-middle", MID, [SUF, 20, PRE, 10, MID]),
        ("spm", "prefix-suffix-middle", MID, [PRE, SUF, 20, MID, 10]),
        ("psm", "suffix-prefix", MID, [PRE, 10, SUF, 20, MID]),
    ],
)
def test_each_order_is_written_as_it_was_trained(
    layout: Layout, order: SuffixFirst, middle: int, whole: list[int]
) -> None:
    made = laid_out(layout, FimTokens(PRE, SUF, middle, order), [10], [20]).in_order
    assert [*made.tokens, *made.after] == whole


def test_what_was_trained_suffix_first_is_asked_so_and_others_get_the_suffix_by_itself(make_engine: MakeEngine) -> None:
    for kind, here, whole in (("fim", "isolated", "psm"), ("starcoder", "spm", "spm")):
        engine = make_engine(kind)
        assert engine.facts.fim is not None
        assert (engine.loaded.info().fim_layout, ask(engine, fim("def f(", layout="auto")).layout) == (here, here)
        engine = make_engine(kind, mode="whole-prompt")
        assert (engine.loaded.info().fim_layout, ask(engine, fim("def f(", layout="auto")).layout) == (whole, whole)


def test_a_file_says_itself_how_it_was_trained(make_engine: MakeEngine) -> None:
    facts = make_engine("own").facts
    assert facts.fim is not None
    assert (facts.fim_layout, facts.fim.family, facts.fim.order) == ("psm", "Palimpsest", "suffix-prefix")


@pytest.mark.parametrize("order", ["suffix-prefix", "suffix-prefix-middle", "prefix-suffix-middle"])
def test_typing_in_each_order_is_as_from_a_fresh_cache(make_engine: MakeEngine, order: SuffixFirst) -> None:
    engine = make_engine(own=True)
    assert engine.facts.fim is not None
    engine.generator.composer.facts = replace(engine.facts, fim=replace(engine.facts.fim, order=order))
    sync(engine, [("x", text(1))])
    costs = []
    for typed in ("self", "self.", "self.it", "self.items", "self.items.", "self.items.append", "self.items"):
        request = fim(text(2, 200) + "\n    " + typed, text(9, 200), max_tokens=5)
        answer = ask(engine, request)
        costs.append(answer.decoded)
        engine.workspaces.open("w").tails.drop_all()
        cold = ask(engine, request)
        assert answer.choices == list(map(about, cold.choices))
        ask(engine, replace(request, max_tokens=0))
    assert max(costs[1:]) <= 4
    assert isinstance(engine.generator.composer.layout_of(wire.FimTail("", "")), str)
