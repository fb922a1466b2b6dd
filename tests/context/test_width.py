"""Which entries of a crowded folder are shown."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.context.sources.filesystem import nearest
from palimpsest.workspace.files import FolderEntry

NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1, max_size=8)


def entries(*names: str) -> list[FolderEntry]:
    return [FolderEntry(name.rstrip("/"), name.endswith("/"), False) for name in sorted(names)]


def names(found: list[FolderEntry]) -> list[str]:
    return [entry.name for entry in found]


def test_walking_through_a_crowded_folder_rarely_changes_what_is_shown() -> None:
    every = entries(*(f"f{n:04}.py" for n in range(400)))
    shown = [names(nearest(every, entry.name, 40)) for entry in every]
    assert all(entry.name in some for entry, some in zip(every, shown, strict=True))
    assert sum(one != other for one, other in pairwise(shown)) == 9


def test_files_with_the_same_suffix_and_stem_come_before_others() -> None:
    every = entries(*(f"a{n}.json" for n in range(50)), "cart.py", "cart.html", "item.py", "old/", "z.txt")
    assert names(nearest(every, "cart.py", 8)) == [
        "a0.json",
        "a1.json",
        "a10.json",
        "a11.json",
        "cart.html",
        "cart.py",
        "item.py",
        "old",
    ]


@given(st.sets(NAMES, min_size=1, max_size=40), st.integers(1, 50), st.data())
def test_the_file_is_among_them_in_their_order(given: set[str], most: int, data: st.DataObject) -> None:
    every = entries(*(name.rstrip("/") for name in given))
    name = data.draw(st.sampled_from(names(every)))
    found = nearest(every, name, most)
    assert len(found) == min(most, len(every))
    assert name in names(found)
    assert [entry for entry in every if entry in found] == found


@given(st.sets(NAMES, max_size=40), NAMES | st.just(""), st.integers(1, 50))
def test_any_other_name_has_an_answer(given: set[str], name: str, most: int) -> None:
    every = entries(*given)
    assert len(nearest(every, name, most)) == min(most, len(every))
