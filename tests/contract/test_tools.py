"""The tools' names, arguments, limits and annotations, to the letter."""

from typing import Any

import pytest

from pincite.wire.definition import advertised
from pincite.wire.tools import TOOLS

READS = {"readOnlyHint": True, "openWorldHint": False}
EDITS = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
ID = {"type": "string", "minLength": 1, "maxLength": 200}
KEY = {"type": "string", "minLength": 1, "maxLength": 200}
TITLE = {"type": "string", "minLength": 1, "maxLength": 300}
CONTENT = {"type": "string", "minLength": 1}
VERSION = {"type": "string", "format": "date-time"}

QUOTE = {
    "type": "object",
    "properties": {
        "exact": {"type": "string", "minLength": 1, "maxLength": 2000},
        "prefix": {"type": "string", "minLength": 0, "maxLength": 2000},
        "suffix": {"type": "string", "minLength": 0, "maxLength": 2000},
    },
    "required": ["exact"],
    "additionalProperties": False,
}
CITATIONS = {
    "type": "array",
    "minItems": 1,
    "maxItems": 200,
    "items": {
        "type": "object",
        "properties": {
            "knowledge_base_id": ID,
            "article_id": ID,
            "updated_at": VERSION,
            "quotes": {"type": "array", "minItems": 0, "maxItems": 20, "items": QUOTE},
        },
        "required": ["knowledge_base_id", "article_id", "updated_at"],
        "additionalProperties": False,
    },
}

# name: (required, all properties without their descriptions, annotations)
TABLE: dict[str, tuple[list[str], dict[str, Any], dict[str, bool]]] = {
    "search_knowledge_base": (
        ["knowledge_base_id", "query"],
        {
            "knowledge_base_id": ID,
            "query": {"type": "string", "minLength": 2, "maxLength": 200},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
        },
        READS,
    ),
    "read_knowledge_article": (
        ["knowledge_base_id", "article_id"],
        {
            "knowledge_base_id": ID,
            "article_id": ID,
            "outline": {"type": "boolean", "default": False},
            "first_passage": {"type": "string", "minLength": 1, "maxLength": 200},
            "max_characters": {"type": "integer", "minimum": 1},
        },
        READS,
    ),
    "edit_knowledge_article": (
        ["knowledge_base_id", "article_id", "content", "expected_version", "idempotency_key"],
        {
            "knowledge_base_id": ID,
            "article_id": ID,
            "content": CONTENT,
            "expected_version": VERSION,
            "idempotency_key": KEY,
            "title": TITLE,
        },
        EDITS,
    ),
    "poll_resource_events": (
        ["resource_type", "resource_id"],
        {
            "resource_type": {
                "type": "string",
                "enum": ["channel", "note", "knowledge_base", "record", "session"],
            },
            "resource_id": ID,
            "after_sequence": {"type": "integer", "minimum": 0, "default": 0},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 100},
        },
        READS,
    ),
    "list_knowledge_bases": ([], {}, READS),
    "check_citations": (["citations"], {"citations": CITATIONS}, READS),
    "patch_knowledge_article": (
        ["knowledge_base_id", "article_id", "edits", "expected_version", "idempotency_key"],
        {
            "knowledge_base_id": ID,
            "article_id": ID,
            "edits": {
                "type": "array",
                "minItems": 1,
                "maxItems": 100,
                "items": {
                    "type": "object",
                    "properties": {
                        "old_text": {"type": "string", "minLength": 1},
                        "new_text": {"type": "string", "minLength": 0},
                    },
                    "required": ["old_text", "new_text"],
                    "additionalProperties": False,
                },
            },
            "expected_version": VERSION,
            "idempotency_key": KEY,
        },
        EDITS,
    ),
    "draft_knowledge_article": (
        ["knowledge_base_id", "title", "content", "idempotency_key"],
        {
            "knowledge_base_id": ID,
            "title": TITLE,
            "content": CONTENT,
            "idempotency_key": KEY,
        },
        ADDS,
    ),
    "record_answer": (
        ["knowledge_base_id", "question", "answer", "citations", "idempotency_key"],
        {
            "knowledge_base_id": ID,
            "question": {"type": "string", "minLength": 1, "maxLength": 2000},
            "answer": {"type": "string", "minLength": 1, "maxLength": 100_000},
            "citations": CITATIONS,
            "idempotency_key": KEY,
            "session_id": {"type": "string", "minLength": 1, "maxLength": 100},
        },
        ADDS,
    ),
    "list_stale_answers": (
        ["knowledge_base_id"],
        {
            "knowledge_base_id": ID,
            "after": {"type": "string", "minLength": 1, "maxLength": 40},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        },
        READS,
    ),
}
CORE = [
    "search_knowledge_base",
    "read_knowledge_article",
    "edit_knowledge_article",
    "poll_resource_events",
]


def bare(schema: Any) -> Any:
    """A schema without its descriptions."""
    if isinstance(schema, dict):
        return {key: bare(value) for key, value in schema.items() if key != "description"}
    return [bare(value) for value in schema] if isinstance(schema, list) else schema


def test_the_tools_are_those_of_the_contract_and_the_core_is_no_extension() -> None:
    assert [tool.name for tool in TOOLS] == list(TABLE)
    assert [tool.name for tool in TOOLS if not tool.extension] == CORE


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_has_the_arguments_limits_and_annotations_of_the_contract(tool: Any) -> None:
    required, properties, annotations = TABLE[tool.name]
    shown = advertised(tool)
    assert bare(shown["inputSchema"]) == {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    assert shown["annotations"] == annotations


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_output_schema_is_an_object_with_the_result_or_a_refusal(tool: Any) -> None:
    output = advertised(tool)["outputSchema"]
    assert sorted(output) == ["anyOf", "type"]
    assert output["type"] == "object"
    assert [one["required"] for one in output["anyOf"][1:]] == [["error"]]
    refusal = output["anyOf"][1]["properties"]["error"]
    assert refusal["required"] == ["code", "message", "retryable", "details"]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_argument_and_tool_is_described(tool: Any) -> None:
    assert len(tool.description) > 80
    for argument in tool.arguments["properties"].values():
        assert len(argument["description"]) > 8
