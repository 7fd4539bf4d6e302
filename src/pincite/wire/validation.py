"""Judges arguments by the very schema that is advertised."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind as Kind

from pincite.errors import InvalidInputError
from pincite.wire.schemas import Schema

_LONGEST_NAME = 80
_LENGTHS = (Kind.MinLength, Kind.MaxLength, Kind.MinItems, Kind.MaxItems)

Check = Callable[[object], None]
"""Raises ``InvalidInputError`` for arguments that do not fit."""


def checker(schema: Schema) -> Check:
    """Compiles a schema into a check.

    Formats are left to those who turn text into values: they know every spelling of a
    date-time that the standard allows.
    """
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)

    def check(arguments: object) -> None:
        try:
            if validator.is_valid(arguments):
                return
            errors = sorted(validator.iter_errors(arguments), key=_urgency)
        except (ValueError, RecursionError):
            # A lone surrogate in a name, or nesting that no schema of ours allows.
            raise InvalidInputError(
                "arguments must be a JSON object of Unicode text, not nested deeply.",
                field="arguments",
                limit="JSON object of Unicode text",
            ) from None
        raise _refusal(errors[0], schema)

    return check


def _urgency(error: jsonschema_rs.ValidationError) -> tuple[int, str]:
    """A misspelt name first: it explains the missing one that goes with it."""
    match error.kind:
        case Kind.AdditionalProperties():
            rank = 0
        case Kind.Required():
            rank = 1
        case _:
            rank = 2
    return rank, json.dumps(error.instance_path)


def _refusal(error: jsonschema_rs.ValidationError, schema: Schema) -> InvalidInputError:
    path = error.instance_path
    here = _subschema(schema, path)
    match error.kind:
        case Kind.AdditionalProperties(names):
            known = ", ".join(here["properties"]) or "none"
            name = _name([*path, min(names)])
            return InvalidInputError(
                f"{name} is not an argument of this tool; it takes {known}.",
                field=name,
                limit=f"known arguments: {known}",
            )
        case Kind.Required(missing):
            name = _name([*path, missing])
            return InvalidInputError(f"{name} is required.", field=name, limit="required")
        case _:
            name, limit = _name(path) or "arguments", describe(here)
            size = _size(error)
            found = "" if size is None else f"; it has {size}"
            return InvalidInputError(f"{name} must be {limit}{found}.", field=name, limit=limit)


def describe(schema: Schema) -> str:
    """What a schema allows, in words: the type and its limit."""
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    match schema["type"]:
        case "string":
            return "a string" + _span(schema, "minLength", "maxLength", "character")
        case "integer":
            return "a whole number" + _span(schema, "minimum", "maximum", "")
        case "array":
            return "a list" + _span(schema, "minItems", "maxItems", "item")
        case "boolean":
            return "true or false"
        case _:
            return "an object"


def _span(schema: Schema, least: str, most: str, unit: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if low is None:
        return ""
    amount = f"at least {low}" if high is None else f"{low}–{high}"
    return (
        f" of {amount} {unit}{'' if high is None and low == 1 else 's'}"
        if unit
        else f" of {amount}"
    )


def _size(error: jsonschema_rs.ValidationError) -> int | None:
    """How long the text or list is that has the wrong length."""
    if isinstance(error.kind, _LENGTHS) and isinstance(error.instance, str | list):
        return len(error.instance)
    return None


def _subschema(schema: Schema, path: Sequence[str | int]) -> Schema:
    here: Any = schema
    for step in path:
        here = here["items"] if isinstance(step, int) else here["properties"][step]
    return dict(here)


def _name(path: Sequence[str | int]) -> str:
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
