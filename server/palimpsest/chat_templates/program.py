"""Writing a chat by a template, and the process in which the templates of others do it.

In: a template, its variables.  Out: text.  A template comes with a model from anywhere and is a program: it can loop,
and take memory, within calls that nothing interrupts.  So those run in a process of their own with bounds on both,
which takes a line of JSON for each chat and answers with one.  Imports little: that process is started for a person who
waits.
"""

import json
import signal
import sys
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = (
    "{%- for message in messages -%}\n"
    "  {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' -}}\n"
    "{%- endfor -%}\n"
    "{%- if add_generation_prompt -%}\n"
    "  {{- '<|im_start|>assistant\n' -}}\n"
    "{%- endif -%}"
)
MEMORY = 512 << 20
"""Bytes of address space of the process."""
CPU_S = 5.0
"""Rendering one chat may take this much of the processor's time."""
LONGEST = 32 << 20
"""Characters of one chat, written out."""


class TemplateRefused(Exception):
    """What the template says of messages it does not take."""


class Unusable(Exception):
    """The template cannot be read, or asks for more than it may have."""


def write(template: str, variables: dict[str, Any]) -> str:
    """Raises Refused; Unusable; whatever else a template does with messages it did not think of."""
    made = str(_template(template).render(variables))
    if len(made) > LONGEST:
        raise Unusable(f"it writes more than {LONGEST >> 20} million characters")
    return made


@lru_cache(maxsize=4)
def _template(text: str) -> Any:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    environment.filters["tojson"] = _to_json
    try:
        return environment.from_string(text)
    except Exception as error:  # a syntax error, or what the compiler makes of a strange one
        raise Unusable(f"it cannot be read: {error}") from None


def _refuse(message: str) -> NoReturn:
    raise TemplateRefused(str(message))


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def answered(asked: dict[str, Any]) -> dict[str, str]:
    """The text, or why there is none: `refused`, `unusable`, `failed`."""
    try:
        return {"text": write(asked["template"], asked["variables"])}
    except TemplateRefused as error:
        return {"refused": str(error)[:1000]}
    except Unusable as error:
        return {"unusable": str(error)[:1000]}
    except MemoryError:
        return {"unusable": f"it needs more than {MEMORY >> 20} MiB"}
    except Exception as error:  # whatever a template does with messages it did not think of
        return {"failed": f"{error}"[:1000]}


def main() -> None:
    """The process: ends with its input, or by a signal where a chat takes too long."""
    try:
        import resource
    except ImportError:  # Windows: whoever asks ends it after a while
        pass
    else:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for line in sys.stdin.buffer:
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_PROF, CPU_S)
        answer = json.dumps(answered(json.loads(line))).encode() + b"\n"
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
