"""Several completions of one prompt: made together, in the real one's shapes, as llama.vscode asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llama_server.conftest import Client, stock_in_f32
from tests.llama_server.test_as_the_real_one import assert_alike

PREFIX, SUFFIX = "def volume(width, height, depth):\n", "\n    return base * depth\n"
HELLO = [{"role": "user", "content": "hello"}]
LLAMA_VSCODE = {
    "id_slot": 0,
    "input_prefix": PREFIX,
    "input_suffix": SUFFIX,
    "input_extra": [
        {"text": "def area(width, height):\n    return width * height\n", "time": 7, "filename": "area.py"}
    ],
    "prompt": "    base = ",
    "n_predict": 8,
    "n_cmpl": 3,
    "top_k": 40,
    "top_p": 0.99,
    "stream": False,
    "samplers": ["top_k", "top_p", "infill"],
    "cache_prompt": True,
    "n_indent": 4,
    "t_max_prompt_ms": 500,
    "t_max_predict_ms": 2500,
    "model": "any/model",
}
"""The fields that it sends while a person types, with values of our own."""


@pytest.fixture(scope="module")
def four(in_f32: tuple[Path, Client]) -> Iterator[tuple[Client, Client]]:
    """The stock llama-server with four slots, and ours, over the same model and in f32 throughout."""
    model, ours = in_f32
    with stock_in_f32(model, n_ctx=16384, parallel=4) as url:
        yield Client(url), ours


def without_slots(data: Any) -> Any:
    """Each server chooses its slots by itself."""
    if isinstance(data, list):
        return [without_slots(item) for item in data]
    return {name: value for name, value in data.items() if name != "id_slot"} if isinstance(data, dict) else data


SEEDED = {"seed": 11, "temperature": 1.5, "n_predict": 6}
SAME: dict[str, tuple[str, dict[str, Any]]] = {
    "a completion": ("/completion", {"prompt": "def f", **SEEDED, "n_cmpl": 3}),
    "two prompts": ("/completion", {"prompt": ["def f", "x = "], **SEEDED, "n_cmpl": 2}),
    "two names for it": ("/completion", {"prompt": "def f", **SEEDED, "n_cmpl": 2, "n": 3}),
    "one": ("/completion", {"prompt": "def f", **SEEDED, "n_cmpl": 1}),
    "chosen fields": (
        "/completion",
        {"prompt": "def f", **SEEDED, "n_cmpl": 2, "response_fields": ["index", "content", "timings/predicted_n"]},
    ),
    "stop strings": ("/completion", {"prompt": "def f", **SEEDED, "n_predict": 24, "n_cmpl": 4, "stop": ["e", "("]}),
    "OpenAI's completions": ("/v1/completions", {"prompt": "def f", "max_tokens": 4, "seed": 11, "n": 2}),
    "OpenAI's, of two prompts": ("/v1/completions", {"prompt": ["def f", "x ="], "max_tokens": 4, "temperature": 0}),
    "chats": ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 3, "seed": 11, "n": 3}),
    "too many": ("/completion", {"prompt": "def f", "n_cmpl": 9}),
    "none": ("/v1/completions", {"prompt": "def f", "n": 0}),
}


@pytest.mark.parametrize("name", SAME)
def test_they_are_the_real_ones(name: str, four: tuple[Client, Client]) -> None:
    real, ours = four
    path, body = SAME[name]
    expected, found = real.ask(path, body), ours.ask(path, body)
    assert found.status == expected.status
    if found.status == 200:
        assert_alike(without_slots(expected.data), without_slots(found.data))
    else:
        assert list(found.data["error"]) == list(expected.data["error"])
        assert found.data["error"]["message"].startswith(("n_cmpl: expected 1 to 4", "n: expected 1 to 4"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/completion", {"prompt": "def f", "n_predict": 3, "temperature": 0, "n_cmpl": 2}),
        ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 2, "temperature": 0, "n": 2}),
    ],
)
def test_streams_have_the_real_ones_events_for_each(
    path: str, body: dict[str, Any], four: tuple[Client, Client]
) -> None:
    def by_index(client: Client) -> list[list[Any]]:
        """The order among completions is nobody's promise."""
        frames = [frame for frame in client.post(path, **body, stream=True).frames if frame != "[DONE]"]
        ours = [(frame["choices"][0] if "choices" in frame else frame)["index"] for frame in frames]
        return [[without_slots(f) for f, at in zip(frames, ours, strict=True) if at == i] for i in range(2)]

    real, ours = four
    assert_alike(by_index(real), by_index(ours))


def infills(client: Client, **more: Any) -> Any:
    answer = client.post("/infill", **LLAMA_VSCODE | more)
    assert answer.status == 200, answer
    return answer.data


def test_llama_vscode_gets_its_three(four: tuple[Client, Client]) -> None:
    real, ours = four
    expected, found = infills(real), infills(ours)
    assert [list(one) for one in found] == [list(one) for one in expected]
    assert [one["index"] for one in found] == [0, 1, 2]
    assert all(one["tokens_predicted"] >= 1 for one in found)


