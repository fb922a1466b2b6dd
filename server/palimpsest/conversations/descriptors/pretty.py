"""JSON on lines, so that it can be read in pages.

In: a text.  Out: the same with white space between its tokens; every token stays as it was written.  Anything that is
no JSON, JSON that is on lines already, and JSON that indents would make many times as large stays as it is.
"""

import json
import re

LONGEST = 20_000_000
SHORT_LINES = 400
"""A text whose lines are no longer than this can be read as it is."""
DEEPEST = 200
MOST_TIMES = 4
"""How many times as long as the text the result may be: a short value costs its whole indent."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
"""One token of valid JSON. No repetition of the group ends in its middle: up to Python 3.11.4, one would read on
there."""


def pretty_printed(text: str) -> str:
    if len(text) > LONGEST or text.lstrip()[:1] not in ("{", "[") or _has_short_lines(text):
        return text
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return text
    return _on_lines(_TOKEN.findall(text), text) + ("\n" if text.endswith("\n") else "")


def _has_short_lines(text: str) -> bool:
    return len(text) <= SHORT_LINES or max(map(len, text.split("\n")), default=0) <= SHORT_LINES


def _on_lines(tokens: list[str], text: str) -> str:
    written, depth, room = list[str](), 0, MOST_TIMES * len(text)
    for index, token in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in ("{", "["):
            depth += 1
            if depth > DEEPEST:
                return text
            written.append(token if after in ("}", "]") else f"{token}\n{'  ' * depth}")
        elif token in ("}", "]"):
            depth -= 1
            is_empty = index > 0 and tokens[index - 1] in ("{", "[")
            written.append(token if is_empty else f"\n{'  ' * depth}{token}")
        else:
            written.append({",": f",\n{'  ' * depth}", ":": ": "}.get(token, token))
        room -= len(written[-1])
        if room < 0:
            return text
    return "".join(written)
