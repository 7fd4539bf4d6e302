"""Puts the handlers together into one server for both eras and both transports."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from pincite import __version__
from pincite.mcp_server.callers import Context, Identify
from pincite.mcp_server.completion import Completer
from pincite.mcp_server.errors import guarded
from pincite.mcp_server.observing import Observe, observed
from pincite.mcp_server.prompts import get_prompt, list_prompts
from pincite.mcp_server.resources import Resources
from pincite.mcp_server.sessions import SessionLog
from pincite.mcp_server.subscriptions import Follower, Heads, Subscriptions
from pincite.mcp_server.tools import Tools
from pincite.mcp_server.workers import Workers
from pincite.service.knowledge_base import Service
from pincite.wire.results import Permalink, Results, no_permalink

INSTRUCTIONS = (
    "Pincite holds knowledge bases that people write. Answer from published articles and cite "
    "what you used: each search hit and each read carries a citation {knowledge_base_id, "
    "article_id, updated_at}. updated_at is the version: an edit must name it, so read again "
    "right before you edit. Poll a knowledge base's events to learn which citations changed or "
    "are gone."
)

Discover: TypeAlias = Callable[
    [Context, types.RequestParams | None], Awaitable[types.DiscoverResult]
]

_SAME_FOR_ALL = CacheHint(ttl_ms=300_000, scope="public")


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator chooses.

    Attributes:
        extensions: Whether the tools beyond the core are offered.
        permalink: Where people find a cited version.
        log_reads: Whether sessions' searches and reads are logged.
        embedded: Whether the store is in this process; see :class:`Workers`.
        observe: Is told of each answered call: the tool, the refusal's code or ``ok``, and the
            seconds that it took.
    """

    extensions: bool = True
    permalink: Permalink = no_permalink
    log_reads: bool = True
    embedded: bool = True
    observe: Observe | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server with what runs beside it.

    Attributes:
        server: The handlers; it holds no connection and no caller.
        workers: Do what takes the service.
        follower: Must run while the server does.
        subscriptions: Must be ended when the server is about to stop.
        log: Must be closed when the server ends; None if reads are not logged.
    """

    server: Server[Any]
    workers: Workers
    follower: Follower
    subscriptions: Subscriptions
    log: SessionLog | None

    def close(self) -> None:
        """Writes what is still to be logged."""
        if self.log:
            self.log.close()


def build_endpoint(
    service: Service, heads: Heads, identify: Identify, options: Options
) -> Endpoint:
    """Makes a server.

    Args:
        service: Answers.
        heads: Tells when logs move.
        identify: Tells who asks.
        options: The operator's choices.
    """
    workers = Workers(embedded=options.embedded)
    follower = Follower(service, heads, workers)
    log = SessionLog(service) if options.log_reads else None
    shapes = Results(options.permalink)
    tools = Tools(service, identify, workers, shapes, log, extensions=options.extensions)
    resources = Resources(service, identify, workers)
    subscriptions = Subscriptions(follower, identify)
    server = Server[Any](
        "pincite",
        version=__version__,
        title="Pincite",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=tools.find_schema,
        cache_hints={
            "server/discover": _SAME_FOR_ALL,
            "tools/list": _SAME_FOR_ALL,
            "prompts/list": _SAME_FOR_ALL,
            "resources/templates/list": _SAME_FOR_ALL,
        },
        on_list_tools=guarded(tools.list_tools),
        on_call_tool=guarded(observed(tools.call, options.observe)),
        on_list_resources=guarded(resources.list_resources),
        on_list_resource_templates=guarded(resources.list_templates),
        on_read_resource=guarded(resources.read),
        on_subscribe_resource=guarded(subscriptions.subscribe),
        on_unsubscribe_resource=guarded(subscriptions.unsubscribe),
        on_subscriptions_listen=guarded(subscriptions.listen),
        on_list_prompts=guarded(list_prompts),
        on_get_prompt=guarded(get_prompt),
        on_completion=guarded(Completer(service, identify, workers).complete),
    )
    server.add_request_handler("server/discover", types.RequestParams, _discover(server))
    return Endpoint(server, workers, follower, subscriptions, log)


def _discover(server: Server[Any]) -> Discover:
    """Answers ``server/discover`` without announcing that lists change.

    They never do while a server runs, and a client that is told they might opens an anonymous
    stream to hear of it.
    """

    async def discover(_: Context, __: types.RequestParams | None) -> types.DiscoverResult:
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=server.get_capabilities(),
            instructions=server.instructions,
        )

    return discover
