"""Requests that a generator makes up, to every route of both doors: refused or answered, never a defect, never an end.

The seed is fixed: what fails here fails again.  `FUZZ_SEED` and `FUZZ_N` make a longer search of one's own.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.engine.llama_server.requests import params
from palimpsest.json_data import from_json
from tests.llama_server.conftest import EMBEDDED, Client, HttpEngine

SEED, N = int(os.environ.get("FUZZ_SEED", "7")), int(os.environ.get("FUZZ_N", "400"))
NORMAL = {"prompt": "def add(a, b):\n    return", "n_predict": 8, "temperature": 0}
COMPLETE = {"workspace": "w", "fim": {"prefix": "def add(a, b):\n    return ", "suffix": "\n"}, "max_tokens": 8}
NOT_DEFECTS = {501, 503, 507}
"""What is not done here; what is too much at once; a context that is too small: said, and meant."""
NUMBERS = [
    0,
    -1,
    1,
    2,
    3,
    64,
    -(2**31),
    2**31 - 1,
    2**31,
    2**32,
    2**63,
    2**64,
    10**39,
    0.5,
    -0.0,
    1e-300,
    1e300,
    1e38,
    -1e38,
]
TEXTS = [
    "",
    "a",
    "\0",
    "é日本🎈",
    "\ud800",
    "\udfff\ud83d",
    "<|endoftext|>",
    "a" * 5000,
    " \n\t" * 50,
    "x\r\n",
    "1",
    "true",
    "root",
]
VALUES: list[Any] = [
    None,
    True,
    False,
    *NUMBERS,
    *TEXTS,
    [],
    {},
    [[]],
    [{}],
    [None],
    [1, "a"],
    [-1],
    [10**9],
    [[1], [2]],
    {"a": {}},
]
SAMPLING = [*params.FLOATS, *params.INTS, "top_k", "seed"]
OPTIONS = [
    *SAMPLING,
    "samplers",
    "n_predict",
    "max_tokens",
    "n_indent",
    "t_max_predict_ms",
    "stop",
    "stream",
    "id_slot",
    "cache_prompt",
    "return_tokens",
    "timings_per_token",
    "stream_options",
    "response_fields",
    "n_probs",
    "logprobs",
    "top_logprobs",
    "post_sampling_probs",
    "ignore_eos",
    "logit_bias",
    "dry_sequence_breakers",
    "grammar",
    "json_schema",
    "n",
    "n_cmpl",
    "n_keep",
    "mirostat",
    "lora",
    "best_of",
    "suffix",
    "echo",
    "model",
]
SHAPED: dict[str, list[Any]] = {
    "samplers": ["kkkkeddx", ["top_k", "dry", "xtc", "infill"], ["temperature", "typ_p", "top_n_sigma"], "ei", []],
    "stop": [["a", "b"], ["\n"] * 127, "x" * 1000, ["\ud800"]],
    "logit_bias": [[[5, 1e38], [6, -1e38]], {"5": 99, "-1": 3}, [["a", False]], [[5, False]] * 50, [[10**20, 1]]],
    "grammar": ['root ::= "a" | "b"', 'root ::= [^"]+', "root ::= ", 'root ::= ("x"?)*', "root", "root ::= [\ud800-z]"],
    "json_schema": [{"type": "boolean"}, {"enum": [1, "a", None, {}]}, {"type": ["string", "null"]}, {"$ref": "#/a"}],
    "slot": ["typing", "suggestion", "chat", "background"],
    "tail": ["typing", "background", None],
    "draft": [0, 1, 8, 2**31 - 1],
    "word_search": [0, 1, 4, 1000],
    "n": [1, 2, 16],
    "n_cmpl": [1, 2, 3],
    "time_ms": [0, 1, 2**31 - 1],
    "replace": ["", "line"],
    "max_decode": [0, 1, 2**63],
    "max_decode_ms": [0, 1, 2**63],
    "id_slot": [-1, 0, 3, 99],
    "response_fields": [["content"], ["a/b/c", ""], ["generation_settings/seed"]],
    "n_predict": [0, 1, 2, 3],
    "max_tokens": [0, 1, 2, 3],
    "n_probs": [1, 100],
    "top_logprobs": [1, 20],
    "logprobs": [True, 5],
    "temperature": [0, 1, 1e-40, 1e30],
    "min_keep": [1, 2**31 - 1],
    "mirostat": [0, 1],
    "stream_options": [{"include_usage": True}],
}
PROMPTS = [*TEXTS, [], [1, 2, 3], ["a", "b"], [[1], "a"], [10**9], {"prompt_string": "a"}, "a b " * 300, [5] * 300]
MESSAGES = [
    [{"role": "user", "content": "hi"}],
    [{"role": "x"}],
    [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
]
FILES = [[{"filename": "a.py", "text": "x = 1\n"}], [{"text": "\ud800"}] * 3, [{"filename": 5, "text": "a"}]]
BLOCKS = [
    [{"key": "a", "text": "x = 1\n"}],
    [{"key": "", "hash": "00"}],
    [{"key": "\ud800", "text": ""}] * 2,
]
POSTS = {
    "/completion": ["prompt", *OPTIONS],
    "/v1/completions": ["prompt", *OPTIONS],
    "/chat/completions": ["messages", "response_format", "chat_template_kwargs", "tools", *OPTIONS],
    "/infill": ["input_prefix", "input_suffix", "input_extra", "prompt", *OPTIONS],
    "/apply-template": ["messages", "add_generation_prompt", "chat_template_kwargs"],
    "/tokenize": ["content", "add_special", "parse_special", "with_pieces"],
    "/detokenize": ["tokens"],
    "/embeddings": ["input"],
    "/v1/sync": ["workspace", "header", "footer", "blocks", "slot", "max_decode", "max_decode_ms"],
    "/v1/generate": [
        "workspace",
        "fim",
        "text",
        "slot",
        "sync",
        "max_tokens",
        "time_ms",
        "stop",
        "grammar",
        "n",
        "sampling",
        "stream",
        "replace",
        "draft",
        "tail",
        "word_search",
    ],
    "/v1/score": ["workspace", "lines", "variants", "slot", "sync", "replace"],
    "/v1/count": ["texts"],
    "/v1/reset": ["workspace"],
    "/v1/close": ["workspace"],
    "/nowhere": ["x"],
}
GETS = [
    "/health",
    "/v1/health",
    "/v1/model",
    "/props",
    "/slots",
    "/metrics",
    "/models",
    "/v1/map?workspace=w",
    "/v1/map?workspace=%ed%a0%80",
    "/v1/map",
    "/%00",
    "/slots?x=%ff",
    "/../../etc/passwd",
]
NEEDED: dict[str, list[Any]] = {
    "prompt": PROMPTS,
    "messages": MESSAGES,
    "input_prefix": TEXTS,
    "input_suffix": TEXTS,
    "input_extra": FILES,
    "content": PROMPTS,
    "tokens": [[1, 2], [10**9], [-1], []],
    "blocks": BLOCKS,
    "texts": [TEXTS, [], [""]],
    "lines": [["a\n", "b\n", "c\n"], ["a" * 9000, "b"], [""], [], ["\ud800", "\0"]],
    "variants": [
        [{"start": 1, "end": 2, "lines": ["x\n"]}, {"start": 2, "end": 3, "lines": []}],
        [{"start": 1, "end": 1, "lines": ["\ud800"]}] * 64,
        [{"start": 1, "end": 2, "lines": ["x" * 9000]}] * 64,
        [{"start": -1, "end": 2**63, "lines": ["x"]}],
        [{"start": 1}],
        [],
    ],
    "workspace": ["w", "x", "http-0", "http-0:text", "\ud800", "a" * 300],
    "header": TEXTS,
    "footer": TEXTS,
    "fim": [{"prefix": "x = ", "suffix": "\n"}, {"prefix": "\ud800", "suffix": "", "layout": "psm"}, {"prefix": "a"}],
}
RAW = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"a"',
    b"[" * 100_000,
    b'{"prompt": ' * 50_000,
    b"\xff\xfe{}",
    b'{"prompt": "\xed\xa0\x80"}',
    b'{"prompt": 1' + b"0" * 400 + b"}",
    b'{"seed": 1e999, "prompt": "a"}',
    b'{"seed": NaN, "prompt": "a"}',
    b'{"temperature": Infinity}',
    b'{"prompt": "a", "prompt": 5}',
    b'{"n_predict": -1' + b"0" * 5000 + b"}",
    b"{\x00}",
    b'{"prompt": "\\ud800", "n_predict": 1}',
    b"{" + b'"a":1,' * 100_000 + b'"b":2}',
]


class Maker:
    """Bodies: the fields that a route has, some of them with values of their kind, some with others."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, name: str, depth: int = 0) -> Any:
        choose = self._random
        usual = SHAPED.get(name) or NEEDED.get(name)
        if usual and choose.random() < 0.9:
            return choose.choice(usual)
        if name == "sync" and choose.random() < 0.7:
            return self.body("/v1/sync")
        if name == "sampling" and choose.random() < 0.7:
            names = ("temperature", "top_k", "top_p", "min_p", "repeat_penalty", "repeat_last_n", "seed")
            return {key: choose.choice([0, 1, 1.5, *NUMBERS]) for key in choose.sample(names, 2)}
        if depth < 3 and choose.random() < 0.1:
            return [self.value(name, depth + 1) for _ in range(choose.randrange(4))]
        if name in SAMPLING and choose.random() < 0.7:
            return choose.choice(NUMBERS)
        return choose.choice(VALUES)

    def body(self, path: str) -> dict[str, Any]:
        choose, names = self._random, POSTS[path]
        needed = [name for name in names if name in NEEDED and choose.random() < 0.97]
        others = choose.sample(names, min(choose.choice([0, 1, 1, 2, 4]), len(names)))
        # nobody waits for long answers here; one whose length is made up has little room
        limits = {"n_predict": 3, "max_tokens": 3} if path.startswith(("/c", "/i", "/v1/c", "/v1/g")) else {}
        return limits | {name: self.value(name) for name in [*needed, *others]}

    def request(self) -> tuple[str, Any]:
        choose = self._random
        kind = choose.random()
        if kind < 0.1:
            return choose.choice(GETS), None
        path = choose.choice(list(POSTS))
        return path, choose.choice(RAW) if kind < 0.2 else self.body(path)


