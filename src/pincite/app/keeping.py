"""Keeps the answer ledger up with the log while a server runs."""

import logging
import threading
from types import TracebackType

from pincite.errors import StoreError
from pincite.ports import Store
from pincite.service.knowledge_base import Service

_LONGEST_WAIT = 5.0
_PAUSE = 0.5
"""From one round to the next, in seconds: saves that come together are judged together."""


class LedgerKeeper:
    """A thread that judges what answers cite as saves arrive; runs as long as its context.

    Lists of stale answers do not depend on it: they catch up by themselves. It spares them the
    work, and works through what came before while nobody waits.
    """

    def __init__(self, service: Service, store: Store) -> None:
        self._service = service
        self._store = store
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="ledger", daemon=True)

    def __enter__(self) -> "LedgerKeeper":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join(_LONGEST_WAIT)

    def _keep(self) -> None:
        seen = 0
        while not self._ended.wait(_PAUSE):
            try:
                seen = self._store.wait(seen, _PAUSE)
                self._service.answers.keep_up()
            except StoreError as error:
                # Nothing is lost: the next round begins where this one did.
                logging.getLogger(__name__).warning("The ledger waits: %s", error)
                self._ended.wait(_LONGEST_WAIT)
