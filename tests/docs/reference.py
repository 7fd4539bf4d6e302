"""Pages of reference that follow from the code; `python -m tests.docs.reference` writes them."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from pincite.app.settings import Settings, variable
from pincite.wire.definition import Tool
from pincite.wire.schemas import Schema
from pincite.wire.tools import TOOLS
from pincite.wire.validation import describe
from tests.contract.test_errors import TABLE

REPOSITORY = Path(__file__).parents[2]

WAYS_ON = {
    "invalid_input": "`field` names the argument; mend it",
    "not_found": "it never was, or is not granted: the two read alike",
    "gone": "it was published and no longer is: take back what rests on it",
    "denied": "the token has no grant for this, or its writes need approval",
    "version_conflict": "check `merged` and send it under `current`; where it is null, read again "
    "and make the change anew",
    "idempotency_key_reused": "a new request needs a new key",
    "cursor_ahead": "check all citations, then poll from `latest_sequence`",
    "cursor_expired": "check all citations, then poll from `latest_sequence`",
    "declined": "a person said no: do not send it again",
    "too_large": "`limit` is in bytes of UTF-8",
    "rate_limited": "wait `retry_after` seconds",
    "store_busy": "wait `retry_after` seconds; a write keeps its key",
    "store_unavailable": "wait `retry_after` seconds; a write keeps its key",
}


def tools_page() -> str:
    """What every tool takes and gives."""
    lines = [
        "# Tools",
        "",
        "What agents call over MCP, as it is advertised. The first four are the core; the others",
        "are left out where `PINCITE_EXTENSIONS` is 0. A refusal is a result with `isError` and",
        "`{error: {code, message, retryable, details}}`; see [refusals](#refusals).",
        "",
    ]
    for tool in TOOLS:
        lines += _tool(tool)
    lines += [
        "## Refusals",
        "",
        "A refusal changes nothing and uses up no idempotency key. `retryable` says whether the",
        "same request may succeed later. A call without a valid token is no result: over HTTP it",
        "is 401, else a protocol error.",
        "",
        "| code | `retryable` | `details` | then |",
        "|---|---|---|---|",
        *map(_refusal, TABLE),
        "",
    ]
    return "\n".join(lines)


def settings_page() -> str:
    """Every setting, with its variable and its default."""
    lines = [
        "# Settings",
        "",
        "A setting is an option of the command that it concerns or, without one, an environment",
        "variable. Switches are 1 or 0.",
        "",
        "| variable | what it sets | by default |",
        "|---|---|---|",
    ]
    lines += [
        f"| `{variable(one)}` | {one.metadata['purpose']} | {_default(one.default)} |"
        for one in fields(Settings)
    ]
    lines += [
        "",
        "[`pincite store compact`](cli.md#pincite-store-compact) has variables of its own, and",
        "`PINCITE_TRACEBACK=1` shows where a command failed that does not know why.",
        "",
    ]
    return "\n".join(lines)


PAGES = {"docs/reference/tools.md": tools_page, "docs/reference/settings.md": settings_page}


def _tool(tool: Tool) -> Iterator[str]:
    hints = ", ".join(f"`{name}: {json.dumps(value)}`" for name, value in tool.hints.items())
    yield from (f"## {tool.name}", "", tool.description, "", hints, "")
    if tool.arguments["properties"]:
        yield from ("| argument | | limit | |", "|---|---|---|---|")
        yield from _rows(tool.arguments, "")
        yield ""
    result = json.dumps(_shape(tool.result), indent=2, ensure_ascii=False)
    yield from ("Gives (`?` may be absent):", "", "```json", result, "```", "")
    for name, one in tool.result["properties"].items():
        if "description" in one:
            yield from (f"`{name}`: {one['description']}", "")


def _refusal(code: str) -> str:
    retryable, names = TABLE[code]
    details = ", ".join(f"`{name}`" for name in sorted(names))
    return f"| `{code}` | {json.dumps(retryable)} | {details} | {WAYS_ON[code]} |"


def _rows(schema: Schema, prefix: str) -> Iterator[str]:
    for name, one in schema["properties"].items():
        need = "required" if name in schema["required"] else "optional"
        default = f", by default {json.dumps(one['default'])}" if "default" in one else ""
        told = one.get("description", "")
        yield f"| `{prefix}{name}` | {need} | {describe(one)}{default} | {told} |"
        inner = one.get("items", {})
        if "properties" in inner:
            yield from _rows(inner, f"{prefix}{name}[].")


def _shape(schema: Schema) -> Any:
    """A schema as an example of what fits it: words for values, names with `?` if optional."""
    if "enum" in schema:
        return " | ".join(schema["enum"])
    if "anyOf" in schema:
        options = [_shape(one) for one in schema["anyOf"]]
        plain = all(isinstance(one, str) for one in options)
        return " | ".join(options) if plain else options[0] if options[1] == "null" else options
    match schema["type"]:
        case "array":
            return [_shape(schema["items"])]
        case "object" if "properties" in schema:
            return {
                name if name in schema["required"] else f"{name}?": _shape(one)
                for name, one in schema["properties"].items()
            }
        case "object" if "additionalProperties" in schema:
            return {"…": _shape(schema["additionalProperties"])}
        case kind:
            return str(schema.get("format", kind))


def _default(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value in (None, ()) else f"`{value}`"


if __name__ == "__main__":
    for path, page in PAGES.items():
        target = REPOSITORY / path
        target.write_text(page(), "utf-8")
