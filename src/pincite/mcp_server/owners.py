"""Binds each session of the older era to the principal that uses it.

A session's id is no credential, but its stream tells what its owner subscribed to. The MCP
specification (Security Best Practices, "Session Hijacking", in the revisions of 2025-06-18
and later) asks servers to verify every request, to take no session for authentication, and to
bind session ids to what they know of the user from the token. So a session serves one
principal; to any other it is as one that does not exist.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Send

from pincite.domain.ids import Principal

SESSION_HEADER: Final = "mcp-session-id"


@dataclass(slots=True)
class _Session:
    owner: Principal | None
    nameless: bool  # when it was opened


class SessionOwners:
    """Remembers whose each session is.

    A client may open a session without a token, to see the tool list, and bring one later:
    such a session belongs to the first principal that uses it.

    Args:
        limit: How many sessions are remembered. Beyond it the one not used for longest is
            forgotten, and then serves nobody.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def admits(self, session: str, principal: Principal | None) -> bool:
        """Whether a request may use a session; ``principal`` None is a request without a token."""
        found = self._sessions.get(session)
        if found is None:
            return False
        self._sessions.move_to_end(session)
        if found.owner is None:
            found.owner = principal
        return found.owner == principal

    def is_nameless(self, session: str) -> bool:
        """Whether a session was opened without a token, whoever it belongs to now."""
        found = self._sessions.get(session)
        return found is not None and found.nameless

    def noting(self, send: Send, principal: Principal | None) -> Send:
        """Passes an answer on, and notes the session that it opens."""

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                session = Headers(raw=message["headers"]).get(SESSION_HEADER)
                if session is not None:
                    self._sessions[session] = _Session(principal, nameless=principal is None)
                    if len(self._sessions) > self._limit:
                        self._sessions.popitem(last=False)
            await send(message)

        return note

    def forget(self, session: str) -> None:
        """Forgets a session that its owner ended."""
        self._sessions.pop(session, None)
