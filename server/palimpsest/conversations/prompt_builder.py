"""A conversation put to the engine: what the model reads of it, behind which blocks.

In: a conversation, where the cursor is.  Out: requests.  Sends nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from palimpsest import wire
from palimpsest.context.estimate import chars_for, estimate, estimate_of
from palimpsest.context.sources.rules import RulesSource
from palimpsest.conversations import prompts
from palimpsest.conversations.answers import failed
from palimpsest.conversations.budgets import Shares, reserve
from palimpsest.conversations.call_runner import Needs, Tools, sent_of_tools
from palimpsest.conversations.compaction.compactions import Compaction
from palimpsest.conversations.compaction.keeping import SizedResult, SizedTurn, dropped
from palimpsest.conversations.descriptors.incoming import shortened
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompts import KeptMessage, SaidTurn
from palimpsest.conversations.refs.tags import PROBLEMS
from palimpsest.conversations.reply_writer import NATIVE
from palimpsest.conversations.token_counts import thresholds
from palimpsest.conversations.turns import Turn, TurnCall
from palimpsest.errors import InvalidArgument
from palimpsest.prompt.blocks import render_context
from palimpsest.text.positions import well_formed
from palimpsest.text.snapshot import Position
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block
from palimpsest.window.services import Services
from palimpsest.workspace.files import WorkspaceFiles

DOCUMENTS = "documents"
"""Where a turn keeps what the model is told of the documents that it links to: told once, it stays as it was."""

SHOWN = "shown"
"""Where a turn keeps what the model reads of a long message; the turn's own text stays whole."""

QUOTED = "document"
"""The source of a turn that a document brought along: it was written elsewhere, maybe by who wrote the repository."""

FORK = "fork"
"""The source of a child's task."""

MOST_FORESEEN = 40
"""Messages and replies that are looked at to tell which tools may matter."""

EXPERIENCES = 0.2
"""Experiences may take this share of what the model can read: a few long ones fit, and what is said has room
besides."""

RULES = 0.1
"""A project's rules, which stand behind a summary, may take this share of what the model can read."""

LATELY = 4
"""Replies: a tool that was called in one of them is likely to be called again."""


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """Where the person is: the blocks there are what the model sees of the workspace."""

    uri: str
    position: Position


@dataclass(frozen=True, slots=True)
class PromptItem:
    """A piece of what the model reads.  `name`: `turn-12`, `result-12-0`, a tool, a block.  `instructions`: how tools
    are called."""

    kind: Literal["system", "instructions", "tool", "rules", "summary", "message", "documents", "result", "block"]
    name: str
    text: str


_Calls = Mapping[int, Sequence[TurnCall]]


@dataclass(frozen=True, slots=True)
class _View:
    """What the model reads: `before` has the rules and stands for older turns, `said` is without results that were
    dropped.  `told`: what the system prompt says of tools; `native`: those that an engine is told of by itself;
    `calls`: by turn."""

    system: str
    told: str
    native: Sequence[dict[str, Any]]
    before: str
    turns: Sequence[Turn]
    calls: _Calls
    said: Sequence[SaidTurn]
    needs: Needs

    @property
    def tools(self) -> str:
        """All that is sent of tools."""
        return sent_of_tools(self.told, self.native)


@dataclass(frozen=True, slots=True)
class Sent:
    """A conversation as it is sent, for counting.  `tools`: what is said of them, and those that are sent beside."""

    system: str
    tools: str
    messages: list[str]


SUMMARY_OF_EDITS = "\n<summary>"


def _notes(turn: Turn) -> list[str]:
    """What the model is told is wrong with the refs of its turn."""
    return [failed("", InvalidArgument("ref", problem)).xml for problem in turn.details.get(PROBLEMS, ())]


def tail_of(conversation: str) -> str:
    """The name of its tail in the engine."""
    return f"conversation:{conversation}"


