"""From replies to proposals: repetitions, unknown names, second definitions, and which replies are one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.edits.candidates import CUT_OFF, INCOMPLETE, candidate_of, grouped
from palimpsest.edits.continued import combined, continued
from palimpsest.edits.line_edits import applied, normalised
from palimpsest.edits.rebased import rebased
from palimpsest.edits.reply import CheckedReply
from palimpsest.edits.suggestions.proposals import mark_of
from palimpsest.edits.validate import COMMENTS, FORMATTING, REPETITION, Baseline, Unfit, validated, without_repeats
from palimpsest.languages.registry import language_of
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import DocumentChange, LineEdit, Proposal, Refusal

HERE, THERE = "file:///a.py", "file:///b.py"
CODE = (
    "import json",
    "",
    "class Cart:",
    "    def total(self):",
    "        total = self.sum()",
    "        return total",
    "",
    "    def sum(self):",
    "        return 1",
    "",
)


def change(*edits: LineEdit, uri: str = HERE, version: int = 1) -> DocumentChange:
    return DocumentChange(uri, version, edits, ("editing",))


def suggestion(*edits: LineEdit, uri: str = HERE, name: str = "editing") -> DocumentChange:
    return DocumentChange(uri, 1, edits, (name,))


def reading(*changes: DocumentChange, refused: tuple[Refusal, ...] = (), summary: str = "") -> CheckedReply:
    return CheckedReply(changes, refused, summary)


def baseline(*words: str) -> dict[str, Baseline]:
    return {uri: Baseline(CODE, language_of("python"), frozenset(words)) for uri in (HERE, THERE)}


def flags(*edits: LineEdit, words: Sequence[str] = ()) -> tuple[str, ...]:
    return validated(change(*edits), baseline(*words)[HERE]).flags


def test_a_name_that_nobody_knows_is_flagged_once() -> None:
    line = LineEdit(5, 6, ("        return rebate(total) + rebate(json) + len(rebates)",))
    assert flags(line) == ("unknown name: rebate", "unknown name: rebates")
    assert flags(line, words=("rebate", "rebates")) == ()


def test_names_that_the_edit_itself_defines_are_known_everywhere_in_it() -> None:
    made = LineEdit(1, 1, ("from shop import rebate", ""))
    assert flags(made, LineEdit(5, 6, ("        return rebate(total)",))) == ()
    assert flags(LineEdit(5, 6, ("        return [n for n in self.all if n.rebate]",))) == ()


@pytest.mark.parametrize(
    ("line", "flag"),
    [("        total  = self.sum( )", FORMATTING), ("        total = self.sum()  # of all", COMMENTS)],
)
def test_what_changes_only_the_layout_is_known_as_such(line: str, flag: str) -> None:
    assert flags(LineEdit(4, 5, (line,))) == (flag,)


def test_a_first_documentation_is_welcome() -> None:
    assert flags(LineEdit(4, 4, ('        """The price of all."""',))) == ()


def test_indentation_that_means_something_is_no_layout() -> None:
    assert flags(LineEdit(7, 9, ("def sum(self):", "    return 1"))) == ()


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (LineEdit(9, 9, ("    def sum(self):", "        return 2")), "it would define Cart.sum a second time"),
        (LineEdit(4, 4, ('        """One."""', '        """Two."""')), "it would document a definition a second time"),
        (LineEdit(4, 4, CODE[4:6]), "it repeats what stands there already"),
        (LineEdit(6, 6, CODE[4:6]), "it repeats what stands there already"),
        (LineEdit(4, 5, ("        total = (",)), "it would leave 1 syntax error where there were none"),
        (LineEdit(5, 5, ("            total = 1",)), "it would leave 1 syntax error where there were none"),
        (LineEdit(4, 6, ("    return 1",)), "it would leave 1 syntax error where there were none"),
        (LineEdit(4, 4, ("        if self:",)), "it would leave 1 syntax error where there were none"),
    ],
)
def test_what_must_not_be_offered_has_a_reason(edit: LineEdit, reason: str) -> None:
    with pytest.raises(Unfit) as caught:
        validated(change(edit), baseline()[HERE])
    assert str(caught.value) == reason


@pytest.mark.parametrize("decorator", ["@property", "@overload"])
def test_a_second_definition_with_a_decorator_may_stand(decorator: str) -> None:
    lines = (f"    {decorator}", "    def sum(self):", "        return 2")
    assert flags(LineEdit(9, 9, lines), words=("overload",)) == ()


def test_a_repetition_is_left_out_and_what_is_new_stays() -> None:
    found = validated(change(LineEdit(5, 5, ("        print(total)", *CODE[5:8]))), baseline()[HERE])
    assert found.change.edits == (LineEdit(5, 5, ("        print(total)",)),)
    assert found.flags == (REPETITION,)


def test_one_line_may_stand_twice() -> None:
    edit = LineEdit(5, 5, ("        total = self.sum()",))
    assert without_repeats(CODE, [edit]) == (edit,)


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8)


@st.composite
def edited(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[LineEdit, ...]]:
    """Lines and edits of them, sorted and apart."""
    lines = tuple(draw(LINES))
    cuts = sorted(draw(st.lists(st.integers(0, len(lines)), max_size=6)))
    edits = [LineEdit(start, end, tuple(draw(LINES))) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    return lines, normalised(lines, edits)


@given(edited())
def test_leaving_repetitions_out_only_takes_new_lines_away(case: tuple[tuple[str, ...], tuple[LineEdit, ...]]) -> None:
    lines, edits = case
    kept = {(edit.start, edit.end): edit.lines for edit in without_repeats(lines, edits)}
    for edit in edits:
        new = kept.get((edit.start, edit.end), ())
        assert len(new) <= len(edit.lines)
        assert any(edit.lines[i : i + len(new)] == new for i in range(len(edit.lines) + 1))
        if len(edit.lines) <= edit.end - edit.start:
            assert new == edit.lines


# Which replies are one --------------------------------------------------------------------------------------------


def candidates(*readings: CheckedReply, logprobs: Sequence[float] = ()) -> tuple[Proposal, ...]:
    found = [
        candidate_of(one, baseline(), here=HERE, logprob=logprobs[i] if logprobs else 0.0)[0]
        for i, one in enumerate(readings)
    ]
    return grouped(found, baseline())


def test_replies_that_come_to_the_same_are_one_the_likeliest_of_them_given() -> None:
    one = reading(suggestion(LineEdit(5, 6, ("        return  total+1",))), summary="one")
    two = reading(suggestion(LineEdit(5, 6, ("        return total + 1  ",))), summary="two")
    other = reading(suggestion(LineEdit(5, 6, ("        return total - 1",))), summary="other")
    first, second = candidates(other, one, two, reading(), logprobs=(-0.1, -0.9, -0.5, 0.0))
    assert (first.summary, first.agreement) == ("two", 0.5)
    assert (second.summary, second.agreement) == ("other", 0.25)


def test_what_mends_comes_first_and_is_no_reply() -> None:
    mended = reading(suggestion(LineEdit(5, 6, ("        return total + 2",))), summary="mended")
    other = reading(suggestion(LineEdit(5, 6, ("        return total - 1",))), summary="other")
    same = reading(suggestion(LineEdit(5, 6, ("        return  total+2",))), summary="same")
    found = [candidate_of(one, baseline(), here=HERE)[0] for one in (mended, other, other, same)]
    assert found[0] is not None
    found[0] = replace(found[0], mends=True, logprob=-9.0)
    first, second = grouped(found, baseline())
    assert (first.summary, first.agreement) == ("mended", 1.0)
    assert (second.summary, second.agreement) == ("other", 2 / 3)


def test_of_edits_agreed_on_alike_the_likelier_comes_first() -> None:
    made = [reading(suggestion(LineEdit(5, 6, (f"        return {n}",))), summary=str(n)) for n in range(3)]
    assert [found.summary for found in candidates(*made, logprobs=(-0.5, -0.1, -0.9))] == ["1", "0", "2"]


def test_a_line_moved_by_another_way_of_writing_it_is_the_same() -> None:
    new = "        print(total)"
    replaced = reading(suggestion(LineEdit(4, 5, (CODE[4], new))))
    inserted = reading(suggestion(LineEdit(5, 5, (new,))))
    (found,) = candidates(replaced, inserted)
    assert found.agreement == 1.0


def test_all_documents_of_a_reply_are_one_proposal_the_cursors_first() -> None:
    edit = LineEdit(5, 6, ("        return 2",))
    there = suggestion(edit, uri=THERE, name="b.py")
    both = reading(there, suggestion(edit))
    found, refused = candidate_of(both, baseline(), here=HERE)
    assert found
    assert [part.uri for part in found.proposal.changes] == [HERE, THERE]
    assert refused == ()
    assert found.flags == ()
    assert len(candidates(both, reading(suggestion(edit)))) == 2


def test_a_part_that_is_refused_is_said_to_be_missing() -> None:
    edit, worse = LineEdit(5, 6, ("        return 2",)), LineEdit(4, 5, ("        total = (",))
    found, refused = candidate_of(
        reading(suggestion(edit), suggestion(worse, uri=THERE, name="b.py")), baseline(), here=HERE, cut_off=True
    )
    assert found
    assert found.flags == (CUT_OFF, INCOMPLETE)
    assert [(refusal.name, "syntax" in refusal.reason) for refusal in refused] == [("b.py", True)]


def test_two_suggestions_for_the_same_lines_are_not_put_together() -> None:
    one, two = LineEdit(5, 6, ("        return 2",)), LineEdit(5, 6, ("        return 3",))
    found, refused = candidate_of(reading(suggestion(one), suggestion(two, name="Cart")), baseline(), here=HERE)
    assert found
    assert found.proposal.changes[0].edits == (one,)
    assert [refusal.name for refusal in refused] == ["Cart"]


# Carried over -----------------------------------------------------------------------------------------------------


@given(edited(), LINES, LINES)
def test_a_change_is_carried_to_its_lines_or_not_at_all(
    case: tuple[tuple[str, ...], tuple[LineEdit, ...]], above: list[str], below: list[str]
) -> None:
    lines, edits = case
    now = (*above, *lines, *below)
    moved = rebased(change(*edits), lines, now, 7)
    if moved is None:
        return
    assert moved.version == 7
    result = applied(now, moved.edits)
    assert sorted(result) == sorted([*above, *applied(lines, edits), *below])
    for edit, old in zip(moved.edits, edits, strict=True) if len(moved.edits) == len(edits) else ():
        assert now[edit.start : edit.end] == lines[old.start : old.end]


def test_a_change_of_a_line_that_was_edited_is_not_carried() -> None:
    edit = LineEdit(5, 6, ("        return 2",))
    assert rebased(change(edit), CODE, (*CODE[:5], "        return 3", *CODE[6:]), 2) is None
    moved = rebased(change(edit), CODE, ("# new", *CODE), 2)
    assert moved
    assert moved.edits == (LineEdit(6, 7, edit.lines),)


@given(edited(), st.data())
def test_two_changes_one_after_the_other_are_one(
    case: tuple[tuple[str, ...], tuple[LineEdit, ...]], data: st.DataObject
) -> None:
    lines, first = case
    middle = applied(lines, first)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(middle)), max_size=4)))
    second = normalised(
        middle, [LineEdit(a, b, tuple(data.draw(LINES))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    )
    final = applied(middle, second)
    assert applied(lines, combined(first, lines, final, middle)) == final


def test_going_on_leaves_nothing_of_the_proposal_out() -> None:
    first, more = LineEdit(5, 6, ("        return 2",)), LineEdit(5, 6, ("        return 2 * total",))
    documents = {uri: Snapshot(uri, 1, "python", "\n".join(CODE)) for uri in (HERE, THERE)}
    proposed = {HERE: change(first), THERE: change(first, uri=THERE)}
    found = continued(reading(suggestion(more)), documents, proposed)
    assert {one.uri: one.edits for one in found.changes} == {HERE: (more,), THERE: (first,)}
    assert continued(reading(), documents, proposed).changes == ()


def test_a_proposal_is_known_again_when_other_lines_change() -> None:
    proposal = Proposal((change(LineEdit(5, 6, ("        return 2",))),))
    moved = Proposal((change(LineEdit(6, 7, ("        return 2 ",))),))
    other = Proposal((change(LineEdit(5, 6, ("        return 3",))),))
    then, now = (Snapshot(HERE, 1, "python", "\n".join(lines)) for lines in (CODE, ("# new", *CODE)))
    assert mark_of(proposal, {HERE: then}) == mark_of(moved, {HERE: now})
    assert mark_of(proposal, {HERE: then}) != mark_of(other, {HERE: then})
