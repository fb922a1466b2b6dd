"""Completions that name only what exists.

In: a result for a cursor, the view it was made for.  Out: the same without what names members and names that do not
exist, cut back to the lines before them; the members that can stand at the cursor; the only name that goes on from what
is typed; imports that go with what is accepted.  What nobody can tell counts as existing, and nobody waits for long
until it is known.

Where somebody asked, nothing is left out: what names only what exists comes first.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from palimpsest.completions.fitting import LARGEST, fitting
from palimpsest.completions.query import CompletionPlace
from palimpsest.completions.results import CompletionResult
from palimpsest.completions.sureness import Sureness, n_signs
from palimpsest.context.sources.name_lookup import Exported, NameLookup
from palimpsest.context.view import CursorView
from palimpsest.languages.embedded import parsed_at
from palimpsest.newest import Newest
from palimpsest.syntax.import_places import import_edits
from palimpsest.syntax.names import receiver_in
from palimpsest.syntax.naming import (
    Given,
    Imported,
    Named,
    given_between,
    imported_between,
    is_one_of,
    unexplained,
    used_at,
)
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.uses import Use, uses
from palimpsest.syntax.values import Import
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.types import Block, DocumentChange, Proposal
from palimpsest.window.services import Services

JUDGED_SHARE = 0.4
"""For what other files say of a text a completion waits so much of `completion.first_ms`."""
STANDING_SHARE = 0.12
"""For the members that can stand at the cursor it waits so much of that time, before the engine is asked."""
ONLY_NAME = 0.7
"""How probable the only name is that can stand at the cursor: as a person types, a longer or a new one may come (12 of
18 were right)."""
SHORTEST = 3
"""Characters of a name that are typed before the only one that goes on from them is shown."""
MOST_NAMES = 32
"""At most this many names of one completion are looked for in other files."""
MOST_WORDS = 8
"""Where more names than this go on from what is typed, none counts as the only one."""
MOST_STANDING = 256
MOST_CUTS = 4
LONGEST = 256
"""Characters before a cursor that are looked at for a name: more are none."""
_TYPED = re.compile(r"[^\W\d]\w*\Z")
_HEAD = re.compile(r"[$@]?[^\W\d]\w*\Z")
_WORD, _WHOLE_WORD = re.compile(r"\w"), re.compile(r"\w+")
_ANY = "palimpsest"
"""A name in the place of one of which nothing is typed."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Judged:
    """`unknown`: where the first name begins in the text that does not exist, or that is there already; None where
    there is none.  `is_listed`: it is one that an import statement names."""

    text: str
    unknown: int | None = None
    items: tuple[Import, ...] = ()
    is_listed: bool = False


