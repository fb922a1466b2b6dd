"""Commit messages for the uncommitted change of a workspace folder.

In: a folder.  Out: a message that is ready to paste, and the files it is about.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest import wire
from palimpsest.chat_templates.spoken import Spoken
from palimpsest.context.estimate import chars_for
from palimpsest.context.sources.rules import RulesSource
from palimpsest.edits.changed_block import changed_block
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.shown import of_editing
from palimpsest.edits.suggestions.requests import text_tail
from palimpsest.edits.uncommitted import Uncommitted, uncommitted
from palimpsest.errors import ContextTooLarge, EngineError, InvalidArgument, OutsideWorkspace
from palimpsest.prompt.blocks import render_numbered
from palimpsest.prompt.summary import CLOSE, LINE_GRAMMAR, OPEN, FileChange, commit_message, message, subject, told
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none, to_path
from palimpsest.types import Block
from palimpsest.window.events import RefreshNeeded
from palimpsest.window.requests import Requests
from palimpsest.window.services import LOADING_S, Services
from palimpsest.workspace.files import WorkspaceFiles

LINE_TOKENS, SUMMARY_TOKENS = 64, 300
"""The most tokens of a commit message: its first line alone, and with a body."""
MOST_TOKENS = 3000
"""A change is shown with no more, and with no more than a third of what the model can read at once."""
BLOCK_TOKENS, FEWEST_TOKENS = 400, 64
"""What a model trained on edits is shown of one block at most, and of one edit; and what it needs to see something."""


@dataclass(frozen=True, slots=True)
class Summarized:
    """`summary` is the first line of `text`, which ends in a newline; `files` all that the message is about, the
    largest change first; `left_out` those that the model heard nothing of, each with its reason."""

    summary: str
    text: str
    files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()


class Summaries:
    """Writes commit messages; keeps nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def of(
        self, uri: str = "", *, staged: bool = False, on_summary: Callable[[str], None] | None = None
    ) -> Summarized:
        """The uncommitted change of the workspace folder that `uri` lies in (of the only one without it), or what is
        staged of it.  With `uri`, documents count as they are in the editor, else as they are on disk.  `on_summary`
        gets the summary so far while it is written.

        Raises InvalidArgument, OutsideWorkspace, GitError, or EngineError when the engine cannot answer.
        """
        try:
            return await self._summarize(uri, staged, on_summary)
        finally:
            self._services.events.emit(RefreshNeeded())  # it was asked behind other blocks than the cursor's

    async def _summarize(self, uri: str, staged: bool, on_summary: Callable[[str], None] | None) -> Summarized:
        services, folder = self._services, self._folder(uri)
        opened = dict[Path, Snapshot]()
        if uri and not staged:
            opened = {
                path.resolve(): document for document in services.documents if (path := path_or_none(document.uri))
            }
        files = WorkspaceFiles(
            services.roots.folders, services.settings.context.exclude, lambda uri: opened.get(to_path(uri))
        )
        change = await asyncio.to_thread(uncommitted, folder, files, opened, staged=staged)
        if change.said:
            return Summarized(subject(change.said), commit_message(subject(change.said), ""), change.named)
        async with services.supervisor.engine(LOADING_S) as engine:
            info = await engine.model()
            instructed = services.settings.suggestion.instructions
            chat = info.chat_template if instructed == "auto" else instructed == "always"
            blocks = self._rules(folder, files) if chat else []
            most = min(MOST_TOKENS, info.n_ctx // 3 or MOST_TOKENS) if chat else BLOCK_TOKENS
            for room in (
                most,
                most // 3,
                most // 9,
            ):  # digits and other scripts have far more tokens than reckoned with
                asked = told(change.changes, change.named, chars_for(room)) if chat else _written(change.changes, room)
                request = _request(services.requests, asked, blocks, chat=chat)
                try:
                    on_text = _summary_reader(on_summary, begun=not chat) if on_summary is not None else None
                    return _summarized(change, await services.generate(engine, request, blocks, on_text))
                except ContextTooLarge as error:
                    too_large = error
            raise too_large

    def _rules(self, folder: Path, files: WorkspaceFiles) -> list[Block]:
        """They may say how messages are to be written; no other block has a say in one."""
        settings = self._services.settings.context
        if "documentation" not in settings.sources:
            return []
        return RulesSource(files).of(folder, settings.rules, settings.block_tokens)

    def _folder(self, uri: str) -> Path:
        folders = self._services.roots.folders
        if uri:
            to_path(uri)
            folder = self._services.roots.locate(uri)[0]
            if folder is None:
                raise OutsideWorkspace(f"uri: {uri} is in none of the workspace's folders.")
            return folder
        if len(folders) == 1:
            return folders[0]
        names = ", ".join(map(str, folders))
        open_now = f"several folders are open ({names}); say which." if folders else "no folder is open."
        raise InvalidArgument("uri", f"is missing, and {open_now}")


def _written(changes: Sequence[FileChange], max_tokens: int) -> str:
    """What a model trained on edits goes on from: the block changed most, as it was, and its edit up to the summary."""
    if not changes:
        raise EngineError(
            "this model can only summarize text, and none changed.", hint="Use one that is told what to do."
        )
    editing, edits = changed_block(changes[0], max(FEWEST_TOKENS, max_tokens))
    reply = FORMATS["ln-diff"].write(of_editing(editing), edits, "")
    return render_numbered(editing) + reply[: reply.rindex(OPEN) + len(OPEN)]


def _summary_reader(on_summary: Callable[[str], None], *, begun: bool) -> Callable[[Spoken], None]:
    """Tells `on_summary` of each change of the summary in a reply so far.  `begun`: the reply is the summary."""
    newest = ""

    def read(reply: Spoken) -> None:
        nonlocal newest
        text = OPEN + reply.text if begun else reply.text
        summary = message(text)[0] if OPEN in text else ""
        if summary and summary != newest:
            newest = summary
            on_summary(summary)

    return read


def _summarized(change: Uncommitted, answer: wire.GenerateAnswer) -> Summarized:
    first, body = message(answer.choices[0].text if answer.choices else "")
    if not first:
        raise EngineError("the model wrote no summary.", hint="A larger model will.")
    files = (*(one.file for one in change.changes), *change.named)
    return Summarized(first, commit_message(first, body), files, change.left_out)


def _request(requests: Requests, asked: str, blocks: Iterable[Block], *, chat: bool) -> wire.GenerateRequest:
    """A commit message: with `chat` for a question, else a summary's one line that goes on from `asked`."""
    return wire.GenerateRequest(
        workspace=requests.workspace,
        **text_tail(asked, chat=chat),
        slot="suggestion",
        sync=requests.sync(blocks, "suggestion"),
        max_tokens=SUMMARY_TOKENS if chat else LINE_TOKENS,
        time_ms=requests.settings.suggestion.time_ms,
        stop=[] if chat else [CLOSE],
        grammar="" if chat else LINE_GRAMMAR,
        sampling=wire.Sampling(temperature=0.0, seed=0),
    )
