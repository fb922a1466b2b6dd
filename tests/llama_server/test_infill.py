"""`/infill` as llama.vim uses it: its own recorded requests, and what each may decode."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bench.benches.infill import CHUNKS, MOVED, TYPED, WARM_UP, kinds_of
from tests.llama_server.conftest import Client

RECORDED = Path(__file__).parent / "data" / "llama_vim.jsonl.gz"
CHUNK = {"filename": "area.py", "text": "def area(width, height):\n    return width * height\n"}
OTHER = {"filename": "edge.py", "text": "def edge(width, height):\n    return 2 * (width + height)\n"}
PREFIX, SUFFIX = "def volume(width, height, depth):\n", "\n    return base * depth\n"


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).decode().splitlines()]


def short(request: dict[str, Any]) -> dict[str, Any]:
    """The same with a shorter answer."""
    return {**request, "n_predict": min(request["n_predict"], 16)}


def infill(client: Client, prompt: str, *chunks: dict[str, str], prefix: str = PREFIX, **more: Any) -> Any:
    body = {"input_prefix": prefix, "input_suffix": SUFFIX, "prompt": prompt, "input_extra": list(chunks)}
    answer = client.post("/infill", **{"n_predict": 4, "temperature": 0, "id_slot": 2, **body, **more})
    assert answer.status == 200, answer
    return answer.data


def decoded(answer: Any) -> int:
    return int(answer["timings"]["prompt_n"])


def test_llama_vims_requests_as_it_makes_them_cost_what_is_new(layout: tuple[str, Client]) -> None:
    kind, client = layout
    rows = recorded()
    costs: dict[str, list[int]] = {}
    for row, request in zip(rows, kinds_of(rows), strict=True):
        answer = client.ask("/infill", short(row["request"]))
        assert answer.status == 200, answer
        asked = row["request"]["response_fields"]
        assert list(answer.data) == [name for name in asked if name]
        told = client.ask("/slots").data[0]["n_prompt_tokens_processed"]
        if asked != [""]:
            assert answer.data["timings/prompt_n"] == told
        costs.setdefault(request, []).append(told)
    assert set(costs) == {WARM_UP, MOVED, TYPED, CHUNKS}
    if kind != "whole prompts":
        assert max(costs[TYPED] + costs[CHUNKS]) <= 8
        assert sum(costs[WARM_UP]) > 0


def test_a_chunk_is_decoded_once(ours: Client) -> None:
    first = infill(ours, "    base = ", CHUNK)
    again = infill(ours, "    base = ", CHUNK, OTHER, prefix="# one\n" + PREFIX)
    back = infill(ours, "    base = ", OTHER, CHUNK, prefix="# two\n" + PREFIX)
    window = decoded(back)
    assert decoded(first) > window, "the window is all that is new when both chunks are known"
    assert decoded(again) > window
    assert back["tokens_evaluated"] > first["tokens_evaluated"]


def test_chunks_that_change_under_an_open_line_wait_for_the_next_window(ours: Client) -> None:
    infill(ours, "    base", CHUNK, prefix="# three\n" + PREFIX)
    other = infill(ours, "    base = ", OTHER, prefix="# three\n" + PREFIX)
    assert decoded(other) <= 8
    assert "def area" in other["prompt"]
    moved = infill(ours, "    base = ", OTHER, prefix="# four\n" + PREFIX)
    assert "def area" not in moved["prompt"]
    assert "def edge" in moved["prompt"]


def test_a_warm_up_decodes_the_chunks_and_says_nothing(ours: Client) -> None:
    chunk = {"filename": "warm.py", "text": "def warm(x):\n    return x + 273\n"}
    body = {"input_prefix": "", "input_suffix": "", "n_predict": 0, "input_extra": [chunk], "id_slot": 2}
    warm = ours.post("/infill", **body, prompt="")
    assert decoded(warm.data) > 0
    assert (warm.data["content"], warm.data["tokens_predicted"]) == ("", 0)
    assert decoded(ours.post("/infill", **body).data) == 0


def test_an_answer_begins_at_the_cursor_also_inside_a_word(ours: Client) -> None:
    whole = infill(ours, "    base = wid", CHUNK)
    assert whole["content"].startswith("th"), whole["content"]


def test_of_an_empty_line_the_answer_has_the_indentation_too(ours: Client) -> None:
    """llama.vim sends nothing of a line with blanks alone."""
    whole = infill(ours, "", CHUNK)
    assert whole["content"].startswith("    "), whole["content"]
    assert whole["content"].strip()
    deep = infill(ours, "", CHUNK, prefix=" " * 1_900 + "x = 1\n")
    assert len(deep["content"]) - len(deep["content"].lstrip(" ")) < 200
    typed = infill(ours, "    ", CHUNK)
    assert whole["content"] == "    " + typed["content"]


PLACES = [
    ("def volume(width, height, depth):\n", "\n    return base * depth\n"),
    ("def f(xs):\n    count = 0\n", "\n        count += 1\n    return count\n"),
    ("def g(a, b):\n", "\n    return size, name\n"),
]


def test_the_code_behind_chooses_where_a_client_asks_for_it(ours: Client) -> None:
    n_others = 0
    for prefix, suffix in PLACES:

        def asked(prefix: str = prefix, suffix: str = suffix, **more: Any) -> Any:
            given = {"n_predict": 24, "stop": ["\n"], "input_suffix": suffix, **more}
            return infill(ours, "    ", prefix=prefix, **given)

        likeliest, chosen, three = asked()["content"], asked(review=8)["content"], asked(review=8, n_cmpl=3)
        n_others += chosen != likeliest
        texts = [one["content"] for one in three]
        assert len(set(texts)) == 3
        assert {chosen, likeliest} <= set(texts)
        assert suffix.strip().split("\n")[0] not in texts, "what stands behind likes itself best"
        frames = ours.post(
            "/infill", input_prefix=prefix, input_suffix=suffix, prompt="    ", n_predict=24, temperature=0, id_slot=2,
            stop=["\n"], review=8, stream=True,
        ).frames  # fmt: skip
        assert "".join(frame["content"] for frame in frames) == chosen
    assert n_others


def test_a_review_works_wherever_infills_do_and_leaves_nothing(layout: tuple[str, Client]) -> None:
    client, own = layout[1], {"filename": "own.py", "text": "def height_of(box):\n    return box.height\n"}
    before = infill(client, "    base = ", own, n_predict=16)
    for _ in range(3):
        infill(client, "    base = ", own, n_predict=16, review=8, n_cmpl=2)
    again = infill(client, "    base = ", own, n_predict=16)
    assert again["content"] == before["content"]
    assert decoded(again) <= 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 0.5),
        ("grammar", 'root ::= "a"'),
        ("repeat_penalty", 1.1),
        ("logit_bias", [[1, 2]]),
        ("n_probs", 2),
        ("review", 17),
    ],
)
def test_a_review_that_would_not_mean_anything_is_refused(ours: Client, name: str, value: Any) -> None:
    body = {"input_prefix": PREFIX, "input_suffix": SUFFIX, "n_predict": 4, "temperature": 0, "review": 8}
    answer = ours.post("/infill", **{**body, name: value})
    assert answer.status == 400
    assert answer.data["error"]["message"].startswith("review: ")


def test_slots_have_windows_and_chunks_of_their_own(ours: Client) -> None:
    infill(ours, "    base", CHUNK, id_slot=2, prefix="# five\n" + PREFIX)
    other = infill(ours, "    base", OTHER, id_slot=3, prefix="# five\n" + PREFIX)
    assert "def area" not in other["prompt"]
    back = infill(ours, "    base", CHUNK, id_slot=2, prefix="# five\n" + PREFIX)
    assert decoded(back) == 0


def test_a_window_too_long_is_cut_at_a_line_that_stays(ours: Client) -> None:
    lines = [f"def f{i}(x):\n    return x + {i}\n" for i in range(400)]
    first = infill(ours, "    y", prefix="".join(lines[:300]))
    shown = first["prompt"].partition("<|fim_prefix|>")[2]
    assert shown.startswith(("def f", "    return"))
    moved = infill(ours, "    y", prefix="".join(lines[1:301]))
    assert decoded(moved) < decoded(first) / 4, "the window slid by two lines"


def test_a_line_too_long_is_refused_before_anything_is_decoded(layout: tuple[str, Client]) -> None:
    """Also one that stands alone; one that fits has the window that is left."""
    client, own = layout[1], {"filename": "own.py", "text": "def depth_of(box):\n    return box.depth\n"}
    infill(client, "    base = ", own)
    before = client.ask("/slots").data[2]["n_prompt_tokens_processed"]
    line = "value = " * 16_000
    for body in ({"input_prefix": PREFIX, "input_suffix": SUFFIX}, {"input_prefix": "", "input_suffix": ""}):
        answer = client.post("/infill", **body, prompt=line, input_extra=[own], id_slot=2, n_predict=4)
        assert (answer.status, answer.data["error"]["type"]) == (400, "exceed_context_size_error"), answer
        assert answer.data["error"]["n_prompt_tokens"] > 16_000
    assert client.ask("/slots").data[2]["n_prompt_tokens_processed"] == before
    assert decoded(infill(client, "value = " * 200, prefix="# one line\n" * 2_000)) > 200


def test_a_model_without_fim_tokens_says_so(without_fim: Client) -> None:
    answer = without_fim.post("/infill", input_prefix="a", input_suffix="b")
    assert answer.status == 501
    assert answer.data["error"]["type"] == "not_supported_error"
    assert "Infill is not supported" in answer.data["error"]["message"]


def test_a_grammar_holds_without_healing(ours: Client) -> None:
    answer = infill(ours, "    base = wid", CHUNK, grammar='root ::= "th" [a-z]')
    assert answer["content"][:2] == "th"
    assert len(answer["content"]) == 3
