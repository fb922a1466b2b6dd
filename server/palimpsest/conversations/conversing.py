"""Conversations of one window: what a person says is kept and put to the engine, the reply is kept as it comes.

In: what is said, where the cursor is.  Out: replies, and events as they come (`events.py`).  Owner of which
conversations are being answered here, and which documents sent.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from palimpsest import wire
from palimpsest.chat_templates.spoken import Spoken
from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.conversations.answers import ResultRoom
from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.conversations.call_runner import Tools, run_calls
from palimpsest.conversations.compacting import Compacting
from palimpsest.conversations.conversations import name_of
from palimpsest.conversations.descriptors.incoming import MessagePart, Paging, paged, stored, written
from palimpsest.conversations.documents.referring import Referred, Referring, asking
from palimpsest.conversations.events import ConversationChanged, Stopped, TurnBegan
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import DOCUMENTS, SHOWN, CursorPlace, PromptBuilder
from palimpsest.conversations.refs.tags import PROBLEMS, UNSEARCHED, extracted
from palimpsest.conversations.reply_writer import ReplyWriting, begun
from palimpsest.conversations.token_counts import TokenCounts, thresholds, thresholds_for
from palimpsest.conversations.turns import BUSY, Role, Turn
from palimpsest.errors import ContextTooLarge, EngineError, InvalidArgument, PalimpsestError
from palimpsest.prompt.blocks import render_context
from palimpsest.text.positions import well_formed
from palimpsest.text.repetition import is_endless
from palimpsest.text.tokens import masked
from palimpsest.types import Block
from palimpsest.window.events import RefreshNeeded, WindowClosing
from palimpsest.window.services import LOADING_S, Services
from palimpsest.window.usage import Talked

NOTHING = Referred()
REPEATED = "it only said the same again and again; a larger model would not (`palimpsest model list`)."
TOO_LARGE = "Compact the conversation, say less at once, or have the engine read more (`engine.n_ctx`)."

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """How to answer.  `grammar`: GBNF for the first reply.  `parts` come with what is said."""

    cursor: CursorPlace | None = None
    grammar: str = ""
    parts: Sequence[MessagePart] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's last turn, its text without the tags of refs, and all turns of the model's since the person's."""

    turn: Turn
    text: str
    stopped: Stopped
    turns: list[Turn] = field(default_factory=list)
    decoded: int = 0


class _Repeats(Exception):
    """What comes is no answer any more."""


def too_large(error: ContextTooLarge) -> ContextTooLarge:
    """For a person."""
    message = f"The conversation is longer than the model can read: {error.message}"
    return ContextTooLarge(message, fitting=error.fitting, hint=TOO_LARGE)


def _check_waits(branch: Sequence[Turn]) -> None:
    """Raises InvalidArgument where what was said last needs no answer."""
    if not branch or (branch[-1].role != "user" and not branch[-1].is_unfinished):
        raise InvalidArgument("text", "is missing, and the last turn is not a question that waits for an answer.")


