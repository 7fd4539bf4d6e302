"""Pieces of JSON Schema (draft 2020-12) that the tools' schemas are put together from."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from pincite.domain.events import ArticleEventType, Part, ResourceType
from pincite.domain.ids import ID_LIMIT
from pincite.domain.texts import KEY_LIMIT, TITLE_LIMIT

Schema: TypeAlias = dict[str, Any]


def text(shortest: int, longest: int | None, description: str) -> Schema:
    """A string; lengths are in Unicode code points."""
    limits = {"minLength": shortest} | ({} if longest is None else {"maxLength": longest})
    return {"type": "string", **limits, "description": description}


def whole(least: int, most: int | None, description: str, *, default: int | None = None) -> Schema:
    """A whole number."""
    limits = {"minimum": least} | ({} if most is None else {"maximum": most})
    given = {} if default is None else {"default": default}
    return {"type": "integer", **limits, **given, "description": description}


def choice(options: list[str], description: str) -> Schema:
    """One of a few words."""
    return {"type": "string", "enum": options, "description": description}


def items(item: Schema, least: int, most: int, description: str) -> Schema:
    """A list."""
    return {
        "type": "array",
        "items": item,
        "minItems": least,
        "maxItems": most,
        "description": description,
    }


def arguments(required: Mapping[str, Schema], optional: Mapping[str, Schema]) -> Schema:
    """What a tool takes: an object without unknown names."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """What a tool gives: an object that later versions may add names to."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def listed(item: Schema) -> Schema:
    """A list in a result."""
    return {"type": "array", "items": item}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


KNOWLEDGE_BASE_ID = text(1, ID_LIMIT, "The knowledge base's id. Case counts.")
ARTICLE_ID = text(1, ID_LIMIT, "The article's id, as a search or an event gives it. Case counts.")
TITLE = text(1, TITLE_LIMIT, "The title.")
CONTENT = text(1, None, "The whole article in Markdown, as it shall stand.")
VERSION: Schema = {
    "type": "string",
    "format": "date-time",
    "description": (
        "The updated_at of the version that this edit was made from: an RFC 3339 date-time "
        "with an offset."
    ),
}
KEY = text(
    1,
    KEY_LIMIT,
    "A new unique text for each change, such as a UUID. Send the same one again only to repeat "
    "the same request, for instance when the reply was lost: it is then saved once.",
)

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
STAMP: Schema = {"type": "string", "format": "date-time"}

CITATION = record(
    {"knowledge_base_id": STRING, "article_id": STRING, "updated_at": STAMP},
    {
        "quotes": listed(
            record({"exact": STRING}, {"prefix": STRING, "suffix": STRING}),
        )
    },
)
PASSAGE = record({"id": STRING, "heading_path": listed(STRING)})
OUTLINED_PASSAGE = record({"id": STRING, "heading_path": listed(STRING), "text_start": STRING})
ARTICLE_EVENT = record(
    {
        "sequence": NUMBER,
        "type": {"enum": [str(kind) for kind in ArticleEventType]},
        "article_id": STRING,
        "updated_at": STAMP,
    },
    {"changed": listed({"enum": [str(part) for part in Part]})},
)
HOST_EVENT = record(
    {"sequence": NUMBER, "type": STRING, "at": STAMP, "data": {"type": "object"}},
)
ERROR = record(
    {
        "error": record(
            {
                "code": STRING,
                "message": STRING,
                "retryable": BOOLEAN,
                "details": {"type": "object"},
            }
        )
    }
)
RESOURCE_TYPES = [str(kind) for kind in ResourceType]
