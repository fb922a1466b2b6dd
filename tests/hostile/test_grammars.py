"""Grammars and schemas that would keep llama.cpp busy for ever, or end it: refused by a bound that is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palimpsest.engine.generation.grammar import check_gbnf, check_schema
from palimpsest.errors import InvalidArgument
from tests.llama_server.conftest import EMBEDDED, Answer, Client, HttpEngine

NORMAL = {"prompt": "def add(a, b):\n    return", "n_predict": 8, "temperature": 0}
DEEP: dict[str, Any] = {"type": "string"}
for _ in range(400):
    DEEP = {"type": "array", "items": DEEP}
NAMED = {f"d {i}": {"anyOf": [{"$ref": f"#/definitions/d {i + 1}"}] * 2} for i in range(40)}
SCHEMAS: dict[str, tuple[Any, str]] = {  # and what is said of those that are refused
    "minLength": ({"type": "string", "minLength": 10**9}, ""),
    "maxItems": ({"type": "array", "items": {"type": "string"}, "maxItems": 10**9}, ""),
    "minItems": ({"type": "array", "items": {"type": "array", "minItems": 10**9}, "minItems": 10**9}, ""),
    "pattern": ({"type": "string", "pattern": "^b{1,9999999}$"}, ""),
    "pattern, disguised": ({"type": "string", "pattern": "^b{1,9_999_999}$"}, "unclosed counted repetition"),
    "pattern, deep": ({"type": "string", "pattern": "^" + "(" * 5000 + "b" + ")" * 5000 + "$"}, "regex parse error"),
    "pattern, nested": ({"type": "string", "pattern": "^(((a{1,900}){1,900}){1,900}){1,900}$"}, ""),
    "pattern, options behind many characters": ({"type": "string", "pattern": "^x{20}(a?){440}$"}, ""),
    "enum": ({"enum": [f"value {i}" for i in range(100_000)]}, "256 KiB"),
    "depth": (DEEP, "recursion limit"),
    "names": ({**NAMED["d 0"], "definitions": NAMED | {"d 40": {"type": "string"}}}, "unexpected character"),
    "cycle": ({"$ref": "#/definitions/a", "definitions": {"a": {"anyOf": [{"$ref": "#/definitions/a"}]}}}, "no text"),
    "properties": ({"type": "object", "properties": {f"p{i}": {"type": "null"} for i in range(500)}}, ""),
    "multiples": ({"type": "integer", "multipleOf": 0.25, "items": {"multipleOf": 3600}}, ""),
    "multiples, many": ({"type": "integer", "multipleOf": 9_999_991}, "multiples of 9999991"),
    "multiples, together": ({"allOf": [{"multipleOf": 9973}, {"multipleOf": 9991.0}]}, "of all `multipleOf` together"),
    "multiples, with a point": ({"type": "number", "multipleOf": 9999.991}, "multiples of 9999991"),
    "wrong kinds": ({"type": "string", "minLength": "9"}, "Expected positive integer"),
    "elsewhere": ({"$ref": "https://example.org/schema"}, "does not fetch"),
    "no schema": ({"type": "nothing"}, "Invalid type"),
}


def chain(n: int, rule: str, end: str) -> str:
    """Rules within one another; `rule` has the next one's number in it."""
    return "root ::= r0\n" + "\n".join(f"r{i} ::= {rule.format(i + 1)}" for i in range(n)) + f"\nr{n} ::= {end}"


