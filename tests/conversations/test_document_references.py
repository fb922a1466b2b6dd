"""Which documents turns refer to, over all conversations; their graph and its picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.documents.graph import Edge, Graph, GraphNode, graph, svg
from palimpsest.conversations.documents.reference import DocumentReference, wikilink_to, without_repeats
from palimpsest.conversations.memory import Memory
from palimpsest.errors import NotFound

PRICES = DocumentReference("[[prices]]", "docs/prices.md", "direct", summary="What things cost.")
FOUND = DocumentReference("[[docs/tax.md]]", "docs/tax.md", "search", snippet="a tax")
BROKEN = DocumentReference("[[nowhere]]", None, "direct", problem="no document is called so")


def test_a_document_is_once_on_a_turn_and_what_is_known_of_it_is_kept() -> None:
    read = DocumentReference("[[docs/prices.md]]", "docs/prices.md", "search", read=True, snippet="cost")
    (one,) = without_repeats([PRICES, read])
    assert (one.wikilink, one.kind, one.read, one.summary, one.snippet) == (
        "[[prices]]",
        "direct",
        True,
        "What things cost.",
        "cost",
    )
    assert len(without_repeats([BROKEN, BROKEN, DocumentReference("[[other]]", None)])) == 2


def test_each_link_to_a_section_is_told_and_one_to_the_whole_document_stands_for_them() -> None:
    rounding, taxes = (DocumentReference(f"[[prices#{name}]]", "docs/prices.md", fragment=name) for name in "RT")
    read = DocumentReference("[[docs/prices.md]]", "docs/prices.md", "search", read=True)
    assert [one.wikilink for one in without_repeats([rounding, taxes, rounding])] == ["[[prices#R]]", "[[prices#T]]"]
    for order in ([PRICES, rounding], [rounding, PRICES], [rounding, taxes, PRICES]):
        assert [(one.wikilink, one.fragment) for one in without_repeats(order)] == [("[[prices]]", "")]
    assert [(one.fragment, one.read) for one in without_repeats([read, rounding, taxes])] == [("R", True), ("T", False)]
    part = DocumentReference("[[docs/prices.md]]", "docs/prices.md", "search", fragment="R")
    assert [one.fragment for one in without_repeats([part, read])] == [""]


def test_references_are_kept_with_their_turn_and_go_with_it(memory: Memory) -> None:
    talk = memory.conversations.new()
    turn = memory.turns.add(talk.id, "user", "see [[prices]] and [[nowhere]]")
    memory.documents.add(turn.id, [PRICES, BROKEN])
    reply = memory.turns.add(talk.id, "assistant", "…")
    memory.documents.add(reply.id, [FOUND])
    every = memory.documents.add(reply.id, [DocumentReference("[[tax]]", "docs/tax.md", "search", read=True)])
    assert [(one.path, one.read) for one in every] == [("docs/tax.md", True)]
    assert memory.documents.of_turn(turn.id) == [PRICES, BROKEN]
    assert [turn for turn, _ in memory.documents.of_conversation(talk.id)] == [turn.id, turn.id, reply.id]
    with pytest.raises(NotFound):
        memory.documents.add(999, [PRICES])
    memory.conversations.delete(talk.id)
    assert memory.documents.usage() == []


def test_what_is_kept_of_a_document_has_no_secrets(memory: Memory) -> None:
    turn = memory.turns.add(memory.conversations.new().id, "user", "See it.")
    secret = "Log in with password=letmein2024 there."
    memory.documents.add(turn.id, [DocumentReference("[[a]]", "a.md", "search", summary=secret, snippet=secret)])
    (kept,) = memory.documents.of_turn(turn.id)
    assert kept.summary == kept.snippet == "Log in with password=... there."


def test_which_documents_are_used_most_and_which_were_found_but_never_used(memory: Memory) -> None:
    talks = [memory.conversations.new().id for _ in range(3)]
    turns = [memory.turns.add(talk, "user", "x").id for talk in talks]
    for turn in turns[:2]:
        memory.documents.add(turn, [PRICES, BROKEN])
    memory.documents.add(turns[2], [FOUND, DocumentReference("[[a]]", "a.md", "search", read=True)])
    usage = memory.documents.usage()
    assert [(one.path, one.n_conversations, one.is_used) for one in usage] == [
        ("docs/prices.md", 2, True),
        ("a.md", 1, True),
        ("docs/tax.md", 1, False),
    ]
    memory.documents.add(turns[0], [DocumentReference("[[b]]", "b.md")])
    assert memory.documents.together(["docs/prices.md"]) == {"b.md": 1}


def test_a_summary_is_kept_by_its_documents_content(memory: Memory) -> None:
    assert memory.documents.summary("h") is None
    memory.documents.keep_summary("h", "About prices.")
    assert memory.documents.summary("h") == "About prices."


def test_the_graph_has_conversations_documents_and_what_leads_nowhere() -> None:
    known = graph(
        {"c-1": [PRICES, BROKEN], "c-2": [PRICES, FOUND]}, {"c-1": "first"}, [("docs/tax.md", "docs/prices.md")]
    )
    assert {(node.id, node.kind, node.label) for node in known.nodes} == {
        ("c-1", "conversation", "first"),
        ("c-2", "conversation", "c-2"),
        ("docs/prices.md", "document", "docs/prices.md"),
        ("docs/tax.md", "document", "docs/tax.md"),
        ("broken:[[nowhere]]", "broken", "[[nowhere]]"),
    }
    assert Edge("docs/tax.md", "docs/prices.md", "link") in known.edges
    small = graph({"c-1": [PRICES, BROKEN], "c-2": [PRICES, FOUND]}, {}, most=2)
    assert small.n_left_out == 3
    assert {end for edge in small.edges for end in (edge.source, edge.target)} <= {node.id for node in small.nodes}


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12), st.booleans()), max_size=8))
def test_a_picture_is_well_formed_whatever_documents_are_called(pieces: list[tuple[str, str, bool]]) -> None:
    references = {
        f"c-{n}": [DocumentReference(link, path if known else None)] for n, (link, path, known) in enumerate(pieces)
    }
    picture = svg(graph(references, {f"c-{n}": link for n, (link, _, _) in enumerate(pieces)}))
    root = ElementTree.fromstring(picture.encode("utf-8", "strict"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


HOSTILE = '<script>alert(1)</script>"]]>&lt;![CDATA[ onload="x" \x00\x1b\ud800 </title></text></svg>'


def test_hostile_names_are_text_in_the_picture() -> None:
    picture = svg(
        graph({"c-1": [DocumentReference(HOSTILE, HOSTILE), DocumentReference(HOSTILE, None)]}, {"c-1": HOSTILE})
    )
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(picture).iter()}
    assert names == {"svg", "style", "title", "line", "g", "circle", "text"}
    attributes = {name for element in ElementTree.fromstring(picture).iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)


def test_a_link_to_a_document_is_one_whatever_its_heading_is_called() -> None:
    assert wikilink_to("a.md") == "[[a.md]]"


WIDTH_OF_A_LETTER = 6.5


@pytest.mark.parametrize(("n_conversations", "n_documents"), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (3, 3), (4, 4)])
def test_in_a_small_graph_no_label_lies_on_a_node(n_conversations: int, n_documents: int) -> None:
    conversations = [
        GraphNode(f"c-{n}", "conversation", "How are prices rounded, see …", 2) for n in range(n_conversations)
    ]
    documents = [GraphNode(f"d-{n}", "document", "docs/prices.md", 2) for n in range(n_documents)]
    root = ElementTree.fromstring(svg(Graph((*conversations, *documents), ())))
    space = "{http://www.w3.org/2000/svg}"
    dots = [{name: float(dot.get(name, "")) for name in ("cx", "cy", "r")} for dot in root.iter(f"{space}circle")]
    assert len(dots) == n_conversations + n_documents
    left, top, across, down = map(float, root.get("viewBox", "").split())
    ys = [dot["cy"] for dot in dots]
    assert down <= max(ys) - min(ys) + 100, "the picture is no larger than what is in it"
    for text in root.iter(f"{space}text"):
        width, x, y = len(text.text or "") * WIDTH_OF_A_LETTER, float(text.get("x", "")), float(text.get("y", ""))
        begins = x - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor", "")]
        assert left <= begins, text.text
        assert begins + width <= left + across, text.text
        assert top < y < top + down, text.text
        for dot in dots:
            beside = dot["cx"] + dot["r"] < begins or dot["cx"] - dot["r"] > begins + width
            assert beside or dot["cy"] + dot["r"] < y - 10 or dot["cy"] - dot["r"] > y + 3, (text.text, dot)
