"""Forks: children of a conversation that work on tasks side by side, and are gathered.

In: tasks.  Out: the children's results.  A child shares its parent's cache up to the fork (`/v1/fork`), so that only
its own task is decoded; children that were spawned together are answered in one batch.  Owner of which children are
being answered here.  A child may have files and descriptors loaded, files as far as a model may see them.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palimpsest import wire
from palimpsest.chat_templates.spoken import heard
from palimpsest.context.estimate import chars_for
from palimpsest.conversations.answers import Answer, element, listed
from palimpsest.conversations.conversing import Conversing
from palimpsest.conversations.descriptors import results as descriptor_results
from palimpsest.conversations.descriptors.addresses import is_own
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.descriptors.reader import PartWanted
from palimpsest.conversations.events import ConversationChanged
from palimpsest.conversations.forks import Fork, Status
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import FORK, tail_of
from palimpsest.conversations.reply_writer import ReplyWriting, begun
from palimpsest.conversations.turns import Turn, TurnCall
from palimpsest.errors import (
    EngineError,
    InvalidArgument,
    NotFound,
    OutsideWorkspace,
    PalimpsestError,
    StorageError,
    UnknownTail,
)
from palimpsest.providers.base.protocol import Together
from palimpsest.text.positions import well_formed
from palimpsest.window.events import WindowClosing
from palimpsest.window.services import LOADING_S, Services
from palimpsest.workspace.files import WorkspaceFiles

TOGETHER_S = 0.2
"""Children spawned within this time are answered in one batch."""
LOOK_S = 0.2
"""How often another window's children are looked at, while somebody waits for them."""
MOST_RUNNING = 8
"""Children of one conversation at once; a child has no more than that in all."""
MOST_RUNNING_HERE = 16
"""Children at work in a window: a workspace keeps 16 tails."""
MOST_TASKS = 8
MOST_DEEP = 2
"""Children of children have none: a model that forks in every reply would never come to an end."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """A turn of a child's own, and what it called, with what came of that."""

    role: str
    text: str
    calls: tuple[tuple[TurnCall, str], ...]


@dataclass(frozen=True, slots=True)
class ForkResult:
    """What a child came to.  `history`: its own turns, where they were asked for.  `decoded`: tokens that were decoded
    for its first reply, None where nobody knows any more."""

    fork: Fork
    response: str
    decoded: int | None = None
    history: tuple[OwnTurn, ...] = ()


