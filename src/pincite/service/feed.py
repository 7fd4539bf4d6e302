"""Serves the logs of all resource types, and takes what host applications have to tell."""

import json

from pincite.domain.edits import Context, Receipt, Request, fingerprint
from pincite.domain.events import EventPage, Occurrence, Resource, ResourceType
from pincite.domain.grants import Credential, Grant
from pincite.domain.texts import checked_key, checked_text
from pincite.errors import IdempotencyKeyReusedError, InvalidInputError, StoreBusyError
from pincite.ports import Committed, Replayed, Reused, Stale
from pincite.service.access import Access
from pincite.service.editing import Saved
from pincite.service.environment import Environment

PAGE_LIMIT = 100
DATA_LIMIT = 64 * 1024
"""Longest data of a host event, in characters of JSON."""


class Feed:
    """Reads and extends logs."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._environment = environment
        self._access = access

    def poll(self, credential: Credential, resource: Resource, after: int, limit: int) -> EventPage:
        """The page of a log behind a cursor; see :meth:`Service.poll`."""
        if after < 0:
            raise InvalidInputError(
                "after_sequence must be 0 or more.", field="after_sequence", limit="≥ 0"
            )
        if not 1 <= limit <= PAGE_LIMIT:
            raise InvalidInputError(
                f"limit must be 1–{PAGE_LIMIT}.", field="limit", limit=f"1–{PAGE_LIMIT}"
            )
        with self._environment.store.view() as view:
            _, log = self._access.resource(view, credential, resource, Grant.READ, "poll")
            return view.list_events(log, after, limit)

    def append_event(
        self, credential: Credential, resource: Resource, occurrence: Occurrence, context: Context
    ) -> Saved:
        """Appends what a host application has to tell; see :meth:`Service.append_event`."""
        if resource.type in (ResourceType.KNOWLEDGE_BASE, ResourceType.SESSION):
            raise InvalidInputError(
                f"A {resource.type} writes its own log.",
                field="resource_type",
                limit="channel, note or record",
            )
        key = checked_key(context.key or "")
        data = _checked_data(occurrence)
        values = {"resource": [resource.type, resource.id], "type": occurrence.type, "data": data}
        with self._environment.store.view() as view:
            caller, log = self._access.resource(view, credential, resource, Grant.EDIT, "append")
            request = Request(
                caller.principal, key, fingerprint("append_event", values), context.client
            )
            now = self._environment.now(view)
        match self._environment.store.append(log, occurrence, request, now):
            case Committed(receipt):
                return Saved(receipt, replayed=False)
            case Replayed(receipt):
                return Saved(receipt, replayed=True)
            case Reused():
                raise IdempotencyKeyReusedError
            case Stale():
                raise StoreBusyError("The log moved while the event was appended.")

    def log_session(self, credential: Credential, session: str, occurrence: Occurrence) -> Receipt:
        """Logs what a session did beside its saves, after it was answered."""
        with self._environment.store.view() as view:
            caller, log = self._access.resource(
                view, credential, Resource(ResourceType.SESSION, session), Grant.READ, "log"
            )
            now = self._environment.now(view)
        outcome = self._environment.store.append(log, occurrence, Request(caller.principal), now)
        if not isinstance(outcome, Committed):
            raise StoreBusyError("The session's log moved while it was written.")
        return outcome.receipt


def _checked_data(occurrence: Occurrence) -> object:
    checked_text(occurrence.type, "type", shortest=1, longest=100)
    checked_text(occurrence.data, "data", shortest=2, longest=DATA_LIMIT)
    try:
        data = json.loads(occurrence.data)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise InvalidInputError(
            "data must be a JSON object.",
            field="data",
            limit=f"JSON object, {DATA_LIMIT} characters",
        )
    return data
