"""A GBNF as our engine follows it (by llguidance) and as llama.cpp does: the same bytes may come next, everywhere."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from byte_grammar import Admits
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from shown_sample import shown_block
from test_format_grammars import BLOCKS, LIKED

from palimpsest.conversations.compaction.grammar import grammar as of_a_summary
from palimpsest.edits.formats import FORMATS
from palimpsest.engine.generation.gbnf import lark
from palimpsest.engine.generation.grammar import Grammar
from palimpsest.errors import InvalidArgument

LONG = shown_block("def f():", *[f"    x = {i % 10 if i % 2 else i}" for i in range(100)])
GRAMMARS = {
    **{name: format.grammar(BLOCKS.values()) for name, format in FORMATS.items()},
    **{f"{name}, long": format.grammar([LONG]) for name, format in FORMATS.items()},
    "summary": of_a_summary(),
    "not the longest": 'root ::= [a-z]* "b"',
    "not the longer literal": 'root ::= ("a" | "ab") "bc"',
    "nor where it is not regular": 'root ::= ("a" | "ab") (root | "") ("bc" | "c")',
    "json": r"""root ::= value
        value ::= "[" (value ("," value)*)? "]" | [0-9]+ | "\"" [^"]* "\""
    """.replace("\n        ", "\n"),
    "pairs": 'root ::= "a" root "b" | "ab"',
    "ambiguous": 'root ::= e\ne ::= t ("+" t)*\nt ::= [a-z]+ | "(" e ")" | "if" e',
    "escapes": 'root ::= ("a"? # a comment\n | [^\\n"\\x41-\\u0043]+ )* end\nend ::= "\\"" .',
    "marks in a class": "root ::= [a\\-z]+ [-x] [x-] [/\\]^\\[] [^^]",
    "letters of others": 'root ::= "\\u00e9\\U0001d11e" [é-ü] [\\U0001d100-\\U0001d1ff] .',
    "a backslash": 'root ::= "a/b\\\\\\t" "\\r\\n"',
    "names alike": 'root ::= a-b aB a_b\na-b ::= "x"\naB ::= "y"\na_b ::= "z"'.replace("a_b", "A-B"),
    "nothing": 'root ::= "a" ( | "b") "" "c"',
    "nothing at all": 'root ::= ""',
    "times": 'root ::= "ab"{2} "c"{1,3} ("d" | "e"){2,} "f"{0,0} ("g" h)+\nh ::= "h"? "i"*',
    "to itself on the right": 'root ::= s\ns ::= "a" s | "b" t\nt ::= s | ""',
    "to itself in the middle, many times": 'root ::= ("<" root? ">"){1,3}',
}


class Bytes:
    """The vocabulary of `byte_grammar.py`."""

    def __init__(self) -> None:
        self.bos_token_id, self.eos_token_id = None, Admits.END
        self.tokens = [*(bytes([i]) for i in range(256)), b""]
        self.special_token_ids = [Admits.END]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


TOKENIZER = LLTokenizer(TokenizerWrapper(Bytes()), eos_token=[Admits.END])


def is_text(begun: bytes) -> bool:
    """Whether it can go on as UTF-8: llama.cpp does not look, llguidance does."""
    tail = begun[-4:]
    while tail and 0x80 <= tail[0] < 0xC0:
        tail = tail[1:]
    for more in (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xbf", b"\xbf\x80", b"\xbf\x80\x80"):
        try:
            (tail + more).decode()
        except UnicodeDecodeError:
            continue
        return True
    return False


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_same_may_come_next(admits: Callable[[str], Admits], name: str) -> None:
    for seed in range(3):
        theirs = admits(GRAMMARS[name])
        matcher = LLMatcher(TOKENIZER, LLMatcher.grammar_from_lark(lark(GRAMMARS[name])), log_level=0)
        ours = Grammar("grammar", matcher, [Admits.END])
        choose, text = random.Random(seed), bytearray()
        while len(text) < 300:
            possible = [*(byte for byte in range(1, 256) if is_text(bytes([*text[-4:], byte]))), Admits.END]
            found = theirs.allowed(possible)
            assert [token for token in possible if ours.admits(token)] == found, bytes(text)
            liked = [token for token in found if token < 256 and token in LIKED and choose.random() < 0.7]
            token = choose.choice(liked or found)
            if token == Admits.END:
                break
            text.append(token)
            theirs.accept(token)
            ours.accept(token)


def test_characters_of_a_set_are_put_together_and_few_ranges_are_left() -> None:
    assert lark("root ::= [a-cb-dxea-a]\n") == lark("root ::= [a-ex]\n")
    every_other = "".join(map(chr, range(0x4E00, 0x4E00 + 4 * 5_001, 2)))
    with pytest.raises(InvalidArgument, match="5,000 ranges in one set"):
        lark(f"root ::= [{every_other}]\n")
    assert lark(f"root ::= [{'ab' * 300_000}]\n") == lark("root ::= [ab]\n")
