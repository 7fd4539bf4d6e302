"""What a search index that is not in the store is made of: the store, as one snapshot has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.passages import Passage


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a knowledge base's log has come, and what of it is kept.

    Attributes:
        erasures: How many texts were ever erased from the knowledge base.
    """

    language: str
    epoch: str
    latest: int
    compacted_through: int
    erasures: int


@dataclass(frozen=True, slots=True)
class Present:
    """An article as a snapshot has it; without a text unless it is published.

    Attributes:
        sequence: The last of the events asked for that changed it; 0 if none was asked for.
        number: The article's in its knowledge base.
        revision: The stamp of its text, in milliseconds.
    """

    sequence: int
    number: int
    revision: int | None
    title: str
    content: str
    passages: tuple[Passage, ...]


class Source(Protocol):
    """One knowledge base in one snapshot of the store that is followed."""

    @property
    def knowledge_base_id(self) -> KnowledgeBaseId:
        """Whose articles are indexed."""

    @property
    def extent(self) -> Extent:
        """How far its log has come."""

    def list_changed(self, after: int, limit: int) -> Sequence[Present]:
        """What became of the articles that the next ``limit`` events are about."""

    def list_published(self, after: int, limit: int) -> Sequence[Present]:
        """Published articles by number, from behind ``after``."""

    def list_numbered(self, numbers: Sequence[int]) -> Sequence[Present]:
        """The articles with these numbers, as far as they are there."""
