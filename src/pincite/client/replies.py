"""Reads replies, also of servers that put the same values into other shapes.

The tools' names and arguments are common ground; how a result is laid out is not. So values are
looked for by name, the outermost first, in the structured result or in text that is JSON.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pincite.errors import PinciteError
from pincite.wire.errors import codes, error_of

_CODE_NAMES = ("code", "error", "type", "reason")


def reply_of(
    structured: Mapping[str, Any] | None, texts: Sequence[str], *, is_error: bool
) -> Mapping[str, Any]:
    """A tool's result as one object.

    Args:
        structured: The result's ``structuredContent``, if there is any.
        texts: Its text blocks.
        is_error: Its ``isError``.

    Raises:
        PinciteError: The result is a refusal: the error of the tree whose code it carries.
    """
    reply = structured if structured is not None else _from_texts(texts)
    if is_error or isinstance(reply.get("error"), Mapping):
        raise _refusal(reply, texts)
    return reply


def find(reply: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    """The outermost value under a name; None if there is none."""
    return next((one[name] for one in _objects(reply) if name in one), None)


def text_in(reply: Mapping[str, Any], name: str) -> str:
    """The outermost text under a name; empty if there is none."""
    found = find(reply, name)
    return found if isinstance(found, str) else ""


def find_number(reply: Mapping[str, Any], name: str) -> int | None:
    """The outermost whole number under a name."""
    found = find(reply, name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def objects_in(reply: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """The members of the outermost list whose members all hold these names."""
    for one in _objects(reply):
        for value in one.values():
            if _is_list_of(value, names):
                return list(value)
    return []


def _is_list_of(value: object, names: Sequence[str]) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Mapping) and all(name in one for name in names) for one in value)
    )


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    """Every object in a JSON value, the outermost first."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, Mapping):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _from_texts(texts: Sequence[str]) -> Mapping[str, Any]:
    for text in texts:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            return value
        if isinstance(value, list):
            return {"items": value}
    return {}


def _refusal(reply: Mapping[str, Any], texts: Sequence[str]) -> PinciteError:
    """The error that a refusal tells of; its code may stand in several places, or in the text."""
    told = [
        value
        for one in _objects(reply)
        for name in _CODE_NAMES
        if isinstance(value := one.get(name), str) and value in codes()
    ]
    told += [code for code in sorted(codes()) if any(code in text for text in texts)]
    code = told[0] if told else "error"
    message = text_in(reply, "message") or " ".join(texts) or "The call was refused."
    details = find(reply, "details")
    if not isinstance(details, Mapping):
        details = {name: value for one in _objects(reply) for name, value in one.items()}
        details = {name: value for name, value in details.items() if name not in _SPOKEN}
    told_whole = {"code": code, "message": message, "retryable": False, "details": details}
    return error_of({"error": told_whole})


_SPOKEN = {"message", "code", "error", "self"}
