"""A conversation put to the engine: what the model reads of it, behind which blocks.

In: a conversation, where the cursor is.  Out: requests.  Sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest import wire
from palimpsest.assist.conversations.calling import Needs, Tools
from palimpsest.assist.conversations.prompts import (
    Said,
    messages,
    native,
    native_messages,
    pointer,
    standing,
    system_prompt,
    whole,
)
from palimpsest.assist.conversations.writing import NATIVE
from palimpsest.assist.shared.services import Services
from palimpsest.context.estimate import chars_for, estimate
from palimpsest.context.sources.rules import RulesSource
from palimpsest.errors import InvalidArgument
from palimpsest.memory.budgets.budgets import Shares, reserve
from palimpsest.memory.compaction.dropping import SizedResult, SizedTurn, dropped
from palimpsest.memory.conversations.turns import Turn
from palimpsest.memory.descriptors.incoming import shortened
from palimpsest.memory.owners.memory import Memory
from palimpsest.memory.refs.tags import PROBLEMS
from palimpsest.memory.tools.results import failed
from palimpsest.prompt.blocks import render_context
from palimpsest.text.positions import well_formed
from palimpsest.text.snapshot import Position
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

DOCUMENTS = "documents"
"""Where a turn keeps what the model is told of the documents that it links to: told once, it stays as it was."""

SHOWN = "shown"
"""Where a turn keeps what the model reads of a long message; the turn's own text stays whole."""

FORK = "fork"
"""The source of a child's task."""

MOST_FORESEEN = 40
"""Messages and replies that are looked at to tell which tools may matter."""

EXPERIENCES = 0.2
"""Their share of what the model can read: a few long ones fit, and what is said has room besides."""

