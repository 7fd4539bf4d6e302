"""The error tree: one stable code per class, and the tree in the docstring is the tree."""

from collections.abc import Iterator

from pincite import errors
from pincite.errors import PinciteError

CODES = {
    "invalid_input": False,
    "unauthenticated": False,
    "not_found": False,
    "gone": False,
    "denied": False,
    "version_conflict": False,
    "idempotency_key_reused": False,
    "cursor_ahead": False,
    "cursor_expired": False,
    "declined": False,
    "too_large": False,
    "rate_limited": True,
    "store_busy": True,
    "store_unavailable": True,
}


def leaves(error: type[PinciteError]) -> Iterator[type[PinciteError]]:
    below = error.__subclasses__()
    return (leaf for one in below for leaf in leaves(one)) if below else iter([error])


def test_every_refusal_has_its_own_code_and_says_whether_trying_again_helps() -> None:
    assert {leaf.code: leaf.retryable for leaf in leaves(PinciteError)} == CODES


def test_the_docstring_draws_every_class_with_its_code() -> None:
    drawn = errors.__doc__ or ""
    for leaf in leaves(PinciteError):
        assert any(leaf.__name__ in line and leaf.code in line for line in drawn.splitlines()), (
            leaf.__name__
        )
