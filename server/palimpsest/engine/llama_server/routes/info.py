"""The routes that describe the server: `/health`, `/props`, `/slots`, `/metrics`, the models.

In: requests.  Out: JSON in llama-server's shapes, and Prometheus' text.
"""

import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimpsest import __version__
from palimpsest.engine.llama_server.answers.errors import reply
from palimpsest.engine.llama_server.serving.serving import Serving
from palimpsest.engine.llama_server.serving.slots import N_SLOTS
from palimpsest.json_data import to_json

STATUS = {"ready": "ok", "loading": "loading model", "failed": "error"}


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
        return reply(
            {
                "default_generation_settings": {"n_ctx": properties.n_ctx},
                "total_slots": N_SLOTS,
                "model_alias": properties.name,
                "model_ftype": properties.meta["ftype"],
                "model_path": properties.path,
                "modalities": {"vision": False, "audio": False},
                "chat_template": properties.template,
                "bos_token": properties.bos,
                "eos_token": properties.eos,
                "build_info": f"palimpsest-{__version__}",
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
        model = {
            "id": properties.name,
            "object": "model",
            "created": self._created,
            "owned_by": "palimpsest",
            "meta": properties.meta,
        }
        return reply({"object": "list", "data": [model]})
