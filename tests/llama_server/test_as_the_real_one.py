"""The same requests to the engine and to a stock llama-server with the same model: the same answers, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.llama_server.conftest import Client

CODE = "def add(a, b):\n    return"
HELLO = [{"role": "user", "content": "hello"}]
CHAT = [
    {"role": "system", "content": "S"},
    *HELLO,
    {"role": "assistant", "content": "A"},
    {"role": "user", "content": "B"},
]
TIMES = {
    "prompt_ms",
    "prompt_per_token_ms",
    "prompt_per_second",
    "predicted_ms",
    "predicted_per_token_ms",
    "predicted_per_second",
}
OWN = {  # each server's own business: compared by type alone
    *TIMES, "created", "id", "model", "system_fingerprint", "reasoning_format", "cache_n", "prompt_n", "cached_tokens",
}  # fmt: skip
"""`cache_n` and `prompt_n`: llama-server always decodes a prompt's last token once more, the engine may not have to."""


def assert_alike(real: Any, ours: Any, where: str = "") -> None:
    """The same keys in the same order, the same values but for OWN; numbers of the model to five digits."""
    if isinstance(real, dict):
        assert isinstance(ours, dict), where
        assert list(ours) == list(real), where
        for name, value in real.items():
            if name in OWN:
                assert type(ours[name]) is type(value), f"{where}/{name}"
            else:
                assert_alike(value, ours[name], f"{where}/{name}")
    elif isinstance(real, list):
        assert isinstance(ours, list), where
        assert len(ours) == len(real), where
        for i, pair in enumerate(zip(real, ours, strict=True)):
            assert_alike(*pair, f"{where}[{i}]")
    elif isinstance(real, float):
        assert ours == pytest.approx(real, abs=1e-4), where
    else:
        assert ours == real, where


GREEDY = {"temperature": 0, "n_predict": 6}
SAME = {
    "completion": ("/completion", {"prompt": CODE, **GREEDY}),
    "completion, by its other name": ("/completions", {"prompt": CODE, **GREEDY}),
    "its tokens": ("/completion", {"prompt": CODE, **GREEDY, "return_tokens": True}),
    "a stop string": ("/completion", {"prompt": CODE, **GREEDY, "n_predict": 20, "stop": ["\n", "never"]}),
    "an end": ("/completion", {"prompt": "x = ", **GREEDY, "grammar": 'root ::= "yes" | "no"'}),
    "fields chosen": (
        "/completion",
        {
            "prompt": CODE,
            **GREEDY,
            "response_fields": ["content", "timings/predicted_n", "generation_settings/n_predict", "nothing", "tokens"],
        },
    ),
    "no field": ("/completion", {"prompt": CODE, **GREEDY, "n_predict": 0, "response_fields": [""]}),
    "probabilities": ("/completion", {"prompt": CODE, **GREEDY, "n_probs": 3}),
    "probabilities after sampling": (
        "/completion",
        {"prompt": CODE, **GREEDY, "n_probs": 3, "post_sampling_probs": True},
    ),
    "tokens as the prompt": ("/completion", {"prompt": [10, 20, 300], **GREEDY}),
    "text and tokens mixed": ("/completion", {"prompt": ["abc", 300, "def"], **GREEDY}),
    "a prompt in an object": ("/completion", {"prompt": {"prompt_string": "abc"}, **GREEDY}),
    "several prompts": ("/completion", {"prompt": ["abc", "def"], **GREEDY}),
    "an empty prompt": ("/completion", {"prompt": "", **GREEDY}),
    "special tokens in a prompt": ("/completion", {"prompt": "<|fim_prefix|>def f", **GREEDY}),
    "indentation": (
        "/completion",
        {"prompt": "def f(x):\n    for i in x:\n        ", "n_indent": 8, "n_predict": 40, "temperature": 0},
    ),
    "a penalty": ("/completion", {"prompt": "a a a a", **GREEDY, "repeat_penalty": 1.3, "presence_penalty": 0.2}),
    "a bias": (
        "/completion",
        {"prompt": "x = ", **GREEDY, "logit_bias": [[10, 100.0], [12, False]], "response_fields": ["content"]},
    ),
    "limits of what is given": (
        "/completion",
        {"prompt": "x", "n_predict": 1, "temperature": -1, "top_k": -5, "top_p": 7, "samplers": ["top-k", "temp", "?"]},
    ),
    "no limit of tokens, null": ("/completion", {"prompt": CODE, "n_predict": None, "max_tokens": 3, "temperature": 0}),
    "a slot that there is not": ("/completion", {"prompt": "x = ", **GREEDY, "id_slot": 9}),
    "a seed": ("/completion", {"prompt": "def f", "n_predict": 12, "temperature": 0.9, "seed": 4, "top_k": 20}),
    "llama.vim's samplers": (
        "/completion",
        {"prompt": "def f", "n_predict": 8, "seed": 7, "samplers": ["top_k", "top_p", "infill"], "top_p": 0.9},
    ),
    "no samplers": ("/completion", {"prompt": "x = ", "n_predict": 4, "seed": 7, "samplers": []}),
    "samplers as letters": ("/completion", {"prompt": "x = ", "n_predict": 4, "seed": 7, "samplers": "kpt"}),
    "OpenAI's completion": ("/v1/completions", {"prompt": CODE, "max_tokens": 6, "temperature": 0, "model": "any"}),
    "OpenAI's stop": ("/v1/completions", {"prompt": CODE, "max_tokens": 30, "temperature": 0, "stop": "\n"}),
    "OpenAI's logprobs": ("/v1/completions", {"prompt": CODE, "max_tokens": 2, "temperature": 0, "logprobs": 2}),
    "a chat": ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 5, "temperature": 0}),
    "a chat, by its other name": (
        "/chat/completions",
        {"messages": CHAT, "max_completion_tokens": 5, "temperature": 0},
    ),
    "a chat's logprobs": (
        "/v1/chat/completions",
        {"messages": HELLO, "max_tokens": 2, "temperature": 0, "logprobs": True, "top_logprobs": 2},
    ),
    "parts of text": (
        "/v1/chat/completions",
        {
            "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
            "max_tokens": 3,
            "temperature": 0,
        },
    ),
    "an answer begun": (
        "/v1/chat/completions",
        {"messages": [*HELLO, {"role": "assistant", "content": "he"}], "max_tokens": 2, "temperature": 0},
    ),
    "tokenize": ("/tokenize", {"content": "def f(x):\n  return x<|fim_prefix|>"}),
    "tokenize with what a prompt begins with": (
        "/tokenize",
        {"content": "def f", "add_special": True, "with_pieces": True},
    ),
    "tokenize without special tokens": ("/tokenize", {"content": "a<|fim_prefix|>", "parse_special": False}),
    "tokenize a mixture": ("/tokenize", {"content": ["a", 5, "b"]}),
    "tokenize part of a character": ("/tokenize", {"content": "\u65e5", "with_pieces": True}),
    "tokenize nothing": ("/tokenize", {}),
    "detokenize": ("/detokenize", {"tokens": [1, 10, 20, 300]}),
    "detokenize nothing": ("/detokenize", {}),
    "apply-template": ("/apply-template", {"messages": CHAT}),
    "apply-template, no answer to come": ("/apply-template", {"messages": CHAT, "add_generation_prompt": False}),
    "apply-template, an answer begun": (
        "/apply-template",
        {"messages": [*HELLO, {"role": "assistant", "content": "he"}]},
    ),
    "health": ("/health", None),
    "nothing there": ("/nothing", None),
}


