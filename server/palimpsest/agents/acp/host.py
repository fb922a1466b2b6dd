"""An editor that talks over the protocol, as the place where conversations are held: it asks the person and writes.

In: questions, files to write.  Out: answers.  Where a file may be written is decided in `workspace/`.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp import schema
from acp.exceptions import RequestError
from acp.interfaces import Client
from pydantic import ValidationError

from palimpsest.agents.acp import updates
from palimpsest.agents.acp.commands import OWN_WRITE
from palimpsest.agents.acp.talk import AcpSession
from palimpsest.agents.acp.workspaces import AcpWorkspace
from palimpsest.conversations.host import Host, WriteQuestion, asking_to_write, is_allowed
from palimpsest.errors import Denied, PalimpsestError, StaleDocument
from palimpsest.system.reading import Refused, read_text
from palimpsest.workspace.changes import FileWrite, changed, n_lines
from palimpsest.workspace.places import FIELD, place, shown
from palimpsest.workspace.writing import MOST_BYTES, WrittenFile, write

KINDS: Mapping[str, schema.PermissionOptionKind] = {
    "allow": "allow_once",
    "always": "allow_always",
    "reject": "reject_once",
    "never": "reject_always",
}
MOST_SHOWN = 1_000_000
"""Characters of a change that a person is shown."""


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """What a person is asked about: a file before and after; `before` is None for a new one."""

    path: Path
    before: str | None
    after: str

    def shown(self, path: str, beginning: str) -> list[Any]:
        """As a diff, or by the `beginning` of what is written where that would be too long.  `path`: as the editor
        writes it."""
        if len(self.before or "") + len(self.after) > MOST_SHOWN:
            return [schema.ContentToolCallContent(type="content", content=updates.text(beginning))]
        return [schema.FileEditToolCallContent(type="diff", path=path, old_text=self.before, new_text=self.after)]


class AcpHost(Host):
    """Of one workspace.  `talk_of` finds the session in which a conversation is shown."""

    def __init__(
        self,
        workspace: AcpWorkspace,
        client: Client,
        can: schema.ClientCapabilities,
        talk_of: Callable[[str], AcpSession | None],
    ) -> None:
        self._workspace = workspace
        self._client = client
        self._can = can.fs
        self._talk_of = talk_of

    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        """Through the editor where it offers that: what it has open is changed there."""
        session, roots = self._workspace.session, self._workspace.roots
        talk = self._shown_in(conversation)
        file.check()
        through = talk if self._writes else None

        async def planned() -> ProposedChange:
            real = await asyncio.to_thread(place, file.path, roots, session.services.settings.context.exclude)
            before = await self._before(through, real, file)
            after = file.text if before is None else await asyncio.to_thread(changed, before, file)
            return ProposedChange(real, before, after)

        change = await planned()
        if not OWN_WRITE.get():
            question = asking_to_write(change.path, roots, file, is_there=change.before is not None)

            async def ask(question: WriteQuestion) -> str:
                call = _call(question, change, self._workspace.written(change.path))
                return await self._asked(conversation, call, question.answers)

            if not await is_allowed(self._workspace.conversations.conversing.memory.permissions, question, ask):
                raise Denied(f"The person did not allow it to write to {file.path}.")
        if through is None:
            exclude = session.services.settings.context.exclude
            return await asyncio.to_thread(write, file, roots, exclude=exclude, asked=change.path)
        asked, change = change, await planned()
        if change != asked and file.mode != "append":  # what is added at the end is added to whatever is there by now
            raise StaleDocument(f"{file.path} has changed since the person was asked; it was left as it is.")
        real, after = change.path, change.after
        try:
            await self._client.write_text_file(through.conversation, self._workspace.written(real), after)
        except RequestError as error:
            raise PalimpsestError(f"The editor did not write {file.path}: {error}") from error
        return WrittenFile(shown(real, roots), len(file.text.encode()), n_lines(file.text))

    async def agrees(self, conversation: str, question: str, yes: str, no: str) -> bool:
        call = schema.ToolCallUpdate(tool_call_id="ask", title=question, kind="think", status="pending")
        return await self._asked(conversation, call, {"allow": yes, "reject": no}) == "allow"

    # Parts

    @property
    def _writes(self) -> bool:
        return self._can is not None and bool(self._can.write_text_file and self._can.read_text_file)

    async def _asked(self, conversation: str, call: schema.ToolCallUpdate, options: Mapping[str, str]) -> str:
        """The id of the option that the person chose; "" where they chose none, or cannot be asked."""
        talk = self._shown_in(conversation)
        if talk is None:
            return ""
        call.tool_call_id = talk.call or call.tool_call_id
        given = [schema.PermissionOption(option_id=word, name=name, kind=KINDS[word]) for word, name in options.items()]
        try:
            answer = await self._client.request_permission(talk.conversation, call, given)
        except (RequestError, ValidationError):
            return ""  # an editor that cannot ask, or whose answer is none
        return answer.outcome.option_id if isinstance(answer.outcome, schema.AllowedOutcome) else ""

    async def _before(self, through: AcpSession | None, real: Path, file: FileWrite) -> str | None:
        """What is in the file, None where there is none.  Raises AlreadyExists, NotFound."""
        is_there = real.exists()
        file.check_there(is_there)
        if not is_there:
            return None
        if through is not None:
            return await self._read(through, real)
        try:
            return await asyncio.to_thread(read_text, real, MOST_BYTES, self._workspace.roots)
        except (Refused, OSError) as error:
            if file.mode == "write":
                return ""  # something that is no text is replaced
            raise Denied(f"{FIELD}: {file.path} cannot be read: {error}.") from error

    async def _read(self, talk: AcpSession, path: Path) -> str:
        try:
            return (await self._client.read_text_file(talk.conversation, self._workspace.written(path))).content
        except (RequestError, ValidationError) as error:
            raise PalimpsestError(f"The editor did not read {path.name}: {error}") from error

    def _shown_in(self, conversation: str) -> AcpSession | None:
        """The session of a conversation, or of the one that it is a fork of."""
        memory = self._workspace.conversations.conversing.memory
        at: str | None = conversation
        while at is not None:
            if (talk := self._talk_of(at)) is not None:
                return talk
            at = memory.conversations.get(at).parent
        return None


def _call(question: WriteQuestion, change: ProposedChange, path: str) -> schema.ToolCallUpdate:
    """`path`: as the editor writes it."""
    identity = f"ask-{question.what}"
    call = schema.ToolCallUpdate(tool_call_id=identity, title=question.text, kind="edit", status="pending")
    call.content, call.locations = change.shown(path, question.content), [schema.ToolCallLocation(path=path)]
    return call
