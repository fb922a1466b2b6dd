"""Pure: what the grammars of all edit formats share: the elements of a reply, the text of a line, literal text.

In: the blocks shown, each format's rules for one of them.  Out: GBNF with the root rule `root` (llama.cpp's
`grammars/README.md`).  Does not know about tokens or engines.

    text   the rest of a line, without a closing tag of a suggestion: a `<` is taken together with what follows it
    free   a whole line with its end, which does not begin with one of our tags either
"""

from collections.abc import Callable, Iterable

from palimpsest.edits.shown import ShownBlock
from palimpsest.text.markup import attribute

MAX_SUGGESTIONS = 3
MAX_TEXT = 200
"""Approximate maximum number of characters in a line: what follows a `<` is not counted exactly."""
MAX_SUMMARY = 160

_SHARED = rf"""
text ::= piece{{0,{MAX_TEXT}}} ("<"+ ("/" ("s" "u"?)?)?)?
piece ::= [^<\r\n] | "<"+ behind
behind ::= [^</\r\n] | "/" ([^<s\r\n] | "s" ([^<u\r\n] | "u" [^<g\r\n]))
summary ::= "<summary>" [^<\r\n]{{1,{MAX_SUMMARY}}} "</summary>\n"
""".strip()
FREE = r"""
free ::= [ \t]* (head text)? "\n"
head ::= [^< \t\r\n] | "<" "<"+ behind | "<" ([^</s\r\n] | "s" [^<u\r\n] | "/" ([^<s\r\n] | "s" [^<u\r\n]))
""".strip()


def reply_grammar(shown: Iterable[ShownBlock], rules: Callable[[str, ShownBlock], list[str]], shared: str = "") -> str:
    """Allows one to three suggestions for editable blocks, then one summary; "" if nothing can be edited.

    `rules(name, block)` returns the rules for the content of a suggestion for this block; the first is called `name`,
    and each line of the content ends in a newline.  If it returns none, the block is not offered.  `shared` are further
    rules.
    """
    editable = {block.name: block for block in shown if block.editable_numbers}.values()
    contents = [(block, found) for i, block in enumerate(editable) if (found := rules(f"b{i}", block))]
    if not contents:
        return ""
    names = [found[0].split(" ", 1)[0] for _, found in contents]
    lines = [f"root ::= suggestion{{1,{MAX_SUGGESTIONS}}} summary", _SHARED, *([shared] if shared else [])]
    lines.append("suggestion ::= (" + " | ".join(f"s{name}" for name in names) + r') "</suggestion>\n"')
    for name, (block, found) in zip(names, contents, strict=True):
        lines += [f"s{name} ::= {literal(f'<suggestion name={attribute(block.name)}>' + chr(10))} {name}", *found]
    return "\n".join(lines) + "\n"


def literal(text: str) -> str:
    """A rule for exactly this text.  Text that cannot be encoded in UTF-8 cannot be used: see `is_writable`."""
    return '"' + "".join(_ESCAPES.get(c, c) if c >= " " and c != "\x7f" else f"\\x{ord(c):02X}" for c in text) + '"'


_ESCAPES = {"\\": "\\\\", '"': '\\"'}


def is_writable(text: str) -> bool:
    """Whether a model can write this text as one line: no lone surrogates, no carriage return."""
    return not any("\ud800" <= c <= "\udfff" or c in "\r\n" for c in text)
