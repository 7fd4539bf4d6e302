"""What a view works with: who looks, and what they asked for."""

from collections.abc import Mapping
from dataclasses import dataclass

from pincite.domain.grants import Credential
from pincite.domain.ids import ArticleId, KnowledgeBaseId, parse_article_id, parse_knowledge_base_id
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError, NotFoundError
from pincite.service.knowledge_base import Service
from pincite.web.pages import Shelf

_LONGEST_NUMBER = 18


@dataclass(frozen=True, slots=True)
class Asked:
    """A request's query or form, read as what it must be.

    Attributes:
        values: Its fields; the last one counts of those with one name.
        address: Where the reader finds the app, for addresses to copy; it ends in a slash.
    """

    values: Mapping[str, str]
    address: str

    @property
    def kb(self) -> KnowledgeBaseId:
        """The knowledge base's id."""
        return parse_knowledge_base_id(self.values.get("kb", ""), "kb")

    @property
    def article_id(self) -> ArticleId:
        """The article's id."""
        return parse_article_id(self.values.get("id", ""), "id")

    def text(self, name: str) -> str:
        """A field; empty where there is none."""
        return self.values.get(name, "")

    def find_stamp(self, name: str) -> Stamp | None:
        """A version stamp; None where there is none."""
        text = self.text(name)
        return Stamp.parse(text, name) if text else None

    def stamp(self, name: str) -> Stamp:
        """A version stamp that must be there."""
        return Stamp.parse(self.text(name), name)

    def number(self, name: str) -> int:
        """A whole number; 0 where there is none."""
        text = self.text(name) or "0"
        if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
            limit = "a whole number"
            raise InvalidInputError(f"{name} must be {limit}.", field=name, limit=limit)
        return int(text)


@dataclass(frozen=True, slots=True)
class Desk:
    """The service, for one reader."""

    service: Service
    credential: Credential

    def shelves(self) -> list[Shelf]:
        """Every knowledge base that the reader may see."""
        found = self.service.list_knowledge_bases(self.credential)
        return [Shelf(one.knowledge_base, one.grant) for one in found]

    def shelf(self, kb: KnowledgeBaseId) -> Shelf:
        """One of them.

        Raises:
            NotFoundError: There is none, or nothing is granted on it: the two look alike.
        """
        for shelf in self.shelves():
            if shelf.id == kb:
                return shelf
        raise NotFoundError("There is no such knowledge base.")