@pytest.fixture(scope="module")
def engine() -> Iterator[HttpEngine]:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "1024", "--store-mb", "16").ready()
    yield engine
    engine.close()


def usual(engine: HttpEngine) -> tuple[str, str]:
    own = engine.editors.ask("/v1/generate", COMPLETE | {"workspace": "normal"}).data["choices"][0]["text"]
    return Client(engine.url).post("/completion", **NORMAL, id_slot=3).data["content"], own


@pytest.mark.slow(part="storms")
def test_whatever_is_sent_is_answered_or_refused(engine: HttpEngine) -> None:
    make, doors, before = Maker(SEED), (Client(engine.url), engine.editors), usual(engine)
    for i in range(N):
        path, body = make.request()
        for door in doors:
            raw = body if isinstance(body, bytes) or body is None else json.dumps(body)
            said = f"request {i} of seed {SEED}: {path} {str(raw)[:1500]}"
            try:
                answer = door.ask(path, raw.encode() if isinstance(raw, str) else raw)
            except OSError as error:
                pytest.fail(f"{said}: {error!r}, exit status {engine.popen.poll()}")
            assert answer.status < 500 or answer.status in NOT_DEFECTS, f"{said}: {answer.status} {answer.text[:2000]}"
            if "json;" in answer.kind or answer.kind.endswith("/json"):
                json.loads(
                    answer.text, parse_constant=lambda name, said=said: pytest.fail(f"{said}: {name} is no JSON")
                )
        if i % 50 == 49:
            assert usual(engine) == before, f"by request {i} of seed {SEED}"
    assert usual(engine) == before
    assert engine.popen.poll() is None
    assert from_json(engine.editors.ask("/v1/health").data, wire.Health).state == "ready"