LATELY = 4
"""Replies: a tool that was called in one of them is likely to be called again."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the person is: the blocks there are what the model sees of the workspace."""

    uri: str
    position: Position


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of what the model reads.  `name`: `turn-12`, `result-12-0`, a tool, a block."""

    kind: Literal["system", "tool", "summary", "message", "documents", "result", "block"]
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _View:
    """What the model reads: `before` stands for older turns, results in `gone` are dropped."""

    system: str
    tools: str
    before: str
    turns: Sequence[Turn]
    gone: Collection[tuple[int, int]]
    needs: Needs


SUMMARY_OF_EDITS = "\n<summary>"


def _notes(turn: Turn) -> list[str]:
    """What the model is told is wrong with the refs of its turn."""
    return [failed("", InvalidArgument("ref", problem)).xml for problem in turn.details.get(PROBLEMS, ())]


def tail_of(conversation: str) -> str:
    """The name of its tail in the engine."""
    return f"conversation:{conversation}"


class Putting:
    """One window's."""

    def __init__(self, services: Services, memory: Callable[[], Memory], tools: Callable[[], Tools]) -> None:
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
            chat=self._chat(conversation, without, blocks, natively=not grammar),
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

    def _chat(
        self, conversation: str, without: int | None, blocks: Sequence[Block], *, natively: bool
    ) -> wire.ChatTail:
        """`natively`: an engine that is told of tools by itself may be."""
        view, model = self._view(conversation, without, None, blocks), self._services.supervisor.status.model
        said = [self._said(turn, view.gone) for turn in view.turns]
        plain = whole(view.system, view.tools, messages(view.before, said))
        if not natively or model is None or not model.calls_tools:
            return wire.ChatTail(plain)
        told, tools = self._tools().native(view.needs)
        if not tools:
            return wire.ChatTail(plain)
        made = native_messages(view.system, told, view.before, said)
        return wire.ChatTail(plain, wire.NativeChat(made, tools))

    def prompt(
        self,
        conversation: str,
        *,
        without: int | None = None,
        until: int | None = None,
        blocks: Sequence[Block] = (),
    ) -> list[wire.Message]:
        """The conversation as the model reads it, up to the turn `until`, `without` a turn that is still empty."""
        return whole(*self.parts(conversation, without=without, until=until, blocks=blocks))

    def parts(
        self,
        conversation: str,
        *,
        without: int | None = None,
        until: int | None = None,
        blocks: Sequence[Block] = (),
    ) -> tuple[str, str, list[wire.Message]]:
        """The system prompt, what is said of tools behind it, and the messages."""
        view = self._view(conversation, without, until, blocks)
        said = [self._said(turn, view.gone) for turn in view.turns]
        return well_formed(view.system), well_formed(view.tools), messages(view.before, said)

    def items(self, conversation: str, blocks: Sequence[Block]) -> list[Item]:
        """The pieces of the next prompt.  How tools are called is told beside them, once."""
        view, memory = self._view(conversation, None, None, blocks), self._memory()
        found = [Item("system", "", view.system)]
        found += [Item("tool", name, text) for name, text in self._tools().described(view.needs).items()]
        found += [Item("summary", "", view.before)] if view.before else []
        for turn in view.turns:
            shown, documents = turn.details.get(SHOWN), turn.details.get(DOCUMENTS)
            text = shown if isinstance(shown, str) else memory.turns.text(turn)
            found.append(Item("message", f"turn-{turn.id}", "\n".join([text, *_notes(turn)])))
            found += [Item("documents", f"turn-{turn.id}", documents)] if isinstance(documents, str) else []
            kept = [call for call in memory.turns.calls(turn.id) if call.result]
            results = self._said(turn, view.gone).results
            found += [
                Item("result", f"result-{turn.id}-{call.number}", result)
                for call, result in zip(kept, results, strict=True)
            ]
        return [*found, *(Item("block", str(block.key), render_context(block)) for block in blocks)]

    def _view(self, conversation: str, without: int | None, until: int | None, blocks: Sequence[Block]) -> _View:
        memory = self._memory()
        talk, current = memory.conversations.get(conversation), memory.compactions.current(conversation)
        every = [turn for turn in memory.turns.branch(conversation) if turn.id != without]
        ids = [turn.id for turn in every]
        if until in ids:
            every = every[: ids.index(until) + 1]
        at = ids.index(current.turn) + 1 if current is not None and current.turn in ids else 0
        older, branch = every[:at], every[at:]
        before = ""
        if current is not None:
            is_asked = bool(branch) and branch[0].role == "user" and branch[0].created < current.created
            # what was asked before it was compacted stands behind it, word for word
            before = standing(current.summary, "" if is_asked else self._last(older), self._rules(blocks))
        needs, own = self._needs(branch), self._services.settings.conversation.instruction
        known, model = memory.experiences.list(talk.memory_key), self._services.supervisor.status.model
        most_chars = chars_for(int(EXPERIENCES * model.window)) if model is not None and model.window else None
        system, told = system_prompt(known, own, most_chars), self._tools().told(needs)
        bound = self._bound(blocks, system + told, before)
        gone = self._dropped(branch, bound)
        return _View(system, told, before, [turn for turn in branch if turn.state != "failed"], gone, needs)

    def documents_told(self, conversation: str) -> str:
        """What the model reads of documents in the turns so far."""
        view = self._view(conversation, None, None, ())
        return "\n".join(str(turn.details[DOCUMENTS]) for turn in view.turns if turn.details.get(DOCUMENTS))

    def _needs(self, branch: Sequence[Turn]) -> Needs:
        """A fork's task says nothing of tools but to a child that knows nothing else: else its system prompt would be
        another one than its parent's, and be decoded again with all that stands behind it."""
        turns = self._memory().turns
        said = [turn for i, turn in enumerate(branch) if turn.role == "user" and (turn.source != FORK or i == 0)]
        replies = [turn for turn in reversed(branch) if turn.role == "assistant"][:MOST_FORESEEN]
        called = [[call.name for call in turns.calls(turn.id) if call.status == "done"] for turn in replies]
        lately = frozenset(name for names in called[:LATELY] for name in names)
        before = dict.fromkeys(name for names in called[LATELY:] for name in names)
        return Needs([turns.text(turn) for turn in said[-MOST_FORESEEN:]], lately, list(before))

    def asking(self, conversation: str, until: int, task: str, blocks: Sequence[Block]) -> list[wire.Message]:
        """The conversation up to a turn, and what is wanted of the model about it."""
        said = self.prompt(conversation, until=until, blocks=blocks)
        if said[-1].role == "user":
            return [*said[:-1], wire.Message("user", f"{said[-1].content}\n\n{task}")]
        return [*said, wire.Message("user", task)]

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
        taken = 0 if model.keeps_room else sum(estimate(block.text) for block in blocks)
        return max(0, model.window - taken)

    def room(self, blocks: Sequence[Block], prompt: int) -> int:
        """Tokens of messages above which a conversation is compacted, behind blocks and a system prompt of so many."""
        window, options = self.window(blocks), self._services.settings.conversation
        share = min(int(options.compact_at * window), window - reserve(window))
        return max(min(share - prompt, self.shares.for_messages(window, prompt)), window // 4)

    def texts(self, turn: Turn) -> list[str]:
        """With its calls' results."""
        said = self._said(turn, frozenset())
        return [well_formed(said.text), *map(well_formed, said.results)]

    def _bound(self, blocks: Sequence[Block], prompt: str, before: str) -> int | None:
        """Tokens of turns above which old results are dropped; None where nobody knows what the model can read.  Where
        all behind them is decoded again, they stay until the conversation would be compacted."""
        model, options = self._services.supervisor.status.model, self._services.settings.conversation
        if model is None:
            return None
        room = self.room(blocks, estimate(prompt))
        bound = room if self.kv == "decode" else min(room, int(options.drop_results_at * self.window(blocks)))
        return max(bound - estimate(before), 0)

    def _dropped(self, branch: Sequence[Turn], bound: int | None) -> set[tuple[int, int]]:
        options = self._services.settings.conversation
        if bound is None:
            return set()
        sized = []
        for turn in branch:
            said, calls = self._said(turn, frozenset()), self._memory().turns.calls(turn.id)
            texts = {call.number: self._memory().contents.text(call.result) for call in calls if call.result}
            results = tuple(
                SizedResult(call.number, call.name, estimate(texts[call.number]))
                for call in calls
                if call.number in texts
            )
            sized.append(SizedTurn(turn.id, estimate(said.text), results))
        return dropped(sized, bound, options.keep_results, options.never_drop)

    def _last(self, turns: Sequence[Turn]) -> str:
        """The last request among them, as the model read it; of descriptors in it, the beginnings of their previews."""
        asked = next((turn for turn in reversed(turns) if turn.role == "user"), None)
        return shortened(self._said(asked, frozenset()).text) if asked is not None else ""

    def _rules(self, blocks: Sequence[Block]) -> list[tuple[str, str]]:
        """The project's rules, where they are not among the blocks."""
        services = self._services
        if any(block.source == RulesSource.name for block in blocks):
            return []
        context, roots = services.settings.context, services.roots.folders
        rules = RulesSource(WorkspaceFiles(roots, context.exclude, services.documents.find))
        return [(one.name, one.text) for root in roots for one in rules.of(root, context.rules, context.block_tokens)]

    def _said(self, turn: Turn, gone: Collection[tuple[int, int]]) -> Said:
        memory, results, calls = self._memory(), list[str](), list[wire.ToolCall]()
        is_native = bool(turn.details.get(NATIVE))
        for call in memory.turns.calls(turn.id):
            if not call.result:
                continue
            calls += [native(call, turn.origin)] if is_native else []
            if (turn.id, call.number) in gone:
                n_chars = memory.contents.info(call.result).n_chars
                results.append(pointer(turn.origin, call.number, call.name, n_chars))
            else:
                results.append(memory.contents.text(call.result))
        role: wire.Role = "user" if turn.role == "tool" else turn.role
        documents = turn.details.get(DOCUMENTS)
        shown = turn.details.get(SHOWN)
        text = shown if isinstance(shown, str) else memory.turns.text(turn)
        whole = f"{text}\n\n{documents}" if isinstance(documents, str) else text
        return Said(role, whole, results, calls, _notes(turn))

    async def blocks(self, cursor: Cursor | None) -> list[Block]:
        """Those at the cursor; none where there is no document, or one that no model sees."""
        services = self._services
        snapshot = None if cursor is None else services.documents.find(cursor.uri)
        if cursor is None or snapshot is None or services.privacy.why_not(snapshot):
            return []
        return await services.chooser.chosen(services.view(snapshot, cursor.position), fresh=True)
