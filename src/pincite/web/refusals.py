"""What a reader is told instead of a page."""

from typing import Final

from starlette.responses import JSONResponse

from pincite.errors import (
    CursorAheadError,
    CursorExpiredError,
    GoneError,
    NotFoundError,
    PinciteError,
)
from pincite.web.pages import RefusalPage
from pincite.wire.errors import error_object

_STATUS: Final = {
    "invalid_input": (400, "That cannot be read"),
    "unauthenticated": (401, "You are not signed in"),
    "denied": (403, "You may not see this"),
    "not_found": (404, "Not found"),
    "gone": (410, "No longer published"),
    "cursor_ahead": (400, "Beyond the log’s end"),
    "cursor_expired": (410, "No longer kept"),
    "rate_limited": (429, "Too many requests"),
    "store_busy": (503, "Busy"),
    "store_unavailable": (503, "Not available at the moment"),
}
"""The HTTP status and the heading of each refusal that reading can meet."""

_START: Final = {
    "Serve, and open the address that is printed": "pincite serve --http 127.0.0.1:8420"
}

NO_SESSION: Final = RefusalPage(
    401,
    "You are not signed in",
    "This is a Pincite server. Whoever started it was shown a line that begins with Open; the "
    "address in it signs one browser in, once, for as long as the server runs.",
    _START,
)
START_USED: Final = RefusalPage(
    403,
    "This address was used already",
    "It signs one browser in, once. Go on in that browser, or start the server again for a new "
    "address.",
    _START,
)
START_WRONG: Final = RefusalPage(
    403,
    "This address opens nothing",
    "Its token is not the one that the server printed when it started.",
    _START,
)
NOWHERE: Final = RefusalPage(404, "Not found", "There is no such page.", {})
TOO_LONG: Final = RefusalPage(413, "Too long", "At most 1 MiB can be checked at once.", {})


def no_page(address: str) -> JSONResponse:
    """What a program is told that posts to where people read; ``address`` is where MCP is."""
    refusal = NotFoundError(f"There are pages for people here. MCP is at {address}")
    return JSONResponse(error_object(refusal), status_code=404)


def refusal_of(error: PinciteError) -> RefusalPage:
    """The page that tells of an error what the tools tell of it."""
    status, title = _STATUS.get(error.code, (400, "Refused"))
    message = error.message
    match error:
        case GoneError():
            message += f" It was taken back at {error.details['withdrawn_at']}."
        case CursorAheadError():
            message = f"The log ends at {error.details['latest_sequence']}."
        case CursorExpiredError():
            message = (
                f"Events after this cursor are no longer kept. The oldest that is, has the number "
                f"{error.details['oldest_sequence']}."
            )
        case _:
            pass
    return RefusalPage(status, title, message, {})