@pytest.mark.parametrize("raw", RAW, ids=range(len(RAW)))
def test_a_body_that_is_no_request_is_refused(engine: HttpEngine, raw: bytes) -> None:
    for client, path in ((Client(engine.url), "/completion"), (engine.editors, "/v1/generate")):
        answer = client.ask(path, raw)
        assert answer.status == 400 or b'"a", "prompt"' in raw or b"\\ud800" in raw, answer.text[:500]


@pytest.mark.parametrize(
    "asked",
    [
        {"repeat_last_n": 150_000_000, "repeat_penalty": 1.1, "temperature": 1},
        {"dry_penalty_last_n": 150_000_000, "dry_multiplier": 1.0, "temperature": 1},
        {"min_keep": 2**31 - 1, "temperature": 1},
        {"n_probs": 100, "n_predict": 2},
        {"samplers": "e" * 100, "temperature": 1, "repeat_last_n": 2**31 - 1},
    ],
)
def test_a_number_takes_no_more_memory_than_the_context_has(engine: HttpEngine, asked: dict[str, Any]) -> None:
    def mapped() -> int:
        with open(f"/proc/{engine.popen.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmPeak"))

    Client(engine.url).post("/completion", **NORMAL)
    before = mapped()
    answer = Client(engine.url).post("/completion", **(NORMAL | asked))
    assert answer.status == 200
    assert mapped() - before < 200_000  # kB


def test_more_threads_than_cores_are_none() -> None:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "512", "--n-threads", "512").ready()
    try:
        assert engine.editors.ask("/v1/model").data["settings"]["n_threads"] <= (os.cpu_count() or 1)
        assert Client(engine.url).post("/completion", **NORMAL).status == 200
    finally:
        engine.close()


def test_a_client_that_goes_in_the_middle_hurts_nobody(engine: HttpEngine) -> None:
    make, before = Maker(SEED), usual(engine)
    for i in range(30):
        path, body = make.request()
        if isinstance(body, dict):
            for door in (Client(engine.url), engine.editors):
                with closing(door.connect()) as connection:
                    connection.putrequest("POST", path)
                    raw = json.dumps(body).encode()
                    connection.putheader("Content-Length", str(len(raw)))
                    connection.endheaders(raw if i % 2 else raw[: len(raw) // 2])
    assert usual(engine) == before
