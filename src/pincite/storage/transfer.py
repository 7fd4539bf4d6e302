"""What a store holds, row by row, as both engines read and write it: for copies and backups.

A *scope* names a log's owner: a knowledge base's id, or another resource as ``type:id``.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.storage.rows import Row

LOG_TABLES: Mapping[str, Sequence[str]] = {
    "log": ("epoch", "latest", "compacted_through"),
    "gap": ("after", "next"),
    "knowledge_base": ("title", "language", "sealed"),
    "article": (
        *("id", "no", "state", "updated_at", "sequence", "revision", "erased_at", "drafted_at"),
    ),
    "draft": ("article", "updated_at", "base", "title", "content"),
    "revision": (
        *("article", "updated_at", "sequence", "by", "client", "note", "title"),
        *("passages", "content"),
    ),
    "event": ("sequence", "type", "at", "article", "changed", "data"),
    "receipt": (
        *("principal", "key", "fingerprint", "status", "article", "updated_at", "sequence"),
        *("proposal", "at"),
    ),
    "imported": ("path", "article", "front_matter", "updated_at", "title", "details"),
    "ledger": ("reach",),
    "answer": ("no", "id", "question", "text", "answered_at", "by", "rank"),
    "cited": ("no", "article", "updated_at", "stamp", "quote", "verdict", "since"),
    "rests_on": ("answer", "citation", "quote", "cited"),
}
"""What belongs to one log, in the order in which it can be written."""

STORE_TABLES: Mapping[str, Sequence[str]] = {
    "store": ("stamp_floor",),
    "token": (*("digest", "name", "grants", "approval", "created_at", "expires_at", "revoked_at"),),
}
"""What belongs to the store as a whole. The first goes along with each knowledge base, too."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one table that belong to one log, in the order of their key.

    Attributes:
        scope: The log's; empty for a table of ``STORE_TABLES``.
        rows: To be read once, before the next part.
    """

    scope: str
    table: str
    rows: Iterable[Row]


class Transfer(Protocol):
    """The way in and out of a store for everything that it holds."""

    def seal(self, knowledge_base_id: KnowledgeBaseId, *, sealed: bool) -> bool | None:
        """Lets a knowledge base take no more writes, or take them again.

        Once it is sealed, no write that was under way will still be saved.

        Returns:
            Whether it was sealed before; None if there is none.
        """

    def reading(
        self, knowledge_base_id: KnowledgeBaseId | None
    ) -> AbstractContextManager[Iterable[Part]]:
        """One snapshot of a knowledge base, or of everything."""

    def write(self, parts: Iterable[Part]) -> None:
        """Writes what another store read, whole or not at all.

        Raises:
            InvalidInputError: A log is there already.
        """


class Restorable(Protocol):
    """A store that can become what a backup holds."""

    def restore(self, parts: Iterable[Part], now: Stamp) -> None:
        """Writes a whole backup; its logs go on beyond a gap, under a new epoch.

        Raises:
            InvalidInputError: The store holds something.
        """


def resource_of(scope: str) -> Resource:
    """The resource that a scope names; see ``pincite.domain.grants.scope_of``."""
    kind, colon, name = scope.partition(":")
    return Resource(ResourceType(kind), name) if colon else Resource.of(KnowledgeBaseId(scope))
