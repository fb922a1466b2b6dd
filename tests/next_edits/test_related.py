"""Where a model may be asked to make the same change."""

from __future__ import annotations

from palimpsest.next_edits.related import related

from .conftest import parsed

SOURCE = """\
def small(order):
    weight = order.weight + 1
    return weight * 2


def nothing(order):
    return None


def large(order):
    weight = order.weight + 10
    return weight * 3
"""


def test_the_line_like_the_edited_one_in_another_function() -> None:
    after = SOURCE.replace("order.weight + 1\n", "order.weight + order.box\n")
    found = related(parsed("a.py", SOURCE), parsed("a.py", after))
    assert found is not None
    assert found.line == 10
    assert "`weight = order.weight + 1`" in found.instruction
    assert "`weight = order.weight + order.box`" in found.instruction


def test_nothing_is_related_to_a_line_of_its_own() -> None:
    for old, new in (("return None", "return order.name"), ("return weight * 2\n", "return weight\n    print()\n")):
        assert related(parsed("a.py", SOURCE), parsed("a.py", SOURCE.replace(old, new))) is None
    assert related(parsed("a.py", SOURCE), parsed("a.py", SOURCE)) is None