class Forking:
    """Runs the children of conversations, a task each."""

    def __init__(self, services: Services, memory: Callable[[], Memory], conversing: Conversing) -> None:
        self._services = services
        self._memory = memory
        self._conversing = conversing
        self._waiting: dict[str, list[Fork]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By fork: the work on it, which it may share with others."""
        self._decoded: dict[str, int] = {}
        """Tokens that were decoded for each fork's first reply."""
        self._spawning: list[str] = []
        """The parents of children that are not at work yet."""
        services.events.on(WindowClosing, lambda _: self._end())

    async def spawn(
        self,
        conversation: str,
        task: str,
        instruction: str = "",
        *,
        before_turn: int | None = None,
        fresh: bool = False,
        descriptors: Sequence[str] = (),
        preloaded: str = "",
    ) -> Fork:
        """A child that begins to work at once, behind the parent's turns up to `before_turn` (by default all).
        `preloaded` is what it reads before its task.  Raises NotFound, InvalidArgument."""
        memory = self._memory()
        self.check_room(conversation)
        before = self._said_last(conversation) if before_turn is None else before_turn
        said = "\n\n".join(part for part in (preloaded, task, instruction) if part.strip())

        def spawned() -> Fork:
            with memory.database.transaction():
                fork = memory.forks.spawn(
                    conversation, task, instruction, before_turn=before, fresh=fresh, descriptors=descriptors
                )
                memory.turns.add(fork.child, "user", well_formed(said), source=FORK)
            return fork

        self._spawning.append(conversation)
        try:
            fork = await memory.writes.run(spawned)
            try:
                if not fresh:
                    await self._share(conversation, fork)
            finally:  # it is there, and others may wait for it
                self._begin(conversation, fork)
        finally:
            self._spawning.remove(conversation)
        self._services.events.emit(ConversationChanged(conversation))
        return memory.forks.get(fork.id)

    async def gather(self, conversation: str, *, history: bool = False) -> dict[str, ForkResult]:
        """All children's results, once they are there, whichever window they work in.  Raises NotFound."""
        memory = self._memory()
        memory.conversations.get(conversation)
        tasks = {self._tasks[fork.id] for fork in memory.forks.of(conversation) if fork.id in self._tasks}
        if tasks:
            await asyncio.wait(tasks)
        while any(fork.status == "running" for fork in memory.forks.of(conversation)):
            await memory.writes.run(memory.forks.settle)  # a window that has died answers no more
            await asyncio.sleep(LOOK_S)
        results = {}
        for fork in memory.forks.of(conversation):
            own = tuple(self._own_turns(memory, fork)) if history else ()
            done = memory.forks.get(fork.id)
            results[fork.id] = ForkResult(done, memory.forks.response(done), self._decoded.get(fork.id), own)
        return results

    def check_room(self, conversation: str, n_more: int = 1) -> None:
        """Raises InvalidArgument where so many more children would be too many at once."""
        forks, field = self._memory().forks, "tasks" if n_more > 1 else "task"
        depth, known = forks.depth(conversation), forks.of(conversation)
        if depth >= MOST_DEEP:
            raise InvalidArgument(field, "the child of a child has no children; do it here.")
        if depth and len(known) + n_more > MOST_RUNNING:
            raise InvalidArgument(field, f"a child has at most {MOST_RUNNING} children; do it here.")
        running = sum(fork.id in self._tasks for fork in known) + self._spawning.count(conversation)
        here = len(self._tasks) + len(self._spawning)
        for most, n, where in ((MOST_RUNNING, running, ""), (MOST_RUNNING_HERE, here, " in this window")):
            if n + n_more > most:
                raise InvalidArgument(
                    field, f"{n} children are at work{where}, and at most {most} can be; gather them first."
                )

    def cancel(self, conversation: str) -> int:
        """Stop the children at work, and theirs; how many there were."""
        forks = self._memory().forks.of(conversation)
        mine = [fork.id for fork in forks if fork.id in self._tasks]
        for task in {self._tasks[fork] for fork in mine}:
            task.cancel()
        return len(mine) + sum(self.cancel(fork.child) for fork in forks)

    async def stop(self, conversation: str) -> None:
        """Stop all that works below a conversation, children of children too, and wait for their end."""
        for fork in self._memory().forks.of(conversation):
            await self.stop(fork.child)
        tasks = {self._tasks[fork.id] for fork in self._memory().forks.of(conversation) if fork.id in self._tasks}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # The work -------------------------------------------------------------------------------------------------

    def _said_last(self, conversation: str) -> int | None:
        """The last turn that is not being written: what is under way is no child's to see."""
        branch = self._memory().turns.branch(conversation)
        return next((turn.id for turn in reversed(branch) if turn.state != "writing"), None)

    async def _share(self, conversation: str, fork: Fork) -> None:
        """The parent's cache for the child, too; where there is none, the child's first reply decodes what it needs."""
        try:
            async with self._services.supervisor.engine() as engine:
                if isinstance(engine, Together):
                    await engine.fork(
                        wire.ForkRequest(
                            self._services.workspace, tail_of(conversation), [tail_of(fork.child)], slot="chat"
                        )
                    )
        except UnknownTail:
            logger.debug("nothing is kept of %s", conversation)
        except EngineError as error:
            logger.info("a fork begins without its parent's cache: %s", error)

    def _begin(self, conversation: str, fork: Fork) -> None:
        waiting = self._waiting.get(conversation)
        if waiting is not None:
            waiting.append(fork)
            self._tasks[fork.id] = self._tasks[waiting[0].id]
            return
        self._waiting[conversation] = [fork]
        self._tasks[fork.id] = asyncio.get_running_loop().create_task(self._work(conversation))

    async def _work(self, conversation: str) -> None:
        forks: list[Fork] = []
        try:
            try:
                await asyncio.sleep(TOGETHER_S)
            finally:
                forks = self._waiting.pop(conversation)
            await self._answer(conversation, forks)
        except asyncio.CancelledError:
            await self._settle(forks, "cancelled", "It was stopped.")
        except PalimpsestError as error:
            await self._settle(forks, "failed", str(error))
        except Exception:  # a defect: the forks end all the same
            logger.exception("forks of %s", conversation)
            await self._settle(forks, "failed", "Something went wrong inside; the log says what.")
        finally:
            for fork in forks:
                self._tasks.pop(fork.id, None)
            self._services.events.emit(ConversationChanged(conversation))

    async def _settle(self, forks: Sequence[Fork], status: Status, why: str) -> None:
        for fork in forks:
            with suppress(NotFound, StorageError):  # another window has deleted the conversation; it is tried again
                await self._finish(fork, status, why)

    async def _finish(self, fork: Fork, status: Status, response: str) -> None:
        memory = self._memory()
        await memory.late.surely(lambda: memory.writes.run(memory.forks.finish, fork.id, status, response))

    async def _answer(self, conversation: str, forks: Sequence[Fork]) -> None:
        """Rounds of replies and calls, each round of replies in one batch."""
        memory, active = self._memory(), list(forks)
        blocks = self._conversing.blocks_of(conversation)
        for _ in range(self._services.settings.conversation.max_rounds + 1):
            writings = list[ReplyWriting]()
            try:
                for fork in active:
                    writings.append(await begun(memory, self._services, fork.child))
                answers = await self._generated(active, writings, blocks)
            except BaseException as error:  # cancelled, too: no reply stays open
                for writing in writings:
                    with suppress(PalimpsestError):  # each is to be ended
                        await writing.end("cut" if isinstance(error, asyncio.CancelledError) else "failed", "cancelled")
                raise
            turns, still = await self._ended(writings, answers), list[Fork]()
            for fork, answer in zip(active, answers, strict=True):
                self._decoded.setdefault(fork.id, answer.decoded)
            for fork, writing, answer, turn in zip(active, writings, answers, turns, strict=True):
                if await self._conversing.call(turn, answer.choices[0].calls, blocks, compacts=False):
                    still.append(fork)
                else:
                    await self._finish(fork, "completed", writing.shown)
            active = still
            if not active:
                return
        for fork in active:
            last = memory.turns.branch(fork.child)[-1]
            await self._finish(fork, "completed", memory.turns.text(last))

    async def _ended(self, writings: Sequence[ReplyWriting], answers: Sequence[wire.GenerateAnswer]) -> list[Turn]:
        """Each of them, also where one cannot be kept; that is raised then."""
        turns, wrong = list[Turn](), None
        for writing, answer in zip(writings, answers, strict=True):
            try:
                writing.came(answer.choices[0].text, answer.choices[0].thought)
                turns.append(await writing.end("complete", "end", natively=bool(answer.choices[0].calls)))
            except PalimpsestError as error:
                wrong = error
        if wrong is not None:
            raise wrong
        return turns

    async def _generated(
        self, forks: Sequence[Fork], writings: Sequence[ReplyWriting], blocks: Sequence[Any]
    ) -> list[wire.GenerateAnswer]:
        services = self._services
        async with services.supervisor.engine(LOADING_S) as engine:
            requests = [
                await asyncio.to_thread(
                    self._conversing.prompt_builder.request, fork.child, blocks, without=writing.turn.id
                )
                for fork, writing in zip(forks, writings, strict=True)
            ]
            if isinstance(engine, Together):
                alone = [replace(request, sync=None) for request in requests]
                batch = wire.BatchRequest(services.workspace, alone, slot="chat", sync=requests[0].sync)
                return [heard(answer) for answer in (await engine.generate_batch(batch)).answers]
            return [await services.generate(engine, request, blocks) for request in requests]

    def _own_turns(self, memory: Memory, fork: Fork) -> list[OwnTurn]:
        """A child's turns since the fork."""
        branch, turns = memory.turns.branch(fork.child), memory.turns
        first = next((i for i, turn in enumerate(branch) if turn.source == FORK), len(branch))
        return [OwnTurn(turn.role, turns.text(turn), tuple(turns.called(turn.id))) for turn in branch[first:]]

    def _end(self) -> None:
        for task in set(self._tasks.values()):
            task.cancel()

    async def ended(self) -> None:
        """Waits until the children here are over, and what they came to is kept."""
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()))


