"""Tells clients that articles changed, in both eras' ways.

The older era subscribes to one resource after another and hears on the connection's own
channel; the newer opens a stream with ``subscriptions/listen``. Both follow the events of
the knowledge bases that the addresses lie in, polled with the subscriber's own credential:
a subscription sees what its owner could poll at that moment, and nothing once that ends.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent

from pincite.domain.events import ArticleEvent, Resource
from pincite.domain.grants import Credential
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import (
    CursorAheadError,
    CursorExpiredError,
    DeniedError,
    GoneError,
    NotFoundError,
    PinciteError,
    StoreError,
    UnauthenticatedError,
)
from pincite.mcp_server.callers import Context, Identify
from pincite.mcp_server.errors import invalid_params
from pincite.mcp_server.provisional import connection_of
from pincite.mcp_server.resources import parse_uri
from pincite.mcp_server.workers import Workers
from pincite.service.feed import PAGE_LIMIT
from pincite.service.knowledge_base import Service

SUBSCRIPTION_LIMIT = 1024
"""The most subscriptions of one server."""

URI_LIMIT = 1000
"""The most addresses of one stream: each is looked up before the stream opens."""

_LONGEST_WAIT = 1.0
_DELIVERY_LIMIT = 5.0
_PAUSE = 5.0

_log = logging.getLogger(__name__)

Place: TypeAlias = tuple[KnowledgeBaseId, ArticleId]

Deliver: TypeAlias = Callable[[str], Awaitable[None]]
"""Tells the client that the resource with this address changed."""


class Heads(Protocol):
    """What a follower asks of a store; see :class:`~pincite.ports.Store`."""

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until anything was committed since ``seen``."""

    def head(self, resource: Resource) -> int:
        """A log's latest sequence."""


@dataclass(slots=True, eq=False)
class Subscription:
    """One client's wish to hear of some articles.

    Attributes:
        uris: The addresses, by article.
        cursors: What was seen of each knowledge base's log.
    """

    credential: Credential
    deliver: Deliver
    uris: dict[Place, str] = field(default_factory=dict)
    cursors: dict[KnowledgeBaseId, int] = field(default_factory=dict)


class Follower:
    """Follows the logs for all subscriptions of a server."""

    def __init__(self, service: Service, heads: Heads, workers: Workers) -> None:
        self._service = service
        self._heads = heads
        self._workers = workers
        self._subscriptions: set[Subscription] = set()
        self._wanted = anyio.Event()

    async def run(self) -> None:
        """Delivers until it is cancelled; asks the store nothing while nobody subscribes."""
        seen = 0
        limiter = anyio.CapacityLimiter(1)
        while True:
            await self._wanted.wait()
            try:
                seen = await anyio.to_thread.run_sync(
                    self._heads.wait, seen, _LONGEST_WAIT, limiter=limiter, abandon_on_cancel=True
                )
                news = await self._workers.do(partial(self._news, tuple(self._subscriptions)))
            except PinciteError as error:
                _log.warning("subscriptions wait: %s", error.message)
                await anyio.sleep(_PAUSE)
                continue
            async with anyio.create_task_group() as deliveries:
                for subscription, uri in news:
                    deliveries.start_soon(self._deliver, subscription, uri)

    async def add(self, subscription: Subscription, uris: Sequence[str]) -> list[str]:
        """Follows those of the addresses whose articles the subscriber may read.

        Returns:
            The addresses that are followed from now on.
        """
        work = partial(self._readable, subscription.credential, uris)
        found = await self._workers.look(work)
        for (kb, article_id), (uri, latest_sequence) in found.items():
            subscription.uris[kb, article_id] = uri
            subscription.cursors.setdefault(kb, latest_sequence)
        if found:
            self._subscriptions.add(subscription)
            self._wanted.set()
        return [uri for uri, _ in found.values()]

    def remove(self, subscription: Subscription) -> None:
        """Forgets a subscription, if it is there."""
        self._subscriptions.discard(subscription)
        if not self._subscriptions and self._wanted.is_set():
            self._wanted = anyio.Event()

    @property
    def count(self) -> int:
        """How many subscriptions are followed."""
        return len(self._subscriptions)

    async def _deliver(self, subscription: Subscription, uri: str) -> None:
        """Tells one client, unless it does not listen: a hint may be lost, others may not wait."""
        with anyio.move_on_after(_DELIVERY_LIMIT):
            if subscription in self._subscriptions:
                await subscription.deliver(uri)

    def _readable(
        self, credential: Credential, uris: Iterable[str]
    ) -> dict[Place, tuple[str, int]]:
        """Those of the addresses that may be read, by article, with the log's end at that time."""
        found: dict[Place, tuple[str, int]] = {}
        for uri in uris:
            try:
                place = parse_uri(uri)
                article = self._service.read(credential, *place)
            except (NotFoundError, GoneError, UnauthenticatedError):
                continue
            found[place] = (uri, article.latest_sequence)
        return found

    def _news(self, subscriptions: Iterable[Subscription]) -> list[tuple[Subscription, str]]:
        heads: dict[KnowledgeBaseId, int] = {}
        found: list[tuple[Subscription, str]] = []
        for subscription in subscriptions:
            for kb, cursor in tuple(subscription.cursors.items()):
                try:
                    if kb not in heads:
                        heads[kb] = self._heads.head(Resource.of(kb))
                    if heads[kb] != cursor:
                        changed = self._changed(subscription, kb, cursor)
                        found += [(subscription, uri) for uri in changed]
                except StoreError:
                    if not found:
                        raise
                    return found  # Of these the cursors moved on; the others ask again.
        return found

    def _changed(self, subscription: Subscription, kb: KnowledgeBaseId, cursor: int) -> list[str]:
        """The subscribed addresses of a knowledge base that changed, each once."""
        changed: dict[str, None] = {}
        try:
            while True:
                page = self._service.uncounted.poll(
                    subscription.credential, Resource.of(kb), cursor, PAGE_LIMIT
                )
                for event in page.events:
                    place = (kb, event.article_id) if isinstance(event, ArticleEvent) else None
                    if place in subscription.uris:
                        changed[subscription.uris[place]] = None
                subscription.cursors[kb] = cursor = page.next_sequence
                if not page.has_more:
                    return list(changed)
        except (CursorAheadError, CursorExpiredError) as error:
            latest = error.details["latest_sequence"]
            subscription.cursors[kb] = latest if isinstance(latest, int) else 0
            return [uri for (place, _), uri in tuple(subscription.uris.items()) if place == kb]
        except (NotFoundError, DeniedError, UnauthenticatedError):
            del subscription.cursors[kb]
            return []


