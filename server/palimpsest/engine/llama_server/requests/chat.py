"""A chat as a request gives it.

In: messages as JSON, a model's template.  Out: a `Chat`, and its text.  Knows no token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.chat_templates.rendering import Renderer
from palimpsest.engine.llama_server.requests.fields import Fields, called
from palimpsest.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Chat:
    """`before`: the beginning of the answer, where the last message is the assistant's."""

    messages: tuple[dict[str, Any], ...]
    before: str
    add_generation_prompt: bool
    variables: Mapping[str, Any]

    def text(self, renderer: Renderer, template: str, *, bos: str, eos: str) -> str:
        """The prompt, without the token that the tokenizer puts before every prompt.  Raises as `Renderer.render`."""
        rendered = renderer.render(
            template,
            self.messages,
            bos=bos,
            eos=eos,
            add_generation_prompt=self.add_generation_prompt,
            variables=self.variables,
        )
        return rendered.removeprefix(bos) + self.before


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
