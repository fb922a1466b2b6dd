"""Pure: the arguments of a call after the parameters of its function changed.

In: a call, the parameters before and after.  Out: the new arguments; None if the tree does not determine them, as with
unpacked arguments or a call that does not fit the old parameters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.syntax.calls import Argument, Call, Parameter
from palimpsest.syntax.parse import Language
from palimpsest.text.alike import ends_alike


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """An argument's text; `wants` names a parameter whose value must still be chosen, at the end of the text."""

    text: str
    wants: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`text` replaces the bytes `start..end`; `hole` is where, in characters of `text`, the value of `wants` goes."""

    start: int
    end: int
    text: str
    hole: int | None = None
    wants: str = ""


def bound(call: Call, parameters: Sequence[Parameter]) -> dict[str, Argument] | None:
    """The arguments by parameter, or None if they do not fit."""
    plain = [p for p in parameters if p.kind == "plain"]
    named = {p.name for p in parameters if p.kind in ("plain", "keyword")}
    by_name = dict[str, Argument]()
    for n, argument in enumerate(call.arguments):
        if argument.star:
            return None
        if not argument.keyword and n >= len(plain):
            return None
        name = argument.keyword or plain[n].name
        if name not in named or name in by_name:
            return None
        by_name[name] = argument
    missing = [p for p in parameters if p.kind in ("plain", "keyword") and not p.default and p.name not in by_name]
    return None if missing else by_name


def rearranged(
    call: Call,
    before: Sequence[Parameter],
    after: Sequence[Parameter],
    renamed: Mapping[str, str],
    language: Language,
) -> list[ArgumentText] | None:
    """The parts of the call's new arguments, or None if they are unknown.  `renamed`: old names to new names."""
    given = bound(call, before)
    if given is None:
        return None
    known = {p.name: p.value for p in before}
    positional, keyword = list[ArgumentText](), dict[str, ArgumentText]()
    in_order = True
    for parameter in after:
        if parameter.kind not in ("plain", "keyword"):
            in_order = in_order and parameter.text == "/"
            continue
        old = renamed.get(parameter.name, parameter.name)
        in_order = in_order and parameter.kind == "plain"
        argument = given.get(old)
        if argument is not None:
            if not argument.keyword and in_order:
                positional.append(ArgumentText(argument.text))
            else:
                written = language.by_name(parameter.name, argument.value)
                if written is None:
                    return None
                keyword[old], in_order = ArgumentText(written), False
        elif parameter.default:
            in_order = False
        else:  # values so far given by a default must now be written out; new ones must be chosen
            value, wants = known.get(old, ""), "" if known.get(old) else parameter.name
            written = value if in_order else language.by_name(parameter.name, value)
            if written is None:
                return None
            if in_order:
                positional.append(ArgumentText(written, wants))
            else:
                keyword[old] = ArgumentText(written, wants)
    order = [a.keyword for a in call.arguments if a.keyword in keyword]
    rest = [name for name in keyword if name not in order]
    return [*positional, *(keyword[name] for name in [*order, *rest])]


def rewrite(call: Call, pieces: Sequence[ArgumentText]) -> Rewrite | None:
    """The smallest edit of whole arguments that turns the call's arguments into `pieces`; None if nothing changes.

    `Call` has no separators, so a changed part is joined by a comma and a space.
    """
    old, new = [ArgumentText(a.text) for a in call.arguments], list(pieces)
    if old == new:
        return None
    first, last = ends_alike(old, new)
    changed = new[first : len(new) - last]
    text = ", ".join(piece.text for piece in changed)
    arguments, end = call.arguments, len(old) - last
    lead = tail = ""
    if first < end and changed:
        start, stop = arguments[first].start, arguments[end - 1].end
    elif changed:  # inserted
        start = stop = arguments[first - 1].end if first else (arguments[0].start if arguments else call.inner[0])
        lead, tail = (", ", "") if first else ("", ", " if arguments else "")
    elif first:  # removed, after arguments that stay
        start, stop = arguments[first - 1].end, arguments[end - 1].end
    else:
        start, stop = arguments[0].start, arguments[end].start if end < len(arguments) else call.inner[1]
    hole, wants, at = None, "", len(lead)
    for piece in changed:
        at += len(piece.text)
        if piece.wants:
            hole, wants = at, piece.wants
        at += 2
    return Rewrite(start, stop, lead + text + tail, hole, wants)
