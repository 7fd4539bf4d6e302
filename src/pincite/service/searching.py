"""Searches the published articles of a knowledge base."""

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.texts import checked_query
from pincite.errors import InvalidInputError
from pincite.ports import SearchHit
from pincite.service.access import Access
from pincite.service.environment import Environment

SEARCH_LIMIT = 20


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Hits, best first, and the log's end in the same snapshot."""

    hits: Sequence[SearchHit]
    latest_sequence: int


class Searching:
    """Answers queries."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._store = environment.store
        self._access = access

    def search(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, query: str, limit: int
    ) -> SearchResults:
        """Finds published articles, best first; see :meth:`Service.search`."""
        checked_query(query)
        if not 1 <= limit <= SEARCH_LIMIT:
            raise InvalidInputError(
                f"limit must be 1–{SEARCH_LIMIT}.", field="limit", limit=f"1–{SEARCH_LIMIT}"
            )
        with self._store.view() as view:
            _, found = self._access.knowledge_base(
                view, credential, knowledge_base_id, Grant.READ, "search"
            )
            return SearchResults(
                view.search(knowledge_base_id, query, limit), found.latest_sequence
            )
