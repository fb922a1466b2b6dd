"""`palimpsest.documents.offer`: documents that may matter for the turn being written, offered; what the person chooses
is linked to in the turn, and nothing else.

In: a conversation's document.  Out: a question, and an edit of the document.
"""

from typing import Any

from palimpsest.conversations.documents.reference import wikilink_to
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.transcript_sending import conversation_of
from palimpsest.conversations.lsp.transcript_showing import replaced
from palimpsest.conversations.transcript.reading import DocumentTurn, Transcript, parse
from palimpsest.errors import InvalidArgument, StaleDocument
from palimpsest.lsp.arguments import Uri
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.command import Command
from palimpsest.lsp.server import PalimpsestServer

OFFER = "palimpsest.documents.offer"
NONE = "No documents of the workspace have words of this turn."


async def offer(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    """Raises InvalidArgument where nothing is being written, StaleDocument where the editor does not add the link."""
    session = server.window.session
    snapshot = session.documents.get(asked.uri)
    transcript = parse(snapshot.text)
    turn = being_written(transcript)
    if turn is None:
        raise InvalidArgument("uri", "there is no turn being written: write something below the last “## user”.")
    talk = conversation_of(conversations_of(session).memory.now(), transcript)
    most, known = server.window.settings.documents.related, talk.id if talk is not None else ""
    found = await conversations_of(session).document_tools.related(turn.text, most, conversation_id=known)
    links = [wikilink_to(one.path) for one in found]
    links = [link for link in links if link not in turn.text]
    if not links:
        server.window.report.tell(NONE)
        return {"offered": [], "added": None}
    answer = await chosen(server, "Which document does your message refer to?", links)
    if answer not in links:
        return {"offered": links, "added": None}
    now = session.documents.get(asked.uri)
    if now.version != snapshot.version or not await replaced(server, now, with_link(now.text, turn, answer)):
        raise StaleDocument("The document has changed meanwhile, so the link was not added.")
    return {"offered": links, "added": answer}


def being_written(transcript: Transcript) -> DocumentTurn | None:
    """The last turn, where it is the person's and not said yet."""
    last = transcript.turns[-1] if transcript.turns else None
    return last if last is not None and last.role == "user" and last.id is None and last.text.strip() else None


def with_link(text: str, turn: DocumentTurn, link: str) -> str:
    """The document's text with the link behind the turn's last words."""
    lines = text.split("\n")
    last = turn.text_end - 1
    while last > turn.text_start and not lines[last].strip():
        last -= 1
    lines[last] = f"{lines[last].rstrip()} {link}"
    return "\n".join(lines)


COMMANDS = (
    Command(OFFER, Uri, offer, "offers documents that may matter for the turn being written; one is linked to"),
)
