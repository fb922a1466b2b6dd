"""Chat templates applied, in a process that can be ended.

In: a template as a model's file has it, messages.  Out: their text.  A model that has no template gets ChatML, as
llama-server does; so does one whose template cannot be used, which the log says once.  Knows no token.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from palimpsest.chat_templates import program
from palimpsest.chat_templates.program import CHATML
from palimpsest.errors import EngineUnavailable, InvalidArgument

WALL_S = 30.0
"""Rendering one chat may take this long, including the start of the process."""
PASSED_ON = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
"""Variables of the environment that the process gets; none holds a key."""

logger = logging.getLogger(__name__)


class Renderer:
    """Owner of the process, which is started for the first template of a file and ends with this one.  Callable from
    any thread; chats are rendered one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._unusable = set[str]()

    def render(
        self,
        template: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        bos: str,
        eos: str,
        add_generation_prompt: bool = True,
        variables: Mapping[str, Any] | None = None,
    ) -> str:
        """`variables`: what else the template may read.  May take seconds.

        Raises InvalidArgument for messages the template refuses, EngineUnavailable where the machine is too slow.
        """
        ours = {"add_generation_prompt": add_generation_prompt, "bos_token": bos, "eos_token": eos, "tools": None}
        given = {**(variables or {}), "messages": list(messages), **ours}
        with self._lock:
            if template and template != CHATML and template not in self._unusable:
                answer = self._ask({"template": template, "variables": given})
                if (why := answer.get("unusable")) is None:
                    return _text(answer)
                self._unusable.add(template)
                logger.error("the model's chat template cannot be used: %s; chats are written as ChatML instead", why)
        return _text(program.answered({"template": CHATML, "variables": given}))

    def _ask(self, question: dict[str, Any]) -> dict[str, str]:
        process = self._running()
        late = threading.Timer(WALL_S, process.kill)
        late.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
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
        return {"unusable": f"it took more than {program.CPU_S:.0f} s, or more memory than it may have"}

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", program.__name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            )
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written
                    pipe.close()

    def close(self) -> None:
        if self._process is not None:
            self._end(self._process)


def _text(answer: dict[str, str]) -> str:
    if "refused" in answer:
        raise InvalidArgument("messages", f"the model's template says: {answer['refused']}")
    if "failed" in answer:
        raise InvalidArgument("messages", f"the model's template cannot write them: {answer['failed']}")
    return answer["text"]
