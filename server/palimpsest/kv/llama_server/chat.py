"""Chats as one text, by the model's own template.

In: messages as JSON, the template in the model's file.  Out: a prompt.  A model that has no template gets ChatML,
as llama-server does.  Templates come with models from anywhere: they run sandboxed.  Knows no token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.kv.llama_server.fields import Fields, called

CHATML = (
    "{%- for message in messages -%}\n"
    "  {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' -}}\n"
    "{%- endfor -%}\n"
    "{%- if add_generation_prompt -%}\n"
    "  {{- '<|im_start|>assistant\n' -}}\n"
    "{%- endif -%}"
)


@dataclass(frozen=True, slots=True)
class Chat:
    """`before`: the beginning of the answer, where the last message is the assistant's own."""

    messages: tuple[dict[str, Any], ...]
    before: str
    add_generation_prompt: bool
    variables: Mapping[str, Any]


def read(fields: Fields) -> Chat:
    """Raises InvalidArgument."""
    if not fields.has("messages"):
        raise InvalidArgument("messages", "is missing.")
    for name, off in (("tools", [[]]), ("functions", [[]]), ("tool_choice", ["none", "auto"])):
        if fields.has(name) and fields.raw(name) not in off:
            raise InvalidArgument(name, "tools are not supported here.")
    messages = [_message(item) for item in fields.items("messages")]
    if not messages:
        raise InvalidArgument("messages", "is empty.")
    generation = fields.flag("add_generation_prompt", default=True)
    before = ""
    if generation and messages[-1]["role"] == "assistant":
        before = messages.pop()["content"]
    return Chat(tuple(messages), before, generation, fields.table("chat_template_kwargs"))


def _message(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidArgument("messages", f"expected objects, got {called(item)} among them.")
    role, content = item.get("role"), item.get("content")
    if not isinstance(role, str) or not role:
        raise InvalidArgument("messages", "a message has no role.")
    if role == "tool" or item.get("tool_calls"):
        raise InvalidArgument("messages", "tools are not supported here.")
    if content is None and role != "assistant":
        raise InvalidArgument("messages", f"a message of the {role} has no content.")
    return {**item, "content": _text(content)}


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise InvalidArgument("messages", f"content: expected a string or an array, got {called(content)}.")
    texts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            kind = part.get("type") if isinstance(part, dict) else called(part)
            raise InvalidArgument("messages", f"content: only parts of type text are supported here, got {kind}.")
        texts.append(part["text"])
    return "\n".join(texts)


def render(chat: Chat, template: str, *, bos: str, eos: str) -> str:
    """Raises InvalidArgument for messages the template refuses, ModelError for a template that cannot be used."""
    found = _template(template)
    told = {"add_generation_prompt": chat.add_generation_prompt, "bos_token": bos, "eos_token": eos, "tools": None}
    try:
        made = found.render({**chat.variables, "messages": chat.messages, **told})
    except InvalidArgument:
        raise
    except Exception as error:  # whatever a template does with messages it did not think of
        raise InvalidArgument("messages", f"the model's template cannot write them: {error}") from None
    return str(made).removeprefix(bos) + chat.before


@lru_cache(maxsize=4)
def _template(text: str) -> Any:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    environment.filters["tojson"] = _to_json
    try:
        return environment.from_string(text)
    except TemplateError as error:
        raise ModelError(f"The model's chat template cannot be read: {error}") from None


def _refuse(message: str) -> NoReturn:
    raise InvalidArgument("messages", f"the model's template says: {message}")


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)
