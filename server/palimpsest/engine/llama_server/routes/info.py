"""The routes that describe the server: `/health`, `/props`, `/slots`, `/metrics`, the models.

In: requests.  Out: JSON in llama-server's shapes, and Prometheus' text.
"""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimpsest import __version__
from palimpsest.engine.llama_server.answers.sending import reply
from palimpsest.engine.llama_server.requests import params
from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.engine.llama_server.serving.properties import ModelProperties
from palimpsest.engine.llama_server.serving.serving import Serving
from palimpsest.engine.llama_server.serving.slots import N_SLOTS
from palimpsest.json_data import to_json

STATUS = {"ready": "ok", "loading": "loading model", "failed": "error"}
TEMPLATE_CAPS = {
    "supports_object_arguments": False,
    "supports_parallel_tool_calls": False,
    "supports_string_content": True,
    "supports_system_role": True,
    "supports_tool_calls": False,
    "supports_tools": False,
    "supports_typed_content": False,
}


class InfoRoutes:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._created = int(time.time())

    def routes(self) -> list[Route]:
        return [
            Route("/health", self.health),
            Route("/v1/health", self.both_healths),
            Route("/props", self.props),
            Route("/slots", self.slots),
            Route("/metrics", self.metrics),
            Route("/models", self.models),
            Route("/v1/models", self.models),
            Route("/lora-adapters", self.adapters),
        ]

    async def health(self, _request: Request) -> Response:
        self._serving.core.model()
        return reply({"status": "ok"})

    async def both_healths(self, _request: Request) -> Response:
        """The engine's own health, with the field that clients of llama-server read."""
        health = self._serving.life.health()
        return reply(to_json(health) | {"status": STATUS[health.state]})

    async def props(self, _request: Request) -> Response:
        properties = await self._serving.properties()
        defaults = params.settings(params.read(Fields({})), short=True)
        return reply(
            {
                "default_generation_settings": {"params": defaults, "n_ctx": properties.n_ctx},
                "total_slots": N_SLOTS,
                "model_alias": properties.name,
                "model_ftype": properties.ftype,
                "model_path": properties.path,
                "modalities": {"vision": False, "video": False, "audio": False},
                "endpoint_slots": True,
                "endpoint_props": False,
                "endpoint_metrics": True,
                "ui": False,
                "chat_template": properties.template,
                "chat_template_caps": TEMPLATE_CAPS,
                "bos_token": properties.bos,
                "eos_token": properties.eos,
                "build_info": f"palimpsest-{__version__}",
                "is_sleeping": False,
            }
        )

    async def slots(self, _request: Request) -> Response:
        n_ctx = (await self._serving.properties()).n_ctx
        return reply([slot.as_json(n_ctx) for slot in self._serving.slots.slots])

    async def metrics(self, _request: Request) -> Response:
        self._serving.core.model()
        return Response(self._serving.slots.metrics(), media_type="text/plain; version=0.0.4")

    async def models(self, _request: Request) -> Response:
        properties = await self._serving.properties()
        return reply({"models": [_ollama(properties)], "object": "list", "data": [self._openai(properties)]})

    async def adapters(self, _request: Request) -> Response:
        return reply([])

    def _openai(self, properties: ModelProperties) -> dict[str, Any]:
        return {
            "id": properties.name,
            "aliases": [properties.name],
            "tags": [],
            "object": "model",
            "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
            "created": self._created,
            "owned_by": "palimpsest",
            "meta": {
                "vocab_type": properties.vocab_type,
                "n_vocab": properties.n_vocab,
                "n_ctx": properties.n_ctx,
                "n_ctx_train": properties.n_ctx_train,
                "n_embd": properties.n_embd,
                "n_params": properties.n_params,
                "size": properties.size,
                "ftype": properties.ftype,
            },
        }


def _ollama(properties: ModelProperties) -> dict[str, Any]:
    return {
        "name": properties.name,
        "model": properties.name,
        "modified_at": "",
        "size": "",
        "digest": "",
        "type": "model",
        "description": "",
        "tags": [""],
        "capabilities": ["completion"],
        "parameters": "",
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": "",
            "families": [""],
            "parameter_size": "",
            "quantization_level": "",
        },
    }
