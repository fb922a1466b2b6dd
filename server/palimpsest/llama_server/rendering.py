"""Chats as one text, by the model's own template, in a process that can be ended.

In: a `Chat`, the template in the model's file.  Out: a prompt.  A model that has no template gets ChatML, as
llama-server does; so does one whose template cannot be used, which the log says.  Knows no token.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from typing import Any

from palimpsest.errors import EngineUnavailable, InvalidArgument
from palimpsest.llama_server import templates
from palimpsest.llama_server.chat import Chat
from palimpsest.llama_server.templates import CHATML

WALL_S = 30.0
"""For one chat, the start of the process included."""
KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
"""Of the environment; no key is in it."""

logger = logging.getLogger(__name__)


class Renderer:
    """One per application.  Its process is started with the first chat, and ends with ours."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()
        self._unusable = set[str]()

    async def render(self, chat: Chat, template: str, *, bos: str, eos: str) -> str:
        """Raises InvalidArgument for messages the template refuses, EngineUnavailable where the machine is too slow."""
        told = {"add_generation_prompt": chat.add_generation_prompt, "bos_token": bos, "eos_token": eos, "tools": None}
        variables = {**chat.variables, "messages": chat.messages, **told}
        if template != CHATML and template not in self._unusable:
            async with self._turn:  # one at a time: a thread that waits is one that others lack
                said = await asyncio.to_thread(self._asked, {"template": template, "variables": variables})
            if (why := said.get("unusable")) is None:
                return _text(said).removeprefix(bos) + chat.before
            self._unusable.add(template)
            logger.error("the model's chat template cannot be used: %s; chats are written as ChatML instead", why)
        said = templates.answered({"template": CHATML, "variables": variables})
        return _text(said).removeprefix(bos) + chat.before

    def _asked(self, asked: dict[str, Any]) -> dict[str, str]:
        process = self._running()
        late = threading.Timer(WALL_S, process.kill)
        late.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        finally:
            in_time = late.is_alive()
            late.cancel()
        if line:
            answer: dict[str, str] = json.loads(line)
            return answer
        self._end(process)
        if not in_time:
            raise EngineUnavailable(f"The chat template was not done within {WALL_S:.0f} s.", hint="Try again.")
        return {"unusable": f"it took more than {templates.CPU_S:.0f} s, or more memory than it may have"}

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", templates.__name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in KEPT if name in os.environ},
            )
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was still to be written
                    continue

    def close(self) -> None:
        if self._process is not None:
            self._end(self._process)


def _text(said: dict[str, str]) -> str:
    if "refused" in said:
        raise InvalidArgument("messages", f"the model's template says: {said['refused']}")
    if "failed" in said:
        raise InvalidArgument("messages", f"the model's template cannot write them: {said['failed']}")
    return said["text"]
