"""The text of a definition's header on one logical line, and of a docstring.

In: source text that starts at `def` or `class`, or at a body.  Out: text.  Uses no tree, so that it gives the same
result for code that does not parse.
"""

import inspect
import re

_QUOTE = re.compile(r"[\"']")
_COLON_AND_COMMENT = re.compile(r":\s*#")
_STRING = r'"""(?:\\.|[^\\])*?"""|' + r"'''(?:\\.|[^\\])*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_PIECE = re.compile(
    rf"(?P<string>{_STRING})|(?P<comment>\#[^\n]*)|(?P<space>(?:\s|\\\n)+)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<colon>:)|(?P<other>\w+|.)",
    re.DOTALL,
)
_DOCSTRING = re.compile(
    rf"(?:\s|\#[^\n]*\n)*(?P<raw>[rRuU]?)(?P<string>{_STRING})[ \t\f]*(?P<more>[^\s;\#]?)", re.DOTALL
)


def one_line(text: str) -> tuple[str, bool]:
    """(The header up to its colon on one line, whether the colon was there.)

    Runs of white space become one space, comments and a trailing comma before a newline are removed, strings stay
    unchanged.  An unfinished header is completed in the obvious way: `def f(a` becomes `def f(a...):`.
    """
    header, _, complete = _split(text)
    return header, complete


def after_colon(text: str) -> str:
    """The text after the header's colon; empty for an unfinished header."""
    return _split(text)[1]


def _split(text: str) -> tuple[str, str, bool]:
    out: list[str] = []
    depth = 0
    for match in _PIECE.finditer(text):
        kind, piece = match.lastgroup, match[0]
        if kind == "comment":
            continue
        if kind == "space":
            if out and out[-1] not in " ([{":
                out.append(" ")
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
            _strip_before_close(out, outermost=depth == 0)
        elif kind == "colon" and depth == 0:
            return "".join(out).rstrip() + ":", text[match.end() :], True
        out.append(piece)
    unfinished = "".join(out).rstrip()
    return (f"{unfinished}...):" if depth else f"{unfinished}:"), "", False


def _strip_before_close(out: list[str], *, outermost: bool) -> None:
    if out and out[-1] == " ":
        out.pop()
        if outermost and out and out[-1] == ",":
            out.pop()


def ends_with_colon(statement: str) -> bool:
    """Ignores white space and a comment without quotes at the end.  Looks at each character at most twice."""
    rest = _QUOTE.split(statement)[-1]
    return rest.rstrip().endswith(":") or _COLON_AND_COMMENT.search(rest) is not None


def docstring_text(body: str) -> str | None:
    """The docstring that a body starts with, without its indent and with escapes as written; None if there is none."""
    match = _DOCSTRING.match(body)
    if match is None or match["more"]:
        return None
    string = match["string"]
    width = 3 if string[:3] in ('"""', "'''") else 1
    content = string[width:-width]
    return inspect.cleandoc(content if match["raw"] in ("r", "R") else content.replace("\\\n", ""))
