"""Lists the tools and answers their calls."""

from functools import partial
from typing import Any

import mcp_types as types

from pincite.errors import PinciteError, UnauthenticatedError
from pincite.mcp_server.callers import Context, Identify
from pincite.mcp_server.dispatch import Dispatch
from pincite.mcp_server.errors import invalid_params, refusal, tool_result
from pincite.mcp_server.sessions import SessionLog
from pincite.mcp_server.workers import Workers
from pincite.service.knowledge_base import Service
from pincite.wire.calls import Call, ListCall, PollCall, ReadCall, parse_call
from pincite.wire.definition import Tool, advertised
from pincite.wire.results import Results
from pincite.wire.tools import TOOLS

_ONLY_PAGE = "The tool list has one page; there is no such cursor."


class Tools:
    """The tools, for whoever asks.

    Args:
        service: Answers.
        identify: Tells who asks.
        workers: Do the work.
        shapes: Writes the results.
        log: Where searches and reads of sessions go; None if they are not logged.
        extensions: Whether the tools beyond the core are offered.
    """

    def __init__(
        self,
        service: Service,
        identify: Identify,
        workers: Workers,
        shapes: Results,
        log: SessionLog | None,
        *,
        extensions: bool,
    ) -> None:
        self._dispatch = Dispatch(service, shapes)
        self._identify = identify
        self._workers = workers
        self._log = log
        offered = [tool for tool in TOOLS if extensions or not tool.extension]
        self._by_name = {tool.name: tool for tool in offered}
        self._listed = types.ListToolsResult(
            tools=[types.Tool.model_validate(advertised(tool)) for tool in offered]
        )

    def find_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's arguments."""
        tool = self._by_name.get(name)
        return tool.arguments if tool else None

    async def list_tools(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answers ``tools/list``."""
        if params and params.cursor is not None:
            raise invalid_params(_ONLY_PAGE)
        return self._listed

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answers ``tools/call``: a result or a refusal."""
        tool = self._by_name.get(params.name)
        if tool is None:
            raise invalid_params(f"Unknown tool: {params.name}")
        try:
            return tool_result(await self._answered(context, tool, params.arguments))
        except UnauthenticatedError:
            raise
        except PinciteError as error:
            return refusal(error)

    async def _answered(self, context: Context, tool: Tool, arguments: object) -> dict[str, Any]:
        call = parse_call(tool, arguments)
        asker = self._identify(context)
        work = partial(self._dispatch.answer, asker, call)
        do = self._workers.look if _is_quick(call) else self._workers.do
        result = await do(work)
        if self._log:
            self._log.tell(asker, call, result)
        return result


def _is_quick(call: Call) -> bool:
    """Whether a call is a point read: a few microseconds, less than a hop to a thread."""
    match call:
        case ReadCall(outline=outline, first_passage=first, max_characters=most):
            return not outline and first is None and most is None
        case PollCall() | ListCall():
            return True
        case _:
            return False
