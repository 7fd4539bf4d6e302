"""Everything that a store answers, to tell whether anything changed."""

import re
from collections.abc import Iterator, Sequence

from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import KnowledgeBaseId
from pincite.ports import ReadView, Store
from tests.storage.writing import ANNA, BEN

REFUSED = "refused"
"""The key under which tests send what must be refused."""

SESSION = "session-1"
"""The session that tests name."""

KEYS = [REFUSED, *(f"{principal}-{n}" for principal in (ANNA, BEN) for n in range(1, 10))]
OTHERS = [
    Resource(ResourceType.SESSION, SESSION),
    Resource(ResourceType.CHANNEL, "support"),
    Resource(ResourceType.NOTE, "n-1"),
    Resource(ResourceType.RECORD, "r-1"),
]


def dump(store: Store) -> Sequence[object]:
    """All that can be read in one view, beside what the tests' keys earned.

    Each word of each text is searched for, so that the search entries are seen too.
    """
    with store.view() as view:
        bases = view.list_knowledge_bases()
        facts: list[object] = [*bases, *view.list_tokens(), view.stamp_floor()]
        for base in bases:
            facts += _knowledge_base(view, base.knowledge_base_id)
        for resource in OTHERS:
            facts += _log(view, resource)
    return facts


def _knowledge_base(view: ReadView, knowledge_base_id: KnowledgeBaseId) -> Iterator[object]:
    words: set[str] = set()
    for summary in view.list_articles(knowledge_base_id, limit=1000):
        article = view.find_article(knowledge_base_id, summary.article_id)
        revisions = view.list_revisions(knowledge_base_id, summary.article_id)
        yield from (summary, article, *revisions)
        words.update(re.findall(r"\w+", repr((article, revisions))))
    for word in sorted(words):
        yield word, [hit.article_id for hit in view.search(knowledge_base_id, word, 100)]
    yield from _log(view, Resource.of(knowledge_base_id))
    yield from view.list_imports(knowledge_base_id)


def _log(view: ReadView, resource: Resource) -> Iterator[object]:
    yield view.list_events(resource, 0, 1000)
    for principal in (ANNA, BEN):
        for key in KEYS:
            yield view.find_receipt(resource, principal, key)
            yield view.find_appended(resource, principal, key)
