"""What the tool for documents that were referred to before does.

In: a conversation's turns and their references.  Out: a handler; reads no document.
"""

from __future__ import annotations

from collections import defaultdict

from palimpsest.conversations.documents.document_references import DocumentReferences
from palimpsest.conversations.documents.reference import DocumentReference, without_repeats
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.results import element, listed
from palimpsest.conversations.tools.tool import Answer
from palimpsest.conversations.turns import Turns


def handlers(documents: DocumentReferences, turns: Turns) -> Handlers:
    def list_documents(call: Call) -> Answer:
        """Each document, or link that leads nowhere, once, with the turns that refer to it."""
        numbers = {turn.id: turn.number for turn in turns.branch(call.conversation_id)}
        found = [(turn, one) for turn, one in documents.of_conversation(call.conversation_id) if turn in numbers]
        where = defaultdict[str, list[str]](list)
        for turn, one in found:
            where[_name(one)].append(f"turn-{numbers[turn]}")
        rows, values = list[str](), list[dict[str, object]]()
        for one in without_repeats(reference for _, reference in found):
            own = where[_name(one)]
            about: dict[str, object] = {"link": one.wikilink, "turns": " ".join(own), "read": one.read}
            about |= {"path": one.path} if one.path is not None else {"problem": one.problem}
            rows.append(element("document", about, one.summary or one.snippet))
            values.append({**about, "turns": own, "summary": one.summary})
        return Answer(listed("documents", {"count": len(rows)}, rows), {"count": len(rows), "documents": values})

    return {"list_documents": list_documents}


def _name(one: DocumentReference) -> str:
    return one.wikilink if one.path is None else one.path
