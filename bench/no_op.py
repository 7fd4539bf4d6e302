"""The least that a server on the same SDK can do: one tool that does nothing.

``python -m bench.no_op stdio`` or ``http``, which prints its address when it is ready.
"""

import sys

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

TOOL = types.Tool(name="no_op", description="Does nothing.", input_schema={"type": "object"})


async def list_tools(*_: object) -> types.ListToolsResult:
    """One tool."""
    return types.ListToolsResult(tools=[TOOL])


async def call_tool(*_: object) -> types.CallToolResult:
    """Nothing, said twice, as every tool of ours says its result twice."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text="{}")], structured_content={}
    )


def build() -> "Server[object]":
    """The server."""
    return Server(
        "no-op",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda _: {"type": "object"},
    )


async def serve_stdio() -> None:
    """Serves on standard input and output."""
    server = build()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def serve_http() -> None:
    """Serves on a port that the system chooses."""
    import socket

    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    print(f"Open http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
    app = build().streamable_http_app()
    config = uvicorn.Config(app, log_level="error", access_log=False)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        anyio.run(serve_stdio)
