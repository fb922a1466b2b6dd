"""Documents that conversations refer to: told to the model, listed, related, drawn, opened, exported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import OUTSIDE

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted
from .talking import do, talking
from .test_compaction import WRITTEN

ASKED = "Explain [[prices#Rounding]], [[tools]] and [[nowhere]]."


@pytest.fixture
def said(machine: dict[str, str]) -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = ["To the cent, says [[prices]]."]
        yield it


@pytest.fixture
async def window(said: Scripted, tmp_path: Path) -> AsyncIterator[Editor]:
    root = tmp_path / "notes"
    for name, text in {
        "docs/prices.md": "# Prices\n\nWhat things cost.\n\n## Rounding\n\nTo the cent.\n",
        "docs/tools.md": "# Tools\n\nWhat to use; see [[prices]].\n\n" + "many words about hammers\n" * 3_000,
        "docs/parcels.md": "# Parcels\n\nHow parcels are sent.\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (tmp_path / "outside.md").write_text("# Outside\n", encoding="utf-8")
    it = await start_editor(root, {"engine": {"kind": "openai", "url": said.url}})
    await it.ready()
    yield it
    await stop_editor(it)


def told(said: Scripted) -> str:
    return "\n".join(message["content"] for message in said.asked[-1]["messages"])


async def test_a_message_is_sent_with_its_documents_and_they_are_listed_with_the_reply(
    window: Editor, said: Scripted
) -> None:
    """document-references.md: "Referenced Documents", broken ones said to be broken; content or tool by the budget."""
    reply = await window.command("palimpsest.ask", {"text": ASKED})
    assert [(one["wikilink"], one["path"], one["read"]) for one in reply["documents"]] == [
        ("[[prices#Rounding]]", "docs/prices.md", True),
        ("[[tools]]", "docs/tools.md", False),
        ("[[nowhere]]", None, False),
    ]
    assert "- [[prices#Rounding]] (docs/prices.md): What things cost." in told(said)
    assert "- [[nowhere]]: Warning - Document not found" in told(said)
    assert "## Rounding\n\nTo the cent." in told(said)
    assert "hammers" not in told(said)
    first = told(said)
    (window.root / "docs" / "prices.md").write_text("# Prices\n\nOther words.\n", encoding="utf-8")
    await window.command("palimpsest.ask", {"text": "And now?", "conversation": reply["conversation"]})
    assert told(said).startswith(first[: first.index("To the cent.")]), "what was told once stays as it was"


async def test_what_is_said_before_the_model_is_known_is_sent_as_that_model_reads_it(
    said: Scripted, tmp_path: Path
) -> None:
    (tmp_path / "prices.md").write_text("# Prices\n\nTo the cent.\n", encoding="utf-8")
    said.known.clear()
    window = await start_editor(tmp_path, {"engine": {"kind": "openai", "url": said.url}})
    talk = (await do(window, "conversation.new"))["conversation"]
    asking = asyncio.create_task(do(window, "ask", text="What of [[prices]]?", conversation=talk))
    await until_answering(window)
    said.known.set()
    await asking
    assert "\nTo the cent." in told(said)
    assert "read_fd(" in told(said), "tools"
    assert "</file_descriptor_instructions>" in told(said)
    await stop_editor(window)


async def test_a_summary_that_is_asked_for_before_the_model_is_known_is_the_models(
    said: Scripted, tmp_path: Path
) -> None:
    said.known.clear()
    window = await start_editor(tmp_path, {"engine": {"kind": "openai", "url": said.url}})
    talk = (await do(window, "conversation.new"))["conversation"]
    await do(window, "conversation.append", conversation=talk, role="user", content="Hello.")
    said.replies = [json.dumps(WRITTEN)]
    compacting = asyncio.create_task(do(window, "conversation.compact", conversation=talk))
    await do(window, "conversation.list")  # behind it
    said.known.set()
    assert (await compacting)["written_by"] == "model"
    await stop_editor(window)


async def until_answering(window: Editor) -> None:
    while not any(one["answering"] for one in (await do(window, "conversation.list"))["conversations"]):
        pass


async def test_a_document_stands_in_the_message_again_where_compaction_has_made_room(
    window: Editor, said: Scripted
) -> None:
    """What a summary stands for takes no room."""
    first = await window.command("palimpsest.ask", {"text": "A long story. " * 550})
    talk = {"conversation": first["conversation"]}
    await window.command("palimpsest.ask", {"text": "A long story. " * 550, **talk})
    (window.root / "docs" / "middle.md").write_text("# Middle\n\nIn it.\n\n" + "Words. " * 200, encoding="utf-8")
    reply = await window.command("palimpsest.ask", {"text": "[[middle]]", **talk})
    assert not reply["documents"][0]["read"]
    await window.command("palimpsest.conversation.compact", {**talk, "goal": "To go on"})
    reply = await window.command("palimpsest.ask", {"text": "[[middle]]", **talk})
    assert reply["documents"][0]["read"]


async def test_documents_made_renamed_and_removed_meanwhile_are_found_as_they_are_now(
    window: Editor, said: Scripted
) -> None:
    """document-references.md: "Missing Documents: Handle cases where referenced documents are deleted"; no editor has
    told of the change."""
    first = await window.command("palimpsest.ask", {"text": "[[prices]]"})
    docs = window.root / "docs"
    (docs / "prices.md").rename(docs / "costs.md")
    (docs / "parcels.md").unlink()
    (docs / "new.md").write_text("# New\n\nJust made.\n", encoding="utf-8")
    asked = {"text": "[[prices.md]] [[costs]] [[new]] [[parcels]]", "conversation": first["conversation"]}
    reply = await window.command("palimpsest.ask", asked)
    assert [(one["path"], one["problem"]) for one in reply["documents"]] == [
        (None, "Document not found"),
        ("docs/costs.md", ""),
        ("docs/new.md", ""),
        (None, "Document not found"),
    ]
    (docs / "newest.md").write_text("# Newest\n\nMade last.\n", encoding="utf-8")
    (docs / "new.md").unlink()
    said.replies = ['read_document("newest")\nread_document("new")', "Read."]
    await window.command("palimpsest.ask", {"text": "Read them.", "conversation": first["conversation"]})
    assert "Made last." in told(said)
    assert "there is no document 'new'" in told(said)
    (docs / "later.md").write_text("# Later\n", encoding="utf-8")
    assert (await window.command("palimpsest.documents.open", {"link": "[[later]]"}))["path"] == "docs/later.md"


async def test_a_document_that_is_too_large_is_there_and_said_to_be_too_large(window: Editor, said: Scripted) -> None:
    (window.root / "docs" / "huge.md").write_text("# Huge\n\n" + "word " * 300_000, encoding="utf-8")
    reply = await window.command("palimpsest.ask", {"text": "[[huge]]"})
    (one,) = reply["documents"]
    assert (one["path"], one["problem"]) == (None, "docs/huge.md is larger than 1,000,000 bytes")
    assert "- [[huge]]: Warning - docs/huge.md is larger than 1,000,000 bytes" in told(said)
    said.replies = ['read_document("huge")', "It is too large."]
    await window.command("palimpsest.ask", {"text": "Read it.", "conversation": reply["conversation"]})
    assert "docs/huge.md is larger than 1,000,000 bytes" in told(said).rpartition("Read it.")[2]
    uri = window.open("links.md", "[[huge]] [[nowhere]]\n")
    await until(lambda: window.client.diagnostics.get(uri))
    assert [one.message.partition(":")[0] for one in window.client.diagnostics[uri]] == ["[[nowhere]]"]
    params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(0, 3))
    hover = await window.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert "larger than 1,000,000 bytes" in hover.contents.value.replace("\\", "")
    said.replies = ['read_document("huge", heading="Huge")', "It is too large."]
    await window.command("palimpsest.ask", {"text": "Read it.", "conversation": reply["conversation"]})
    assert "docs/huge.md is larger than 1,000,000 bytes" in told(said).rpartition("Read it.")[2]


SECRET_WORDS = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB"
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET_WORDS}\n-----END OPENSSH PRIVATE KEY-----\n"


@pytest.fixture
def kept_back(window: Editor, tmp_path: Path) -> dict[str, str]:
    """Links to what may not be read, and why it may not."""
    docs = window.root / "docs"
    (docs / "small.md").write_text("eW91IHdpbGwgbm90IHJlYWQgdGhpcyBsaW5l" * 1_000 + "\n", encoding="utf-8")
    (docs / "bytes.txt").write_bytes(b"\0\1\2" * 100)
    (docs / "cloud.md").write_text(f"# Cloud\n\n{KEY}", encoding="utf-8")
    (docs / "hidden.md").write_text("# Hidden\n", encoding="utf-8")
    (docs / "ours.md").write_text("# Ours\n", encoding="utf-8")
    (window.root / ".gitignore").write_text("hidden.md\n", encoding="utf-8")
    (window.root / ".palimpsestignore").write_text("ours.md\n", encoding="utf-8")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "there.md").write_text("# There\n", encoding="utf-8")
    (docs / "away").symlink_to(tmp_path / "away")
    return {
        "small": "docs/small.md is minified code",
        "docs/bytes.txt": "docs/bytes.txt is no UTF-8 text",
        "cloud#Cloud": "docs/cloud.md holds what looks like",
        "docs/hidden": "docs/hidden.md is ignored by git",
        "docs/ours.md": "docs/ours.md is named in .palimpsestignore",
        "../outside": "../outside is outside the workspace",
        "../nothing": "../nothing is outside the workspace",
        str(tmp_path / "outside.md"): "outside.md is outside the workspace",
        "docs/away/there": "docs/away/there is outside the workspace",
        "docs/away/nothing": "docs/away/nothing is outside the workspace",
    }


async def test_of_a_document_that_may_not_be_read_a_message_says_why(
    window: Editor, said: Scripted, kept_back: dict[str, str]
) -> None:
    """Of what is outside, whether it is there or not is not told."""
    reply = await window.command("palimpsest.ask", {"text": " ".join(f"[[{link}]]" for link in kept_back)})
    for one, why in zip(reply["documents"], kept_back.values(), strict=True):
        assert one["path"] is None
        assert why in one["problem"]
        assert f"- {one['wikilink']}: Warning - {one['problem']}\n" in f"{told(said)}\n"
    assert SECRET_WORDS not in told(said)


async def test_of_a_document_that_may_not_be_read_the_tool_says_why(
    window: Editor, said: Scripted, kept_back: dict[str, str]
) -> None:
    said.replies = ["\n".join(f'read_document("{link}")' for link in kept_back), "None can be read."]
    await window.command("palimpsest.ask", {"text": "Read them."})
    results = told(said).rpartition("Read them.")[2]
    for why in kept_back.values():
        assert why in results
    assert SECRET_WORDS not in results


async def test_of_a_document_that_may_not_be_read_a_warning_says_why(window: Editor, kept_back: dict[str, str]) -> None:
    uri = window.open("links.md", "".join(f"[[{link}]]\n" for link in kept_back))
    await until(lambda: len(window.client.diagnostics.get(uri, ())) == len(kept_back))
    for one, why in zip(window.client.diagnostics[uri], kept_back.values(), strict=True):
        assert why in one.message
        assert SECRET_WORDS not in one.message


async def test_a_document_that_a_link_in_the_workspace_leads_to_is_read(window: Editor, said: Scripted) -> None:
    (window.root / "costs.md").symlink_to(window.root / "docs" / "prices.md")
    reply = await window.command("palimpsest.ask", {"text": f"[[costs#Rounding]] [[{window.root}/docs/parcels.md]]"})
    assert [(one["path"], one["fragment"], one["read"]) for one in reply["documents"]] == [
        ("costs.md", "Rounding", True),
        ("docs/parcels.md", "", True),
    ]


async def test_references_are_listed_of_one_conversation_and_of_all(window: Editor) -> None:
    reply = await window.command("palimpsest.ask", {"text": ASKED})
    of_one = await window.command("palimpsest.documents.list", {"conversation": reply["conversation"]})
    assert [one["uri"] for one in of_one["documents"]] == [
        to_uri(window.root / "docs" / "prices.md"),
        to_uri(window.root / "docs" / "tools.md"),
        "",
    ]
    rows = list(ElementTree.fromstring(of_one["xml"]))
    assert [row.get("problem") for row in rows] == [None, None, "Document not found"]
    of_all = await window.command("palimpsest.documents.list", {})
    assert {one["path"] for one in of_all["documents"]} >= {"docs/prices.md", "docs/tools.md"}
    assert all(datetime.fromisoformat(one["last"]) for one in of_all["documents"]), "as all times are written"
    ElementTree.fromstring(of_all["xml"])
    with pytest.raises(JsonRpcException, match="c-00000000"):
        await window.command("palimpsest.documents.list", {"conversation": "c-00000000"})


async def test_of_many_documents_as_many_are_listed_as_the_setting_says(machine: dict[str, str], shop: Path) -> None:
    for name in ("a", "b", "c"):
        (shop / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    async with talking(shop, {"documents": {"most_listed": 1}}) as (it, _):
        reply = await do(it, "ask", text="See [[a]], [[b]] and [[c]].")
        opened = await do(it, "conversation.open", conversation=reply["conversation"])
        assert "- [[a]] (a.md): Hello.\n- and 2 more\n" in opened["text"]


async def test_related_documents_are_offered_for_the_turn_being_written(window: Editor) -> None:
    reply = await window.command("palimpsest.ask", {"text": ASKED})
    asked = {"text": "how are parcels sent, at what prices", "conversation": reply["conversation"]}
    found = await window.command("palimpsest.documents.related", asked)
    assert [one["wikilink"] for one in found["documents"]] == ["[[docs/parcels.md]]"]
    assert found["documents"][0]["summary"] == "How parcels are sent."
    ElementTree.fromstring(found["xml"])
    none = await window.command("palimpsest.documents.related", {**asked, "most": 0})
    assert none["documents"] == []


async def test_documents_that_were_used_together_once_are_related(window: Editor) -> None:
    (window.root / "docs" / "prices.md").write_text("# Tariffs\n\nWhat it costs.\n", encoding="utf-8")
    await window.command("palimpsest.ask", {"text": f"{ASKED} And [[docs/prices]]?"})
    here = (await window.command("palimpsest.ask", {"text": ASKED}))["conversation"]
    found = await window.command("palimpsest.documents.related", {"text": "And then?", "conversation": here})
    (one,) = [one for one in found["documents"] if one["path"] == "docs/prices.md"]
    assert one["why"] == "used with these documents in 1 conversation"


async def test_words_that_are_in_every_text_make_no_document_related(window: Editor) -> None:
    (window.root / "docs" / "other.md").write_text("# Other\n\nWhat is to be done, and how.\n", encoding="utf-8")
    for text, paths in ("What is this, and how do I use it?", []), ("How are parcels sent?", ["docs/parcels.md"]):
        found = await window.command("palimpsest.documents.related", {"text": text})
        assert [one["path"] for one in found["documents"]] == paths


async def test_without_links_nothing_is_kept_of_documents(machine: dict[str, str], shop: Path) -> None:
    (shop / "parcels.md").write_text("# Parcels\n\nHow parcels are sent.\n", encoding="utf-8")
    async with talking(shop, {"documents": {"links": False}}) as (editor, model):
        model.replies = ['find_documents("parcels")', "Sent."]
        reply = await do(editor, "ask", text="See [[parcels]].")
        assert reply["documents"] == []
        assert "Referenced Documents" not in told(model)
        assert '<document path="parcels.md"' in told(model), "a tool answers all the same"
        assert (await do(editor, "documents.list"))["documents"] == []


async def test_what_the_model_reads_of_a_conversation_is_a_document(window: Editor, said: Scripted) -> None:
    said.takes_tools = True
    talk = (await window.command("palimpsest.ask", {"text": ASKED}))["conversation"]
    uri = f"palimpsest:/prompt/{talk}"
    shown = (await window.command("palimpsest.virtual.read", {"uri": uri}))["text"]
    for message in said.asked[-1]["messages"]:
        assert message["content"].rpartition("</workspace>\n")[2] in shown
    with pytest.raises(JsonRpcException, match="conversation"):
        await window.command("palimpsest.virtual.read", {"uri": "palimpsest:/prompt/c-00000000"})


async def test_an_export_is_a_document_of_its_own_and_known_at_once(window: Editor) -> None:
    reply = await window.command("palimpsest.ask", {"text": "Explain prices."})
    await window.command("palimpsest.documents.list", {})  # all are known now
    export = {"conversation": reply["conversation"], "path": "exported.md"}
    await window.command("palimpsest.conversation.export", export)
    found = (await window.command("palimpsest.documents.related", {"text": "To the cent"}))["documents"]
    (one,) = [one for one in found if one["path"] == "exported.md"]
    assert (one["title"], one["uri"]) == ("Explain prices.", to_uri(window.root / "exported.md"))
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(window.open("exported.md")))
    assert not await window.client.text_document_code_lens_async(params)


async def test_related_documents_are_offered_in_the_document_and_the_one_chosen_is_linked_to(window: Editor) -> None:
    """document-references.md: "Smart Suggestions: Suggest related documents"; offered, not inserted."""
    answers, asked = list[str](), list[list[str]]()

    @window.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def choose(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
        asked.append([one.title for one in params.actions or []])
        return lsp.MessageActionItem(answers.pop()) if answers else None

    @window.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        window.apply([one for one in params.edit.document_changes or [] if isinstance(one, lsp.TextDocumentEdit)])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    before = "## user\n\nHow are parcels sent?\n\n"
    uri = window.open("how.palimpsest.md", before)
    start = lsp.Range(lsp.Position(2, 0), lsp.Position(2, 0))
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), start, lsp.CodeActionContext([]))
    actions = await window.client.text_document_code_action_async(params) or []
    assert "Palimpsest: link to a related document…" in [one.title for one in actions]
    none = await window.command("palimpsest.documents.offer", {"uri": uri})
    assert (none["added"], window.texts[uri]) == (None, before), "the question was closed"
    answers.append("[[docs/parcels.md]]")
    await window.command("palimpsest.documents.offer", {"uri": uri})
    assert window.texts[uri] == "## user\n\nHow are parcels sent? [[docs/parcels.md]]\n\n"
    assert asked[0] == ["[[docs/parcels.md]]"]
    again = await window.command("palimpsest.documents.offer", {"uri": uri})
    assert "[[docs/parcels.md]]" not in again["offered"], "it is linked to already"


async def test_a_found_passage_is_selected_however_its_lines_are_broken(window: Editor) -> None:
    (window.root / "docs" / "long.md").write_text(
        "# Long\n\nOne two\nthree  four.\n\n## End\n\nOne two.\n", encoding="utf-8"
    )
    opened = await window.command("palimpsest.documents.open", {"link": "[[docs/long]]", "text": "two three four"})
    assert opened["range"] == {"start": {"line": 2, "character": 4}, "end": {"line": 3, "character": 11}}
    opened = await window.command("palimpsest.documents.open", {"link": "[[docs/long#End]]", "text": "One two"})
    assert opened["range"]["start"] == {"line": 7, "character": 0}, "under its heading"
    gone = await window.command("palimpsest.documents.open", {"link": "[[docs/long#End]]", "text": "((not there"})
    assert gone["range"]["start"]["line"] == 5


async def test_the_graph_is_data_and_a_picture(window: Editor) -> None:
    reply = await window.command("palimpsest.ask", {"text": ASKED})
    found = await window.command("palimpsest.documents.graph", {"conversation": reply["conversation"]})
    assert {node["kind"] for node in found["nodes"]} == {"conversation", "document", "broken"}
    assert {"source": "docs/tools.md", "target": "docs/prices.md", "kind": "link"} in found["edges"]
    assert ElementTree.fromstring(found["svg"]).tag.endswith("svg")
    n_documents = sum(node["kind"] != "conversation" for node in found["nodes"])
    assert f"<title>1 conversation and {n_documents} documents</title>" in found["svg"]
    ElementTree.fromstring(found["xml"])


async def test_the_passage_is_selected_where_its_link_is_opened(window: Editor) -> None:
    """document-references.md: "Reference Highlighting"."""
    opened = await window.command("palimpsest.documents.open", {"link": "[[prices#Rounding]]"})
    assert opened["uri"] == to_uri(window.root / "docs" / "prices.md")
    assert opened["range"] == {"start": {"line": 4, "character": 0}, "end": {"line": 6, "character": 12}}
    await window.stats()
    (shown,) = window.client.shown_documents
    assert shown.selection is not None
    assert (shown.uri, shown.selection.start.line, shown.selection.end.line) == (opened["uri"], 4, 6)
    for link, why in ("[[nowhere]]", "No document"), ("[[../outside]]", OUTSIDE), ("[[/etc/passwd]]", OUTSIDE):
        with pytest.raises(JsonRpcException, match=why):
            await window.command("palimpsest.documents.open", {"link": link})


async def test_a_conversation_is_exported_with_its_references(window: Editor, tmp_path: Path) -> None:
    """document-references.md: "Export conversations with embedded reference metadata"."""
    reply = await window.command("palimpsest.ask", {"text": ASKED})
    asked = {"conversation": reply["conversation"]}
    text = (await window.command("palimpsest.conversation.export", asked))["text"]
    assert "- [[prices#Rounding]] (docs/prices.md), read: What things cost." in text
    assert "To the cent, says [[prices]]." in text
    everything = json.loads(
        (await window.command("palimpsest.conversation.export", {**asked, "format": "json"}))["text"]
    )
    assert [one["path"] for one in everything["turns"][0]["documents"]] == ["docs/prices.md", "docs/tools.md", None]
    written = await window.command("palimpsest.conversation.export", {**asked, "path": "out/talk.md"})
    assert written["path"] == "out/talk.md"
    assert (window.root / "out" / "talk.md").read_text(encoding="utf-8") == text
    with pytest.raises(JsonRpcException, match=r"^path: .*exists already"):
        await window.command("palimpsest.conversation.export", {**asked, "path": "out/talk.md"})
    for outside in ("../talk.md", str(tmp_path / "talk.md")):
        with pytest.raises(JsonRpcException, match=r"^path: "):
            await window.command("palimpsest.conversation.export", {**asked, "path": outside})
    assert not (tmp_path / "talk.md").exists()


async def test_virtual_documents_have_the_graph_exports_refs_and_turns(window: Editor, said: Scripted) -> None:
    said.replies = ['<ref id="answer" lang="python">\nANSWER = 42\n</ref>']
    talk = (await window.command("palimpsest.ask", {"text": ASKED}))["conversation"]

    async def read(uri: str) -> str:
        params = lsp.TextDocumentContentParams(uri=uri)
        answer = await window.client.workspace_text_document_content_async(params)
        assert (await window.command("palimpsest.virtual.read", {"uri": uri}))["text"] == answer.text
        return answer.text

    assert (await read("palimpsest:/documents/graph.svg")).startswith("<svg")
    assert ASKED in await read(f"palimpsest:/export/{talk}.md")
    assert json.loads(await read(f"palimpsest:/export/{talk}.json"))["conversation"]["id"] == talk
    assert await read(f"palimpsest:/ref/{talk}/answer") == "ANSWER = 42"
    assert await read(f"palimpsest:/turn/{talk}/1") == ASKED
    document = window.open("talk.palimpsest.md", f"---\nid: {talk}\n---\n\nsee ref:answer\n")
    params = lsp.HoverParams(lsp.TextDocumentIdentifier(document), window.at(document, "ref:ans"))
    hover = await window.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert "ANSWER = 42" in hover.contents.value
    of_talk = (f"fd/{talk}/fd-9", f"ref/{talk}/none", f"ref/{talk}", f"export/{talk}")
    for wrong in (*of_talk, "fd/x/fd-1", "", "x", "documents/x"):
        with pytest.raises(JsonRpcException):
            await read(f"palimpsest:/{wrong}")
    with pytest.raises(JsonRpcException):
        await read("file:///etc/passwd")


async def test_what_a_conversation_has_is_listed_in_rows_for_an_editor(window: Editor, said: Scripted) -> None:
    code = "def rounded(n):\n    return round(n)"
    said.replies = [f'<ref id="rounding" lang="python">\n{code}\n</ref> As [[prices]] says.']
    talk = (await window.command("palimpsest.ask", {"text": ASKED}))["conversation"]
    put = {"conversation": talk, "content": "one\ntwo\n", "source": "list", "language": "text"}
    await window.command("palimpsest.fd.create", {**put, "name": "numbers"})
    await window.command("palimpsest.fd.create", put)
    await window.command("palimpsest.checkpoint.create", {"conversation": talk, "name": "before lunch"})
    await window.command("palimpsest.conversation.rename", {"conversation": talk, "name": "Rounding"})
    found = await window.command("palimpsest.conversation.contents", {"conversation": talk})
    assert (found["conversation"], found["name"]) == (talk, "Rounding")

    def rows(kind: str, *fields: str) -> list[tuple[str, ...]]:
        return [tuple(row[field] for field in fields) for row in found[kind]]

    uri = f"palimpsest:/ref/{talk}/rounding"
    assert rows("refs", "id", "about", "uri", "language") == [("rounding", "python · 2 lines", uri, "python")]
    assert (await window.command("palimpsest.virtual.read", {"uri": uri}))["text"].strip() == code
    assert rows("descriptors", "id", "label", "about") == [
        ("fd-1", "numbers", "fd-1 · 2 lines · 1 page · list"),
        ("fd-2", "fd-2", "2 lines · 1 page · list"),
    ]
    assert rows("documents", "label", "about", "link", "problem") == [
        ("docs/prices.md", "read · [[prices#Rounding]]", "[[docs/prices.md#Rounding]]", ""),
        ("docs/tools.md", "linked · [[tools]]", "[[docs/tools.md]]", ""),
        ("[[nowhere]]", found["documents"][2]["problem"], "[[nowhere]]", found["documents"][2]["problem"]),
    ]
    assert found["documents"][0]["uri"].endswith("docs/prices.md")
    assert found["documents"][2]["problem"]
    assert ("before lunch",) in rows("checkpoints", "label")
    with pytest.raises(JsonRpcException, match="there is no conversation"):
        await window.command("palimpsest.conversation.contents", {"conversation": "c-00000000"})
