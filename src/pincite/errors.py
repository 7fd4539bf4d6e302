"""Everything that Pincite refuses, as one tree with one stable code per class.

::

    PinciteError
    ├── InvalidInputError         invalid_input            field, limit
    ├── UnauthenticatedError      unauthenticated          (HTTP 401; never a tool result)
    ├── NotFoundError             not_found
    ├── GoneError                 gone                     withdrawn_at, sequence
    ├── DeniedError               denied                   action
    ├── VersionConflictError      version_conflict         expected, current, changed, diff, merged,
    │                                                      merged_title, latest_sequence
    ├── IdempotencyKeyReusedError idempotency_key_reused
    ├── CursorAheadError          cursor_ahead             latest_sequence
    ├── CursorExpiredError        cursor_expired           oldest_sequence, latest_sequence
    ├── DeclinedError             declined                 by, reason
    ├── TooLargeError             too_large                limit
    ├── RateLimitedError          rate_limited             retry_after
    └── StoreError                (what storage cannot do now)
        ├── StoreBusyError        store_busy               retry_after
        └── StoreUnavailableError store_unavailable        retry_after

Each error carries ``code``, ``retryable`` and ``details``. Details hold only what JSON
holds: strings, whole numbers, booleans, None, lists and dicts of them. Transports map
codes in one table each and add nothing.
"""

from collections.abc import Mapping
from typing import ClassVar


class PinciteError(Exception):
    """A refusal that a caller can act on.

    Attributes:
        code: The stable name of the refusal.
        retryable: Whether the same request may succeed later, unchanged.
        message: One sentence for people and models.
        details: JSON values under the names that the contract lists for the code.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, object] = details


class InvalidInputError(PinciteError):
    """An argument is missing, unknown, or outside its limit."""

    code = "invalid_input"

    def __init__(self, message: str, *, field: str, limit: str | None = None) -> None:
        super().__init__(message, field=field, limit=limit)


class UnauthenticatedError(PinciteError):
    """No token, or one that is not valid (RFC 6750 section 3.1)."""

    code = "unauthenticated"

    def __init__(self, message: str = "This call needs a valid token.") -> None:
        super().__init__(message)


class NotFoundError(PinciteError):
    """There is no such thing, or the caller may not know of it: the two read alike."""

    code = "not_found"


class GoneError(PinciteError):
    """The article was published once and no longer is."""

    code = "gone"

    def __init__(self, message: str, *, withdrawn_at: str, sequence: int | None) -> None:
        super().__init__(message, withdrawn_at=withdrawn_at, sequence=sequence)


class DeniedError(PinciteError):
    """The caller may read this, but the action is not granted."""

    code = "denied"

    def __init__(self, message: str, *, action: str) -> None:
        super().__init__(message, action=action)


class VersionConflictError(PinciteError):
    """The version that the write names is not the present one."""

    code = "version_conflict"


class IdempotencyKeyReusedError(PinciteError):
    """The key belongs to another request of the same principal."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__(
            "This idempotency_key belongs to a different request. A new request needs a new key."
        )


class CursorAheadError(PinciteError):
    """The cursor lies beyond the end of the log."""

    code = "cursor_ahead"

    def __init__(self, *, latest_sequence: int) -> None:
        super().__init__(
            f"after_sequence is beyond the end of this log, which is {latest_sequence}. "
            "Check every citation again and resume from there.",
            latest_sequence=latest_sequence,
        )


class CursorExpiredError(PinciteError):
    """The events after the cursor are no longer kept."""

    code = "cursor_expired"

    def __init__(self, *, oldest_sequence: int, latest_sequence: int) -> None:
        super().__init__(
            "Events after this cursor are no longer kept. Check every citation again and "
            f"resume from {latest_sequence}.",
            oldest_sequence=oldest_sequence,
            latest_sequence=latest_sequence,
        )


class DeclinedError(PinciteError):
    """A person refused the write."""

    code = "declined"

    def __init__(self, message: str, *, by: str, reason: str | None) -> None:
        super().__init__(message, by=by, reason=reason)


class TooLargeError(PinciteError):
    """The content is beyond the configured limit, in bytes of UTF-8."""

    code = "too_large"

    def __init__(self, message: str, *, limit: int) -> None:
        super().__init__(message, limit=limit)


class RateLimitedError(PinciteError):
    """Too many calls; ``retry_after`` is in seconds."""

    code = "rate_limited"
    retryable = True

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message, retry_after=retry_after)


class StoreError(PinciteError):
    """Storage cannot answer at the moment; nothing was written."""

    code = "store_unavailable"
    retryable = True

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message, retry_after=retry_after)


class StoreBusyError(StoreError):
    """Another writer holds the store; ``retry_after`` is in seconds."""

    code = "store_busy"


class StoreUnavailableError(StoreError):
    """The store is lost, full, read-only or no store at all."""

    code = "store_unavailable"
