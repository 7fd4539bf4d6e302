"""What an HTTP status tells of a connection that a server refused."""

from typing import TYPE_CHECKING, Final

from pincite.errors import (
    InvalidInputError,
    PinciteError,
    StoreUnavailableError,
    UnauthenticatedError,
)

if TYPE_CHECKING:
    import httpx2

_WRONG_ADDRESS: Final = {
    403: "it lets nobody in from here, or something before it does not",
    404: "there is no MCP at this path; Pincite's is /mcp",
    405: "there is no MCP at this path; Pincite's is /mcp",
    421: "it does not go by this host's name; name it in the server's PINCITE_ALLOWED_HOSTS",
}
_LATER: Final = frozenset({408, 425, 429})
"""Statuses below 500 after which the same request may succeed (RFC 9110, 6585 and 8470)."""


class Statuses:
    """Listens to what the server answers.

    Attributes:
        refused: The status of the last message's answer, if it was 400 or more. Where two
            messages are under way it may be the other's.
    """

    def __init__(self) -> None:
        self.refused: int | None = None

    async def note(self, response: "httpx2.Response") -> None:
        """A hook for each answer; streams are opened by GET, and not every server has one."""
        if response.request.method == "POST":
            self.refused = response.status_code if response.status_code >= 400 else None

    def unanswered_call(self, why: str) -> PinciteError:
        """What a call was refused by."""
        if self.refused == 401:
            return _unauthenticated()
        return PinciteError(f"The server does not answer this call: {why}.")

    def unopened(self, why: str) -> PinciteError:
        """What a connection was refused by, or that there is no server."""
        match self.refused:
            case None:
                return StoreUnavailableError(
                    f"No MCP server could be reached: {why}. Is it running?"
                )
            case 401:
                return _unauthenticated()
            case status if status >= 500 or status in _LATER:
                return StoreUnavailableError(f"The server cannot answer now: HTTP status {status}.")
            case status:
                cause = _WRONG_ADDRESS.get(status, "it does not take what MCP clients send")
                return InvalidInputError(
                    f"The server refused with HTTP status {status}: {cause}.",
                    field="url",
                    limit="a server's MCP address, such as http://127.0.0.1:8420/mcp",
                )


def _unauthenticated() -> PinciteError:
    return UnauthenticatedError(
        "The server refused with HTTP status 401: it needs a token, and this one is missing, "
        "wrong, expired or revoked."
    )