MANY = " | ".join(f'"b{i}"' for i in range(500))
FAR = f'"{"x" * 20}"'
OPTIONS = '"a"? '
ROW = "\n".join(f'r{i + 1} ::= "x" r{i} {OPTIONS * 5}' for i in range(40))
GRAMMARS = {  # and what is said of those that are refused
    "parentheses": ("root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000, "500 parentheses"),
    "alternatives": ("root ::= " + " | ".join(f'"{i}"' for i in range(100_000)), "10,000 alternatives"),
    "repetition": ('root ::= "a"{1,9999999}', "2,000 times"),
    "repetitions": ('root ::= ((("a"{0,900}){0,900}){0,900}){0,900}', ""),
    "repetitions of what must come": ('root ::= (("a"{1000}){1000}){1000}', "too many expressions"),
    "bytes": ('root ::= "' + "a" * (3 << 20) + '"', "2 MiB"),
    "rules": ("root ::= " + '("a")' * 150_000, "30,000 rules"),
    "left recursion": ('root ::= root "a" | "a"', ""),
    "left recursion behind nothing": ('root ::= a root "b" | "c"\na ::= b\nb ::= ""', ""),
    "only itself": ("root ::= root", "no text"),
    "a chain": (chain(19_900, '"x" r{} | "y"', '"b"'), ""),
    "a ring": (chain(19_900, '"x" r{} | "y"', '"b" root'), ""),
    "a longer chain": (chain(25_000, "r{}", '"b"'), "20,000 rules and groups"),
    "a longer ring": (chain(25_000, '"x" r{}', '"b" root'), "20,000 rules and groups"),
    "ambiguity": ('root ::= "a" root "b" | "a" root "c" | ""', ""),
    "ambiguity, later": ('root ::= "only then" r\nr ::= "a" r "b" | "a" r "c" | ""', ""),
    "options": ("root ::= " + "[a-z]? " * 500, "lexer precomputation failed"),
    "options of one letter": ("root ::= " + '"a"? ' * 440, ""),
    "options beside alternatives": (f'root ::= {MANY} | ' + '"a"? ' * 200, ""),
    "options behind others": (chain(3_000, '"word " r{}', '"a"? ' * 300), ""),
    "options behind many characters": (f"root ::= {FAR} {OPTIONS * 30}", ""),
    "options behind a class": (f"root ::= [x]{{17}} {OPTIONS * 440}", ""),
    "options in a group": (f'root ::= ("y" | {FAR} {OPTIONS * 40})* "z"', ""),
    "options side by side": ("root ::= " + f"{FAR} {OPTIONS * 18} | " * 100 + '"b"', ""),
    "options of many rules": (f"root ::= r40\nr0 ::= {FAR}\n{ROW}", ""),
    "doubling": (chain(30, 'r{0} r{0} | ""', '"b"'), ""),
    "a token": ('root ::= <think> "a"', "tokens are not supported"),
    "no end": ('root ::= ("a"', "line 1"),
    "no root": ('other ::= "a"', "no rule named root"),
    "nonsense": ("\0\ud800{{{", "line 1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Iterator[HttpEngine]:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048").ready()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def usual(engine: HttpEngine) -> str:
    return str(Client(engine.url).post("/completion", **NORMAL).data["content"])


def refused(engine: HttpEngine, answer: Answer, usual: str, bound: str) -> None:
    """400, with the bound in words, and the engine as it was."""
    assert (answer.status, bound in answer.data["error"]["message"]) == (400, True), answer.text[:500]
    assert len(answer.text) < 1000
    assert Client(engine.url).post("/completion", **NORMAL).data["content"] == usual
    assert engine.popen.poll() is None


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_followed_in_bounded_time_or_refused(engine: HttpEngine, usual: str, name: str) -> None:
    schema, why = SCHEMAS[name]
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    chat = {"messages": [{"role": "user", "content": "x"}], "max_tokens": 40, "response_format": form}
    asked = {**NORMAL, "n_predict": 40, "json_schema": schema}
    for path, body in (("/completion", asked), ("/v1/chat/completions", chat)):
        answer = Client(engine.url).ask(path, body)
        if why:
            refused(engine, answer, usual, why)
        else:
            assert answer.status == 200, answer.text[:500]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"json_schema": {"type": "integer", "multipleOf": 99_989}}, 200),
        ({"json_schema": {"type": "string", "pattern": "^((a{1000}){1000}){999}$"}}, 400),
        ({"grammar": 'root ::= (("a"{1000}){1000}){999}'}, 400),
    ],
)
def test_others_are_answered_while_a_grammar_is_made(
    engine: HttpEngine, usual: str, asked: dict[str, Any], status: int
) -> None:
    took, started = list[float](), time.monotonic()
    with ThreadPoolExecutor() as threads:
        slow = threads.submit(Client(engine.url).ask, "/completion", NORMAL | asked)
        while not slow.done():
            before = time.monotonic()
            assert Client(engine.url).post("/completion", **NORMAL).data["content"] == usual
            took.append(time.monotonic() - before)
        whole = time.monotonic() - started
    assert slow.result().status == status
    assert max(took) < whole / 3


def test_a_schema_that_is_nested_too_deep_for_json_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"items": deep}
    with pytest.raises(InvalidArgument, match="too deep"):
        check_schema(deep)


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_grammar_is_followed_in_bounded_time_or_refused(engine: HttpEngine, usual: str, name: str) -> None:
    grammar, bound = GRAMMARS[name]
    asked = {"workspace": "w", "fim": {"prefix": "x = ", "suffix": ""}, "grammar": grammar, "max_tokens": 40}
    answers = [Client(engine.url).post("/completion", **NORMAL | {"n_predict": 40}, grammar=grammar)]
    answers += [client.ask("/v1/generate", asked) for client in (engine.editors, Client(engine.url))]
    for answer in answers:
        if bound:
            refused(engine, answer, usual, bound)
        else:
            assert answer.status == 200, answer.text[:500]


def test_schemas_that_are_usual_are_kept_to(engine: HttpEngine) -> None:
    item = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string", "maxLength": 40}}}
    schema = {"type": "array", "items": item, "minItems": 1, "maxItems": 3}
    answer = Client(engine.url).post("/completion", prompt="x = ", n_predict=200, temperature=0, json_schema=schema)
    assert answer.status == 200
    if answer.data["stop_type"] == "eos":
        assert 1 <= len(json.loads(answer.data["content"])) <= 3


def test_what_is_refused_names_the_field() -> None:
    with pytest.raises(InvalidArgument) as found:
        check_gbnf(GRAMMARS["a token"][0])
    assert found.value.field == "grammar"


STUCK = """
import ctypes, threading
from palimpsest.engine import process
process.LEAVE_S = 0.5
leaving = threading.Event()
threading.Thread(target=process.end_late, args=(leaving,), daemon=True).start()
leaving.set()
ctypes.CDLL(None).sleep(100)
"""


def test_an_end_that_was_asked_for_comes_whatever_a_native_call_is_doing() -> None:
    assert subprocess.run([sys.executable, "-c", STUCK], timeout=60, check=False).returncode == 0


def test_sigterm_ends_an_engine_that_follows_a_grammar() -> None:
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048").ready()
    connection = Client(engine.url).connect()
    asked = {"prompt": "x = ", "grammar": "root ::= [a-z ] root", "n_predict": -1, "temperature": 0, "stream": True}
    connection.request("POST", "/completion", json.dumps(asked))
    assert connection.getresponse().readline()
    engine.popen.send_signal(signal.SIGTERM)
    assert engine.popen.wait(30) == 0
    connection.close()
    engine.close()