class Conversing:
    """Holds the conversations of a window, one reply of each at a time.  `tools` makes what its replies call."""

    def __init__(
        self,
        services: Services,
        memory: Callable[[], Memory],
        referring: Referring,
        tools: "Callable[[Conversing], Tools]",
    ) -> None:
        self._services = services
        self._memory = memory
        self.tools = tools(self)
        self.prompt_builder = PromptBuilder(services, memory, self.tools)
        self.counts = TokenCounts(services)
        self.compacting = Compacting(services, memory, self.prompt_builder, self.counts)
        self._blocks: dict[str, list[Block]] = {}
        self._referring = referring
        self._running: dict[str, asyncio.Task[Reply]] = {}
        self._sending: set[str] = set()
        self._writing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        services.events.on(WindowClosing, lambda _: self._end())

    @property
    def memory(self) -> Memory:
        """Raises StorageError where the database cannot be opened."""
        return self._memory()

    def is_running(self, conversation: str) -> bool:
        return conversation in self._running

    async def send(self, conversation: str, text: str | None, asked: ReplyOptions | None = None) -> Reply:
        """Say something, or with None have what was said last answered (again, where the reply did not come to its
        end: that stays on a branch of its own).

        Raises NotFound, InvalidArgument for a conversation that is being answered or has nothing to answer,
        StorageError; and EngineError when the engine cannot answer: what was said and what has come are kept then, and
        it can be sent again.
        """
        await self.settle(conversation)
        self._check(conversation, text, bool(asked and asked.parts))
        task = asyncio.get_running_loop().create_task(self._say(conversation, text, asked or ReplyOptions()))
        self._running[conversation] = task
        try:
            return await task
        finally:
            task.cancel()  # where who asked has been cancelled
            self._running.pop(conversation, None)
            self._services.events.emit(ConversationChanged(conversation))
            self._services.events.emit(RefreshNeeded())  # it was asked behind other blocks than the cursor's

    async def _say(self, conversation: str, text: str | None, asked: ReplyOptions) -> Reply:
        if text is None:
            await self.memory.writes.run(self._take_back, conversation)
        else:
            said, referred, options = well_formed(text), NOTHING, thresholds(self._services)
            try:
                options = await self._thresholds(said, asked.parts)
                referred = await self._referred(conversation, said)
            finally:  # what a person said is kept, also where they stop before it is answered
                await self._keep(conversation, "user", said, options, referred, parts=asked.parts, names=True)
        reply = await self._answer(conversation, asked)
        with suppress(asyncio.CancelledError):  # a stop that came while the end was being kept: there is a reply
            await asyncio.sleep(0)
        return reply

    def _take_back(self, conversation: str) -> None:
        """A reply that did not come to its end is not shown any more."""
        with self.memory.database.transaction():
            branch = self.memory.turns.branch(conversation)
            _check_waits(branch)
            if branch[-1].is_unfinished:
                self.memory.turns.set_head(conversation, branch[-1].parent)

    async def _keep(
        self,
        conversation: str,
        role: Role,
        text: str,
        options: FileDescriptorSettings,
        referred: Referred,
        source: str = "",
        parts: Sequence[MessagePart] = (),
        *,
        names: bool = False,
    ) -> Turn:
        """`names`: the conversation is called by it, where it has no name yet."""
        memory = self.memory
        whole = [replace(part, text=well_formed(part.text)) for part in parts]
        told, refs = referred.told, self._services.settings.conversation.refs

        def kept() -> Turn:
            with memory.database.transaction():
                turn = keep(
                    memory, options, conversation, role, text, source=source, documents=told, parts=whole, refs=refs
                )
                memory.documents.add(turn.id, referred.references)
                if names and not memory.conversations.get(conversation).name and (name := name_of(text)):
                    memory.conversations.rename(conversation, name)
            return turn

        turn = await memory.writes.run(kept)
        self._services.events.emit(TurnBegan(conversation, turn))
        return turn

    async def _thresholds(self, text: str, parts: Sequence[MessagePart]) -> FileDescriptorSettings:
        return await thresholds_for(self._services, self.counts, [text, *(well_formed(part.text) for part in parts)])

    async def _referred(self, conversation: str, text: str) -> Referred:
        """The documents that are linked to; what goes wrong with them is no reason not to answer."""
        if not self._referring.is_on or "[[" not in text:
            return NOTHING
        memory, model = self.memory, await self._services.model()  # what is told once depends on how much it reads
        system, tools, taken = await self.compacting.sizes(conversation, self.blocks_of(conversation))
        window = model.window if model is not None else 0
        room = max(0, self.prompt_builder.shares.for_messages(window, system + tools) - taken)
        uri = memory.conversations.get(conversation).uri
        try:
            before = await asyncio.to_thread(self.prompt_builder.documents_told, conversation)
            ask = asking(self._services)
            return await self._referring.referred(text, room, uri=uri, ask=ask, told_before=before)
        except PalimpsestError as error:
            logger.warning("documents of a message: %s", error)
            return NOTHING

    async def append(
        self, conversation: str, role: Role, text: str, source: str = "", parts: Sequence[MessagePart] = ()
    ) -> Turn:
        """A turn made elsewhere, as if made here: with its refs and documents.  What it calls is not run.  Raises
        NotFound, InvalidArgument."""
        await self.check_idle(conversation)
        said = well_formed(text)
        referred = await self._referred(conversation, said) if role == "user" else NOTHING
        options = await self._thresholds(said, parts)
        turn = await self._keep(conversation, role, said, options, referred, source, parts)
        self._services.events.emit(ConversationChanged(conversation))
        return turn

    async def say_again(self, conversation: str, turn: int) -> Turn:
        """A turn of another branch, as it is, with its calls and what the model was told of its documents.  Raises
        NotFound, InvalidArgument."""
        await self.check_idle(conversation)
        new = await self.memory.writes.run(self.memory.forks.behind, conversation, turn)
        said = self.memory.turns.get(new)
        self._services.events.emit(TurnBegan(conversation, said))
        self._services.events.emit(ConversationChanged(conversation))
        return said

    @contextmanager
    def sending(self, uri: str) -> Iterator[None]:
        """A document is sent once at a time: the second click would begin a second conversation.  Raises
        InvalidArgument."""
        if uri in self._sending:
            raise InvalidArgument("uri", "its last message is still being answered; wait for the end, or stop it.")
        self._sending.add(uri)
        try:
            yield
        finally:
            self._sending.discard(uri)

    def is_sending(self, uri: str) -> bool:
        return uri in self._sending

    def writing(self, uri: str) -> asyncio.Lock:
        """Held from reading a conversation and its document until the document is changed accordingly."""
        return self._writing[uri]

    def stop(self, conversation: str) -> bool:
        """Whether there was something to stop; what has come of the reply is kept."""
        task = self._running.get(conversation)
        return task is not None and task.cancel()

    def _check(self, conversation: str, text: str | None, has_parts: bool) -> None:
        branch = self._idle(conversation)
        if text is None:
            _check_waits(branch)
        elif not text.strip() and not has_parts:
            raise InvalidArgument("text", "is empty.")

    async def check_idle(self, conversation: str) -> list[Turn]:
        """The turns of a conversation that nobody answers, in this window or another."""
        await self.settle(conversation)
        return self._idle(conversation)

    async def settle(self, conversation: str) -> None:
        """Where its last turn was being written by a process that has died, it stays as far as it came; where its end
        could not be kept here, it is now.  Raises NotFound, StorageError."""
        branch = self.memory.turns.branch(conversation)
        if branch and branch[-1].state == "writing" and conversation not in self._running:
            await self.memory.late.catch_up()
            await self.memory.writes.run(self.memory.turns.settle)

    def _idle(self, conversation: str) -> list[Turn]:
        branch = self.memory.turns.branch(conversation)
        if conversation in self._running or (branch and branch[-1].state == "writing"):
            raise InvalidArgument("conversation", BUSY)
        return branch

    def _end(self) -> None:
        for task in self._running.values():
            task.cancel()

    async def ended(self) -> None:
        """Waits until what is being answered is over, and kept."""
        if self._running:
            await asyncio.wait(self._running.values())

    # The answer -----------------------------------------------------------------------------------------------

    async def _answer(self, conversation: str, asked: ReplyOptions) -> Reply:
        turns, decoded, stopped = list[Turn](), 0, "end"
        n_rounds = self._services.settings.conversation.max_rounds
        grammar = asked.grammar
        for round_ in range(n_rounds + 1):
            why_not = await self._compacted(conversation, asked)
            writing = await begun(self.memory, self._services, conversation)
            try:
                if why_not is not None:
                    raise why_not
                answer = await self._fitted(conversation, asked, grammar, writing)
            except asyncio.CancelledError:
                turns.append(await writing.end("cut", "cancelled"))
                return Reply(turns[-1], writing.shown, "cancelled", turns, decoded)
            except _Repeats:
                turns.append(await writing.end("cut", "repeated", REPEATED))
                (generated,), _ = await self.counts.of([writing.thought + writing.text])
                return Reply(turns[-1], writing.shown, "repeated", turns, decoded + generated)
            except PalimpsestError as error:
                await writing.end("cut" if writing.has_begun else "failed", "failed", str(error))
                raise
            finish = answer.choices[0].finish
            stopped = "length" if finish in ("length", "time") else "end"
            decoded += answer.decoded
            natively = answer.choices[0].calls
            writing.came(answer.choices[0].text, answer.choices[0].thought)
            turns.append(await writing.end("complete", stopped, natively=bool(natively)))  # type: ignore[arg-type]
            grammar = ""
            try:
                n_calls = await self.call(turns[-1], natively, self.blocks_of(conversation))
            except asyncio.CancelledError:
                return Reply(turns[-1], writing.shown, "cancelled", turns, decoded)
            if not n_calls:
                break
            if round_ == n_rounds:
                stopped = "rounds"
        with suppress(asyncio.CancelledError):  # there is a reply; what is queued stays so
            await self.compacting.apply_queued(conversation)
        return Reply(turns[-1], writing.shown, stopped, turns, decoded)  # type: ignore[arg-type]

    async def call(
        self, turn: Turn, natively: Sequence[wire.ToolCall], blocks: Sequence[Block], *, compacts: bool = True
    ) -> int:
        """Run what a turn calls; how many calls there were.  `compacts`: what stands before it may be summarised."""

        async def look() -> ResultRoom | None:
            return await self.compacting.room_for_results(turn.conversation, blocks, compacts=compacts)

        return await run_calls(self.memory, self._services.events, self.tools, turn, look, natively)

    async def _compacted(self, conversation: str, asked: ReplyOptions) -> BaseException | None:
        """Why it cannot be answered: the person stopped it meanwhile, or there is no engine."""
        try:
            await self.compacting.before_reply(conversation, asked.cursor)
        except (asyncio.CancelledError, EngineError) as error:
            return error
        return None

    async def _fitted(
        self, conversation: str, asked: ReplyOptions, grammar: str, writing: ReplyWriting
    ) -> wire.GenerateAnswer:
        """Where the engine says that it does not fit, once more behind a summary.  Raises ContextTooLarge."""
        try:
            return await self._generated(conversation, asked, grammar, writing)
        except ContextTooLarge as error:
            if writing.has_begun or not await self.compacting.make_room(conversation, self.blocks_of(conversation)):
                raise too_large(error) from error
        try:
            return await self._generated(conversation, asked, grammar, writing)
        except ContextTooLarge as error:
            raise too_large(error) from error

    async def _generated(
        self, conversation: str, asked: ReplyOptions, grammar: str, writing: ReplyWriting
    ) -> wire.GenerateAnswer:
        services = self._services

        def came(said: Spoken) -> None:
            writing.came(said.text, said.thought)
            if is_endless(said.text or said.thought):
                raise _Repeats

        async with services.supervisor.engine(LOADING_S) as engine:
            blocks = self._blocks[conversation] = await self.prompt_builder.blocks(asked.cursor)
            asking = partial(self.prompt_builder.request, without=writing.turn.id, grammar=grammar)
            request = await asyncio.to_thread(asking, conversation, blocks)
            answer = await services.generate(engine, request, blocks, came)
        self._note(writing, request.kv, answer)
        return answer

    def _note(self, writing: ReplyWriting, kv: wire.KvPolicy, answer: wire.GenerateAnswer) -> None:
        model = self._services.supervisor.status.model
        writing.model = model.name if model is not None else ""
        used = answer.tail_tokens + answer.generated
        total = model.window if model is not None else 0
        self._services.usage.told(Talked(writing.turn.conversation, used, total, kv, answer.left))

    def blocks_of(self, conversation: str) -> list[Block]:
        """Those behind which it was answered last."""
        return self._blocks.get(conversation, [])

    async def usage(self, conversation: str) -> ConversationUsage:
        """What it takes of what the model can read, and the blocks behind it.  Raises NotFound, StorageError."""
        behind = self.blocks_of(conversation)
        sent = await asyncio.to_thread(self.prompt_builder.sent, conversation, behind)
        blocks, n_said = [render_context(block) for block in behind], len(sent.messages)
        counts, estimated = await self.counts.of([sent.system, sent.tools, *sent.messages, *blocks])
        model = self._services.supervisor.status.model
        n_blocks = sum(counts[2 + n_said :])
        total = model.window + (n_blocks if model.keeps_room else 0) if model is not None else 0
        return ConversationUsage(
            total=total,
            system=counts[0],
            tools=counts[1],
            messages=sum(counts[2 : 2 + n_said]),
            blocks=n_blocks,
            estimated=estimated,
            shares=self.prompt_builder.shares,
        )

    async def usage_items(self, conversation: str) -> list[dict[str, Any]]:
        """The pieces of the next prompt, and what each takes: `kind` and `name` as in `prompt_builder.PromptItem`, and
        `tokens`.  Raises NotFound, StorageError."""
        behind = self.blocks_of(conversation)
        found = await asyncio.to_thread(self.prompt_builder.items, conversation, behind)
        counts, _ = await self.counts.of([well_formed(item.text) for item in found])
        return [
            {"kind": item.kind, "name": item.name, "tokens": count} for item, count in zip(found, counts, strict=True)
        ]