class ForkTools:
    """Starts children with what is loaded for them, and gathers them."""

    def __init__(self, services: Services, memory: Callable[[], Memory], forking: Forking) -> None:
        self._services = services
        self._memory = memory
        self.forking = forking

    async def fork(self, conversation: str, tasks: Sequence[str]) -> Answer:
        """A child for each task, each with what was said before the turn that asks for them."""
        if not 1 <= len(tasks) <= MOST_TASKS:
            raise InvalidArgument("tasks", f"1 to {MOST_TASKS} are wanted, not {len(tasks)}.")
        self.forking.check_room(conversation, len(tasks))
        before = self._before(conversation)
        forks = [await self.forking.spawn(conversation, task, before_turn=before) for task in tasks]
        return spawned(forks)

    async def spawn(
        self,
        conversation: str,
        task: str,
        instruction: str = "",
        preload_fds: Sequence[str] = (),
        preload_files: Sequence[str] = (),
        preload_temp_files: Sequence[str] = (),
        *,
        fresh: bool = True,
        behind_all: bool = False,
    ) -> Answer:
        """A child that knows only what is loaded for it; with `fresh` false, the conversation too, with
        `behind_all` its last turn among it."""
        if preload_fds or preload_files or preload_temp_files:
            await self._services.model()  # how much of them is told depends on it
        loading = asyncio.to_thread(self._loaded, conversation, preload_fds, preload_files, preload_temp_files)
        loaded, own = await loading
        fork = await self.forking.spawn(
            conversation,
            task,
            instruction,
            before_turn=None if fresh or behind_all else self._before(conversation),
            fresh=fresh,
            descriptors=own,
            preloaded=loaded,
        )
        return spawned([fork])

    async def gather(self, conversation: str, include_history: bool = False) -> Answer:
        return gathered(await self.forking.gather(conversation, history=include_history))

    def cancel(self, conversation: str) -> int:
        return self.forking.cancel(conversation)

    def _before(self, conversation: str) -> int | None:
        """What was there before the turn that asks, which is the last one."""
        branch = self._memory().turns.branch(conversation)
        return branch[-1].parent if branch and branch[-1].role == "assistant" else None

    def _loaded(
        self, conversation: str, fds: Sequence[str], files: Sequence[str], temp_files: Sequence[str]
    ) -> tuple[str, list[str]]:
        """What a child reads before its task, and the descriptors in it, which it has too.  What is too long to stand
        there is a descriptor, by its first page."""
        memory, parts, room = self._memory(), list[str](), self._room()
        ones = [memory.descriptors.get(conversation, fd) for fd in fds]
        texts = [("file", "path", name, self._file(name)) for name in files]
        texts += [("temp_file", "id", name, memory.temp_files.read(conversation, name)) for name in temp_files]
        for one in ones:
            if one.n_chars <= room:
                room -= one.n_chars
                whole = memory.descriptors.read(conversation, one.id, PartWanted(read_all=True))
                parts.append(descriptor_results.read(whole, self._about(conversation, one)).xml)
            else:
                parts.append(self._beginning(conversation, one))
        for kind, attribute, name, text in texts:
            if len(text) <= room:
                room -= len(text)
                parts.append(element(kind, {attribute: name}, text))
            else:
                made = memory.descriptors.create(conversation, text, f"{kind}:{name}")
                ones.append(made)
                parts.append(self._beginning(conversation, made))
        return "\n".join(parts), [one.id for one in ones if is_own(one.id)]

    def _beginning(self, conversation: str, one: Descriptor) -> str:
        preview = self._memory().descriptors.read(conversation, one.id)
        return descriptor_results.created(one, preview, about=self._about(conversation, one)).xml

    def _about(self, conversation: str, one: Descriptor) -> dict[str, str]:
        """What a child is told of a text that it has not seen come."""
        language = self._memory().descriptors.language(conversation, one.id)
        about = {"name": one.name, "source": one.source, "language": language}
        return {name: value for name, value in about.items() if value}

    def _room(self) -> int:
        """Characters that may stand before a child's task: half of what it can read."""
        options, model = self._services.settings.file_descriptor, self._services.supervisor.status.model
        return chars_for(model.window) // 2 if options.enabled and model is not None else sys.maxsize

    def _file(self, name: str) -> str:
        """Raises NotFound, OutsideWorkspace."""
        services = self._services
        roots = services.roots.folders
        files = WorkspaceFiles(roots, services.settings.context.exclude, services.documents.find)
        paths = [Path(name)] if Path(name).is_absolute() else [root / name for root in roots]
        for path in paths:
            if (found := files.source(path)) is not None:
                return found.text
        if not any(files.root_of(path) for path in paths):
            raise OutsideWorkspace(f"preload_files: {name} is not in the workspace.")
        why = files.why_not(paths[0]) or "cannot be read"
        raise NotFound("preload_files", f"{name} {why}.")


