"""Forks as a model or a program asks for them: children with what is loaded for them, and their results.

In: tasks, descriptors, files.  Out: answers.  Files are read as far as a model may see them.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from palimpsest.context.estimate import chars_for
from palimpsest.conversations.answers import Answer, element, listed
from palimpsest.conversations.descriptors import results as descriptor_results
from palimpsest.conversations.descriptors.addresses import is_own
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.descriptors.reader import PartWanted
from palimpsest.conversations.forking import Forking, ForkResult, OwnTurn
from palimpsest.conversations.forks import Fork
from palimpsest.conversations.memory import Memory
from palimpsest.errors import InvalidArgument, NotFound, OutsideWorkspace
from palimpsest.window.services import Services
from palimpsest.workspace.files import WorkspaceFiles

MOST_TASKS = 8


def most_chars(services: Services) -> int | None:
    """What a model can read at once: the share of its window that messages have; None where nobody knows it."""
    model = services.supervisor.status.model
    return None if model is None else chars_for(int(services.settings.conversation.messages_share * model.window))


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
