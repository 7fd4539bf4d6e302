"""Those who wrote a history: they save each publication of it, article by article."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pincite.domain.articles import State
from pincite.domain.edits import Context, Create, Edit, Publish, SaveDraft, Status, Withdraw, Write
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import CONTENT_LIMIT, TITLE_LIMIT, Text, check_size, checked_content
from pincite.errors import InvalidInputError, TooLargeError
from pincite.importers.front_matter import split
from pincite.importers.markdown import title_in
from pincite.service.knowledge_base import Service
from pincite.sim.clock import HOUR
from pincite.sim.errors import DisagreementError
from pincite.sim.history.git import Publication
from pincite.sim.history.lineage import Step, Steps

_CONTEXT: Final = Context(client="pincite replay")


@dataclass(slots=True)
class Tally:
    """What a history came to.

    Attributes:
        changes: Files that publications touched.
        saved: Of them, new texts of published articles.
        front_matter_only: Saves in which nothing moved that an agent can see.
        without_text: Files that hold no text, or none that can be read; they are withdrawn.
        replaced: Saves that replaced a text of which somebody else may have been thinking.
        meetings: Of the replaced, those within an hour after another author's save.
        events: What the log holds.
        largest: The most events of one publication.
    """

    publications: int = 0
    changes: int = 0
    created: int = 0
    saved: int = 0
    withdrawn: int = 0
    republished: int = 0
    front_matter_only: int = 0
    without_text: int = 0
    replaced: int = 0
    meetings: int = 0
    events: int = 0
    largest: int = 0


@dataclass(slots=True)
class Article:
    """An article as its editors know it.

    Attributes:
        commit: Where the file at ``path`` says what the article says.
        updated_at: The stamp that was given last.
        author: Who saved it last.
        at: When, in milliseconds.
    """

    path: str
    commit: str
    state: State
    updated_at: Stamp
    author: str
    at: int


@dataclass(slots=True)
class Editors:
    """Write a history into one knowledge base.

    Attributes:
        text_of: The bytes of a file's text, by its id.
        articles: Every article so far.
    """

    service: Service
    knowledge_base_id: KnowledgeBaseId
    text_of: Callable[[str], bytes]
    articles: dict[ArticleId, Article] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    _authors: dict[str, LocalUser] = field(default_factory=dict)

    def save(self, steps: Steps) -> int:
        """Saves one publication; returns how many events that is."""
        before = self.tally.events
        for step in steps.steps:
            self._save(steps.publication, step)
        events = self.tally.events - before
        self.tally.publications += 1
        self.tally.changes += len(steps.steps)
        self.tally.largest = max(self.tally.largest, events)
        return events

    def published(self) -> list[ArticleId]:
        """The articles that agents see, in the order in which they first appeared."""
        return [key for key, one in self.articles.items() if one.state is State.PUBLISHED]

    def _save(self, publication: Publication, step: Step) -> None:
        text = None if step.blob is None else readable(step.path, self.text_of(step.blob))
        self.tally.without_text += text is None and step.blob is not None
        present = self.articles.get(step.article_id)
        if text is None:
            if present and present.state is State.PUBLISHED:
                self._withdraw(publication, step.article_id, present)
        elif present is None:
            self._create(publication, step, text)
        elif present.state is State.PUBLISHED:
            self._edit(publication, step, present, text)
        else:
            self._republish(publication, step, present, text)

    def _create(self, publication: Publication, step: Step, text: Text) -> None:
        stamp, _ = self._write(publication, step.article_id, Create(text, publish=True))
        self.articles[step.article_id] = Article(
            step.path,
            publication.commit,
            State.PUBLISHED,
            stamp,
            publication.author,
            publication.at.milliseconds,
        )
        self.tally.created += 1

    def _edit(self, publication: Publication, step: Step, present: Article, text: Text) -> None:
        write = Edit(present.updated_at, text.content, text.title)
        stamp, status = self._write(publication, step.article_id, write)
        if status is Status.UNCHANGED:
            self.tally.front_matter_only += 1
            present.path, present.commit = step.path, publication.commit
            return
        self.tally.saved += 1
        self.tally.replaced += 1
        soon = publication.at.milliseconds - present.at <= HOUR
        self.tally.meetings += soon and present.author != publication.author
        self._note(publication, step, present, stamp)

    def _republish(
        self, publication: Publication, step: Step, present: Article, text: Text
    ) -> None:
        author, place = self._author(publication), (self.knowledge_base_id, step.article_id)
        self.service.write(author, *place, SaveDraft(None, present.updated_at, text), _CONTEXT)
        draft = self.service.get_article(author, *place).draft
        publish = Publish(present.updated_at, draft.updated_at if draft else None)
        stamp, _ = self._write(publication, step.article_id, publish)
        self.tally.republished += 1
        self._note(publication, step, present, stamp)
        present.state = State.PUBLISHED

    def _withdraw(self, publication: Publication, article_id: ArticleId, present: Article) -> None:
        stamp, _ = self._write(publication, article_id, Withdraw(present.updated_at))
        self.tally.withdrawn += 1
        present.state, present.updated_at = State.WITHDRAWN, stamp

    def _note(self, publication: Publication, step: Step, present: Article, stamp: Stamp) -> None:
        present.path, present.commit = step.path, publication.commit
        present.updated_at = stamp
        present.author, present.at = publication.author, publication.at.milliseconds

    def _write(
        self, publication: Publication, article_id: ArticleId, write: Write
    ) -> tuple[Stamp, Status]:
        author, kb = self._author(publication), self.knowledge_base_id
        receipt = self.service.write(author, kb, article_id, write, _CONTEXT).receipt
        self.tally.events += receipt.status is not Status.UNCHANGED
        if receipt.updated_at is None:
            raise DisagreementError(f"a write of {article_id} got no stamp")
        return receipt.updated_at, receipt.status

    def _author(self, publication: Publication) -> LocalUser:
        """A user for each author; what the history calls them is of no concern here."""
        number = len(self._authors) + 1
        return self._authors.setdefault(publication.author, LocalUser(f"author-{number}"))


def readable(path: str, data: bytes) -> Text | None:
    """A file's title and content, its front matter apart; None if nobody could read it."""
    try:
        front, content = split(data.decode())
        check_size(checked_content(content), CONTENT_LIMIT)
    except (UnicodeDecodeError, InvalidInputError, TooLargeError):
        return None
    title = front.text("title") or title_in("", content) or PurePosixPath(path).stem
    return Text(title[:TITLE_LIMIT], content)
