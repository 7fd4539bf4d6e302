"""Events: facts in a resource's log, numbered 1, 2, 3 … without a gap."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import CursorAheadError, CursorExpiredError

RESTORE_GAP = 1_000_000
"""The least width of the gap that a restore leaves in a log."""


class ResourceType(StrEnum):
    """What has a log of its own."""

    CHANNEL = "channel"
    NOTE = "note"
    KNOWLEDGE_BASE = "knowledge_base"
    RECORD = "record"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Resource:
    """One log's owner."""

    type: ResourceType
    id: str

    @classmethod
    def of(cls, knowledge_base_id: KnowledgeBaseId) -> "Resource":
        """The resource that a knowledge base is."""
        return cls(ResourceType.KNOWLEDGE_BASE, knowledge_base_id)


class ArticleEventType(StrEnum):
    """What can happen to what agents see of an article."""

    PUBLISHED = "article.published"
    UPDATED = "article.updated"
    UNPUBLISHED = "article.unpublished"
    DELETED = "article.deleted"


class Part(StrEnum):
    """What an update changed."""

    TITLE = "title"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class ArticleEvent:
    """A change of what agents see; ``changed`` only on updates."""

    sequence: int
    type: ArticleEventType
    article_id: ArticleId
    updated_at: Stamp
    changed: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What is to be told in another resource's log; ``data`` is a JSON object, as text."""

    type: str
    data: str


@dataclass(frozen=True, slots=True)
class HostEvent:
    """An event of another resource: what the host application, or the session log, says.

    Attributes:
        data: A JSON object, as text.
    """

    sequence: int
    type: str
    at: Stamp
    data: str


Event: TypeAlias = ArticleEvent | HostEvent


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers that never were: the log goes from ``after`` straight on to ``next``."""

    after: int
    next: int


@dataclass(frozen=True, slots=True)
class LogExtent:
    """How far a log reaches.

    Attributes:
        compacted_through: The last number whose event is no longer kept; 0 at first.
        latest: The newest number; 0 in an empty log.
        gaps: What restores left, in order.
    """

    compacted_through: int
    latest: int
    gaps: Sequence[Gap] = ()

    def check_cursor(self, after: int) -> None:
        """Accepts a cursor from which a reader misses nothing.

        Raises:
            CursorAheadError: ``after`` is beyond the end.
            CursorExpiredError: Events after it are compacted, or lost to a restore.
        """
        if after > self.latest:
            raise CursorAheadError(latest_sequence=self.latest)
        lost = any(gap.after < after < gap.next - 1 for gap in self.gaps)
        if lost or after < self.compacted_through:
            raise CursorExpiredError(
                oldest_sequence=self.compacted_through + 1, latest_sequence=self.latest
            )

    def gap_after(self, after: int, through: int) -> Gap | None:
        """The first gap that a page from ``after`` to ``through`` spans."""
        return next(
            (gap for gap in self.gaps if after <= gap.after and gap.next - 1 <= through), None
        )


@dataclass(frozen=True, slots=True)
class EventPage:
    """A run of a log.

    Attributes:
        events: In order; never more than were asked for.
        next_sequence: What to pass next.
        latest_sequence: The log's end, in the same snapshot.
        gap: The gap that the page spans, if it spans one.
    """

    events: tuple[Event, ...]
    next_sequence: int
    latest_sequence: int
    gap: Gap | None = None

    @property
    def has_more(self) -> bool:
        """Whether the log goes on beyond this page."""
        return self.next_sequence < self.latest_sequence


def page_of(events: Sequence[Event], after: int, limit: int, extent: LogExtent) -> EventPage:
    """Makes the page that follows ``after``.

    Args:
        events: The first events after ``after``, in order: all there are, or at least ``limit``.
        after: The reader's cursor, already checked.
        limit: The most events that the page may hold.
        extent: The log's, from the same snapshot as ``events``.
    """
    kept = tuple(events[:limit])
    # A short page has read to the end, which lies beyond its last event right after a restore.
    through = kept[-1].sequence if len(kept) == limit and kept else extent.latest
    return EventPage(kept, through, extent.latest, extent.gap_after(after, through))


def sequence_after_restore(latest: int, now: Stamp) -> int:
    """The first number that a restored log gives out.

    Beyond a wide gap, and beyond what an earlier restore of the same backup gave out:
    the present time in milliseconds outruns any log with less than one event in each.
    """
    return max(latest + RESTORE_GAP, now.milliseconds)


def gap_of_new_log(floor: Stamp | None) -> Gap | None:
    """The gap that a log begins with, in a store that was made of a backup.

    A log of the same name may have been begun after the backup and lost with the restore:
    cursors of it must not come to fit other events.

    Args:
        floor: The store's last restore; None if there was none.
    """
    return None if floor is None else Gap(0, sequence_after_restore(0, floor))
