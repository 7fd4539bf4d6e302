"""Finds out who makes a call: a credential, a client's name and a session's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext

from pincite.domain.grants import Bearer, Credential
from pincite.domain.ids import parse_id
from pincite.errors import InvalidInputError
from pincite.service.access import digest_of

SESSION_META_KEY = "pincite/session"
NOBODY = Bearer("")
"""The credential of a call without one: no token's digest is empty."""

_LONGEST_CLIENT = 100

Context: TypeAlias = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who makes one call.

    Attributes:
        client: The program, as it names itself; None if it does not.
        session: The session whose log shall tell of the call; None if it has no name.
    """

    credential: Credential
    client: str | None
    session: str | None


Identify: TypeAlias = Callable[[Context], Asker]
"""Tells who makes a call; raises ``InvalidInputError`` for a session name that is none."""


def always(credential: Credential, session: str | None = None) -> Identify:
    """Every call comes from one process, whose session is ``session`` unless it names another."""

    def identify(context: Context) -> Asker:
        return Asker(credential, client_of(context), session_of(context) or session)

    return identify


def by_header(context: Context) -> Asker:
    """Each call carries its own token, in its request's ``Authorization`` header."""
    header = context.request.headers.get("authorization") if context.request else None
    credential = bearer(header) or NOBODY
    return Asker(credential, client_of(context), session_of(context))


def bearer(header: str | None) -> Bearer | None:
    """The credential of an ``Authorization`` header (RFC 6750 section 2.1).

    Returns:
        None without a header; for one of another scheme, a credential that nobody has.
    """
    if header is None:
        return None
    scheme, _, secret = header.strip().partition(" ")
    secret = secret.strip()
    return Bearer(digest_of(secret)) if scheme.lower() == "bearer" and secret else NOBODY


def session_of(context: Context) -> str | None:
    """The session that the client names in ``_meta``.

    Raises:
        InvalidInputError: The name is no id.
    """
    named = (context.meta or {}).get(SESSION_META_KEY)
    if named is None:
        return None
    field = f"_meta[{SESSION_META_KEY!r}]"
    if not isinstance(named, str):
        raise InvalidInputError(f"{field} must be a string.", field=field, limit="an id")
    return parse_id(named, field)


def client_of(context: Context) -> str | None:
    """The client's name and version, cut to what a history can show."""
    params = context.session.client_params
    if params is None:
        return None
    told = f"{params.client_info.name} {params.client_info.version}"
    shown = "".join(character for character in told if character.isprintable())
    return shown.strip()[:_LONGEST_CLIENT] or None
