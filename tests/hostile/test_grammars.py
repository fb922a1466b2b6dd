"""Grammars and schemas that would keep llama.cpp busy for ever, or end it: refused by a bound that is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from palimpsest.engine.generation import admission
from palimpsest.engine.generation.admission import admit
from palimpsest.engine.generation.schema import check_schema
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
    "wrong kinds": ({"type": "string", "minLength": "9"}, "Expected positive integer"),
    "elsewhere": ({"$ref": "https://example.org/schema"}, "does not fetch"),
    "no schema": ({"type": "nothing"}, "Invalid type"),
}
CHAIN = "\n".join(f"r{i} ::= r{i + 1}" for i in range(5_000))
TREE = "\n".join(f'r{i} ::= r{i + 1} r{i + 1} | ""' for i in range(30))
MANY = " | ".join(f'"b{i}"' for i in range(500))
WORDS = "\n".join(f'r{i} ::= "word {i} " r{i + 1}' for i in range(3_000))
FAR = f'"{"x" * 20}"'
"""More characters than are followed from one place."""
OPTIONS = '"a"? '
ROW = "\n".join(f'r{i + 1} ::= "x" r{i} {OPTIONS * 5}' for i in range(40))
GRAMMARS = {
    "parentheses": ("root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000, "500 parentheses"),
    "alternatives": ("root ::= " + " | ".join(f'"{i}"' for i in range(100_000)), "10,000 alternatives"),
    "repetition": ('root ::= "a"{1,9999999}', "2,000 times"),
    "repetitions": ('root ::= ((("a"{0,900}){0,900}){0,900}){0,900}', "too many ways"),
    "bytes": ('root ::= "' + "a" * (3 << 20) + '"', "2 MiB"),
    "rules": ("root ::= " + '("a")' * 150_000, "100,000 rules"),
    "left recursion": ('root ::= root "a" | "a"', "left recursion"),
    "left recursion behind nothing": ('root ::= a root "b" | "c"\na ::= b\nb ::= ""', "left recursion"),
    "a chain": (f'root ::= r0\n{CHAIN}\nr5000 ::= "b"', "2,000 rules"),
    "ambiguity": ('root ::= "a" root "b" | "a" root "c" | ""', "too many ways"),
    "ambiguity, later": ('root ::= "only then" r\nr ::= "a" r "b" | "a" r "c" | ""', "too many ways"),
    "options": ("root ::= " + "[a-z]? " * 500, "too many ways"),
    "options of one letter": ("root ::= " + '"a"? ' * 440, "too many ways"),
    "options beside alternatives": (f'root ::= {MANY} | ' + '"a"? ' * 200, "too many ways"),
    "options behind others": (f'root ::= r0\n{WORDS}\nr3000 ::= ' + '"a"? ' * 300, "too many ways"),
    "options behind many characters": (f"root ::= {FAR} {OPTIONS * 30}", "too many ways"),
    "options behind a class": (f"root ::= [x]{{17}} {OPTIONS * 440}", "too many ways"),
    "options in a group": (f'root ::= ("y" | {FAR} {OPTIONS * 40})* "z"', "too many ways"),
    "options side by side": ("root ::= " + f"{FAR} {OPTIONS * 18} | " * 100 + '"b"', "too many ways"),
    "options of many rules": (f"root ::= r40\nr0 ::= {FAR}\n{ROW}", "too many ways"),
    "doubling": (f'root ::= r0\n{TREE}\nr30 ::= "b"', "too many ways"),
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


def test_a_schema_that_is_nested_too_deep_for_json_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"items": deep}
    with pytest.raises(InvalidArgument, match="too deep"):
        check_schema(deep)


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_grammar_is_bounded_before_it_is_followed(engine: HttpEngine, usual: str, name: str) -> None:
    grammar, bound = GRAMMARS[name]
    refused(engine, Client(engine.url).post("/completion", **NORMAL, grammar=grammar), usual, bound)
    asked = {"workspace": "w", "fim": {"prefix": "x = ", "suffix": ""}, "grammar": grammar, "max_tokens": 4}
    for client in (engine.editors, Client(engine.url)):
        refused(engine, client.ask("/v1/generate", asked), usual, bound)


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "a"{0,2000}',
        "root ::= " + " | ".join(f'"{i:05}"' for i in range(3000)),
        "root ::= " + '("a" ' * 400 + ")?" * 400,
        "root ::= " + " | ".join(f'"{"name" * 20}{i}"' for i in range(3000)),
        f"root ::= {FAR} " + " ".join(f'"-{letter}"?' for letter in "abcdefghijklmnopqrstuvwxyz"),
        'root ::= ("a"? # a comment\n | [^\\n"\\x41-\\u0043]+ )* end\nend ::= "\\"" .',
        'root ::= value | (ws value)+\nvalue ::= "x" [0-9]{2} | "y"\nws ::= [ \\t\\n]*',
    ],
)
def test_what_is_usual_is_let_through(engine: HttpEngine, grammar: str) -> None:
    admit(grammar)
    assert Client(engine.url).post("/completion", **NORMAL, grammar=grammar).status == 200


def test_schemas_that_are_usual_are_kept_to(engine: HttpEngine) -> None:
    item = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string", "maxLength": 40}}}
    schema = {"type": "array", "items": item, "minItems": 1, "maxItems": 3}
    answer = Client(engine.url).post("/completion", prompt="x = ", n_predict=200, temperature=0, json_schema=schema)
    assert answer.status == 200
    if answer.data["stop_type"] == "eos":
        assert 1 <= len(json.loads(answer.data["content"])) <= 3


def test_what_is_refused_names_the_field() -> None:
    with pytest.raises(InvalidArgument) as found:
        admit(GRAMMARS["ambiguity"][0])
    assert found.value.field == "grammar"


def test_what_was_not_looked_at_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MAX_TRIED", 50)  # no door: how much is looked at is nobody's to set
    admit('root ::= "short"')
    with pytest.raises(InvalidArgument, match="more than 50"):
        admit(f"root ::= r0\n{WORDS}\nr3000 ::= .")


STUCK = """
import ctypes, threading, time
from palimpsest.engine.llama.library import Call
from palimpsest.engine.lifetime.watchdog import Watch
class Library:
    under_way = Call(time.monotonic() - {since}, 0, "")
