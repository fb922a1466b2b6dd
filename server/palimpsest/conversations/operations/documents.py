"""Operations on the workspace's documents, as a model asks for them."""

from collections import defaultdict

from palimpsest.conversations.answers import Answer, element, listed
from palimpsest.conversations.documents.reference import DocumentReference, without_repeats
from palimpsest.conversations.operations.operation import Operation, OperationCall, OperationParameter, required

_TOPICS = ("document", "documents", "note", "notes", "docs", "readme", "wiki", "guide", "manual", "explain")
_LIMIT = OperationParameter("limit", "whole number", "how many at most", least=1)
_QUERY = required("query", "text", "words that they should have, in any form", also=("text",))


async def read_document(call: OperationCall) -> Answer:
    return await call.outside.documents.read_document(call.conversation_id, call.text("document"), call.text("heading"))


async def find_documents(call: OperationCall) -> Answer:
    return await call.outside.documents.find_documents(call.conversation_id, call.text("query"), call.number("limit"))


async def find_excerpts(call: OperationCall) -> Answer:
    return await call.outside.documents.find_excerpts(call.conversation_id, call.text("query"), call.number("limit"))


def list_documents(call: OperationCall) -> Answer:
    """List each document, or link that leads nowhere, once, with the turns that refer to it.  Reads no document."""
    numbers = {turn.id: turn.number for turn in call.memory.turns.branch(call.conversation_id)}
    references = call.memory.documents.of_conversation(call.conversation_id)
    visible = [(turn, one) for turn, one in references if turn in numbers]
    where = defaultdict[str, list[str]](list)
    for turn, one in visible:
        where[_name(one)].append(f"turn-{numbers[turn]}")
    rows, values = list[str](), list[dict[str, object]]()
    for one in without_repeats(reference for _, reference in visible):
        own = where[_name(one)]
        about: dict[str, object] = {"link": one.wikilink, "turns": " ".join(own), "read": one.read}
        about |= {"path": one.path} if one.path is not None else {"problem": one.problem}
        rows.append(element("document", about, one.summary or one.snippet))
        values.append({**about, "turns": own, "summary": one.summary})
    return Answer(listed("documents", {"count": len(rows)}, rows), {"count": len(rows), "documents": values})


def _name(one: DocumentReference) -> str:
    return one.wikilink if one.path is None else one.path


OPERATIONS = (
    Operation(
        "read_document",
        "Read a document of the workspace, or what is under one heading of it.",
        read_document,
        (
            required("document", "text", "path, title or [[link]]", also=("path", "relative_path", "wikilink", "name")),
            OperationParameter("heading", "text", "only this part", also=("section",)),
        ),
        'read_document("docs/setup.md")',
        (*_TOPICS, "read"),
        always=True,
        also=("read_zk_document", "resolve_wikilink"),
    ),
    Operation(
        "list_documents",
        "List the documents that this conversation has referred to, with what they are about.",
        list_documents,
        (),
        "list_documents()",
        (*_TOPICS, "list", "referred", "earlier", "again"),
    ),
    Operation(
        "find_documents",
        "Find documents of the workspace by the words that are in them.",
        find_documents,
        (_QUERY, _LIMIT),
        'find_documents("database migrations")',
        (*_TOPICS, "find", "search", "which", "where"),
        also=("find_zk_documents", "find_zk_documents_related_to"),
    ),
    Operation(
        "find_excerpts",
        "Find passages in the documents of the workspace by the words that are in them.",
        find_excerpts,
        (_QUERY, _LIMIT),
        'find_excerpts("how to roll back")',
        (*_TOPICS, "find", "search", "passage", "quote", "where"),
        always=True,
    ),
)
