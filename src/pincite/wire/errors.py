"""Refusals as JSON: ``{error: {code, message, retryable, details}}``, there and back."""

from collections.abc import Mapping
from typing import Any

from pincite.errors import PinciteError


def error_object(error: PinciteError) -> dict[str, Any]:
    """The refusal as every transport sends it."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "retryable": error.retryable,
            "details": dict(error.details),
        }
    }


def error_of(refusal: Mapping[str, Any]) -> PinciteError:
    """The error that a refusal tells of, for a client to raise.

    Args:
        refusal: ``{error: …}`` as :func:`error_object` writes it. A code that this version
            does not know gives a plain ``PinciteError`` that carries it.
    """
    told = refusal["error"]
    known = _classes().get(told["code"])
    error = PinciteError.__new__(known or PinciteError)
    PinciteError.__init__(error, told["message"], **told["details"])
    if known is None:
        error.code, error.retryable = told["code"], told["retryable"]  # type: ignore[misc]
    return error


def codes() -> frozenset[str]:
    """Every code that a refusal may carry."""
    return frozenset(_classes())


def _classes() -> dict[str, type[PinciteError]]:
    """Every class of the error tree by its code; a subclass goes before its parent."""
    found: dict[str, type[PinciteError]] = {}
    waiting: list[type[PinciteError]] = [PinciteError]
    while waiting:
        one = waiting.pop(0)
        found[one.code] = one
        waiting += one.__subclasses__()
    return found
