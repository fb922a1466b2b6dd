"""Prompts with nothing in them, of a model whose texts begin with no token of their own: answered as the real server
does, and nothing of what is in the cache is lost track of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.replaying.peer import started
from tests.llama_server.conftest import Client, Serve
from tests.models import written

GREEDY: dict[str, Any] = {"n_predict": 6, "temperature": 0}
TOLD = ["content", "stop_type", "truncated", "tokens_predicted", "tokens_evaluated", "prompt", "index"]
CODE = "def add(a, b):\n    return"


@pytest.fixture(scope="module")
def both(serve: Serve, small_models: Path) -> Iterator[tuple[Client, Client]]:
    """The real server and ours."""
    model = written("fim", small_models)
    with started(model, {"n_ctx": 4096, "threads": 1, "batch": 1024}) as url:
        yield Client(url), Client(serve(model).url)


@pytest.mark.parametrize("prompt", [[], "", ["a", ""], [[], [5, 6]], [5, 6]])
@pytest.mark.parametrize("stream", [False, True])
def test_nothing_is_answered_as_the_real_server_does(both: tuple[Client, Client], prompt: Any, stream: bool) -> None:
    if stream and isinstance(prompt, list) and not all(isinstance(item, int) for item in prompt):
        stream = False  # several prompts are answered whole here
    asked = {"prompt": prompt, **GREEDY, "response_fields": TOLD, "stream": stream, "id_slot": 1}
    usual = both[1].post("/completion", prompt=CODE, **GREEDY, id_slot=1).data["content"]
    real, ours = (client.post("/completion", **asked) for client in both)
    assert ours.status == real.status
    if ours.status == 200:
        if stream:
            assert ours.frames[-1]["stop_type"] == real.frames[-1]["stop_type"]
        else:
            known = {"content"} if "5" in str(prompt) or "a" in prompt else set()  # random weights, other kernels
            assert without(ours.data, known) == without(real.data, known)
    else:
        assert "must not be empty" in ours.text
        assert "must not be empty" in real.text
    for _ in range(2):
        again = both[1].post("/completion", prompt=CODE, **GREEDY, id_slot=1)
        assert (again.status, again.data["content"]) == (200, usual)


def without(data: Any, names: set[str]) -> Any:
    if isinstance(data, list):
        return [without(item, names) for item in data]
    return {name: value for name, value in data.items() if name not in names}


def test_nothing_is_answered_in_the_form_of_openai_too(both: tuple[Client, Client]) -> None:
    for client in both:
        assert client.post("/v1/completions", prompt=[], max_tokens=4).status == 400
        answer = client.post("/v1/completions", prompt="", max_tokens=4).data
        assert (answer["choices"][0]["text"], answer["choices"][0]["finish_reason"]) == ("", "length")
        assert answer["usage"]["total_tokens"] == 0


def test_what_is_in_a_slot_stays_what_is_noted_of_it(both: tuple[Client, Client]) -> None:
    """Empty prompts between longer and shorter ones: each answer is the one that a fresh slot gives."""
    ours = both[1]
    prompts = [CODE, "", CODE[:8], [5], "", CODE + " a", [[]], CODE]
    fresh = [ours.post("/completion", prompt=p, **GREEDY, cache_prompt=False, id_slot=2).data for p in prompts]
    for prompt, expected in zip(prompts, fresh, strict=True):
        found = ours.post("/completion", prompt=prompt, **GREEDY, id_slot=3)
        assert (found.status, text_of(found.data)) == (200, text_of(expected))


def text_of(data: Any) -> list[str]:
    return [item["content"] for item in (data if isinstance(data, list) else [data])]
