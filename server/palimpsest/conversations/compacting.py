"""Compaction: a summary takes the place of older turns in what the model reads; the turns themselves stay.

In: a conversation that grew too long, or a wish.  Out: applied compactions.  The model writes the summary under a
grammar; where it cannot, rules alone do, and the compaction says so (`written_by`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence

from palimpsest import wire
from palimpsest.context.estimate import chars_for, estimate
from palimpsest.conversations.budgets import reserve
from palimpsest.conversations.call_room import Room
from palimpsest.conversations.compaction import grammar
from palimpsest.conversations.compaction.collecting import Called, Spoken
from palimpsest.conversations.compaction.compactions import Compaction, Summary, WrittenBy
from palimpsest.conversations.compaction.keeping import ID, IMPORTANT, Message, kept
from palimpsest.conversations.compaction.mechanical import completed, fitted, mechanical
from palimpsest.conversations.events import CompactionBegan, CompactionEnded, ConversationChanged
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import CursorPlace, PromptBuilder, tail_of
from palimpsest.conversations.refs.tags import extract
from palimpsest.conversations.token_counts import TokenCounts, thresholds
from palimpsest.conversations.turns import Turn
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.types import Block
from palimpsest.window.services import LOADING_S, Services
from palimpsest.window.usage import Talked

BEFORE = "before compaction"
SUMMARY = 0.15
"""Its share of what the model can read."""
LEAST_TOKENS, FRAMES = 256, 128
"""Of a summary that the model writes; and what a template puts around messages."""
WORTH = 0.25
"""Of the room for messages: less is not summarised, so that nothing is compacted again right after compacting."""
KEPT, MOST_KEPT = 0.1, 8_000
"""Of what the model can read, for messages that are kept as they are; characters, where nobody knows that."""

logger = logging.getLogger(__name__)


class Compacting:
    """Compacts conversations when they grow too long or somebody asks for it; one compaction of each at a time."""

    def __init__(
        self, services: Services, memory: Callable[[], Memory], prompt_builder: PromptBuilder, counts: TokenCounts
    ) -> None:
        self._services = services
        self._memory = memory
        self._prompt_builder = prompt_builder
        self._counts = counts
        self._under_way: set[str] = set()

    async def before_reply(self, conversation: str, cursor: CursorPlace | None) -> None:
        """Carry out what is queued; compact where the conversation has grown over the threshold, which is the model's
        to say.  Raises EngineError where there is none."""
        await self.apply_queued(conversation)
        await self._services.supervisor.ready(LOADING_S)
        blocks = await self._prompt_builder.blocks(cursor)
        until = await self._due(conversation, blocks)
        if until is not None:
            await self.compact(conversation, blocks, until=until)

    async def make_room(self, conversation: str, blocks: Sequence[Block]) -> bool:
        """Compact all before what was asked last, which the engine has no room for; False where nothing is before it,
        or compaction is off."""
        if self._services.settings.conversation.compaction == "off":
            return False
        turns = self._since(conversation, None)
        asked = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=0)
        if not asked:
            return False
        await self.compact(conversation, blocks, until=turns[asked - 1].id)
        return True

    async def room_for_results(
        self, conversation: str, blocks: Sequence[Block], *, compacts: bool = True
    ) -> Room | None:
        """What the results of a reply's calls may take: the rest of the window, less an answer.  One page always has
        room.  None where nobody knows what the model can read.  `compacts`: what is before them can be summarised."""
        builder, options = self._prompt_builder, self._services.settings.conversation
        window = builder.window(blocks)
        if not window:
            return None
        sent = builder.sent(conversation, blocks)
        (system, tools, *sizes), _ = await self._counts.of([sent.system, sent.tools, *sent.messages])
        page, taken = estimate(" " * thresholds(self._services).default_page_size) + FRAMES, sum(sizes)
        if compacts and options.compaction != "off":  # the request stands behind a summary as it is
            asked = next((one for one in reversed(self._since(conversation, None)) if one.role == "user"), None)
            request = await self._count(builder.kept_text(asked)) if asked is not None else 0
            taken = min(taken, int((SUMMARY + KEPT) * window) + min(request, page))
        answer = min(options.reply_tokens, reserve(window))
        return Room(max(page, window - answer - system - tools - taken), self._count)

    async def _count(self, text: str) -> int:
        (count,), _ = await self._counts.of([text])
        return count

    async def apply_queued(self, conversation: str) -> Compaction | None:
        """Behind the last turn; a checkpoint is made first."""
        memory = self._memory()
        head = memory.conversations.get(conversation).head
        if head is None or memory.compactions.pending(conversation) is None:
            return None
        applied = await memory.writes.run(self._apply_queued, memory, conversation, head)
        self._services.events.emit(CompactionEnded(conversation, head, applied))
        self._services.events.emit(ConversationChanged(conversation))
        await self.recount(conversation)
        return applied

    def _apply_queued(self, memory: Memory, conversation: str, head: int) -> Compaction | None:
        with memory.database.transaction():
            queued = memory.compactions.pending(conversation)
            if queued is None:
                return None
            if queued.written_by == "model":  # a person's own says what they want it to
                memory.compactions.queue(conversation, self._completed(queued), "model", most_chars=None)
            memory.checkpoints.create(conversation, BEFORE, automatic=True)
            return memory.compactions.apply_pending(conversation, head, self._kept(conversation, head))

    async def queue(self, conversation: str, summary: Summary) -> Compaction:
        """A person's own summary.  Raises InvalidArgument."""
        memory = self._memory()
        return await memory.writes.run(memory.compactions.queue, conversation, summary, "person")

    async def recount(self, conversation: str) -> None:
        """Tell what the conversation takes, where that is not what its last reply took any more."""
        model, sent = self._services.supervisor.status.model, self._prompt_builder.sent(conversation, ())
        counts, _ = await self._counts.of([sent.system, sent.tools, *sent.messages])
        total = model.window if model is not None else 0
        self._services.usage.told(Talked(conversation, sum(counts), total, self._prompt_builder.kv))

    async def compact(
        self, conversation: str, blocks: Sequence[Block] = (), *, until: int | None = None, instruction: str = ""
    ) -> Compaction:
        """All up to the turn `until`, by default the last one.  `instruction`: what a person wants of the summary.
        Raises NotFound, InvalidArgument where nothing has been said since the last compaction, or it is under way."""
        if conversation in self._under_way:
            raise InvalidArgument("conversation", "is being compacted; wait for its end.")
        turns = self._since(conversation, until)
        if not turns:
            raise InvalidArgument("conversation", "has nothing to compact.")
        events, turn = self._services.events, turns[-1].id
        self._under_way.add(conversation)
        events.emit(CompactionBegan(conversation, turn))
        try:
            applied = await self._compact(conversation, blocks, turns, instruction)
        except BaseException as error:
            why = "" if isinstance(error, asyncio.CancelledError) else str(error)
            events.emit(CompactionEnded(conversation, turn, None, why))
            raise
        finally:
            self._under_way.discard(conversation)
        events.emit(CompactionEnded(conversation, turn, applied))
        events.emit(ConversationChanged(conversation))
        await self.recount(conversation)
        return applied

    async def _compact(
        self, conversation: str, blocks: Sequence[Block], turns: Sequence[Turn], instruction: str
    ) -> Compaction:
        memory = self._memory()
        before = memory.compactions.current(conversation)
        spoken = [self._spoken(turn) for turn in turns]
        old = before.summary if before is not None else None
        wanted = instruction.strip() or self._services.settings.conversation.compaction_instruction.strip()
        summary, writer = await self._written(conversation, blocks, turns[-1].id, wanted)
        tools = self._prompt_builder.tool_names
        summary = mechanical(spoken, old, wanted, tools) if summary is None else completed(summary, spoken, old, tools)
        summary = self._fitted(summary)
        return await memory.writes.run(self._apply, memory, conversation, summary, writer, turns[-1].id)

    async def _due(self, conversation: str, blocks: Sequence[Block]) -> int | None:
        """The last turn that should be summarised now; the last request, and calls behind it, stay as they are."""
        model, options = self._services.supervisor.status.model, self._services.settings.conversation
        if model is None or options.compaction == "off" or conversation in self._under_way:
            return None
        sent = self._prompt_builder.sent(conversation, blocks)
        (system, tools, *sizes), _ = await self._counts.of([sent.system, sent.tools, *sent.messages])
        room = self._prompt_builder.room(blocks, system + tools)
        if sum(sizes) <= room:
            return None
        turns = self._since(conversation, None)[:-1]
        sizes, _ = await self._counts.of([text for turn in turns for text in self._prompt_builder.texts(turn)])
        return turns[-1].id if turns and sum(sizes) >= WORTH * room else None

    async def _written(
        self, conversation: str, blocks: Sequence[Block], until: int, instruction: str
    ) -> tuple[Summary | None, WrittenBy]:
        """The model's summary; None where there is no model that can write one."""
        services = self._services
        task = grammar.TASK + (f"The person wants of the summary: {instruction}\n" if instruction else "")
        try:
            async with services.supervisor.engine(LOADING_S) as engine:
                model = services.supervisor.status.model
                if model is None or not model.chat_template:
                    return None, "mechanical"
                asked = self._prompt_builder.asking(conversation, until, task, blocks)
                sizes, _ = await self._counts.of([one.content for one in asked])
                left = max(LEAST_TOKENS, self._prompt_builder.window(blocks) - sum(sizes) - FRAMES)
                request = wire.GenerateRequest(
                    workspace=services.workspace,
                    chat=wire.ChatTail(asked),
                    slot="chat",
                    sync=services.requests.sync(blocks, "chat"),
                    max_tokens=min(grammar.MOST_TOKENS, left),
                    grammar=grammar.grammar(),
                    sampling=wire.Sampling(temperature=0.0),
                    tail=tail_of(conversation),
                    kv=self._prompt_builder.kv,
                )
                answer = await services.generate(engine, request, blocks)
            return grammar.read(answer.choices[0].text), "model"
        except (EngineError, InvalidArgument) as error:
            logger.warning("compaction: the model's summary cannot be used: %s", error)
            return None, "mechanical"

    def _completed(self, queued: Compaction) -> Summary:
        """With names, paths and failures of the turns that it stands for, as every summary that the model wrote."""
        before = self._memory().compactions.current(queued.conversation)
        spoken = [self._spoken(turn) for turn in self._since(queued.conversation, None)]
        old = before.summary if before is not None else None
        return self._fitted(completed(queued.summary, spoken, old, self._prompt_builder.tool_names))

    def _fitted(self, summary: Summary) -> Summary:
        model = self._services.supervisor.status.model
        return summary if model is None or not model.window else fitted(summary, chars_for(int(SUMMARY * model.window)))

    def _since(self, conversation: str, until: int | None) -> list[Turn]:
        """The complete turns since the last compaction."""
        memory = self._memory()
        branch, current = memory.turns.branch(conversation), memory.compactions.current(conversation)
        ids = [turn.id for turn in branch]
        first = ids.index(current.turn) + 1 if current is not None and current.turn in ids else 0
        last = ids.index(until) + 1 if until is not None else len(branch)
        return [turn for turn in branch[first:last] if turn.state != "failed"]

    def _spoken(self, turn: Turn) -> Spoken:
        memory = self._memory()
        calls = [
            Called(
                call.name,
                call.arguments,
                call.status == "failed",
                memory.contents.text(call.result) if call.result else "",
            )
            for call in memory.turns.calls(turn.id)
        ]
        return Spoken(turn.role, memory.turns.text(turn), calls)

    def _kept(self, conversation: str, until: int) -> list[int]:
        """Of the turns that the model reads now, up to `until`: those that it reads on as they are."""
        memory, current = self._memory(), self._memory().compactions.current(conversation)
        before = frozenset(current.kept if current is not None else ())
        turns = [turn for turn in memory.turns.branch(conversation) if turn.id in before]
        turns += self._since(conversation, None)
        points = {one.head for one in memory.checkpoints.list(conversation) if not one.automatic}
        refs = defaultdict[int | None, list[str]](list)
        for ref in memory.refs.list(conversation):
            refs[ref.turn].append(ref.id)
        model = self._services.supervisor.status.model
        most = chars_for(int(KEPT * model.window)) if model is not None else MOST_KEPT
        messages = [self._message(turn, refs[turn.id], is_marked=turn.id in points) for turn in turns]
        return kept(messages, until, before, most)

    def _message(self, turn: Turn, refs: Sequence[str], *, is_marked: bool) -> Message:
        """`refs`: ids of those in it; what the model tagged in its own reply is no mark of the person's."""
        spoken = self._spoken(turn)
        tagged = [ref.id for ref in extract(spoken.text).refs] if turn.role == "assistant" else []
        is_marked = is_marked or any(ref not in tagged for ref in refs)
        is_marked = is_marked or (turn.role == "user" and IMPORTANT.search(spoken.text) is not None)
        given = [str(value) for call in spoken.calls for value in call.arguments.values()]
        named = [f"ref:{call.arguments['ref_id']}" for call in spoken.calls if "ref_id" in call.arguments]
        names = {f"turn-{turn.number}", *(f"ref:{ref}" for ref in refs)}
        names |= {f"result-{turn.number}-{number}" for number in range(len(spoken.calls))}
        mentions = {*ID.findall("\n".join([spoken.text, *given])), *named} - names
        return Message(turn.id, len(self._prompt_builder.kept_text(turn)), is_marked, names, mentions)

    def _apply(self, memory: Memory, conversation: str, summary: Summary, writer: WrittenBy, turn: int) -> Compaction:
        with memory.database.transaction():
            memory.checkpoints.create(conversation, BEFORE, automatic=True)
            return memory.compactions.apply(conversation, summary, writer, turn, self._kept(conversation, turn))