def test_they_are_made_in_one_batch_and_leave_nothing_behind(layout: tuple[str, Client]) -> None:
    _, client = layout
    alone = infills(client, n_cmpl=1, temperature=0, samplers=["temperature"])
    calls = n_calls(client)
    several = infills(client, temperature=0, samplers=["temperature"])
    assert several[0]["content"] == alone["content"]
    assert len({one["content"][:4] for one in several}) == 3, "each begins otherwise"
    assert [one["timings"]["prompt_n"] for one in several] == [several[0]["timings"]["prompt_n"]] * 3
    assert n_calls(client) - calls <= max(one["tokens_predicted"] for one in several) + 1
    again = infills(client, n_cmpl=1, temperature=0, samplers=["temperature"], prompt="    base = x")
    assert again["timings"]["prompt_n"] <= 8, "the prompt is still in the cache"
    drawn = infills(client, n_cmpl=4, seed=3, n_predict=12, samplers=["temperature"], temperature=2)
    assert len({one["content"] for one in drawn}) > 1
    for _ in range(40):  # more sequences than there are, were any kept
        assert len(infills(client, n_cmpl=4, n_predict=1)) == 4


def n_calls(client: Client) -> int:
    lines = dict(line.split(" ") for line in client.ask("/metrics").text.split("\n") if line and line[0] != "#")
    return int(lines["llamacpp:n_decode_total"])


def test_one_that_ends_early_does_not_end_the_others(four: tuple[Client, Client]) -> None:
    _, ours = four
    body = {"prompt": "x = ", "grammar": 'root ::= "a" | "b" [c-f]{12}', "temperature": 3, "n_predict": 30, "seed": 2}
    found = {
        one["content"] for seed in range(6) for one in ours.post("/completion", **body | {"seed": seed}, n_cmpl=4).data
    }
    assert "a" in found
    assert any(len(text) == 13 for text in found)


def test_warm_ups_may_ask_for_several_too(four: tuple[Client, Client]) -> None:
    body = {**LLAMA_VSCODE, "input_prefix": "", "input_suffix": "", "prompt": "", "n_predict": 0, "samplers": []}
    found = four[1].post("/infill", **body).data
    assert [(one["index"], one["content"]) for one in found] == [(0, ""), (1, ""), (2, "")]


THEIRS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "llama.vim's instruction": (
        "/v1/chat/completions",
        {"id_slot": 7, "messages": HELLO, "min_p": 0.1, "temperature": 0.1, "samplers": ["min_p", "temperature"],
         "stream": True, "cache_prompt": True, "model": ""},
    ),
    "llama.vim's warm-up": (
        "/infill",
        {"id_slot": 0, "input_prefix": "", "input_suffix": "", "input_extra": LLAMA_VSCODE["input_extra"], "prompt": "",
         "n_predict": 0, "temperature": 0.0, "samplers": [], "stream": False, "cache_prompt": True,
         "t_max_prompt_ms": 1, "t_max_predict_ms": 1, "response_fields": [""], "model": ""},
    ),
    "llama.vscode's warm-up": (
        "/infill",
        {"id_slot": 0, "input_prefix": "", "input_suffix": "", "input_extra": LLAMA_VSCODE["input_extra"], "prompt": "",
         "n_predict": 0, "samplers": [], "cache_prompt": True, "t_max_prompt_ms": 500, "t_max_predict_ms": 1},
    ),
    "llama.vscode's chat": (
        "/v1/chat/completions",
        {"messages": [{"role": "system", "content": "S"}, *HELLO], "stream": False, "temperature": 0.8,
         "model": "any/model"},
    ),
    "llama.vscode's edit": (
        "/v1/chat/completions",
        {"messages": HELLO, "stream": False, "cache_prompt": True, "temperature": 0.8, "top_p": 0.95},
    ),
    "its models": ("/v1/models", None),
    "its properties": ("/props?model=any%2Fmodel&autoload=false", None),
    "its health": ("/health", None),
    "its template": ("/apply-template", {"messages": HELLO, "model": "any/model"}),
    "its tokens": ("/tokenize", {"content": "x = 1", "add_special": False, "parse_special": True}),
}  # fmt: skip
"""What both send besides: their fields, our values (and fewer tokens, where they would wait for an end)."""


@pytest.mark.parametrize("name", THEIRS)
def test_what_both_clients_send_is_answered(name: str, ours: Client) -> None:
    path, body = THEIRS[name]
    if path.endswith("completions"):
        body = {**(body or {}), "max_tokens": 4}
    answer = ours.ask(path, body)
    assert answer.status == 200, answer
    if name == "its health":
        assert answer.data["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/infill", {**LLAMA_VSCODE, "lora": [{"id": 0, "scale": 0.5}]}, "lora: is not supported here."),
        ("/infill", {**LLAMA_VSCODE, "n_cmpl": 7}, "n_cmpl: expected 1 to 4, got 7."),
        (
            "/v1/chat/completions",
            {"messages": HELLO, "stream": True, "tools": [{"type": "function"}], "tool_choice": "auto"},
            "tools: tools are not supported here.",
        ),
        ("/v1/embeddings", {"input": "text", "encoding_format": "float"}, "This server does not support embeddings."),
    ],
)
def test_what_is_not_served_is_refused_by_name(path: str, body: dict[str, Any], said: str, ours: Client) -> None:
    answer = ours.ask(path, body)
    assert answer.status in (400, 501)
    assert answer.data["error"]["message"].startswith(said)


@pytest.mark.parametrize("prompt", ["    base = ", "    base = wi", "    ret", ""])
def test_a_person_is_not_shown_the_same_three_times(prompt: str, four: tuple[Client, Client]) -> None:
    """Where the model is sure, drawing three times gives the same three times; also where it goes on within a word."""
    _, ours = four
    found = infills(ours, prompt=prompt, temperature=0.01)
    said = [one["content"].strip() for one in found if one["content"].strip()]
    assert len(said) > 1
    assert not [(a, b) for i, a in enumerate(said) for b in said[i + 1 :] if a.startswith(b) or b.startswith(a)]