class Subscriptions:
    """Answers what clients of either era ask to hear."""

    def __init__(self, follower: Follower, identify: Identify) -> None:
        self._follower = follower
        self._identify = identify
        self._older: dict[object, Subscription] = {}
        self._streams: set[ListenHandler] = set()

    async def subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Answers ``resources/subscribe`` of the older era.

        Raises:
            NotFoundError: There is no such article, or none that the caller may read.
        """
        connection = connection_of(context)
        credential = self._identify(context).credential
        subscription = self._older.get(connection)
        if subscription is None:
            self._refuse_more()
            subscription = Subscription(credential, context.session.send_resource_updated)
            self._older[connection] = subscription
            connection.exit_stack.callback(self._forget, connection)
        subscription.credential = credential
        if not await self._follower.add(subscription, [params.uri]):
            raise NotFoundError("There is no such article.")
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Answers ``resources/unsubscribe``; what was not subscribed is no error."""
        subscription = self._older.get(connection_of(context))
        if subscription is not None:
            for place, uri in tuple(subscription.uris.items()):
                if uri == params.uri:
                    del subscription.uris[place]
            if not subscription.uris:
                self._follower.remove(subscription)
        return types.EmptyResult()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answers ``subscriptions/listen`` of the newer era, with a stream that stays open.

        Only addresses that the caller may read are acknowledged. Lists of tools, prompts and
        resources are not announced.
        """
        self._refuse_more()
        wanted = params.notifications.resource_subscriptions or []
        if len(wanted) > URI_LIMIT:
            raise invalid_params(f"One stream takes at most {URI_LIMIT} resource subscriptions.")
        stream = _Stream(self._follower, self._identify(context).credential)
        handler = ListenHandler(stream)
        self._streams.add(handler)
        try:
            followed = await self._follower.add(stream.subscription, wanted)
            accepted = types.SubscriptionFilter(resource_subscriptions=followed or None)
            honoured = types.SubscriptionsListenRequestParams(notifications=accepted)
            return await handler(context, honoured)
        finally:
            self._streams.remove(handler)
            stream.close()

    def end(self) -> None:
        """Ends the newer era's streams as agreed, so that clients know to come back."""
        for handler in self._streams:
            handler.close()

    def _refuse_more(self) -> None:
        if len(self._older) + len(self._streams) >= SUBSCRIPTION_LIMIT:
            raise invalid_params("This server takes no more subscriptions.")

    def _forget(self, connection: object) -> None:
        self._follower.remove(self._older.pop(connection))


class _Stream:
    """The events of one listen stream: a bus, as the SDK calls it, with one listener."""

    def __init__(self, follower: Follower, credential: Credential) -> None:
        self._follower = follower
        self._listener: Callable[[ServerEvent], None] | None = None
        self._early: list[ServerEvent] = []
        self.subscription = Subscription(credential, self._deliver)

    def close(self) -> None:
        self._listener = None
        self._follower.remove(self.subscription)

    async def publish(self, event: ServerEvent) -> None:
        if self._listener is None:
            self._early.append(event)
        else:
            self._listener(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self._listener = listener
        for event in self._early:
            listener(event)
        return self.close

    async def _deliver(self, uri: str) -> None:
        await self.publish(ResourceUpdated(uri))
