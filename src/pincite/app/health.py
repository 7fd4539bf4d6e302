"""What watches over a server may ask it: is it alive, is it ready, how does it fare."""

from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pincite.errors import StoreError
from pincite.ports import Clock, Store
from pincite.wire.errors import error_object

if TYPE_CHECKING:
    from pincite.app.metrics import Metrics

MOST_OFF = 5_000
"""How far a server's clock may be off the store's, in milliseconds (promise STAMP-2)."""


class Health:
    """Answers ``/healthz``, ``/readyz`` and ``/metrics``; they tell nothing of what is stored."""

    def __init__(self, store: Store, clock: Clock, metrics: "Metrics") -> None:
        self._store = store
        self._clock = clock
        self._metrics = metrics

    @property
    def routes(self) -> list[Route]:
        """Where they answer."""
        return [
            Route("/healthz", self.alive),
            Route("/readyz", self.ready),
            Route("/metrics", self.metrics),
        ]

    async def alive(self, _: Request) -> Response:
        """The process answers; a server whose store is away need not be started anew."""
        return JSONResponse({"status": "ok"})

    async def ready(self, _: Request) -> Response:
        """The store answers, and its clock and ours agree; else 503, which says why."""
        try:
            off = await anyio.to_thread.run_sync(self._milliseconds_off)
        except StoreError as error:
            return JSONResponse(error_object(error), status_code=503)
        if abs(off) > MOST_OFF:
            return JSONResponse(
                {"status": "clock", "milliseconds_off": off, "limit": MOST_OFF}, status_code=503
            )
        return JSONResponse({"status": "ready"})

    async def metrics(self, _: Request) -> Response:
        """Counts and times since the start, in Prometheus' text format."""
        text = await anyio.to_thread.run_sync(self._metrics.exposition)
        return Response(text, media_type=self._metrics.media_type)

    def _milliseconds_off(self) -> int:
        with self._store.view() as view:
            view.stamp_floor()
        theirs = self._store.find_clock()
        return 0 if theirs is None else self._clock.now().milliseconds - theirs.milliseconds
