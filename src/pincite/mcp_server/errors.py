"""Refusals as the protocol tells them, and the outermost handler of every request.

A tool's refusal is a result, which the model sees; everywhere else, and where nobody is
known to have asked, it is a JSON-RPC error.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pincite.errors import (
    GoneError,
    InvalidInputError,
    NotFoundError,
    PinciteError,
    StoreError,
    UnauthenticatedError,
)
from pincite.mcp_server.callers import Context
from pincite.wire.errors import error_object

_log = logging.getLogger(__name__)

# Retired by 2026-07-28, which says INVALID_PARAMS instead (schema changelog, resources/read).
_RESOURCE_NOT_FOUND = -32002

Params = TypeVar("Params")
Result = TypeVar("Result")


def tool_result(content: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    """A result that carries the same as data and as text."""
    text = json.dumps(content, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=content,
        is_error=is_error,
    )


def refusal(error: PinciteError) -> types.CallToolResult:
    """A tool's refusal."""
    return tool_result(error_object(error), is_error=True)


def invalid_params(message: str) -> MCPError:
    """What is asked for does not exist in the protocol: an unknown tool, prompt or cursor."""
    return MCPError(code=types.INVALID_PARAMS, message=message)


def protocol_error(error: PinciteError, context: Context) -> MCPError:
    """A refusal where the protocol has no result for one.

    Its data are the error's and, where the request named a resource, its address (MCP
    specification, server/resources, error handling).
    """
    match error:
        case NotFoundError() | GoneError():
            modern = context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS
            code = types.INVALID_PARAMS if modern else _RESOURCE_NOT_FOUND
        case UnauthenticatedError():
            code = types.INVALID_REQUEST
        case InvalidInputError():
            code = types.INVALID_PARAMS
        case StoreError():
            code = types.INTERNAL_ERROR
        case _:
            code = types.INVALID_REQUEST
    data = error_object(error)["error"]
    if uri := (context.params or {}).get("uri"):
        data["uri"] = uri
    return MCPError(code=code, message=error.message, data=data)


def guarded(
    handler: Callable[[Context, Params], Awaitable[Result]],
) -> Callable[[Context, Params], Awaitable[Result]]:
    """Makes whatever a handler raises an answer that tells nothing of the inside."""

    async def answer(context: Context, params: Params) -> Result:
        try:
            return await handler(context, params)
        except MCPError:
            raise
        except PinciteError as error:
            raise protocol_error(error, context) from error
        except Exception as error:
            _log.exception("%s failed", context.method)
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from error

    return answer