@pytest.mark.parametrize("name", SAME)
def test_an_answer_is_the_real_ones(name: str, exact: tuple[Client, Client]) -> None:
    real, ours = exact
    path, body = SAME[name]
    expected, found = real.ask(path, body), ours.ask(path, body)
    assert (found.status, found.kind) == (expected.status, expected.kind)
    if found.status == 200:
        assert_alike(expected.data, found.data)
    else:
        assert set(found.data["error"]) == set(expected.data["error"])


STREAMS = {
    "completion": ("/completion", {"prompt": CODE, **GREEDY}),
    "chosen fields": ("/completion", {"prompt": CODE, **GREEDY, "response_fields": ["content", "tokens_predicted"]}),
    "a stop string": ("/completion", {"prompt": CODE, **GREEDY, "n_predict": 20, "stop": ["\n</context>"]}),
    "timings": ("/completion", {"prompt": CODE, **GREEDY, "timings_per_token": True}),
    "OpenAI's completion": ("/v1/completions", {"prompt": CODE, "max_tokens": 3, "temperature": 0}),
    "a chat": ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 3, "temperature": 0}),
    "usage": (
        "/v1/chat/completions",
        {"messages": HELLO, "max_tokens": 3, "temperature": 0, "stream_options": {"include_usage": True}},
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_the_real_ones(name: str, exact: tuple[Client, Client]) -> None:
    real, ours = exact
    path, body = STREAMS[name]
    expected, found = real.post(path, **body, stream=True), ours.post(path, **body, stream=True)
    assert (found.status, found.kind.partition(";")[0]) == (200, "text/event-stream")
    assert_alike(expected.frames, found.frames)


WRONG = {
    "a number in words": ("/completion", {"prompt": "a", "n_predict": "2"}, "n_predict"),
    "a flag in words": ("/completion", {"prompt": "a", "stream": "yes"}, "stream"),
    "no prompt": ("/completion", {"n_predict": 2}, "prompt"),
    "a prompt that is none": ("/completion", {"prompt": 5}, "prompt"),
    "a token that there is not": ("/completion", {"prompt": [99999999]}, "prompt"),
    "too few tokens": ("/completion", {"prompt": "a", "n_predict": -2}, "n_predict"),
    "no grammar": ("/completion", {"prompt": "a", "grammar": "nonsense"}, "grammar"),
    "no JSON": ("/completion", b"{nope", "body"),
    "no object": ("/completion", b"[1]", "body"),
    "no messages": ("/v1/chat/completions", {"max_tokens": 5}, "messages"),
    "messages that are none": ("/v1/chat/completions", {"messages": "x"}, "messages"),
    "a message without content": ("/v1/chat/completions", {"messages": [{"role": "user"}]}, "messages"),
    "no prefix": ("/infill", {"input_suffix": ""}, "input_prefix"),
    "no suffix": ("/infill", {"input_prefix": ""}, "input_suffix"),
    "a prefix that is none": ("/infill", {"input_prefix": 5, "input_suffix": ""}, "input_prefix"),
    "chunks that are none": ("/infill", {"input_prefix": "", "input_suffix": "", "input_extra": 5}, "input_extra"),
    "a chunk without text": (
        "/infill",
        {"input_prefix": "", "input_suffix": "", "input_extra": [{"filename": "x"}]},
        "input_extra",
    ),
    "content that is none": ("/tokenize", {"content": 5}, "content"),
    "tokens that are none": ("/detokenize", {"tokens": ["a"]}, "tokens"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_as_there_and_named(name: str, real: Client, ours: Client) -> None:
    path, body, field = WRONG[name]
    expected, found = real.ask(path, body), ours.ask(path, body)
    assert found.status == expected.status == 400
    error = found.data["error"]
    assert list(error) == list(expected.data["error"])
    assert (error["code"], error["type"]) == (400, expected.data["error"]["type"])
    assert error["message"].startswith(f"{field}:")


def test_a_prompt_too_long_is_refused_with_both_numbers(real: Client, ours: Client) -> None:
    body = {"prompt": "a b " * 3000, "n_predict": 2}
    assert ours.ask("/completion", body).data == real.ask("/completion", body).data


def shape(value: Any) -> Any:
    """Types for values, an array's by its first."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


INFILL = {
    "input_prefix": "def double(x):\n",
    "input_suffix": "\n    return y\n",
    "prompt": "    y = ",
    "input_extra": [{"filename": "a.py", "text": "def helper(x):\n    return x\n", "time": [896, 1355349270]}],
    "n_predict": 4,
    "temperature": 0,
}


def test_an_infill_has_the_real_ones_fields(real: Client, ours: Client) -> None:
    expected, found = real.post("/infill", **INFILL).data, ours.post("/infill", **INFILL).data
    assert list(found) == list(expected)
    assert shape(found) == shape(expected)
    assert_alike(expected["generation_settings"], found["generation_settings"])


def test_what_is_here_is_told_in_the_real_ones_fields(real: Client, ours: Client) -> None:
    real.post("/completion", prompt=CODE, **GREEDY)
    ours.post("/completion", prompt=CODE, **GREEDY)
    expected, found = real.ask("/slots").data[0], ours.ask("/slots").data[0]
    assert shape(found).items() <= shape(expected).items()
    expected, found = real.ask("/props").data, ours.ask("/props").data
    assert set(found) < set(expected)
    assert found["default_generation_settings"]["n_ctx"] == expected["default_generation_settings"]["n_ctx"]
    for name in ("bos_token", "eos_token", "chat_template", "model_ftype"):
        assert found[name] == expected[name], name
    expected, found = real.ask("/v1/models").data, ours.ask("/models").data
    assert shape(found["data"][0]).items() <= shape(expected["data"][0]).items()
    assert found["data"][0]["meta"] == expected["data"][0]["meta"]


def test_an_ftype_of_several_words_is_told_whole(exact: tuple[Client, Client]) -> None:
    told = {client.ask("/props").data["model_ftype"] for client in exact}
    told |= {client.ask("/v1/models").data["data"][0]["meta"]["ftype"] for client in exact}
    assert told == {"all F32"}


def test_the_metrics_have_the_real_ones_names(real: Client, ours: Client) -> None:
    def names(text: str) -> list[str]:
        return [line for line in text.split("\n") if line.startswith("# TYPE")]

    expected, found = real.ask("/metrics"), ours.ask("/metrics")
    assert found.kind.partition(";")[0] == expected.kind.partition(";")[0] == "text/plain"
    assert set(names(found.text)) < set(names(expected.text))
    before = dict(line.split(" ") for line in found.text.split("\n") if line and line[0] != "#")
    ours.post("/completion", prompt="metrics = ", **GREEDY)
    after = dict(line.split(" ") for line in ours.ask("/metrics").text.split("\n") if line and line[0] != "#")
    name = "llamacpp:tokens_predicted_total"
    assert int(after[name]) - int(before[name]) == GREEDY["n_predict"]
