"""A workspace as an agent sees it: the same one, in however many windows it is open.

In: the workspace's folder; what an agent asks.  Out: answers of the windows, put together.  Owner of the connections to
them, and of what this agent has put, which a window that is opened later gets too.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.windows.client import WindowClient, WindowGone, WindowSilent
from palimpsest.windows.sockets import sockets

STATES = ("resident", "stored", "wanted", "left out")
"""A block has one of these states in each window; where windows differ, the first of these counts."""

WHO_S = 3.0
"""A window says at once which folders it has, unless it is suspended."""
SILENT_S = 30.0
"""A window that did not say so is left alone for so long, where another one answers."""
T = TypeVar("T")


class NoWindow(PalimpsestError):
    code = "unavailable"


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """A window that has the workspace open; `used`: when the person last did something there."""

    window: WindowClient
    folders: tuple[Path, ...]
    used: float


@dataclass(frozen=True, slots=True)
class _Put:
    """`ends`: when the block expires, by the monotonic clock."""

    arguments: dict[str, Any]
    ends: float | None

    @property
    def left(self) -> dict[str, Any] | None:
        """The arguments for a window that has not had it; None when it has expired."""
        if self.ends is None:
            return self.arguments
        seconds = self.ends - time.monotonic()
        return {**self.arguments, "ttl": seconds} if seconds > 0 else None


class AgentWorkspace:
    """Lives on one event loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._windows: dict[Path, WindowClient] = {}
        self._has: dict[Path, set[tuple[str, str]]] = {}
        self._put: dict[tuple[str, str], _Put] = {}
        self._silent: dict[Path, float] = {}
        """Until when these windows are left alone, by the monotonic clock."""

    async def windows(self) -> list[OpenWindow]:
        """Those that are open, the one used last first, each with what was put so far.  Raises NoWindow."""
        paths, now = list(self._known()), time.monotonic()
        silent = [path for path in paths if self._silent.get(path, 0) > now]
        found = await self._asked(path for path in paths if path not in silent)
        if not (found := found or await self._asked(silent)):
            if any(path in self._has for path in self._silent):
                raise NoWindow(f"The editor window that has {self.folder} open does not answer; is it suspended?")
            raise NoWindow(f"No editor window has {self.folder} open; open it in the editor, then try again.")
        for opened in found:
            await self._catch_up(opened)
        return sorted(found, key=lambda opened: -opened.used)

    async def here(self) -> dict[str, Any]:
        """Cursor and code of the window that was used last, and the blocks of all."""
        told = await self._each(lambda window: window.call("palimpsest.here", {}))
        first = told[0]
        blocks: dict[tuple[str, str], dict[str, Any]] = {}
        for answer in told:
            for block in answer["blocks"]:
                key = block["type"], block["name"]
                known = blocks.get(key)
                if known is None:
                    blocks[key] = block
                elif STATES.index(block["state"]) < STATES.index(known["state"]):
                    blocks[key] = {**known, "state": block["state"]}
        return {**first, "blocks": list(blocks.values())}

    async def ask(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Of the window that was used last; every window of a workspace has the same conversations."""
        return await (await self.windows())[0].window.call(command, arguments)

    async def put(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """In every window, and in those that are opened while this agent runs."""
        answers = await self._each(lambda window: window.call("palimpsest.context.put", arguments))
        key, ttl = (arguments["type"], arguments["name"]), arguments.get("ttl")
        self._put[key] = _Put(arguments, None if ttl is None else time.monotonic() + ttl)
        for known in self._has.values():
            known.add(key)
        return answers[0]

    async def drop(self, type: str, name: str) -> bool:
        arguments = {"type": type, "name": name}
        answers = await self._each(lambda window: window.call("palimpsest.context.drop", arguments))
        self._put.pop((type, name), None)
        return any(answer["dropped"] for answer in answers)

    async def pin(self, file: str, *, pinned: bool) -> dict[str, Any]:
        uri = (await self.path_of(file)).as_uri()
        command = "palimpsest.context.pin" if pinned else "palimpsest.context.unpin"
        try:
            return (await self._each(lambda window: window.call(command, {"uri": uri})))[0]
        except PalimpsestError as error:
            error.message = re.sub(r"^uri: ", "file: ", error.message)  # as the agent calls it
            raise

    async def path_of(self, file: str) -> Path:
        """A file by its path in the workspace, or from the root.  Whether it may be read is the window's to say."""
        if not file.strip() or "\0" in file:
            raise InvalidArgument("file", "expected a path.")
        path = Path(file)
        if path.is_absolute():
            return path
        folders = (await self.windows())[0].folders
        within = [folder for folder in folders if self.folder.is_relative_to(folder)] or list(folders)
        try:
            there = [folder / path for folder in (self.folder, *within) if (folder / path).exists()]
        except OSError as error:
            raise InvalidArgument("file", f"names no file: {error.strerror}.") from None
        return there[0] if there else self.folder / path

    def close(self) -> None:
        for window in self._windows.values():
            window.close()

    # Windows

    def _known(self) -> Iterable[Path]:
        paths = sockets()
        for gone in (self._windows.keys() | self._has.keys() | self._silent.keys()) - set(paths):
            if (window := self._windows.pop(gone, None)) is not None:
                window.close()
            self._has.pop(gone, None)
            self._silent.pop(gone, None)
        return paths

    async def _asked(self, paths: Iterable[Path]) -> list[OpenWindow]:
        return [opened for opened in await asyncio.gather(*map(self._ask, paths)) if opened is not None]

    async def _ask(self, path: Path) -> OpenWindow | None:
        """The window at a socket, if it has this workspace open."""
        known = self._windows.pop(path, None)
        for window in ([known] if known is not None else []) + [WindowClient(path)]:
            try:
                told = await window.call("palimpsest.window", {}, WHO_S)
                break
            except WindowSilent:
                self._silent[path] = time.monotonic() + SILENT_S
                return None
            except PalimpsestError:
                continue
        else:
            self._has.pop(path, None)
            self._silent.pop(path, None)
            return None
        self._windows[path] = window
        self._silent.pop(path, None)
        folders = tuple(Path(folder) for folder in told["folders"])
        mine = any(self.folder == folder or self.folder.is_relative_to(folder) for folder in folders)
        return OpenWindow(window, folders, float(told["used"])) if mine else None

    async def _catch_up(self, opened: OpenWindow) -> None:
        """A window that was opened after a block had been put gets it."""
        path = opened.window.path
        has = self._has.setdefault(path, set())
        for key in [key for key in self._put if key not in has]:
            has.add(key)
            arguments = self._put[key].left
            if arguments is None:
                del self._put[key]
                continue
            try:
                await opened.window.call("palimpsest.context.put", arguments)
            except PalimpsestError:
                continue  # what a window refuses is told to whoever puts it

    async def _each(self, ask: Callable[[WindowClient], Awaitable[dict[str, Any]]]) -> list[dict[str, Any]]:
        """The answers of all windows, that of the one used last first.  A window that is closed meanwhile does not
        count, if another answers.  Raises what the windows say is wrong."""
        answers, gone = list[dict[str, Any]](), list[WindowGone]()
        for opened in await self.windows():
            try:
                answers.append(await ask(opened.window))
            except WindowGone as error:
                gone.append(error)
        if not answers:
            raise gone[0]
        return answers


def shown(block: dict[str, Any], *, text: bool) -> dict[str, Any]:
    """A block for an agent."""
    fields = ("type", "name", "tokens", "state", "source", "pinned", "editable", "uri", *(("text",) if text else ()))
    return {field: block[field] for field in fields if block.get(field) not in (None, "")}


async def told(answer: Awaitable[T], kind: type[ToolError | ResourceError] = ToolError) -> T:
    """Raises what is wrong as an error of this `kind`."""
    try:
        return await answer
    except PalimpsestError as error:
        raise kind(str(error)) from None
    except OSError as error:
        raise kind(f"The folder for sockets cannot be read: {error}") from None
