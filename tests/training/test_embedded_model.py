"""The committed model: its vocabulary, what its metadata tells the engine, and that it learned its layout."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.library import library
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.prompt.blocks import FOOTER, HEADER
from training import evaluate, held, measures, tokenizer
from training.arena import Arena
from training.prompt import Prompt, Ways


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    found = Arena(evaluate.MODEL)
    yield found
    found.close()


def test_the_model_is_small_enough_to_ship() -> None:
    assert evaluate.MODEL.stat().st_size <= 40_000_000


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("general.architecture", "qwen2"),
        ("general.name", "palimpsest-embedded"),
        ("general.license", "Apache-2.0"),
        ("tokenizer.ggml.pre", "qwen2"),
        ("tokenizer.ggml.add_bos_token", "true"),
        ("palimpsest.fim_layout", "spm"),
        ("palimpsest.edit_format", "ln-diff"),
        ("palimpsest.prompt", "plain"),
    ],
)
def test_metadata_tells_the_engine_how_to_ask(arena: Arena, key: str, value: str) -> None:
    assert arena.metadata(key) == value


@pytest.mark.parametrize(
    "text",
    [
        HEADER,
        FOOTER,
        "def add(self, item: Item, quantity: int = 1) -> None:\n        self.items_by_name[item.name] += 12\n",
        "    if x != '':\n\n\n        it's = \"don't\"  \n\t\r\n  ",
        "L12+         überzahl = naïve_Größe — 漢字 🙂\n",
        "a <|endoftext|> in a text stays text",
        "",
    ],
)
def test_llama_cpp_tokenizes_as_training_did(arena: Arena, text: str) -> None:
    assert arena.tokens(text) == tokenizer.load().encode(text, add_special_tokens=False).ids


def test_an_engine_made_after_it_still_hears_what_its_cache_takes() -> None:
    library()  # made before the arena, as where an evaluation asks the engine for something
    Arena(evaluate.MODEL, n_context=256).close()
    engine = NativeEngine(evaluate.MODEL, EngineSettings(n_ctx=512, n_threads=1))
    try:
        assert engine.context.cache_bytes > 0
    finally:
        engine.close()


def test_a_header_begins_with_the_first_token(arena: Arena) -> None:
    assert arena.tokens(HEADER, bos=True) == [0, *arena.tokens(HEADER)]


def test_paths_tried_beside_each_other_are_those_decoded_alone(arena: Arena) -> None:
    arena.clear()
    header, paths = arena.tokens(HEADER, bos=True), [[300, 301], [300], [500, 7, 9]]
    arena.decode(header, 0)
    together = arena.after(paths, len(header))
    for path, row in zip(paths, together, strict=True):
        arena.cut_back(len(header))
        alone = arena.decode(path, len(header), 1)[0]
        assert abs(alone - row).max() < 1.0  # quantized weights round otherwise in a larger batch
        assert abs(alone - arena.decode([10], len(header) + len(path), 1)[0]).max() > 1.0, "or any row would do"


@pytest.mark.parametrize("ways", ["searched", "known"])
def test_a_name_that_a_block_has_is_found_as_a_whole(arena: Arena, ways: Ways) -> None:
    case = held.Case(
        blocks=('<context type="class" name="Cart">\nclass Cart:\n    def reckon_postage(self): ...\n</context>\n',),
        prefix="def total(cart):\n    return cart",
        typed=".reck",
        word=".reckon_postage",
        rest=".reckon_postage()",
        suffix="\n",
    )
    found = measures.completed(Prompt(arena), case, case.blocks, "in_place", 1, ways)
    assert found.startswith(".reck")
    assert measures.is_word(found, case) or ways == "searched"


@pytest.mark.slow(part="training")
@pytest.mark.timeout(900)  # two models' worth of decoding, on cores that others use
def test_the_layout_costs_little_and_edits_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # no door: a quick evaluation takes minutes
    monkeypatch.setattr("training.evaluate.QUICK", evaluate.Sizes(2, 16, 10, 4, 3, 6, 4, 3))
    monkeypatch.setattr("sys.argv", ["evaluate", "--quick", "--json", "--threads", "1"])
    evaluate.main()
    everything, figures = map(json.loads, capsys.readouterr().out.splitlines())
    assert everything["packages"]
    loss = figures["loss"]
    assert loss["in_place"] < loss["none"] + 0.1  # a small sample
    assert loss["in_place"] < loss["causal"] + 0.1
    assert figures["a_character"]["in_place"] < figures["a_character"]["none"] + 0.03
    assert 0 < figures["own"]["in_place"] < 2
    assert 0 < figures["end"] <= 1
    assert figures["words"]["right"] > figures["words"]["of"] / 4
    assert figures["words"]["right"] == everything["words"]["right"] >= everything["words"]["greedy"] - 1
    assert everything["names"].keys() >= {"in_place", "without", "greedy", "greedy_without", "searched"}
    assert everything["edits"]["difference"] < 0.001
    assert everything["edits"]["weights"] == "f32"
    assert everything["plain"]["loss"]["in_place"] < everything["plain"]["loss"]["none"] + 0.3
    assert figures["repairs"]["grammar"]["well_formed"] == 1.0


def test_without_held_out_packages_it_is_said_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # no door: the packages are installed here
    monkeypatch.setattr("training.held.read_installed", lambda name, folder: None)
    with pytest.raises(held.NothingHeldOut, match=r"pip install .*lark=="):
        held.make(tmp_path, 1, 1, 1)
