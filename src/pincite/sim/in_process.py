"""The tools, called in this process: the same calls, checks and results, and nothing between."""

from typing import Final

from pincite.domain.grants import LocalUser
from pincite.errors import PinciteError
from pincite.mcp_server.callers import Asker
from pincite.mcp_server.dispatch import Dispatch
from pincite.service.knowledge_base import Service
from pincite.sim.tools import Json, Reply, reply_of
from pincite.wire.calls import parse_call
from pincite.wire.errors import error_object
from pincite.wire.results import Results
from pincite.wire.tools import TOOLS

_TOOLS: Final = {tool.name: tool for tool in TOOLS}


class InProcess:
    """An agent in the server's own process."""

    def __init__(self, service: Service) -> None:
        self._dispatch = Dispatch(service, Results())
        self._asker = Asker(LocalUser("agent"), client="pincite simulate", session=None)

    def call(self, name: str, arguments: Json) -> Reply:
        """Calls one tool."""
        try:
            call = parse_call(_TOOLS[name], arguments)
            content = self._dispatch.answer(self._asker, call)
        except PinciteError as error:
            content = error_object(error)
        return reply_of(content)