watch = Watch(Library())
watch.start()
{then}
ctypes.CDLL(None).sleep(100)
"""


@pytest.mark.parametrize(("since", "status"), [(31, 70), (0, 70)])
def test_a_native_call_that_does_not_come_back_ends_the_process(since: int, status: int) -> None:
    """By its time; by its memory, with 1 GiB and more taken since it began."""
    takes = "" if since else "memory = bytearray(1200 << 20)"
    done = subprocess.run(
        [sys.executable, "-c", STUCK.format(since=since, then=takes)], capture_output=True, timeout=60
    )
    assert done.returncode == status
    assert b"ending the process" in done.stderr


HANGS = """
import time
from palimpsest.engine.lifetime import watchdog
from palimpsest.engine.llama.library import library
watchdog.CALL_S, init = 0.5, library().api.llama_sampler_init_grammar
library().api.llama_sampler_init_grammar = lambda *given: time.sleep(60 * (b"hangs" in given[1])) or init(*given)
"""


def test_a_persons_engine_starts_again_and_refuses_the_grammar_that_ended_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HANGS)
    paths = os.pathsep.join([str(tmp_path), *sys.path[1:]])
    engine = HttpEngine(EMBEDDED, "--n-ctx", "2048", PYTHONPATH=paths).ready()
    client, pid = Client(engine.url), engine.popen.pid
    for grammar in ('root ::= "hangs"', 'root ::= "hangs too"'):
        with pytest.raises((ConnectionError, HTTPException)):
            client.post("/completion", **NORMAL, grammar=grammar)
        engine.ready()
        answer = client.post("/completion", **NORMAL, grammar=grammar)
        assert (answer.status, "is not followed again" in answer.text) == (400, True), answer.text
        assert client.post("/completion", **NORMAL, grammar='root ::= "well"').data["content"] == "well"
    assert client.ask("/health").status == 200
    assert (engine.popen.poll(), engine.popen.pid) == (None, pid)
    assert "ending the process" in engine.close()[1]


def test_an_end_that_was_asked_for_comes_whatever_a_native_call_is_doing() -> None:
    leaves = """
from palimpsest.engine.lifetime import watchdog
watchdog.LEAVE_S = 0.5
Library.under_way = None
watch.leave()
"""
    script = STUCK.format(since=0, then=leaves)
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


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
