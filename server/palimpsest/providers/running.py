"""Engines that somebody runs on this machine already, to be offered to a person who has none.

In: the usual ports of the loopback interface.  Out: what answers there as a llama-server does.  Nothing is sent but a
question for its properties, and none of them is used unasked.
"""

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import httpx2

PORTS = (8012, 8080)
"""These are the ports of llama.vim and llama.vscode, and llama-server's own."""
ANSWER_S = 1.0
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class RunningEngine:
    """`kind` and `url` are the settings `engine.kind` and `engine.url` for it."""

    kind: str
    url: str
    model: str


async def running_engines(environment: Mapping[str, str] = os.environ) -> list[RunningEngine]:
    async with httpx2.AsyncClient(timeout=ANSWER_S, trust_env=False) as client:
        engines = await asyncio.gather(*(_at(client, f"http://127.0.0.1:{port}") for port in ports(environment)))
    return [engine for engine in engines if engine is not None]


def ports(environment: Mapping[str, str]) -> Iterable[int]:
    named = environment.get("LLAMA_ARG_PORT", "")
    more = [int(named)] if named.isascii() and named.isdigit() and 0 < int(named) < 1 << 16 else []
    return dict.fromkeys((*more, *PORTS))


async def _at(client: httpx2.AsyncClient, url: str) -> RunningEngine | None:
    try:
        async with asyncio.timeout(ANSWER_S), client.stream("GET", f"{url}/props") as answer:
            data = bytearray()
            async for piece in answer.aiter_bytes():
                data += piece
                if len(data) > MOST_BYTES:
                    return None
            props: Any = httpx2.Response(answer.status_code, content=bytes(data)).json()
    except (httpx2.HTTPError, ValueError, TimeoutError, RecursionError):
        return None
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    if not isinstance(settings, dict) or not isinstance(settings.get("n_ctx"), int):
        return None
    name = PurePath(str(props.get("model_alias") or props.get("model_path") or "")).name.removesuffix(".gguf")
    ours = str(props.get("build_info") or "").startswith("palimpsest")
    return RunningEngine("in-place" if ours else "llama-server", url, name)
