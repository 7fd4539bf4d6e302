"""Everything that a store answers, to tell whether anything changed."""

from collections.abc import Sequence

from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import KnowledgeBaseId
from pincite.ports import ReadView, Store

Facts = Sequence[object]


def dump(store: Store, words: Sequence[str] = ("text", "title")) -> Facts:
    """What can be read of every knowledge base, and of sessions and keys that tests use.

    Args:
        store: Any store.
        words: Searched for, to see the search entries.
    """
    facts: list[object] = []
    with store.view() as view:
        for knowledge_base in view.list_knowledge_bases():
            facts.append(knowledge_base)
            facts += _articles(view, knowledge_base.knowledge_base_id)
            facts += _log(view, Resource.of(knowledge_base.knowledge_base_id))
            facts += view.list_imports(knowledge_base.knowledge_base_id)
        facts += _log(view, Resource(ResourceType.SESSION, "session-1"))
        facts += view.list_tokens()
        facts.append(view.stamp_floor())
    return facts


def _articles(view: ReadView, knowledge_base_id: KnowledgeBaseId) -> Facts:
    facts: list[object] = []
    for summary in view.list_articles(knowledge_base_id, limit=1000):
        facts += [summary, view.find_article(knowledge_base_id, summary.article_id)]
        facts += view.list_revisions(knowledge_base_id, summary.article_id)
    return facts


def _log(view: ReadView, resource: Resource) -> Facts:
    return [view.list_events(resource, 0, 1000)]
