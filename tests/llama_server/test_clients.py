"""Clients that leave, come at once, send nonsense, or hold no key; and chats of models with templates."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import closing
from typing import Any

import pytest

from tests.llama_server.conftest import Client, HttpEngine

HELLO = [{"role": "user", "content": "hello"}]
ENDLESS = {"prompt": "x = ", "grammar": "root ::= [a-z] root", "n_predict": 3000, "temperature": 0}


def idle(client: Client) -> None:
    while any(slot["is_processing"] for slot in client.ask("/slots").data):
        time.sleep(0.02)


def generated(engine: HttpEngine) -> int:
    lines = engine.editors.ask("/v1/map?workspace=x").data["stats"]
    return int(lines["generated"])


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_stops_its_work(ours: Client, engine: HttpEngine, stream: bool) -> None:
    before = generated(engine)
    with closing(ours.connect()) as connection:
        connection.request("POST", "/completion", json.dumps({**ENDLESS, "stream": stream}))
        if stream:
            assert connection.getresponse().readline().startswith(b"data: {")
        else:
            while not any(slot["is_processing"] for slot in ours.ask("/slots").data):
                time.sleep(0.01)
    idle(ours)
    assert generated(engine) - before < 3000
    assert ours.post("/completion", prompt="x = ", n_predict=2, temperature=0).status == 200


def test_a_client_that_leaves_before_its_body_is_whole_hurts_nobody(ours: Client, engine: HttpEngine) -> None:
    with socket.create_connection(("127.0.0.1", engine.port)) as raw:
        raw.sendall(b"POST /completion HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
    assert ours.ask("/health").status == 200


def test_a_body_too_large_is_refused_before_it_is_sent(ours: Client) -> None:
    for path in ("/infill", "/v1/sync"):
        with closing(ours.connect()) as connection:
            connection.putrequest("POST", path)
            connection.putheader("Content-Length", str(1 << 30))
            connection.endheaders()
            answer = connection.getresponse()
            assert (answer.status, "larger than" in answer.read().decode()) == (400, True)


def test_two_clients_at_once_are_both_answered_right(ours: Client) -> None:
    bodies = [{"prompt": f"def f{i}(x):\n    return", "n_predict": 12, "temperature": 0} for i in range(4)]
    alone = [ours.post("/completion", **body).data["content"] for body in bodies]
    found: dict[int, str] = {}

    def ask(i: int) -> None:
        found[i] = ours.post("/completion", **bodies[i]).data["content"]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(4)] == alone


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("/completion", {"prompt": "a", "lora": [{"id": 0, "scale": 1}]}, "lora"),
    ("/completion", {"prompt": "a", "mirostat": 2}, "mirostat"),
    ("/completion", {"prompt": "a", "adaptive_target": 0.5}, "adaptive_target"),
    ("/completion", {"prompt": "a", "logit_bias": "x"}, "logit_bias"),
    ("/completion", {"prompt": "a", "logit_bias": [["a", "b"]]}, "logit_bias"),
    ("/completion", {"prompt": "a", "stop": [1]}, "stop"),
    ("/completion", {"prompt": "a", "samplers": 5}, "samplers"),
    ("/completion", {"prompt": "a", "temperature": True}, "temperature"),
    ("/completion", {"prompt": "a", "response_fields": 5}, "response_fields"),
    ("/completion", {"prompt": "a", "stream_options": 5}, "stream_options"),
    ("/completion", {"prompt": ["a", "b"], "stream": True}, "prompt"),
    ("/completion", {"prompt": [True]}, "prompt"),
    ("/completion", {"prompt": {"prompt_string": "a", "multimodal_data": ["x"]}}, "prompt.multimodal_data"),
    ("/completion", {"prompt": "a", "json_schema": {"type": "nothing"}}, "json_schema"),
    ("/v1/completions", {"prompt": "a", "suffix": "b"}, "suffix"),
    ("/v1/completions", {"prompt": "a", "best_of": 3}, "best_of"),
    (
        "/v1/chat/completions",
        {"messages": HELLO, "tools": [{"type": "function"}]},
        "tools",
    ),
    ("/v1/chat/completions", {"messages": [{"role": "tool", "content": "a"}]}, "messages"),
    ("/v1/chat/completions", {"messages": [{"content": "a"}]}, "messages"),
    ("/v1/chat/completions", {"messages": ["a"]}, "messages"),
    ("/v1/chat/completions", {"messages": []}, "messages"),
    (
        "/v1/chat/completions",
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
        "messages",
    ),
    ("/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "top_logprobs": 2}, "top_logprobs"),
    (
        "/v1/chat/completions",
        {"messages": [{"role": "user", "content": "a"}], "response_format": {"type": "x"}},
        "response_format",
    ),
    ("/infill", {"input_prefix": "", "input_suffix": "", "input_extra": [{"text": "a", "filename": 5}]}, "input_extra"),
]


@pytest.mark.parametrize(("path", "body", "field"), REFUSED)
def test_what_would_change_the_meaning_is_refused_by_name(
    path: str, body: dict[str, Any], field: str, ours: Client
) -> None:
    answer = ours.ask(path, body)
    assert answer.status == 400, answer
    assert answer.data["error"]["type"] == "invalid_request_error"
    assert answer.data["error"]["message"].startswith(f"{field}:")


@pytest.mark.parametrize("path", ["/embedding", "/v1/embeddings", "/rerank", "/slots/0", "/props", "/v1/messages"])
def test_what_is_not_served_says_so(path: str, ours: Client) -> None:
    answer = ours.post(path)
    assert (answer.status, answer.data["error"]["type"]) == (501, "not_supported_error")


def test_json_keeps_to_its_schema(ours: Client) -> None:
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    answer = ours.post("/completion", prompt="x = ", n_predict=100, temperature=0, json_schema=schema).data
    assert json.loads(answer["content"]).keys() == {"ok"}
    form = {"type": "json_schema", "json_schema": {"schema": {"type": "boolean"}}}
    chat = ours.post("/v1/chat/completions", messages=HELLO, max_tokens=20, temperature=0, response_format=form).data
    assert json.loads(chat["choices"][0]["message"]["content"]) in (True, False)


def test_no_web_page_is_let_in_without_a_key(ours: Client) -> None:
    for headers in ({"Origin": "https://example.org"}, {"Host": "example.org:8012"}):
        answer = ours.ask("/v1/shutdown", {}, **headers)
        assert (answer.status, answer.data["error"]["type"]) == (403, "permission_error")
    assert ours.ask("/health", Host="localhost:1").status == 200


def test_a_chat_goes_on_in_the_cache(without_fim: Client) -> None:
    hello = [{"role": "user", "content": "hello " * 20}]
    first = without_fim.post("/v1/chat/completions", messages=hello, max_tokens=4, temperature=0).data
    said = first["choices"][0]["message"]
    more = [*hello, said, {"role": "user", "content": "and?"}]
    second = without_fim.post("/v1/chat/completions", messages=more, max_tokens=4, temperature=0).data
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"] - 2
    assert first["usage"]["prompt_tokens"] == first["timings"]["prompt_n"] + first["timings"]["cache_n"]


def test_a_prompt_is_not_taken_from_the_cache_where_that_is_not_wanted(ours: Client) -> None:
    body = {"prompt": "a prompt of its own", "n_predict": 1, "temperature": 0, "cache_prompt": False}
    first, second = ours.post("/completion", **body).data, ours.post("/completion", **body).data
    assert first["timings"]["prompt_n"] == second["timings"]["prompt_n"] == first["tokens_evaluated"]
