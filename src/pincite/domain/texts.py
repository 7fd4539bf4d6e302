"""Checks on text that comes from outside. A character is a Unicode code point."""

import re
from dataclasses import dataclass

from pincite.errors import InvalidInputError, TooLargeError

TITLE_LIMIT = 300
KEY_LIMIT = 200
QUERY_SHORTEST = 2
QUERY_LIMIT = 200
CONTENT_LIMIT = 1024 * 1024
"""Default limit of an article's content, in bytes of UTF-8."""

_UNSAFE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Text:
    """What a version of an article says: its title and its Markdown, byte for byte."""

    title: str
    content: str


def checked_text(text: str, field: str, *, shortest: int, longest: int) -> str:
    """Returns ``text`` unchanged if its length in characters is within the limits.

    Raises:
        InvalidInputError: Too short, too long, or holding NUL or a lone surrogate.
    """
    limit = f"{shortest}–{longest} characters"
    if not shortest <= len(text) <= longest:
        raise InvalidInputError(
            f"{field} must have {limit}; it has {len(text)}.", field=field, limit=limit
        )
    return _safe(text, field)


def checked_title(title: str, field: str = "title") -> str:
    """A title has 1–300 characters, not all of them white space."""
    checked_text(title, field, shortest=1, longest=TITLE_LIMIT)
    if not title.strip():
        raise InvalidInputError(f"{field} must not be blank.", field=field, limit="not blank")
    return title


def checked_key(key: str, field: str = "idempotency_key") -> str:
    """An idempotency key has 1–200 characters."""
    return checked_text(key, field, shortest=1, longest=KEY_LIMIT)


def checked_query(query: str, field: str = "query") -> str:
    """A query has 2–200 characters as sent and at least 2 when trimmed."""
    checked_text(query, field, shortest=QUERY_SHORTEST, longest=QUERY_LIMIT)
    if len(query.strip()) < QUERY_SHORTEST:
        limit = f"at least {QUERY_SHORTEST} characters when trimmed"
        raise InvalidInputError(f"{field} must have {limit}.", field=field, limit=limit)
    return query


def checked_content(content: str, field: str = "content") -> str:
    """Content is not empty and holds neither NUL nor a lone surrogate.

    Its size is judged apart, by :func:`check_size`: an earlier receipt comes first.
    """
    if not content:
        raise InvalidInputError(
            f"{field} must not be empty.", field=field, limit="at least 1 character"
        )
    return _safe(content, field)


def check_size(content: str, limit: int = CONTENT_LIMIT) -> None:
    """Raises ``TooLargeError`` if ``content`` has more than ``limit`` bytes of UTF-8."""
    size = len(content.encode())
    if size > limit:
        raise TooLargeError(f"content has {size} bytes; the limit is {limit}.", limit=limit)


def _safe(text: str, field: str) -> str:
    if _UNSAFE.search(text):
        raise InvalidInputError(
            f"{field} must not hold NUL or a lone surrogate.",
            field=field,
            limit="Unicode text without NUL",
        )
    return text
