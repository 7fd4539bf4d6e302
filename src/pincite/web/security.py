"""Who may see pages, and what a page may do in a browser."""

import secrets
import threading
from enum import Enum, auto
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pincite.domain.grants import Credential, LocalUser
from pincite.service.access import digest_of

# A page loads this app's own style and pictures, sends forms here, and does nothing else.
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Sent with every answer."""


class Refused(Enum):
    """Why a start secret opens nothing."""

    WRONG = auto()
    USED = auto()


class Sessions:
    """Who is signed in: credentials by the hash of a secret that only the browser keeps.

    They live in this process, and as long as it.

    Args:
        start: The secret that opens one session, once, for the person who started the server
            and is trusted as whoever uses its machine.
    """

    def __init__(self, start: str) -> None:
        self._start = digest_of(start)
        self._used = False
        self._lock = threading.Lock()
        self._credentials: dict[str, Credential] = {}

    def open(self, credential: Credential) -> str:
        """Signs somebody in; returns the secret for the browser."""
        secret = secrets.token_urlsafe(32)
        self._credentials[digest_of(secret)] = credential
        return secret

    def exchange(self, start: str) -> str | Refused:
        """Opens the session that the start secret stands for; it does so once."""
        if not secrets.compare_digest(digest_of(start), self._start):
            return Refused.WRONG
        with self._lock:
            if self._used:
                return Refused.USED
            self._used = True
        return self.open(LocalUser())

    def find(self, request: Request) -> Credential | None:
        """Who sends a request; None if nobody is signed in."""
        secret = request.cookies.get(_cookie_name(request))
        return None if secret is None else self._credentials.get(digest_of(secret))


def reads_pages(request: Request) -> bool:
    """Whether a page is of use to who asks: a browser names HTML in all that it sends.

    Others may name it or nothing at all where they read, and are programs where they post.
    """
    accepted = request.headers.get("accept", "*/*")
    return "text/html" in accepted or (
        request.method in ("GET", "HEAD") and ("*/*" in accepted or "text/*" in accepted)
    )


def keep(secret: str, request: Request, response: Response) -> None:
    """Has the browser keep a session's secret until it closes, out of reach of scripts.

    Links to a citation are followed from elsewhere, so the cookie is lax; pages change nothing.
    """
    response.set_cookie(
        _cookie_name(request),
        secret,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def _cookie_name(request: Request) -> str:
    """Browsers keep one cookie of a name for all ports of a host, so each has its own."""
    return f"pincite-{request.url.port or request.url.scheme}"
