"""The truth about a support day, kept by those who write and never asked of the product."""

from dataclasses import dataclass

from pincite.domain.texts import Text


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """One citation that an agent gave.

    Attributes:
        answer: The number of the question that it answers.
        updated_at: The stamp, as it was read.
        title: The title, as it was read.
        quote: The paragraph that the answer rests on.
    """

    answer: int
    article_id: str
    updated_at: str
    title: str
    quote: str

    @property
    def version(self) -> tuple[str, str]:
        """The article and the stamp: what the published study counts once."""
        return self.article_id, self.updated_at


class Truth:
    """What every article says now.

    Attributes:
        articles: The published articles' texts, by id.
    """

    def __init__(self) -> None:
        self.articles: dict[str, Text] = {}
        self._stamps: dict[str, str] = {}
        self._titles: dict[str, str] = {}

    def saved(self, article_id: str, text: Text, updated_at: str) -> None:
        """Takes note of a text that was saved, and of the stamp that it got."""
        self._forget_title(article_id)
        self.articles[article_id], self._stamps[article_id] = text, updated_at
        self._titles[text.title] = article_id

    def withdrawn(self, article_id: str) -> None:
        """Takes note that an article is no longer published."""
        self._forget_title(article_id)
        del self.articles[article_id], self._stamps[article_id]

    def verdict(self, cited: CitedPassage) -> str:
        """How a citation fares: ``gone``, ``current``, ``intact`` or ``changed``."""
        text = self.articles.get(cited.article_id)
        if text is None:
            return "gone"
        if self._stamps[cited.article_id] == cited.updated_at:
            return "current"
        # No two paragraphs of an article are ever alike, so that standing somewhere is enough.
        return "intact" if cited.quote in text.content else "changed"

    def title_stands(self, cited: CitedPassage) -> bool:
        """Whether the article still has the title under which it was cited."""
        return self._titles.get(cited.title) == cited.article_id

    def _forget_title(self, article_id: str) -> None:
        if article_id in self.articles:
            del self._titles[self.articles[article_id].title]
