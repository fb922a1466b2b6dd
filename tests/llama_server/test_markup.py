"""No answer has the markup that a model was trained on, and none says the same again and again."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.llama_server.conftest import Client

MARKUP = re.compile(r"</?(?:editing|context|suggestion|workspace)\b|(?:^|\n)</?summary>|FIM_MIDDLE")
FUNCTION = "def area(width, height):\n    return width * height\n\n\ndef volume(width, height, depth):\n"
ENDS: dict[str, tuple[str, str]] = {  # where nothing follows the cursor: prefix, the cursor's line
    "a function's body": (FUNCTION, "    "),
    "a method's name": ("class Cart:\n    def __init__(self):\n        self.items = []\n\n", "    def remove"),
    "an empty file": ("", ""),
    "the end of a file": ("x = 1\ny = 2\n", ""),
    "a loop's body": ("import json\n\ndata = json.loads(text)\nfor item in data:\n", ""),
    "inside a word": ("notona = 3\n", "print(no"),
}
DRAWN = {"samplers": ["top_k", "top_p", "infill"], "top_p": 0.99, "n_cmpl": 4}


def texts(answer: Any) -> list[str]:
    found = answer if isinstance(answer, list) else [answer]
    if "choices" in found[0]:
        found = found[0]["choices"]
    return [one.get("content", one.get("text")) or one.get("message", {}).get("content", "") for one in found]


@pytest.mark.parametrize("name", ENDS)
def test_an_infill_without_a_suffix_ends_where_the_code_does(name: str, ours: Client) -> None:
    prefix, prompt = ENDS[name]
    body = {"input_prefix": prefix, "input_suffix": "", "prompt": prompt, "n_predict": 128}
    greedy = texts(ours.post("/infill", **body, temperature=0).data)
    drawn = [text for seed in range(2) for text in texts(ours.post("/infill", **body, **DRAWN, seed=10 * seed).data)]
    assert any(greedy + drawn) or not prefix
    for text in greedy + drawn:
        assert not MARKUP.search(text), text
        lines = [line for line in (prefix + prompt + text).split("\n") if line.strip()]
        assert not any(a == b == c for a, b, c in zip(lines, lines[1:], lines[2:], strict=False)), text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/completion", {"prompt": FUNCTION + "    ", "n_predict": 128}),
        ("/v1/completions", {"prompt": FUNCTION + "    ", "max_tokens": 128}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 128}),
    ],
)
def test_no_other_route_says_it_either(path: str, body: dict[str, Any], ours: Client) -> None:
    for seed in (0, 10):
        found = texts(ours.post(path, **body, seed=seed, n=4).data)
        assert any(found)
        assert not any(map(MARKUP.search, found)), found
    streamed = "".join(
        (frame["choices"][0].get("delta", {}).get("content") or frame["choices"][0].get("text") or "")
        if "choices" in frame
        else frame["content"]
        for frame in ours.post(path, **body, temperature=0, stream=True).frames
        if frame != "[DONE]"
    )
    assert streamed
    assert not MARKUP.search(streamed), streamed


def test_a_client_that_writes_it_gets_it(ours: Client) -> None:
    """Whoever asks in the model's own format is told in it."""
    lines = ["<workspace>", "</workspace>", '<editing type="file" file="a.py" name="a">', "L1 def area(width, height):",
             "L2     return width * heigth", "</editing>", '<suggestion name="editing">', ""]  # fmt: skip
    answer = ours.post("/completion", prompt="\n".join(lines), n_predict=100, temperature=0).data
    assert "</suggestion>" in answer["content"]
