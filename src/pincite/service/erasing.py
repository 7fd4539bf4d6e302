"""Removes an article's text for good."""

from pincite.domain.articles import State
from pincite.domain.edits import Context, Delete
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import NotFoundError
from pincite.service.access import Access
from pincite.service.editing import Editing
from pincite.service.environment import Environment


class Erasing:
    """Erases what must not be kept."""

    def __init__(self, environment: Environment, access: Access, editing: Editing) -> None:
        self._environment = environment
        self._access = access
        self._editing = editing

    def erase(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> None:
        """Deletes the article if need be, then drops every text that it had."""
        with self._environment.store.view() as view:
            self._access.knowledge_base(view, credential, knowledge_base_id, Grant.ADMIN, "erase")
            article = view.find_article(knowledge_base_id, article_id)
            now = self._environment.now(view)
        if article is None:
            raise NotFoundError("There is no such article.")
        if article.state is not State.DELETED:
            write = Delete(article.updated_at)
            self._editing.write(credential, knowledge_base_id, article_id, write, Context())
        self._environment.store.upkeep.erase(knowledge_base_id, article_id, now)
