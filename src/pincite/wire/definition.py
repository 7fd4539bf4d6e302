"""What defines a tool of the protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pincite.wire.schemas import ERROR, Schema

READS = {"readOnlyHint": True, "openWorldHint": False}
EDITS = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
"""Annotations of tools that read, that change articles, and that only add."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is advertised.

    Attributes:
        title: Its name for people.
        description: What a model must know to use it well.
        arguments: JSON Schema of what it takes.
        result: JSON Schema of what it gives when it does not refuse.
        hints: The annotations (MCP specification, server/tools, ToolAnnotations).
        extension: Whether it goes away when the core stands alone.
    """

    name: str
    title: str
    description: str
    arguments: Schema
    result: Schema
    hints: Mapping[str, bool]
    extension: bool = False

    @property
    def output(self) -> Schema:
        """The schema of both outcomes: some clients hold refusals against it too."""
        return {"type": "object", "anyOf": [self.result, ERROR]}


def advertised(tool: Tool) -> dict[str, Any]:
    """A tool as the protocol lists it (MCP specification, server/tools, Tool)."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.arguments,
        "outputSchema": tool.output,
        "annotations": dict(tool.hints),
    }
