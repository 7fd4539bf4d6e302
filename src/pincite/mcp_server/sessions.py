"""Logs what a session searched and read, after it was answered."""

import json
import logging
import queue
import threading
from dataclasses import dataclass
from typing import Any

from pincite.domain.events import Occurrence
from pincite.errors import PinciteError
from pincite.mcp_server.callers import Asker
from pincite.service.knowledge_base import Service
from pincite.wire.calls import Call, ReadCall, SearchCall

SEARCHED = "knowledge_base.searched"
READ = "article.read"

_WAITING_LIMIT = 1000
_PAUSE = 0.05

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    asker: Asker
    session: str
    occurrence: Occurrence


class SessionLog:
    """Writes from a thread of its own, so that no answer waits for it.

    What does not fit the queue, or what the store refuses, is lost: saves are logged with the
    save itself, and these are only searches and reads.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._waiting: queue.Queue[_Entry | None] = queue.Queue(_WAITING_LIMIT)
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def tell(self, asker: Asker, call: Call, result: dict[str, Any]) -> None:
        """Notes a search or a read of a session that has a name."""
        occurrence = _occurrence(call, result)
        if asker.session is None or occurrence is None:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="session-log", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait(_Entry(asker, asker.session, occurrence))
        except queue.Full:
            _log.warning("the log of session %s is behind; an entry is lost", asker.session)

    def close(self) -> None:
        """Writes what is waiting, and ends."""
        if self._thread is not None:
            self._closing.set()
            self._waiting.put(None)
            self._thread.join()
            self._thread = None

    def _write(self) -> None:
        while (entry := self._waiting.get()) is not None:
            if self._waiting.empty():
                # The answer itself is still on its way, and would have to share the processor.
                self._closing.wait(_PAUSE)
            try:
                self._service.log_session(entry.asker.credential, entry.session, entry.occurrence)
            except PinciteError as error:
                _log.warning("a session's log lost an entry: %s", error.message)


def _occurrence(call: Call, result: dict[str, Any]) -> Occurrence | None:
    match call:
        case SearchCall(kb, query):
            found = [one["citation"] for one in result["results"]]
            told = {"knowledge_base_id": kb, "query": query, "results": found}
            return Occurrence(SEARCHED, json.dumps(told, ensure_ascii=False))
        case ReadCall():
            told = {"citation": result["citation"], "complete": result["complete"]}
            return Occurrence(READ, json.dumps(told, ensure_ascii=False))
        case _:
            return None
