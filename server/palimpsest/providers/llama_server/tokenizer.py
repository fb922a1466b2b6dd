"""A llama-server's tokenizer and the facts of its model, each asked for once.

In: texts.  Out: token ids; `ServerFacts`.  Asks `/tokenize`, `/props`, `/v1/models`; decodes nothing.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from palimpsest.chat_templates.frames import Frame, FramePart, Roles, frame_of, parts, roles_of, stand_ins
from palimpsest.chat_templates.program import CHATML
from palimpsest.errors import EngineError, EngineUnavailable, InvalidArgument
from palimpsest.models.families import FAMILIES, QWEN, Family, of_server, of_tokens
from palimpsest.newest import Newest
from palimpsest.providers.http.http import Http
from palimpsest.wire import Message, ModelInfo

REMEMBERED_CHARS = 4_000_000
AT_ONCE = 4
WHY_NOT = "A stock llama-server reuses the longest common beginning of a prompt."


class RemoteChatTemplate:
    """The chat template of the server's model, which the server itself applies: frames by roles, each asked for
    once."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._frames: dict[Roles, Frame] = {}

    @classmethod
    async def of_server(cls, http: Http) -> "RemoteChatTemplate | None":
        """None where the server cannot write a user's message."""
        made = cls(http)
        try:
            await made._frame(("user",))
        except (EngineError, InvalidArgument):
            return None
        return made

    async def parts(self, messages: Sequence[Message]) -> list[FramePart]:
        """The conversation up to the answer.  Raises InvalidArgument for messages that the template refuses,
        EngineError."""
        return parts(await self._frame(roles_of(messages)), messages)

    async def _frame(self, roles: Roles) -> Frame:
        if roles not in self._frames:
            answer = await self._http.post("/apply-template", {"messages": stand_ins(roles)}, short=True)
            frame = frame_of(str(answer.get("prompt") or ""), len(roles))
            if frame is None:
                raise InvalidArgument("chat.messages", "the model's chat template changes what is said.")
            self._frames[roles] = frame
        return self._frames[roles]


class RemoteTokenizer:
    """Remembers ids by text, up to a bound; the least recently used are forgotten."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._known = Newest[tuple[str, bool], tuple[int, ...]](None, lambda key, _: len(key[0]), REMEMBERED_CHARS)
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def ids(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """`special`: names of special tokens in `text` (`<|name|>`) become these tokens; else they are text."""
        if not text:
            return ()
        if known := self._known.used((text, special)):
            return known
        async with self._turn:
            data = {"content": text, "add_special": False, "parse_special": special}
            answer = await self._http.post("/tokenize", data)
        ids = answer.get("tokens")
        if not isinstance(ids, list):
            raise EngineUnavailable(f"Something that is no llama-server answers at {self._http.endpoint.url}.")
        self._known[text, special] = found = tuple(ids)
        return found

    async def each(self, texts: Iterable[str]) -> list[tuple[int, ...]]:
        return list(await asyncio.gather(*(self.ids(text) for text in texts)))

    async def bos(self) -> tuple[int, ...]:
        """The tokens that every prompt of the model begins with."""
        answer = await self._http.post("/tokenize", {"content": "", "add_special": True})
        return tuple(answer.get("tokens") or ())


@dataclass(frozen=True, slots=True)
class FimIds:
    prefix: int
    suffix: int
    middle: int
    family: Family

    def laid_out(self, layout: str, prefix: list[int], suffix: list[int], typed: list[int]) -> tuple[int, ...]:
        """As `Family.render` does it, in ids."""
        markers = [self.prefix], [self.suffix], [self.middle]
        return tuple(chain.from_iterable(self.family.in_order(layout, markers, prefix, suffix, typed)))


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """`chat`: the template to write messages in.  The server has `n_slots` of `n_ctx` tokens each."""

    info: ModelInfo
    n_ctx: int
    n_slots: int
    bos: tuple[int, ...]
    fim: FimIds | None
    chat: RemoteChatTemplate | None


async def read(http: Http, tokens: RemoteTokenizer) -> ServerFacts:
    """What the server says about itself and its model.  Raises EngineError."""
    props, listed = await asyncio.gather(http.get("/props"), http.get("/v1/models"))
    settings = props.get("default_generation_settings")
    n_ctx = settings.get("n_ctx") if isinstance(settings, dict) else None
    if not isinstance(n_ctx, int):
        raise EngineUnavailable(f"Something that is no llama-server answers at {http.endpoint.url}.")
    name = PurePosixPath(str(props.get("model_alias") or props.get("model_path") or "")).name.removesuffix(".gguf")
    bos, fim = await tokens.bos(), await _fim(tokens, name)
    chat = (
        None if props.get("chat_template") == CHATML else await RemoteChatTemplate.of_server(http)
    )  # ChatML is a stand-in
    meta = _meta(listed)
    info = ModelInfo(
        path=str(props.get("model_path") or ""),
        name=name,
        architecture="",
        n_ctx=n_ctx,
        n_ctx_train=int(meta.get("n_ctx_train") or n_ctx),
        n_params=int(meta.get("n_params") or 0),
        n_vocab=int(meta.get("n_vocab") or 0),
        fim_layout=fim.family.layout if fim else "",
        fim_layouts=["psm", "spm"] if fim else [],
        in_place=False,
        backend=f"llama-server {props.get('build_info') or ''} at {http.endpoint.url}".replace("  ", " "),
        why_not=WHY_NOT,
        chat_template=chat is not None,
        converses=chat is not None,
    )
    return ServerFacts(
        info=info,
        n_ctx=n_ctx,
        n_slots=max(1, int(props.get("total_slots") or 1)),
        bos=bos,
        fim=fim,
        chat=chat,
    )


def _meta(listed: dict[str, Any]) -> dict[str, Any]:
    data = listed.get("data")
    first = data[0] if isinstance(data, list) and data else {}
    meta = first.get("meta") if isinstance(first, dict) else None
    return meta if isinstance(meta, dict) else {}


async def _fim(tokens: RemoteTokenizer, name: str) -> FimIds | None:
    """The markers that are one token each in this vocabulary, and the family that they belong to."""
    named = of_server(name)
    known = (*([named.markers] if named else []), QWEN, *(family.markers for family in FAMILIES))
    for markers in dict.fromkeys(known):
        family = of_tokens(markers, name)
        prefix, suffix, middle = [await _one(tokens, marker.strip()) for marker in markers]
        if prefix is not None and suffix is not None and (middle is not None or family.order == "suffix-prefix"):
            return FimIds(prefix, suffix, -1 if middle is None else middle, family)
    return None


async def _one(tokens: RemoteTokenizer, marker: str) -> int | None:
    for word in (marker, f"\u2581{marker}"):  # SentencePiece writes its word boundary into the name
        ids = await tokens.ids(word, special=True)
        if len(ids) == 1:
            return ids[0]
    return None
