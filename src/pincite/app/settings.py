"""What an operator may set: by an argument, else by an environment variable."""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any
from urllib.parse import unquote, urlsplit

from pincite.domain.grants import Bearer, Credential, LocalUser
from pincite.domain.texts import CONTENT_LIMIT
from pincite.errors import InvalidInputError
from pincite.service.access import digest_of
from pincite.service.environment import Limits

_WORDS = {"1": True, "true": True, "yes": True, "on": True}
_WORDS |= {"0": False, "false": False, "no": False, "off": False}

_SECRET = re.compile("(ssl)?password=")

Parse = Callable[[str, str], object]
"""Reads a variable's text; the second argument is the variable's name."""


def _text(text: str, _: str) -> str:
    return text


def _texts(text: str, _: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _switch(text: str, name: str) -> bool:
    if text.lower() not in _WORDS:
        raise InvalidInputError(f"{name} must be 1 or 0.", field=name, limit="1 or 0")
    return _WORDS[text.lower()]


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        limit = "a whole number of at least 1"
        raise InvalidInputError(f"{name} must be {limit}.", field=name, limit=limit)
    return int(text)


def _web_address(text: str, name: str) -> str:
    try:
        found = urlsplit(text)
        good = found.scheme in ("http", "https") and found.hostname and found.port != 0
        good = good and not (found.query or found.fragment or found.username is not None)
    except ValueError:  # a port or an IPv6 host that is none
        good = False
    if not good:
        limit = "http:// or https:// and a host, such as https://kb.example.org"
        raise InvalidInputError(f"{name} must be {limit}.", field=name, limit=limit)
    return text


def _setting(parse: Parse, purpose: str, *, default: Any = None) -> Any:  # noqa: ANN401
    return field(default=default, metadata={"parse": parse, "purpose": purpose})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; each may be given as ``PINCITE_`` and its name in capitals."""

    db: str = _setting(_text, "The database: a path or a URL.", default="pincite.db")
    read_url: str | None = _setting(
        _text, "A replica of a database on PostgreSQL, from which long pages of events are read."
    )
    index_folder: str | None = _setting(
        _text,
        "Where this host keeps search indexes of databases on PostgreSQL; "
        "without it, the user's cache folder.",
    )
    token: str | None = _setting(
        _text,
        "Whose grants the command line and stdio have; without one, all of them. "
        "With one, commands that work on the database itself are refused.",
    )
    public_url: str | None = _setting(
        _web_address, "Where others reach this server, such as https://kb.example.org."
    )
    allowed_hosts: tuple[str, ...] = _setting(
        _texts, "Names that others may call this server by, with commas.", default=()
    )
    allowed_origins: tuple[str, ...] = _setting(
        _texts, "Web pages of others that may call this server, with commas.", default=()
    )
    extensions: bool = _setting(
        _switch, "Whether tools beyond the four core ones are offered.", default=True
    )
    log_reads: bool = _setting(
        _switch, "Whether a session's log tells of its searches and reads.", default=True
    )
    content_limit: int = _setting(
        _number, "The longest article, in bytes of UTF-8.", default=CONTENT_LIMIT
    )
    calls_per_minute: int | None = _setting(
        _number, "How often one token may call one server; without a number, no limit."
    )

    @classmethod
    def load(cls, environment: Mapping[str, str], **given: object) -> "Settings":
        """Settings from arguments and, where one is absent or None, from the environment.

        Raises:
            InvalidInputError: A variable's text is none that it may have; it is named.
        """
        told = {name: value for name, value in given.items() if value is not None}
        for one in fields(cls):
            text = environment.get(variable(one), "")
            if text and one.name not in told:
                told[one.name] = one.metadata["parse"](text, variable(one))
        return cls(**told)  # type: ignore[arg-type]

    @property
    def place(self) -> str:
        """The database's address, to be shown."""
        return without_password(self.db)

    @property
    def credential(self) -> Credential:
        """Who calls on this machine: the local user, or who the token says."""
        return LocalUser() if self.token is None else Bearer(digest_of(self.token))

    @property
    def limits(self) -> Limits:
        """The limits, as the service takes them."""
        return Limits(content=self.content_limit, calls_per_minute=self.calls_per_minute)


def without_password(address: str) -> str:
    """An address of a database as it may be shown: without any password that it holds.

    Of a PostgreSQL URL that is what stands between ``:`` and ``@`` before the first ``/``, and
    the parameters that libpq reads passwords from (PostgreSQL 18, section 32.1.1.2).
    """
    if not address.startswith(("postgres://", "postgresql://")):
        return address
    shown = re.sub(r"(?<=://)([^:@/]*):[^/]*@", r"\1@", address)
    front, mark, query = shown.partition("?")
    kept = [one for one in query.split("&") if not _SECRET.match(unquote(one))]
    return f"{front}{mark}{'&'.join(kept)}".removesuffix("?")


def variable(one: "Field[Any]") -> str:
    """The environment variable of a setting."""
    return f"PINCITE_{one.name.upper()}"