def fields(fork: Fork) -> dict[str, Any]:
    return {"fork_id": fork.id, "status": fork.status, "conversation": fork.child, "task": fork.task}


def spawned(forks: Sequence[Fork]) -> Answer:
    rows = [element("fork", {"fork_id": fork.id, "status": fork.status, "task": fork.task}) for fork in forks]
    if len(forks) == 1:
        return Answer(rows[0], fields(forks[0]))
    return Answer(listed("forks", {"count": len(forks)}, rows), {"forks": [fields(fork) for fork in forks]})


def gathered(found: Mapping[str, ForkResult]) -> Answer:
    """`{fork_id: {status, response, history?}}`; a turn of `history` has its calls and their results."""
    rows, values = list[str](), dict[str, Any]()
    for identity, result in found.items():
        about = {"fork_id": identity, "status": result.fork.status, "task": result.fork.task}
        read = element("response", {}, result.response) if result.history else result.response
        rows.append(element("fork", about, "\n".join([*_history(result.history), read])))
        values[identity] = {"status": result.fork.status, "task": result.fork.task, "response": result.response}
        values[identity] |= {"conversation": result.fork.child, "decoded": result.decoded}
        if result.history:
            values[identity]["history"] = [
                {
                    "role": turn.role,
                    "content": turn.text,
                    "calls": [
                        {"name": call.name, "arguments": dict(call.arguments), "status": call.status, "result": text}
                        for call, text in turn.calls
                    ],
                }
                for turn in result.history
            ]
    return Answer(listed("forks", {"count": len(found)}, rows), values)


def _history(turns: Sequence[OwnTurn]) -> list[str]:
    """A child's own turns, each with the results of its calls, as one element; none for none."""
    rows = list[str]()
    for turn in turns:
        rows.append(element("turn", {"role": turn.role}, turn.text))
        rows += [element("result", {"tool": call.name}, text) for call, text in turn.calls]
    return [listed("history", {}, rows)] if rows else []
