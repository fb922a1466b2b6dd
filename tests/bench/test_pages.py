"""What a server with pages of KV would decode."""

from collections.abc import Mapping

from bench.replaying.kinds import View
from bench.replaying.pages import FRESH, decoded
from palimpsest.prompt.blocks import FOOTER, HEADER

FRAME = len(HEADER) + len(FOOTER)
SIZE = 4


def view(prefix: str, blocks: Mapping[str, str] | None = None, suffix: str = "") -> View:
    return View("a.py", "f", prefix, suffix, blocks, 1, 0)


def counted(*views: View) -> dict[str, int]:
    return dict(decoded(views, lambda text: [ord(character) for character in text], SIZE))


def test_a_first_request_is_decoded_whole() -> None:
    assert set(counted(view("x" * 40, {"a": "y" * 8})).values()) == {FRAME + 48}


def test_what_is_typed_at_the_end_decodes_no_more_than_a_page() -> None:
    typed = [view("abcdefgh" * 4 + "ijkl"[:n], {"a": "y" * 8} if not n else None) for n in range(5)]
    found = counted(*typed)
    first = FRAME + 32 + 8
    rest = (FRAME + 40) % SIZE
    assert found["prefix"] <= first + 4 * (SIZE + rest + 4)
    assert found["spans"] <= first + 4 * (2 * SIZE + 4)
    assert found["padded"] <= first + 4 * (SIZE + 1)
    assert found["stale"] == found["padded"], "nothing before it changes"


def test_a_block_that_changes_costs_all_behind_it_in_a_prompt_and_itself_as_a_span() -> None:
    before = {"a": "a" * 400, "b": "b" * 400}
    after = {**before, "a": "c" * 400}
    found = counted(view("x" * 400, before), view("x" * 400, after))
    once = FRAME + 1200
    assert found["prefix"] - once >= 1200
    assert 800 <= found["spans"] - once <= 800 + 2 * SIZE
    assert found["padded"] - once == 800
    assert found["stale"] - once == 400 + FRESH


def test_another_order_costs_a_span_nothing() -> None:
    one, other = {"a": "a" * 400, "b": "b" * 400}, {"b": "b" * 400, "a": "a" * 400}
    found = counted(view("x" * 40, one), view("x" * 40, other))
    assert found["prefix"] - FRAME - 840 >= 840
    assert found["padded"] - FRAME - 840 == 40
    assert found["stale"] - FRAME - 840 == FRESH
