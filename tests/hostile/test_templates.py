"""Chat templates in a model's file are programs of whoever made it: they are ended, and chats go on without them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.chat_templates.rendering import Renderer
from tests import models
from tests.llama_server.conftest import Client, HttpEngine

LOOP = "{% for a in range(99999) %}" * 3 + "{% endfor %}" * 3
HELLO = [{"role": "user", "content": "hello"}]
CHATML = "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
COMPLETE = {"workspace": "w", "text": {"text": "x = "}, "max_tokens": 4}


def rendered(renderer: Renderer, template: str) -> str:
    return renderer.render(template, HELLO, bos="", eos="")


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'x' * 10000000000 }}",
        "{% set n = namespace(t='x' * 1000) %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 'x' | center(40000000) }}",
        "{{ '{:9999999999}'.format(1) }}",
        "{% for i in range(99) %}{% endfor",
        "{% include '/etc/passwd' %}" + "{% if 1 %}" * 5000,
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    ],
)
def test_a_template_that_takes_too_much_gives_way_to_chatml(template: str, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Renderer()) as renderer:
        assert rendered(renderer, template) == CHATML
        assert "the model's chat template cannot be used" in caplog.text
        assert rendered(renderer, template) == CHATML
        assert rendered(renderer, "{{ messages[0].content }}") == "hello"


@pytest.mark.slow(part="storms")
@pytest.mark.parametrize("template", [LOOP, "{{ 9 ** (9 ** 9) }}"])
def test_a_template_that_loops_keeps_nobody_waiting(template: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    models.transformer(
        path, "llama", fim=False, biases=False, layers=1, extra=lambda writer: writer.add_chat_template(template)
    )
    engine = HttpEngine(path, "--n-ctx", "512").ready()
    try:
        client = Client(engine.url)
        with closing(client.connect()) as connection:
            asked = {"messages": HELLO, "max_tokens": 2, "temperature": 0}
            connection.request("POST", "/v1/chat/completions", json.dumps(asked))
            assert engine.editors.ask("/v1/generate", COMPLETE).status == 200
            assert client.ask("/health").status == 200
            assert connection.getresponse().status == 200
        assert client.post("/apply-template", messages=HELLO).data["prompt"] == CHATML
        (log,) = (engine.folder / "palimpsest" / "log").glob("*.log")
        assert "the model's chat template cannot be used: it took more than 5 s" in log.read_text()
    finally:
        engine.close()
