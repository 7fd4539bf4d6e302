"""Exports a knowledge base's texts with the front matter that they were imported with."""

from collections.abc import Iterator

from pincite.domain.articles import Article, ImportRecord, State
from pincite.domain.documents import ExportedArticle
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.imports import in_force
from pincite.domain.texts import Text
from pincite.ports import ReadView
from pincite.service.access import Access
from pincite.service.environment import Environment

_PAGE = 500


class Exporting:
    """Gives texts away."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._store = environment.store
        self._access = access

    def export_articles(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId
    ) -> Iterator[ExportedArticle]:
        """Every text that the caller may read, by id; see ``Service``."""
        with self._store.view() as view:
            caller, _ = self._access.knowledge_base(
                view, credential, knowledge_base_id, Grant.READ, "export"
            )
            drafts = self._access.may(caller, knowledge_base_id, Grant.EDIT)
            records = in_force(view.list_imports(knowledge_base_id))
            by_id = {record.article_id: record for record in records}
            for article in _articles(view, knowledge_base_id):
                record = by_id.get(article.article_id)
                published = article.state is State.PUBLISHED
                if published and article.text:
                    yield _exported(article, article.text, record)
                if drafts and article.draft:
                    yield _exported(article, article.draft.text, record, draft=True)


def _articles(view: ReadView, knowledge_base_id: KnowledgeBaseId) -> Iterator[Article]:
    after: ArticleId | None = None
    while page := view.list_articles(knowledge_base_id, after=after, limit=_PAGE):
        for summary in page:
            article = view.find_article(knowledge_base_id, summary.article_id)
            if article:
                yield article
        after = page[-1].article_id


def _exported(
    article: Article, text: Text, record: ImportRecord | None, *, draft: bool = False
) -> ExportedArticle:
    return ExportedArticle(
        article_id=article.article_id,
        path=record.path if record else None,
        title=text.title,
        file_title=record.title if record else None,
        front_matter=record.front_matter if record else "",
        content=text.content,
        published=article.state is State.PUBLISHED,
        draft=draft,
    )