class PromptBuilder:
    """Builds the request that has a conversation answered, and says what is in it."""

    def __init__(self, services: Services, memory: Callable[[], Memory], tools: Tools) -> None:
        self._services = services
        self._memory = memory
        self._tools = tools

    def request(
        self, conversation: str, blocks: Sequence[Block], *, without: int | None = None, grammar: str = ""
    ) -> wire.GenerateRequest:
        """For the next reply.  `without`: the turn that it is written into."""
        services = self._services
        options = services.settings.conversation
        return wire.GenerateRequest(
            workspace=services.workspace,
            chat=self.chat(conversation, blocks, without=without, natively=not grammar),
            slot="chat",
            sync=services.requests.sync(blocks, "chat"),
            max_tokens=options.reply_tokens,
            stop=self._stops,
            grammar=grammar,
            sampling=wire.Sampling(temperature=options.temperature),
            tail=tail_of(conversation),
            kv=self.kv,
        )

    @property
    def _stops(self) -> list[str]:
        """A model that is not told how to converse was trained on edits, and may end its reply as it ends those."""
        model = self._services.supervisor.status.model
        return [] if model is None or model.chat_template else [SUMMARY_OF_EDITS]

    @property
    def kv(self) -> wire.KvPolicy:
        """What becomes of what is decoded where something before it goes, with this engine."""
        model, wanted = self._services.supervisor.status.model, self._services.settings.conversation.kv
        return "leave" if wanted == "leave" and model is not None and model.in_place else "decode"

    def chat(
        self, conversation: str, blocks: Sequence[Block], *, without: int | None = None, natively: bool = True
    ) -> wire.ChatTail:
        """`natively`: an engine that is told of tools by itself may be."""
        view = self._view(conversation, without, None, blocks, natively=natively)
        said = self._all_said(view)
        told = self._tools.told(view.needs) if view.native else view.told
        plain = prompts.whole(view.system, told, prompts.messages(view.before, said))
        if not view.native:
            return wire.ChatTail(plain)
        made = prompts.native_messages(view.system, view.told, view.before, said)
        return wire.ChatTail(plain, wire.NativeChat(made, list(view.native)))

    def sent(self, conversation: str, blocks: Sequence[Block]) -> Sent:
        """What is sent for the next reply."""
        view = self._view(conversation, None, None, blocks)
        said = self._all_said(view)
        if view.native:
            made = prompts.native_messages("", "", view.before, said)
            texts = [prompts.with_calls(message.content, message.calls, natively=True) for message in made]
        else:
            texts = [message.content for message in prompts.messages(view.before, said)]
        return Sent(well_formed(view.system), well_formed(view.tools), texts)

    def items(self, conversation: str, blocks: Sequence[Block]) -> list[PromptItem]:
        """The pieces of the next prompt."""
        view, memory = self._view(conversation, None, None, blocks), self._memory()
        natively = bool(view.native)
        found = [PromptItem("system", "", view.system)]
        how, described = self._tools.described(view.needs, natively=natively)
        found += [PromptItem("instructions", "", how)] if how else []
        found += [PromptItem("tool", name, text) for name, text in described.items()]
        standing_for: Literal["rules", "summary"] = "summary" if memory.compactions.current(conversation) else "rules"
        found += [PromptItem(standing_for, "", view.before)] if view.before else []
        for name, turn, said in zip(self._names(view), view.turns, view.said, strict=True):
            documents = turn.details.get(DOCUMENTS)
            text = prompts.with_calls(name + self._shown(turn), said.calls, natively=natively)
            found.append(PromptItem("message", f"turn-{turn.number}", "\n".join([text, *said.notes])))
            found += [PromptItem("documents", f"turn-{turn.number}", documents)] if isinstance(documents, str) else []
            kept = [call for call in view.calls[turn.id] if call.result]
            found += [
                PromptItem("result", f"result-{turn.number}-{call.number}", result)
                for call, result in zip(kept, said.results, strict=True)
            ]
        return [*found, *(PromptItem("block", str(block.key), render_context(block)) for block in blocks)]

    def _view(
        self,
        conversation: str,
        without: int | None,
        until: int | None,
        blocks: Sequence[Block],
        *,
        natively: bool = True,
    ) -> _View:
        """`natively`: tools, for an engine that is told of them by itself."""
        memory = self._memory()
        with memory.database.reading():  # all of one moment
            talk, current = memory.conversations.get(conversation), memory.compactions.current(conversation)
            every = [turn for turn in memory.turns.branch(conversation) if turn.id != without]
            ids = [turn.id for turn in every]
            if until in ids:
                every = every[: ids.index(until) + 1]
            at = ids.index(current.turn) + 1 if current is not None and current.turn in ids else 0
            older, branch = every[:at], every[at:]
            calls = memory.turns.calls_of(turn.id for turn in every)
            memory.contents.read_ahead(self._texts_of(branch, calls))
            before = "\n\n".join(prompts.rules_told(self._rules(blocks))) if current is None else ""
            if current is not None:
                before = self._standing(older, branch, current, blocks, calls)
            needs, own = self._needs(branch, calls), self._services.settings.conversation.instruction
            known = memory.experiences.list(talk.memory_key, conversation)
            model = self._services.supervisor.status.model
            most_chars = chars_for(int(EXPERIENCES * model.window)) if model is not None and model.window else None
            system, tools = prompts.system_prompt(known, own, most_chars), self._tools
            told, native = tools.native(needs) if natively and self._natively else ("", [])
            told = told if native else tools.told(needs)
            bound = self._bound(blocks, system + sent_of_tools(told, native), before)
            said = {turn.id: self._said(turn, calls) for turn in branch}
            gone = self._dropped(branch, calls, said, bound)
            turns = [turn for turn in branch if turn.state != "failed"]
            left = [self._without(said[turn.id], turn, calls, gone) for turn in turns]
            return _View(system, told, native, before, turns, calls, left, needs)

    def _texts_of(self, turns: Iterable[Turn], calls: _Calls) -> Iterator[str]:
        """The names of the texts that are read of them."""
        for turn in turns:
            if not isinstance(turn.details.get(SHOWN), str):
                yield turn.hash
            yield from (call.result for call in calls[turn.id] if call.result)

    def standing(self, conversation: str, made: Compaction, blocks: Sequence[Block]) -> str:
        """What the model will read in place of the turns up to that of a compaction."""
        every = self._memory().turns.branch(conversation)
        at = next((i for i, turn in enumerate(every) if turn.id == made.turn), len(every) - 1) + 1
        calls = self._memory().turns.calls_of(turn.id for turn in every)
        return well_formed(self._standing(every[:at], every[at:], made, blocks, calls))

    def _standing(
        self, older: Sequence[Turn], branch: Sequence[Turn], made: Compaction, blocks: Sequence[Block], calls: _Calls
    ) -> str:
        is_asked = any(turn.role == "user" and turn.created < made.created for turn in branch)
        # what was asked before it was compacted stands behind it, word for word
        last = None if is_asked else next((turn for turn in reversed(older) if turn.role == "user"), None)
        # as the model read it; of descriptors in it, the beginnings of their previews
        page_size = thresholds(self._services).default_page_size
        request = shortened(self._said(last, calls).text, page_size) if last is not None else ""
        kept = [
            KeptMessage(f"turn-{turn.number}", turn.role, self._kept_text(turn, calls))
            for turn in older
            if turn.id in made.kept and turn is not last
        ]
        numbers = (older[0].number, older[-1].number) if older and self._tools.read_turns() else None
        return prompts.standing(made.summary, request, self._rules(blocks), kept, numbers)

    def documents_told(self, conversation: str) -> str:
        """What the model reads of documents in the turns so far."""
        view = self._view(conversation, None, None, ())
        return "\n".join(str(turn.details[DOCUMENTS]) for turn in view.turns if turn.details.get(DOCUMENTS))

    def _needs(self, branch: Sequence[Turn], calls: _Calls) -> Needs:
        """A fork's task says nothing of tools but to a child that knows nothing else: else its system prompt would be
        another one than its parent's, and be decoded again with all that stands behind it."""
        said = [turn for i, turn in enumerate(branch) if turn.role == "user" and (turn.source != FORK or i == 0)]
        replies = [turn for turn in reversed(branch) if turn.role == "assistant"][:MOST_FORESEEN]
        called = [[call.name for call in calls[turn.id] if call.status == "done"] for turn in replies]
        lately = frozenset(name for names in called[:LATELY] for name in names)
        before = dict.fromkeys(name for names in called[LATELY:] for name in names)
        return Needs([self._memory().turns.text(turn) for turn in said[-MOST_FORESEEN:]], lately, list(before))

    def asking(self, conversation: str, until: int, task: str, blocks: Sequence[Block]) -> list[wire.Message]:
        """The conversation in words as the model reads it, up to the turn `until`, and what is wanted of the model
        about it."""
        view = self._view(conversation, None, until, blocks, natively=False)
        said = prompts.whole(view.system, view.told, prompts.messages(view.before, self._all_said(view)))
        if said[-1].role == "user":
            return [*said[:-1], wire.Message("user", f"{said[-1].content}\n\n{task}")]
        return [*said, wire.Message("user", task)]

    @property
    def tool_names(self) -> Collection[str]:
        return self._tools.parameters().keys()

    @property
    def shares(self) -> Shares:
        options = self._services.settings.conversation
        lent = options.shares == "dynamic"
        return Shares(options.system_share, options.tools_share, options.messages_share, lent)

    def window(self, blocks: Sequence[Block]) -> int:
        """Tokens that system prompt, messages and reply may take together; 0 where nobody knows.  An engine of this
        machine keeps room for blocks besides."""
        model = self._services.supervisor.status.model
        if model is None:
            return 0
        taken = 0 if model.keeps_room else sum(map(estimate_of, blocks))
        return max(0, model.window - taken)

    def room(self, blocks: Sequence[Block], prompt: int) -> int:
        """Tokens of messages above which a conversation is compacted, behind blocks and a system prompt of so many."""
        window, options = self.window(blocks), self._services.settings.conversation
        reply = max(reserve(window), min(options.reply_tokens, window // 2))
        share = min(int(options.compact_at * window), window - reply)
        return max(min(share - prompt, self.shares.for_messages(window, prompt)), window // 4)

    def texts(self, turns: Sequence[Turn]) -> list[list[str]]:
        """Each turn with its calls and their results."""
        calls = self._memory().turns.calls_of(turn.id for turn in turns)
        said = [self._said(turn, calls) for turn in turns]
        own = [prompts.with_calls(one.text, one.calls, natively=self._natively) for one in said]
        return [list(map(well_formed, [text, *one.results])) for text, one in zip(own, said, strict=True)]

    def kept_text(self, turn: Turn) -> str:
        """What is read of a turn beside a summary: all of it, in words."""
        return self._kept_text(turn, self._memory().turns.calls_of([turn.id]))

    def _kept_text(self, turn: Turn, calls: _Calls) -> str:
        said = self._said(turn, calls)
        return "\n".join([prompts.with_calls(said.text, said.calls, natively=False), *said.results])

    @property
    def _natively(self) -> bool:
        model = self._services.supervisor.status.model
        return model is not None and model.calls_tools

    def _bound(self, blocks: Sequence[Block], prompt: str, before: str) -> int | None:
        """Tokens of turns above which old results are dropped; None where nobody knows what the model can read.  Where
        all behind them is decoded again, they stay until the conversation would be compacted."""
        model, options = self._services.supervisor.status.model, self._services.settings.conversation
        if model is None:
            return None
        room = self.room(blocks, estimate(prompt))
        bound = room if self.kv == "decode" else min(room, int(options.drop_results_at * self.window(blocks)))
        return max(bound - estimate(before), 0)

    def _dropped(
        self, branch: Sequence[Turn], calls: _Calls, said: Mapping[int, SaidTurn], bound: int | None
    ) -> set[tuple[int, int]]:
        options = self._services.settings.conversation
        if bound is None:
            return set()
        sized, text = [], self._memory().contents.text
        for turn in branch:
            results = tuple(
                SizedResult(call.number, call.name, estimate(text(call.result)))
                for call in calls[turn.id]
                if call.result
            )
            own = prompts.with_calls(said[turn.id].text, said[turn.id].calls, natively=self._natively)
            sized.append(SizedTurn(turn.id, estimate(own), results))
        return dropped(sized, bound, options.keep_results, options.never_drop)

    def _rules(self, blocks: Sequence[Block]) -> list[tuple[str, str]]:
        """The project's rules, where they are not among the blocks."""
        services = self._services
        if any(block.source == RulesSource.name for block in blocks):
            return []
        context, roots = services.settings.context, services.roots.folders
        rules = RulesSource(WorkspaceFiles(roots, context.exclude, services.documents.find))
        model = services.supervisor.status.model
        most = min(context.block_tokens, int(RULES * model.window)) if model and model.window else context.block_tokens
        return [(one.name, one.text) for root in roots for one in rules.of(root, context.rules, most)]

    def _all_said(self, view: _View) -> list[SaidTurn]:
        names = zip(self._names(view), view.said, strict=True)
        return [replace(one, text=name + one.text) if name else one for name, one in names]

    def _names(self, view: _View) -> Iterator[str]:
        """What stands in front of each turn, where the model can read one by its address."""
        before, are_named = list[str](), self._tools.read_turns()
        for turn in view.turns:
            if not are_named or turn.role not in ("user", "tool"):
                results = [call.number for call in view.calls[turn.id] if call.result]
                before += [f"turn-{turn.number}", *(f"result-{turn.number}-{number}" for number in results)]
                yield ""
            else:
                yield prompts.named(turn.number, before)
                before = []

    def _without(self, said: SaidTurn, turn: Turn, calls: _Calls, gone: set[tuple[int, int]]) -> SaidTurn:
        """A pointer stands for each result that was dropped."""
        kept = [call for call in calls[turn.id] if call.result]
        if gone.isdisjoint((turn.id, call.number) for call in kept):
            return said
        text = self._memory().contents.text
        results = [
            prompts.pointer(turn.number, call.number, call.name, len(text(call.result or "")))
            if (turn.id, call.number) in gone
            else result
            for call, result in zip(kept, said.results, strict=True)
        ]
        return replace(said, results=results)

    def _said(self, turn: Turn, calls: _Calls) -> SaidTurn:
        kept = [call for call in calls[turn.id] if call.result]
        results = [self._memory().contents.text(call.result or "") for call in kept]
        beside = [prompts.native(call, turn.number) for call in kept] if turn.details.get(NATIVE) else []
        role: wire.Role = "user" if turn.source == QUOTED or turn.role == "tool" else turn.role
        documents = turn.details.get(DOCUMENTS)
        text = self._shown(turn)
        whole = f"{text}\n\n{masked_block(documents)}" if isinstance(documents, str) else text
        return SaidTurn(role, whole, list(map(masked_block, results)), beside, _notes(turn))

    def _shown(self, turn: Turn) -> str:
        """What the model reads of a turn: of what it did not write itself, without secrets."""
        shown = turn.details.get(SHOWN)
        text = shown if isinstance(shown, str) else self._memory().turns.text(turn)
        text = text if turn.role == "assistant" and turn.source != QUOTED else masked_block(text)
        return prompts.quoted(turn.role, text) if turn.source == QUOTED else text

    async def blocks(self, cursor: CursorPlace | None) -> list[Block]:
        """Those at the cursor; none where there is no document, or one that no model sees."""
        services = self._services
        snapshot = None if cursor is None else services.documents.find(cursor.uri)
        if cursor is None or snapshot is None or services.privacy.why_not(snapshot):
            return []
        return await services.chooser.chosen(services.view(snapshot, cursor.position), fresh=True)
