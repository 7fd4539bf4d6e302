"""A refusal crosses the wire and comes back as the same error."""

import pytest

from pincite.errors import (
    CursorAheadError,
    CursorExpiredError,
    DeclinedError,
    DeniedError,
    GoneError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    NotFoundError,
    PinciteError,
    RateLimitedError,
    StoreBusyError,
    StoreUnavailableError,
    TooLargeError,
    UnauthenticatedError,
    VersionConflictError,
)
from pincite.wire.errors import error_object, error_of

ERRORS = [
    InvalidInputError("query must have 2–200 characters.", field="query", limit="2–200 characters"),
    UnauthenticatedError(),
    NotFoundError("There is no such article."),
    GoneError("No longer.", withdrawn_at="2026-11-08T10:00:00.123Z", sequence=7),
    DeniedError("No.", action="edit"),
    VersionConflictError("Moved.", expected="a", current="b", changed=["title"], merged=None),
    IdempotencyKeyReusedError(),
    CursorAheadError(latest_sequence=3),
    CursorExpiredError(oldest_sequence=5, latest_sequence=9),
    DeclinedError("No.", by="person/ana", reason="wrong"),
    TooLargeError("Too much.", limit=1_048_576),
    RateLimitedError("Slower.", retry_after=1.5),
    StoreBusyError("Busy."),
    StoreUnavailableError("Full."),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_an_error_comes_back_as_it_went(error: PinciteError) -> None:
    back = error_of(error_object(error))
    assert type(back) is type(error)
    assert (back.code, back.message, back.retryable, dict(back.details), str(back)) == (
        error.code,
        error.message,
        error.retryable,
        dict(error.details),
        error.message,
    )


def test_the_error_object_has_the_four_members_of_the_contract() -> None:
    assert error_object(TooLargeError("Too much.", limit=10)) == {
        "error": {
            "code": "too_large",
            "message": "Too much.",
            "retryable": False,
            "details": {"limit": 10},
        }
    }


def test_a_code_of_a_later_version_is_carried_as_it_is() -> None:
    told = {"code": "overslept", "message": "Late.", "retryable": True, "details": {"by": 3}}
    back = error_of({"error": told})
    assert type(back) is PinciteError
    assert (back.code, back.retryable, dict(back.details)) == ("overslept", True, {"by": 3})
    assert (PinciteError.code, PinciteError.retryable) == ("error", False)
