"""An infill as a request gives it: the text around the cursor, and extra chunks of context.

In: a body's fields.  Out: an `Infill`.  Knows no token.
"""

from dataclasses import dataclass

from palimpsest import wire
from palimpsest.engine.llama_server.requests.fields import Fields, called
from palimpsest.errors import InvalidArgument
from palimpsest.text.levels import indentation_between

NEAR = 2_000
"""Characters on each side of an empty line that tell its indentation."""


@dataclass(frozen=True, slots=True)
class ExtraChunk:
    """One extra chunk of context."""

    filename: str
    text: str

    @property
    def key(self) -> str:
        return wire.text_hash(f"{self.filename}\0{self.text}")


@dataclass(frozen=True, slots=True)
class Infill:
    """`prompt`: the cursor's line up to the cursor, which continues `prefix`.  `indentation` is what of it the client
    left to the answer: llama.vim and llama.vscode send nothing of a line that is empty but for its indentation."""

    prefix: str
    suffix: str
    prompt: str
    chunks: tuple[ExtraChunk, ...]
    indentation: str = ""

    @property
    def only_chunks(self) -> bool:
        return not (self.prefix or self.suffix or self.prompt)


def read(fields: Fields) -> Infill:
    """Raises InvalidArgument."""
    prefix, suffix = fields.required_text("input_prefix"), fields.required_text("input_suffix")
    prompt = fields.raw("prompt")
    indentation = ""
    if not prompt and prefix.endswith("\n") and suffix[:1] in ("\n", "\r", ""):
        indentation = indentation_between(prefix[-NEAR:].splitlines(), suffix[:NEAR].splitlines())
    return Infill(prefix, suffix, prompt if isinstance(prompt, str) else "", _chunks(fields), indentation)


def _chunks(fields: Fields) -> tuple[ExtraChunk, ...]:
    made = []
    for item in fields.items("input_extra"):
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise InvalidArgument("input_extra", 'expected objects like {"filename": string, "text": string}.')
        name = item.get("filename") or ""
        if not isinstance(name, str):
            raise InvalidArgument("input_extra", f"filename: expected a string, got {called(name)}.")
        if item["text"]:
            made.append(ExtraChunk(name, item["text"]))
    return tuple(made)
