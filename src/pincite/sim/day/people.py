"""The people of the support day: they open an article and save it at once."""

from collections.abc import Iterable, Iterator

from pincite.domain.edits import Context, Create, Edit, Publish, Withdraw, Write
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, InvalidInputError
from pincite.service.knowledge_base import Service
from pincite.sim.day import wording
from pincite.sim.day.oracle import Truth
from pincite.sim.day.world import Change, Save


class People:
    """Write in one knowledge base, and tell the truth about it."""

    def __init__(
        self,
        service: Service,
        knowledge_base_id: KnowledgeBaseId,
        truth: Truth,
        references: Iterator[int],
    ) -> None:
        self._service = service
        self._knowledge_base_id = knowledge_base_id
        self._truth = truth
        self._credential = LocalUser("people")
        self._context = Context(client="pincite simulate")
        self._references = references
        self._withdrawn: dict[ArticleId, tuple[Stamp | None, Text]] = {}

    def publish(self, articles: Iterable[Text]) -> int:
        """Makes the knowledge base, and publishes its articles in this order; returns how many."""
        kb = self._knowledge_base_id
        if not self._service.create_knowledge_base(self._credential, kb, "A support day", "en"):
            raise InvalidInputError(
                f"This database holds a knowledge base {kb} already; take another.",
                field="db",
                limit="a database in which no day was played",
            )
        count = 0
        for number, text in enumerate(articles):
            self._save(article_id_of(number), Create(text, publish=True), text)
            count += 1
        return count

    def republish(self) -> int:
        """Publishes again what was withdrawn, as it was; returns how many articles."""
        count = len(self._withdrawn)
        for article_id, (stamp, text) in self._withdrawn.items():
            self._save(article_id, Publish(stamp, draft=None), text)
        self._withdrawn.clear()
        return count

    def save(self, save: Save) -> bool:
        """Saves what somebody wants saved; False if the article was withdrawn before."""
        article_id = article_id_of(save.article)
        try:
            read = self._service.read(self._credential, self._knowledge_base_id, article_id)
        except GoneError:
            return False
        if save.change is Change.WITHDRAWAL:
            stamp = self._write(article_id, Withdraw(read.updated_at))
            self._withdrawn[article_id] = stamp, read.text
            self._truth.withdrawn(article_id)
            return True
        text = Text(
            wording.retitled(read.text.title) if save.change is Change.TITLE else read.text.title,
            wording.reworded(read.text.content, save.passage, next(self._references)),
        )
        self._save(article_id, Edit(read.updated_at, text.content, text.title), text)
        return True

    def _save(self, article_id: ArticleId, write: Write, text: Text) -> None:
        self._truth.saved(article_id, text, str(self._write(article_id, write)))

    def _write(self, article_id: ArticleId, write: Write) -> Stamp | None:
        kb = self._knowledge_base_id
        saved = self._service.write(self._credential, kb, article_id, write, self._context)
        return saved.receipt.updated_at


def article_id_of(article: int) -> ArticleId:
    """The id of the article at a place by popularity, from 0."""
    return ArticleId(f"article-{article + 1}")
