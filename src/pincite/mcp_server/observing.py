"""Tells how calls of tools went, for whoever counts them."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import mcp_types as types

from pincite.mcp_server.callers import Context

Observe: TypeAlias = Callable[[str, str, float], None]
CallTool: TypeAlias = Callable[
    [Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]
]


def observed(call: CallTool, observe: Observe | None) -> CallTool:
    """The same handler, which tells of each call that it answers with a result or a refusal."""
    if observe is None:
        return call

    async def timed(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        begin = time.perf_counter()
        result = await call(context, params)
        observe(params.name, _outcome(result), time.perf_counter() - begin)
        return result

    return timed


def _outcome(result: types.CallToolResult) -> str:
    if not result.is_error or result.structured_content is None:
        return "ok"
    return str(result.structured_content["error"]["code"])