class Names:
    """One window's.  `admits`: whether a text may be shown at a cursor.  Owner of what accepted completions import."""

    def __init__(self, services: Services, admits: Callable[[str, Snapshot, Position], bool]) -> None:
        self._services = services
        self._admits = admits
        self._imports = Newest[str, tuple[str, tuple[Import, ...]]]()
        self._stood: tuple[tuple[int, str, str, str], tuple[str, ...]] | None = None

    async def worth(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        """The texts that name only what exists, cut to that; for who asks, all of them, these first."""
        if len(place.document.snapshot.text) > LARGEST:
            return result
        judged = [await self._judged(text, place) for text in result.texts]
        known, others, reasons = list[_Judged](), list[_Judged](), dict[str, tuple[str, str]]()
        for one in judged:
            if one.unknown is None:
                known.append(one)
                continue
            name = _WHOLE_WORD.search(one.text, one.unknown)
            reason = f"`{name[0] if name else ''}` does not exist there, or is there already"
            cut = one if place.invoked else await self._cut(one, place)
            reasons[one.text] = "" if cut is None else cut.text, reason
            if cut is not None:
                (others if place.invoked else known).append(cut)
        known += others
        imports = {one.text: one.items for one in known if one.items}
        texts = dict.fromkeys(one.text for one in known)
        return replace(result, imports=imports).after("names", tuple(texts), reasons)

    async def with_only(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        """The only name that can go on from what is typed comes first; who types is shown no other text."""
        snapshot, invoked = place.document.snapshot, place.invoked
        rest = await self.only(place.query.view, snapshot, place.position)
        is_sure = place.bound.least <= ONLY_NAME
        if not rest or not (invoked or (is_sure and self._admits(rest, snapshot, place.position))):
            return result
        with_it = [text for text in result.texts if _first_word(text) == rest]
        others = [text for text in result.texts if text not in with_it]
        reasons = {text: (text if invoked else "", f"only `{rest}` can go on from what is typed") for text in others}
        result = result if with_it else replace(result, sure=Sureness(((n_signs(rest), ONLY_NAME),)))
        return result.after("only name", [*(with_it or [rest]), *(others if invoked else ())], reasons)

    # What does not exist
    async def _judged(self, text: str, place: CompletionPlace) -> _Judged:
        view, snapshot = place.query.view, place.document.snapshot
        parsed, start, end = self._imagined(text, snapshot, place.position)
        unclear = unexplained(parsed, start, end)[:MOST_NAMES]
        if view.cells_hide_names:
            unclear = [one for one in unclear if one.is_member]
        unclear = [one for one in unclear if one.is_member or one.name not in view.cell_words]
        unclear = [one for one in unclear if not _is_said(one, snapshot.text, place.query.blocks)]
        imported = imported_between(parsed, start, end)[:MOST_NAMES]
        given = given_between(parsed, start, end)[:MOST_NAMES]
        if not (unclear or imported or given):
            return _Judged(text)
        there = replace(view, parsed=parsed)

        def asked(names: NameLookup) -> tuple[list[frozenset[str] | Exported | None], list[int | None]]:
            answers = [
                names.members(there, one) if one.is_member else names.exported(there, one.name) for one in unclear
            ]
            lacking = [_lacking(one, names.lacks(there, one.item)) for one in imported]
            taken = [names.keywords(there, one.call) for one in given]
            unknown = [one.start for one, known in zip(given, taken, strict=True) if not _is_taken(one, known)]
            return answers, [*lacking, *unknown]

        answers, places = await self._asked(asked, JUDGED_SHARE) or ([None] * len(unclear), [])
        items = dict.fromkeys(answer.item for answer in answers if isinstance(answer, Exported) and answer.item)
        at = {one.start for one, answer in zip(unclear, answers, strict=True) if not _may_exist(one, answer)}
        at |= {place for place in places if place is not None}
        again = {_first_of(one) for one in imported if one.again} | {one.start for one in given if one.again}
        first = min((place for place in at | again if place is not None), default=None)
        if first is None:
            return _Judged(text, None, tuple(items))
        n = len(utf8(text)[: max(0, first - start)].decode("utf-8", "ignore"))
        return _Judged(text, n, tuple(items), is_listed=any(first == one.start for one in imported))

    async def _asked(self, question: Callable[[NameLookup], T], share: float) -> T | None:
        most_s = share * self._services.settings.completion.first_ms / 1000
        try:
            return await self._services.chooser.ask(question, most_s)
        except Exception:  # a defect hides no completion
            logger.exception("what exists of a completion's names is not known")
            return None

    async def _cut(self, judged: _Judged, place: CompletionPlace) -> _Judged | None:
        """The lines before the one that names what does not exist, with those of its own names before it where it is
        an import of several, None where there are none: another part of a line would say something else."""
        if judged.unknown is None:
            return judged
        parser, before, snapshot = self._services.parser, judged.text[: judged.unknown], place.document.snapshot
        listed = _before_last(before) if judged.is_listed else ()
        for text in [*listed, *_beginnings(before)][:MOST_CUTS]:
            for fitted in fitting(parser, parser.hurried(snapshot), place.position, CompletionResult((text,))).texts:
                again = await self._judged(fitted, place)
                if again.unknown is None:
                    return again
        return None

    def _imagined(self, text: str, snapshot: Snapshot, position: Position) -> tuple[Parsed, int, int]:
        """The parse with the text at the cursor, and its bytes there."""
        new, edits = snapshot.changed([ContentChange(Range(position, position), text)], snapshot.version)
        parsed = parsed_at(self._services.parser.imagined(snapshot, new, edits), position)
        end = edits[0].new_end_byte
        return parsed, end - len(utf8(text)), end

    # The only name
    async def only(self, view: CursorView, snapshot: Snapshot, position: Position) -> str:
        """The rest of the only name that can be used at the cursor and goes on from what is typed; "" where there is
        none, or are several."""
        if len(snapshot.text) > LARGEST:
            return ""
        line = snapshot.lines[position.line]
        before, behind = line[: position.column], line[position.column :]
        typed = _typed(before)
        if typed is None or len(typed) < SHORTEST or behind[:1].isalnum() or behind[:1] == "_":
            return ""
        if any(view.parsed.language.defines(text) for text in (before, before.rpartition("(")[0])):
            return ""  # a new name, or a parameter's
        stem, at = typed, snapshot.offset(position)
        is_member = before[: -len(typed)].rstrip().endswith(view.parsed.language.member_marks)
        going_on = re.finditer(rf"(?<!\w){stem}\w*", snapshot.text)
        every = {word[0] for word in going_on if word.end() != at}
        if stem in every or len(every) > MOST_WORDS:
            return ""
        language = view.parsed.language
        if is_member:
            names = await self._members(stem, sorted(every), view, snapshot, position)
        else:
            names = {word for word in every if self._can_stand(word[len(stem) :], snapshot, position)}
            names |= {word for word in language.builtins | language.common_words if word.startswith(stem)} - every
        first = next(iter(names)) if len(names) == 1 else ""
        common = language.builtins | language.common_words | language.builtin_members | language.object_members
        return "" if first in common - every else first[len(stem) :]  # nobody needs to be told what is always there

    def _can_stand(self, rest: str, snapshot: Snapshot, position: Position) -> bool:
        """Whether a plain name is one that the document defines and that can be seen there: a variable is not before
        the lines that give it a value."""
        parsed, _, end = self._imagined(rest, snapshot, position)
        use = None if parsed.root is None else used_at(parsed, end)
        if use is None or use.role != "use" or use.belongs is None:
            return False
        bound = [one for one in uses(parsed, use.name) if one.binds and one.belongs == use.belongs]
        return any(one.role != "assigned" or one.line < position.line for one in bound)

    async def _members(
        self, stem: str, words: Sequence[str], view: CursorView, snapshot: Snapshot, position: Position
    ) -> set[str]:
        """The members that go on from what is typed: of the class, where it is known, else all of the document."""
        parsed, named, known = await self._members_at("", view, snapshot, position)
        if named is None:
            return set()
        if known is not None:
            return {name for name in known if name.startswith(stem)}
        others = {word for word in parsed.language.builtin_members if word.startswith(stem)}
        return others | {word for word in words if _is_member(parsed, word)}

    async def standing(self, view: CursorView, snapshot: Snapshot, position: Position) -> tuple[str, ...]:
        """The members that can stand at the cursor, those of the language's own classes left out; none where it is not
        behind a value or module whose members are known.  They are looked up once for a place
        and a choice of blocks, which is when other files are looked at again, and not while the name is typed."""
        line = snapshot.lines[position.line]
        typed = _typed(line[: position.column])
        start = position.column - len(typed or "")
        marks = tuple(mark for mark in view.parsed.language.member_marks if mark != "::")
        if typed is None or not line[:start].endswith(marks) or _WORD.match(line, position.column):
            return ()
        if len(snapshot.text) > LARGEST:
            return ()
        offset, n_choices = snapshot.offset(position), self._services.chooser.n_choices
        place = n_choices, snapshot.uri, snapshot.text[: offset - len(typed)], snapshot.text[offset:]
        if self._stood is None or self._stood[0] != place:
            parsed, named, known = await self._members_at(
                "" if typed else _ANY, view, snapshot, position, STANDING_SHARE
            )
            if named is None or known is None:
                return ()
            self._stood = names = place, _standing(view, parsed, named, known)
            return names[1]
        return self._stood[1]

    async def _members_at(
        self, rest: str, view: CursorView, snapshot: Snapshot, position: Position, share: float = JUDGED_SHARE
    ) -> tuple[Parsed, Use | None, frozenset[str] | None]:
        """The parse with the rest of a name at the cursor; its use there, None where that is no member's; those that
        can stand in its place, None where nobody can tell."""
        parsed, _, end = self._imagined(rest, snapshot, position)
        named = used_at(parsed, end) if parsed.root is not None else None
        if named is None or named.role != "member":
            return parsed, None, None
        one, there = Named(named.name, named.start, named.end, is_member=True), replace(view, parsed=parsed)
        answers = await self._asked(lambda names: [names.members(there, one)], share)
        known = answers[0] if answers else None
        return parsed, named, known if isinstance(known, frozenset) else None

    # Imports
    def remember_imports(
        self, ids: Sequence[str], texts: Sequence[str], imports: Mapping[str, tuple[Import, ...]], uri: str
    ) -> None:
        """`imports`: those that texts of a result need, which are known by their ids when they are accepted."""
        for id, text in zip(ids, texts, strict=False):
            if items := imports.get(text, ()):
                self._imports[id] = uri, items

    def accepted(self, id: str) -> tuple[Proposal, Snapshot] | None:
        """The imports that the document lacks for an accepted completion, once; None where it lacks none."""
        uri, items = self._imports.pop(id, ("", ()))
        snapshot = self._services.documents.find(uri)
        if snapshot is None or not items or not self._services.settings.completion.imports:
            return None
        parsed = self._services.parser.parse(snapshot)
        bound = {use.name for name in {item.bound for item in items} for use in uses(parsed, name) if _is_of_file(use)}
        edits = list(import_edits(parsed, [item for item in items if item.bound not in bound]))
        if not edits:
            return None
        change = DocumentChange(uri, snapshot.version, tuple(edits))
        return Proposal((change,), summary=f"import {', '.join(item.bound for item in items)}"), snapshot


def _typed(before: str) -> str | None:
    """What is typed of a name, "" for nothing, None where it is none."""
    near = before[-LONGEST:]
    if not _WORD.match(near[-1:]):
        return ""
    match = _TYPED.search(near)
    return match[0] if match else None


def _standing(view: CursorView, parsed: Parsed, named: Use, known: frozenset[str]) -> tuple[str, ...]:
    """Of the members of what a name may be of, those that are worth proposing: none where it may be more than one
    object of a class, or the class itself."""
    language = parsed.language
    before = parsed.snapshot.utf8[: named.start].decode("utf-8", "ignore")[-LONGEST:]
    match = _HEAD.search(before.rstrip("".join(language.member_marks)))
    if match is None:
        return ()
    head, owners = match[0], language.owners(parsed, named.start, named.end)
    whole = language.head(parsed, named.start, named.end) or head
    is_module = any(whole == (item.bound if item.name or item.alias else item.module) for item in view.imports)
    is_one = head == whole == receiver_in(parsed, view.scope) or (is_module and not whole[:1].isupper())
    if not is_one and not is_one_of(parsed, head, owners):
        return ()
    own = known - language.object_members - language.builtin_members - owners
    return tuple(sorted(one for one in own if _TYPED.fullmatch(one)))[:MOST_STANDING]


def _is_said(named: Named, text: str, blocks: Sequence[Block]) -> bool:
    """Whether the document, or of a member what the model was shown of others, has the name anywhere: there are more
    ways to make a name than can be followed."""
    word = re.compile(rf"(?<!\w){re.escape(named.name)}(?!\w)")
    return any(word.search(one) for one in (text, *(block.text for block in blocks if named.is_member)))


def _may_exist(named: Named, answer: frozenset[str] | Exported | None) -> bool:
    if isinstance(answer, Exported):  # the index keeps no constants
        return answer.exists or named.may_be_elsewhere or named.name.isupper()
    return answer is None or named.name in answer


def _beginnings(text: str) -> Iterator[str]:
    """The whole lines that a text begins with, all of them first."""
    lines = text.split("\n")[:-1]
    yield from ("\n".join(lines[:n]).rstrip() for n in range(len(lines), 0, -1) if lines[n - 1].strip())


def _before_last(text: str) -> Iterator[str]:
    """A list without the one that follows its last comma."""
    before = text.rstrip()
    if before.endswith(","):
        yield before[:-1].rstrip()


def _is_taken(one: Given, known: frozenset[str] | None) -> bool:
    return known is None or one.name in known


def _first_of(one: Imported) -> int | None:
    return one.module_start if one.module_start is not None else one.start


def _lacking(one: Imported, what: str) -> int | None:
    return {"module": one.module_start, "name": one.start}.get(what)


def _first_word(text: str) -> str:
    match = _WHOLE_WORD.match(text)
    return match[0] if match else ""


def _is_of_file(use: Use) -> bool:
    """Whether it is an import that the whole file sees."""
    return use.role == "import" and use.belongs is not None and use.belongs.kind == "file"


def _is_member(parsed: Parsed, word: str) -> bool:
    return any(
        use.role in ("member", "declared") or (use.belongs is not None and use.belongs.kind == "class")
        for use in uses(parsed, word)
    )
