"""Compaction: a summary takes the place of older turns in what the model reads; the turns themselves stay.

In: a conversation that grew too long, or a wish.  Out: applied compactions.  The model writes the summary under a
grammar; where it cannot, rules alone do, and the compaction says so (`written_by`).
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from palimpsest import wire
from palimpsest.context.estimate import chars_for, estimate
from palimpsest.conversations.answers import ResultRoom
from palimpsest.conversations.budgets import reserve
from palimpsest.conversations.compaction import grammar
from palimpsest.conversations.compaction.compactions import Compaction, Summary, WrittenBy
from palimpsest.conversations.compaction.keeping import ID, IMPORTANT, KeepableMessage, kept, staying
from palimpsest.conversations.compaction.mechanical import (
    Called,
    TurnWithCalls,
    completed,
    defined,
    fitted,
    last_line,
    mechanical,
    mentioned,
    pieces,
)
from palimpsest.conversations.events import CompactionBegan, CompactionEnded, ConversationChanged
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import CursorPlace, PromptBuilder, tail_of
from palimpsest.conversations.prompts import render_summary
from palimpsest.conversations.refs.tags import extracted
from palimpsest.conversations.token_counts import TokenCounts, thresholds
from palimpsest.conversations.turns import Turn
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block
from palimpsest.window.services import LOADING_S, Services
from palimpsest.window.usage import Talked

BEFORE = "before compaction"
SUMMARY = 0.15
"""A summary may take this share of what the model can read."""
LEAST_SUMMARY = 128
"""Tokens that a summary can be cut to."""
LEAST_TOKENS, FRAMES = 256, 128
"""A summary that the model writes may have at least so many tokens; a template puts about so many around messages."""
WORTH = 0.25
"""Messages that take less than this share of their room are not summarised, so that nothing is compacted again right
after compacting."""
BESIDE = 0.5
"""A summary and the messages that are read as they are may take this share of the room for messages."""
KEPT, MOST_KEPT = 0.1, 8_000
"""Older messages that are kept in any case may take this share of what the model can read; so many characters, where
nobody knows that."""
SHORTER = 0.75
"""What stands in the place of messages where somebody asks takes at most this share of what they take; what is kept of
them may take more."""
LEAST_CHARS = 16
"""A summary's texts, and a message that is kept, have room for at least this many characters."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Older:
    """The turns that are summarised.  `room`: tokens for the summary and for messages that are kept beside it, which
    `is_bound` or a wish; `n_fixed`: those of what stands there besides: rules, the last request; `most`: those of all
    of it above which the summary is cut, 0 for any number."""

    turns: Sequence[Turn]
    room: int = 0
    n_fixed: int = 0
    is_bound: bool = False
    most: int = 0


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
        older = await self._due(conversation, blocks)
        if older is not None and conversation not in self._under_way:
            await self._run(conversation, blocks, older)

    async def make_room(self, conversation: str, blocks: Sequence[Block]) -> bool:
        """Compact all before what was asked last, which the engine has no room for; False where nothing is before it,
        or compaction is off."""
        if self._services.settings.conversation.compaction == "off":
            return False
        turns = self._since(conversation)
        asked = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=0)
        if not asked:
            return False
        await self._run(conversation, blocks, _Older(turns[:asked]))
        return True

    async def room_for_results(
        self, conversation: str, blocks: Sequence[Block], *, compacts: bool = True
    ) -> ResultRoom | None:
        """What the results of a reply's calls may take: the rest of the window, less an answer.  One page always has
        room.  None where nobody knows what the model can read.  `compacts`: what is before them can be summarised."""
        builder, options = self._prompt_builder, self._services.settings.conversation
        window = builder.window(blocks)
        if not window:
            return None
        system, tools, taken = await self.sizes(conversation, blocks)
        page = estimate(" " * thresholds(self._services).default_page_size) + FRAMES
        if compacts and options.compaction != "off":  # the request stands behind a summary as it is
            asked = next((one for one in reversed(self._since(conversation)) if one.role == "user"), None)
            request = await self._count(builder.kept_text(asked)) if asked is not None else 0
            taken = min(taken, int((SUMMARY + KEPT) * window) + min(request, page))
        answer = min(options.reply_tokens, reserve(window))
        return ResultRoom(max(page, window - answer - system - tools - taken), self._count)

    async def _count(self, text: str) -> int:
        (count,), _ = await self._counts.of([text])
        return count

    async def apply_queued(self, conversation: str) -> Compaction | None:
        """Behind the last turn; a checkpoint is made first."""
        memory = self._memory()
        head = memory.conversations.get(conversation).head
        queued = memory.compactions.pending(conversation)
        if head is None or queued is None:
            return None
        room, _ = await self._room(conversation, ())
        kept = await asyncio.to_thread(
            self._kept, conversation, head, *self._most_kept(queued.summary, int(BESIDE * room))
        )
        applied = await memory.writes.run(self._apply_queued, memory, conversation, head, kept)
        self._services.events.emit(CompactionEnded(conversation, head, applied))
        self._services.events.emit(ConversationChanged(conversation))
        await self.recount(conversation)
        return applied

    def _apply_queued(self, memory: Memory, conversation: str, head: int, kept: Sequence[int]) -> Compaction | None:
        with memory.database.transaction():
            queued = memory.compactions.pending(conversation)
            if queued is None:
                return None
            if queued.written_by == "model":  # a person's own says what they want it to
                memory.compactions.queue(conversation, self._completed(queued), "model", most_chars=None)
            memory.checkpoints.create(conversation, BEFORE, automatic=True)
            return memory.compactions.apply_pending(conversation, head, kept)

    async def queue(self, conversation: str, summary: Summary) -> Compaction:
        """A person's own summary.  Raises InvalidArgument."""
        memory = self._memory()
        return await memory.writes.run(memory.compactions.queue, conversation, summary, "person")

    async def recount(self, conversation: str) -> None:
        """Tell what the conversation takes, where that is not what its last reply took any more."""
        system, tools, said = await self.sizes(conversation, ())
        model = self._services.supervisor.status.model
        total = model.window if model is not None else 0
        self._services.usage.told(Talked(conversation, system + tools + said, total, self._prompt_builder.kv))

    async def sizes(self, conversation: str, blocks: Sequence[Block]) -> tuple[int, int, int]:
        """Tokens of the system prompt, the tools and the messages that are sent for the next reply."""
        sent = await asyncio.to_thread(self._prompt_builder.sent, conversation, blocks)
        (system, tools, *messages), _ = await self._counts.of([sent.system, sent.tools, *sent.messages])
        return system, tools, sum(messages)

    async def compact(
        self, conversation: str, blocks: Sequence[Block] = (), *, instruction: str = "", target: int | None = None
    ) -> Compaction:
        """All but the newest turns (`conversation.recent_messages`); all, where there are no others.  `instruction`:
        what a person wants of the summary; `target`: the most tokens that the messages take then.  Raises NotFound,
        InvalidArgument where nothing has been said since the last compaction, where it is under way, and for a target
        that cannot be reached."""
        self._check_rests(conversation)
        turns, wanted = self._since(conversation), self._services.settings.conversation.recent_messages
        if not turns:
            raise InvalidArgument("conversation", "has nothing to compact.")
        room, taken = await self._room(conversation, blocks)
        if target is not None and target >= taken:
            raise InvalidArgument("target", f"the messages take {taken:,} tokens now; give fewer.")
        half = int(BESIDE * taken)  # more, and with a summary beside it nothing would be shorter
        n_staying = 0  # the last request is read word for word all the same
        if 1 < wanted < len(turns):
            most = self._most_staying(blocks, room) if target is None else int(BESIDE * target)
            n_staying = staying(await self._sizes(turns), wanted, half if most is None else min(most, half))
        if target is None:
            older = await self._older(blocks, turns, n_staying, min(half, int(BESIDE * room)) if room else half)
            newer = sum(await self._sizes(turns[len(older.turns) :]))
            older = replace(older, most=int(SHORTER * (taken - newer)))
            return await self._run(conversation, blocks, older, instruction)
        for n in dict.fromkeys((n_staying, 0)):
            older = await self._older(blocks, turns, n, target, is_bound=True)
            if older.room >= LEAST_SUMMARY:
                return await self._run(conversation, blocks, older, instruction)
        least = target - older.room + LEAST_SUMMARY
        raise InvalidArgument("target", f"cannot be reached: with what is read word for word, give {least:,} at least.")

    def _most_staying(self, blocks: Sequence[Block], room: int) -> int | None:
        """Tokens of the newest messages beside which a summary has its share; None where nobody knows."""
        return int(BESIDE * room) - int(SUMMARY * self._prompt_builder.window(blocks)) if room else None

    async def _older(
        self, blocks: Sequence[Block], turns: Sequence[Turn], n_staying: int, most: int, *, is_bound: bool = False
    ) -> _Older:
        """`most`: tokens of all messages behind a compaction but for those that come then."""
        older, newer = turns[: len(turns) - n_staying], turns[len(turns) - n_staying :]
        nothing = _made(older, Summary("", "", [], [], "", "", []))
        n_fixed = await self._standing(blocks, nothing)
        return _Older(older, most - sum(await self._sizes(newer)) - n_fixed, n_fixed, is_bound)

    async def _standing(self, blocks: Sequence[Block], made: Compaction) -> int:
        """Tokens of what the model would read in place of older turns."""
        text = await asyncio.to_thread(self._prompt_builder.standing, made.conversation, made, blocks)
        return await self._count(text)

    async def _run(
        self, conversation: str, blocks: Sequence[Block], older: _Older, instruction: str = ""
    ) -> Compaction:
        self._check_rests(conversation)
        events, turn = self._services.events, older.turns[-1].id
        self._under_way.add(conversation)
        events.emit(CompactionBegan(conversation, turn))
        try:
            applied = await self._compact(conversation, blocks, older, instruction)
        except BaseException as error:  # cancelled, too: who shows it is told of its end
            why = "" if isinstance(error, asyncio.CancelledError) else str(error)
            events.emit(CompactionEnded(conversation, turn, None, why))
            raise
        finally:
            self._under_way.discard(conversation)
        events.emit(CompactionEnded(conversation, turn, applied))
        events.emit(ConversationChanged(conversation))
        await self.recount(conversation)
        return applied

    async def _compact(self, conversation: str, blocks: Sequence[Block], older: _Older, instruction: str) -> Compaction:
        memory = self._memory()
        before = memory.compactions.current(conversation)
        spoken = [self._spoken(turn) for turn in older.turns]
        old = before.summary if before is not None else None
        options = self._services.settings.conversation
        wanted = masked_block(instruction.strip() or options.compaction_instruction.strip())
        summary, writer = await self._written(conversation, blocks, older.turns[-1].id, wanted)
        tools = self._prompt_builder.tool_names
        if summary is None:
            summary = await asyncio.to_thread(mechanical, spoken, old, wanted, tools)
        else:
            summary = completed(summary, spoken, old, tools)
        made = _made(older.turns, self._fitted(summary), writer)
        if older.is_bound:
            made = await self._within(blocks, made, older)
        else:
            made = await self._with_kept(made, *self._most_kept(made.summary, older.room))
            if older.most:
                made = await self._cut(blocks, made, older.most, chars_for(LEAST_SUMMARY))
        return await memory.writes.run(self._apply, memory, made)

    async def _within(self, blocks: Sequence[Block], made: Compaction, older: _Older) -> Compaction:
        """Cut until it has room; what it leaves of that is of messages that are kept."""
        most = older.room + older.n_fixed
        made = replace(made, summary=fitted(made.summary, chars_for(older.room)))
        made = await self._cut(blocks, made, most, LEAST_CHARS)
        n_chars = chars_for(max(0, most - await self._standing(blocks, made)))
        while n_chars > LEAST_CHARS:
            kept = await self._with_kept(made, n_chars)
            if await self._standing(blocks, kept) <= most:
                return kept
            n_chars = n_chars * 2 // 3
        return made

    async def _cut(self, blocks: Sequence[Block], made: Compaction, most: int, least: int) -> Compaction:
        """With as much of the summary as there is room for, `least` characters at least."""
        n_chars = len(render_summary(made.summary))
        while await self._standing(blocks, made) > most and n_chars > least:
            n_chars = max(least, n_chars * 2 // 3)
            made = replace(made, summary=fitted(made.summary, n_chars))
        return made

    async def _with_kept(self, made: Compaction, most_chars: int, most_with_code: int | None = None) -> Compaction:
        assert made.turn is not None
        kept = await asyncio.to_thread(self._kept, made.conversation, made.turn, most_chars, most_with_code)
        return replace(made, kept=tuple(kept))

    def _most_kept(self, summary: Summary, room: int) -> tuple[int, int]:
        """Characters of messages that are kept beside a summary, which may take so much room together: of those that
        are kept in any case, and of these and of code that may be asked about."""
        model, left = self._services.supervisor.status.model, room - estimate(render_summary(summary))
        if model is None or not model.window:
            return MOST_KEPT, MOST_KEPT
        return chars_for(max(int(KEPT * model.window), left)), chars_for(max(0, left))

    async def _room(self, conversation: str, blocks: Sequence[Block]) -> tuple[int, int]:
        """Tokens of messages above which it is compacted, 0 where nobody knows; and those of its messages now."""
        system, tools, said = await self.sizes(conversation, blocks)
        return self._prompt_builder.room(blocks, system + tools), said

    async def _sizes(self, turns: Sequence[Turn]) -> list[int]:
        """Tokens of each, with its calls and their results."""
        texts = await asyncio.to_thread(self._prompt_builder.texts, turns)
        sizes, _ = await self._counts.of([text for one in texts for text in one])
        each = iter(sizes)
        return [sum(islice(each, len(one))) for one in texts]

    async def _due(self, conversation: str, blocks: Sequence[Block]) -> _Older | None:
        """What should be summarised now; the last request, and calls behind it, stay as they are."""
        model, options = self._services.supervisor.status.model, self._services.settings.conversation
        if model is None or options.compaction == "off" or conversation in self._under_way:
            return None
        room, taken = await self._room(conversation, blocks)
        if taken <= room:
            return None
        turns, worth = self._since(conversation), WORTH * room
        sizes = await self._sizes(turns)
        n_staying = 1 + staying(sizes[:-1], options.recent_messages - 1, self._most_staying(blocks, room), worth)
        if len(turns) <= n_staying or sum(sizes[:-n_staying]) < worth:
            return None
        return await self._older(blocks, turns, n_staying, int(BESIDE * room))

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
        spoken = [self._spoken(turn) for turn in self._since(queued.conversation)]
        old = before.summary if before is not None else None
        return self._fitted(completed(queued.summary, spoken, old, self._prompt_builder.tool_names))

    def _fitted(self, summary: Summary) -> Summary:
        model = self._services.supervisor.status.model
        return summary if model is None or not model.window else fitted(summary, chars_for(int(SUMMARY * model.window)))

    def _since(self, conversation: str) -> list[Turn]:
        """The complete turns since the last compaction."""
        memory = self._memory()
        branch, current = memory.turns.branch(conversation), memory.compactions.current(conversation)
        ids = [turn.id for turn in branch]
        first = ids.index(current.turn) + 1 if current is not None and current.turn in ids else 0
        return [turn for turn in branch[first:] if turn.state != "failed"]

    def _spoken(self, turn: Turn) -> TurnWithCalls:
        turns = self._memory().turns
        calls = [
            Called(call.name, call.arguments, call.status == "failed", result) for call, result in turns.called(turn.id)
        ]
        return TurnWithCalls(turn.role, masked_block(turns.text(turn)), calls)

    def _kept(self, conversation: str, until: int, most_chars: int, most_with_code: int | None = None) -> list[int]:
        """Of the turns that the model reads now, up to `until`: those that it reads on as they are."""
        memory, current = self._memory(), self._memory().compactions.current(conversation)
        before = frozenset(current.kept if current is not None else ())
        turns = [turn for turn in memory.turns.branch(conversation) if turn.id in before]
        turns += self._since(conversation)
        points = {one.head for one in memory.checkpoints.list(conversation) if not one.automatic}
        refs = defaultdict[int | None, list[str]](list)
        for ref in memory.refs.list(conversation):
            refs[ref.turn].append(ref.id)
        messages = [self._message(turn, refs[turn.id], is_marked=turn.id in points) for turn in turns]
        return kept(messages, until, before, most_chars, most_with_code)

    def _check_rests(self, conversation: str) -> None:
        if conversation in self._under_way:
            raise InvalidArgument("conversation", "is being compacted; wait for its end.")

    def _message(self, turn: Turn, refs: Sequence[str], *, is_marked: bool) -> KeepableMessage:
        """`refs`: ids of those in it; what the model tagged in its own reply is no mark of the person's."""
        spoken = self._spoken(turn)
        tagged = [ref.id for ref in extracted(spoken.text, turn.details).refs] if turn.role == "assistant" else []
        is_marked = is_marked or any(ref not in tagged for ref in refs)
        is_marked = is_marked or (turn.role == "user" and IMPORTANT.search(spoken.text) is not None)
        given = [str(value) for call in spoken.calls for value in call.arguments.values()]
        named = [f"ref:{call.arguments['ref_id']}" for call in spoken.calls if "ref_id" in call.arguments]
        names = {f"turn-{turn.number}", *refs, *(f"ref:{ref}" for ref in refs)}
        names |= {f"result-{turn.number}-{number}" for number in range(len(spoken.calls))}
        said, found = "\n".join([spoken.text, *given]), pieces(spoken.text)
        mentions = {*ID.findall(said), *named, *mentioned(said, by_person=turn.role == "user")} - names
        return KeepableMessage(
            turn.id,
            len(self._prompt_builder.kept_text(turn)),
            is_marked,
            names,
            mentions,
            defines={name: n_lines for one in found for name, n_lines in defined(one).items()},
            n_lines=max((one.n_lines for one in found), default=0),
            last_line=last_line(spoken.text),
        )

    def _apply(self, memory: Memory, made: Compaction) -> Compaction:
        assert made.turn is not None
        with memory.database.transaction():
            memory.checkpoints.create(made.conversation, BEFORE, automatic=True)
            return memory.compactions.apply(made.conversation, made.summary, made.written_by, made.turn, made.kept)


def _made(older: Sequence[Turn], summary: Summary, writer: WrittenBy = "model") -> Compaction:
    """As it would be if it were applied now."""
    return Compaction(0, older[-1].conversation, older[-1].id, summary, writer, time.time())
