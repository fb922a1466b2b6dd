"""Forks as a model or a program asks for them: children with what is loaded for them, and their results.

In: tasks, descriptors, files.  Out: answers.  Files are read as far as a model may see them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from palimpsest.assist.conversations.forking import Forking, Result
from palimpsest.assist.shared.services import Services
from palimpsest.context.estimate import chars_for
from palimpsest.errors import InvalidArgument, NotFound, OutsideWorkspace
from palimpsest.memory.descriptors import results as descriptor_results
from palimpsest.memory.descriptors.reader import Wanted
from palimpsest.memory.forks.forks import Fork
from palimpsest.memory.owners.memory import Memory
from palimpsest.memory.tools.results import element, listed
from palimpsest.memory.tools.tool import Answer
from palimpsest.workspace.files import WorkspaceFiles

MOST_TASKS = 8


def most_chars(services: Services) -> int | None:
    """What a model can read at once: the share of its window that messages have; None where nobody knows it."""
    model = services.supervisor.status.model
    return None if model is None else chars_for(int(services.settings.conversation.messages_share * model.window))


class ForkTools:
    """One window's."""

    def __init__(self, services: Services, memory: Callable[[], Memory], forking: Forking) -> None:
        self._services = services
        self._memory = memory
        self._forking = forking

    async def fork(self, conversation: str, tasks: Sequence[str]) -> Answer:
        """A child for each task, each with what was said before the turn that asks for them."""
        if not 1 <= len(tasks) <= MOST_TASKS:
            raise InvalidArgument("tasks", f"1 to {MOST_TASKS} are wanted, not {len(tasks)}.")
        before = self._before(conversation)
        forks = [await self._forking.spawn(conversation, task, before_turn=before) for task in tasks]
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
        loaded = await asyncio.to_thread(self._loaded, conversation, preload_fds, preload_files, preload_temp_files)
        known = {one.id for one in self._memory().descriptors.list(conversation)}
        named = [self._memory().descriptors.get(conversation, fd).id for fd in preload_fds]
        own = [fd for fd in named if fd in known]
        fork = await self._forking.spawn(
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
        return gathered(await self._forking.gather(conversation, history=include_history))

    def _before(self, conversation: str) -> int | None:
        """What was there before the turn that asks, which is the last one."""
        branch = self._memory().turns.branch(conversation)
        return branch[-1].parent if branch and branch[-1].role == "assistant" else None

    def _loaded(self, conversation: str, fds: Sequence[str], files: Sequence[str], temp_files: Sequence[str]) -> str:
        memory, parts = self._memory(), list[str]()
        for fd in fds:
            reading = memory.descriptors.read(conversation, fd, Wanted(read_all=True), most=most_chars(self._services))
            parts.append(descriptor_results.read(reading)[1])
        parts += [element("file", {"path": name}, self._file(name)) for name in files]
        for name in temp_files:
            parts.append(element("temp_file", {"id": name}, memory.temp_files.read(conversation, name)))
        return "\n".join(parts)

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


def gathered(found: Mapping[str, Result]) -> Answer:
    """`{fork_id: {status, response, history?}}`."""
    rows, values = list[str](), dict[str, Any]()
    for identity, result in found.items():
        about = {"fork_id": identity, "status": result.fork.status, "task": result.fork.task}
        rows.append(element("fork", about, result.response))
        values[identity] = {"status": result.fork.status, "task": result.fork.task, "response": result.response}
        values[identity] |= {"conversation": result.fork.child, "decoded": result.decoded}
        if result.history:
            values[identity]["history"] = [{"role": role, "content": text} for role, text in result.history]
    return Answer(listed("forks", {"count": len(found)}, rows), values)