def keep(
    memory: Memory,
    options: FileDescriptorSettings,
    conversation: str,
    role: Role,
    text: str,
    *,
    source: str = "",
    documents: str = "",
    parts: Sequence[MessagePart] = (),
    refs: bool = True,
) -> Turn:
    """What is said is kept as a turn, whose own text is whole; of a long message, the model reads previews of
    descriptors.  `documents`: what the model is told of those that the text links to; `parts`: what comes with it;
    `refs`: a reply is searched for them.  Raises NotFound, InvalidArgument."""
    details: dict[str, Any] = {DOCUMENTS: masked(documents)} if documents else {}
    limit, part_limit = options.max_input_chars if options.page_user_input else None, options.max_direct_output_chars
    paging = Paging(limit, options.default_page_size, options.json_pretty_print, part_limit)
    with memory.database.transaction():
        incoming = None
        if options.enabled and role == "user":
            incoming = paged(memory.descriptors, conversation, text, paging, parts)
        elif options.enabled and role == "tool":
            said = MessagePart(text, source or "tool")
            incoming = stored(memory.descriptors, conversation, said, paging)
        if incoming is not None:
            details[SHOWN] = incoming.shown
        fd = incoming.fds[0] if incoming is not None else None
        whole = written(masked(text) if role == "tool" else text, parts)
        if role == "assistant" and not refs:
            details[UNSEARCHED] = True
        marked = extracted(whole, details) if role == "assistant" else None
        if marked is not None and marked.problems:
            details[PROBLEMS] = list(marked.problems)
        turn = memory.turns.add(conversation, role, whole, source=source, descriptor=fd, details=details)
        if marked is not None:
            memory.refs.store(conversation, turn.id, marked)
        return turn
