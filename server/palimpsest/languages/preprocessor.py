"""Pure: code without what its grammar cannot know of a preprocessor.

In: code as UTF-8.  Out: the same with blanks for some of it, every byte where it was.  What a macro stands for is not
known, but where it stands often says that it can be left out: between `class` and a name, behind a parameter list, on a
field, on a line of its own.  Of branches that take turns the first one is kept.
"""

import re
from collections.abc import Iterator

_MACRO = rb"[A-Z_][A-Z0-9_]+"
_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n;{}]|\([^()\n;{}]*\))*\))?"
_NO_BLANK = re.compile(rb"[^\s]")
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum|interface)[ \t]+((?:" + _MACRO + _ARGUMENTS + rb"[ \t\n]+)+)"
    rb"(?=[A-Za-z_]\w*(?:::\w+)*\s*(?:final\s*)?[:{])"
)
# At most eight: on every line of a list of macros, all that are below it would be gone through.
_BEHIND_BRACKET = re.compile(
    rb"^(?![^\S\n]*(?:if|else|for|while|switch|return|case|do)\b)[^\n]*?\)((?:\s*(?:const|override|noexcept|final)\b)*)"
    rb"((?:\s*\b" + _MACRO + rb"\b" + _ARGUMENTS + rb"){1,8})(?=\s*[;{=])",
    re.MULTILINE,
)
_ON_FIELD = re.compile(
    rb"^(?![ \t]*(?:return|case|goto|else|throw|delete)\b)[\w:<>,*&\[\] \t]+[\w\]>*&][ \t]+((?:\b"
    + _MACRO
    + rb"[ \t]*\([^()\n;{}]*\)[ \t]*)+)(?=[;={])",
    re.MULTILINE,
)
_ALONE = re.compile(rb"^[ \t]*(" + _MACRO + _ARGUMENTS + rb")[ \t]*(?://[^\n]*)?$", re.MULTILINE)
_ENDS, _GOES_ON = (b";", b"{", b"}", b":", b"*/", b")", b'"'), re.compile(rb"\s*[)\]},;.|&?:+\-=<>*/%^]")
_OF_C = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def|[ \t]+defined)?[ \t(]*__cplusplus\)?[^\n]*\n[ \t]*(extern[ \t]*\"C\"[ \t]*\{|\})[^\n]*\n"
    rb"[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b([^\n]*)", re.MULTILINE)


def without_macros(code: bytes) -> bytes:
    """Without those before the name of a class, which are never anything else."""
    return _blanked(code, (found.span(1) for found in _BEFORE_NAME.finditer(code)))


def without_unknown(code: bytes) -> bytes:
    """Without all that looks like a macro that stands for nothing, and without branches but the first."""
    code = first_branches(_blanked(without_macros(code), (found.span(1) for found in _OF_C.finditer(code))))
    code = _blanked(code, (found.span(2) for found in _BEHIND_BRACKET.finditer(code)))
    code = _blanked(code, (found.span(1) for found in _ON_FIELD.finditer(code)))
    return _blanked(code, (found.span(1) for found in _ALONE.finditer(code) if _is_alone(code, *found.span())))


def first_branches(code: bytes) -> bytes:
    """Without the directives of `#if … #else … #endif` and what is between the last two; of `#if 0` that is kept."""
    return _blanked(code, _other_branches(code))


def _other_branches(code: bytes) -> Iterator[tuple[int, int]]:
    waiting = list[list[re.Match[bytes]]]()
    for found in _DIRECTIVE.finditer(code):
        if found[1].startswith(b"if"):
            waiting.append([found])
        elif waiting:
            waiting[-1].append(found)
        if found[1] != b"endif" or not waiting:
            continue
        first, *others = waiting.pop()
        is_never = first[1] == b"if" and first[2].split()[:1] == [b"0"]
        if len(others) == 1 and not is_never:
            continue  # nothing takes turns with it
        kept = 1 if is_never and len(others) > 1 else 0
        ends = [first, *others]
        for n, (begin, end) in enumerate(zip(ends, others, strict=False)):
            yield begin.span() if n == kept and not (is_never and len(others) == 1) else (begin.start(), end.start())
        yield found.span()


def _is_alone(code: bytes, start: int, end: int) -> bool:
    """Whether what is on a line of its own goes on from nothing, and nothing goes on from it."""
    before = code[max(0, start - 400) : start].rstrip()
    above = before.rpartition(b"\n")[2].lstrip()
    ends = not before or before.endswith(_ENDS) or above.startswith((b"#", b"//"))
    return ends and _GOES_ON.match(code, end) is None


def _blanked(code: bytes, spans: Iterator[tuple[int, int]]) -> bytes:
    changed, at = list[bytes](), 0
    for start, end in sorted(spans):
        if end > at:
            changed += [code[at : max(at, start)], _NO_BLANK.sub(b" ", code[max(at, start) : end])]
            at = end
    return b"".join([*changed, code[at:]]) if changed else code
