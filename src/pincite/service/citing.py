"""Checks citations: one verdict each, all in one snapshot."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.domain.answers import check_citations
from pincite.domain.articles import State
from pincite.domain.citations import (
    Citation,
    CitedVersion,
    Gone,
    Judgement,
    NotKept,
    PresentState,
    Published,
    Reason,
    Unknown,
    judge,
)
from pincite.domain.events import Resource
from pincite.domain.grants import Caller, Credential
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Folded
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.ports import ReadView
from pincite.service.access import Access
from pincite.service.environment import Environment

NEAREST_LIMIT = 8 * 1024 * 1024
"""How many characters one call looks through for the nearest text of quotes that stand no more.

Verdicts take a fraction of that time. 200 quotes in texts of 1 MiB would take a minute.
"""


SEARCH_LIMIT = 256 * 1024 * 1024
"""How many characters one call looks through for quotes, in versions cited and present ones.

That takes a second, or several where a text was made to be searched slowly. 4,000 quotes in
articles of 32 KiB are within it, and so is a single citation whatever it cites.
"""

_UNREAD = Folded("", (), ())
"""Stands for a text in which no quote is looked for."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Judgements in the order asked, and the ends of the logs in the same snapshot."""

    judgements: tuple[tuple[Citation, Judgement], ...]
    latest_sequences: Mapping[KnowledgeBaseId, int]


@dataclass(slots=True)
class Versions:
    """What one snapshot knows of the versions cited; each is looked up and folded once."""

    view: ReadView
    _cited: dict[tuple[KnowledgeBaseId, ArticleId, Stamp, bool], CitedVersion] = field(
        default_factory=dict
    )
    _present: dict[tuple[KnowledgeBaseId, ArticleId, bool], PresentState] = field(
        default_factory=dict
    )

    def cited(self, citation: Citation) -> CitedVersion:
        """The version under a citation's stamp."""
        place = (citation.knowledge_base_id, citation.article_id, citation.updated_at)
        key = (*place, bool(citation.quotes))
        if key not in self._cited:
            present = self.present(citation)
            # The version cited is most often the one that stands, and need not be folded twice.
            if isinstance(present, Published) and present.updated_at == citation.updated_at:
                self._cited[key] = present.text
            else:
                self._cited[key] = self._find_cited(*place, quoted=key[-1])
        return self._cited[key]

    def present(self, citation: Citation) -> PresentState:
        """The article that a citation names, as it stands."""
        place = (citation.knowledge_base_id, citation.article_id)
        key = (*place, bool(citation.quotes))
        if key not in self._present:
            self._present[key] = self._find_present(*place, quoted=key[-1])
        return self._present[key]

    def judge(self, citation: Citation, *, explain: bool) -> Judgement:
        """The verdict in this snapshot; ``explain`` also looks for nearest texts."""
        return judge(citation, self.cited(citation), self.present(citation), explain=explain)

    def search_size(self, citation: Citation) -> int:
        """How many characters are looked through for a citation's quotes."""
        cited, present = self.cited(citation), self.present(citation)
        size = len(cited.text) if isinstance(cited, Folded) else 0
        if isinstance(present, Published) and present.updated_at != citation.updated_at:
            size += len(present.text.text)
        return size * len(citation.quotes)

    def text_at(self, kb: KnowledgeBaseId, article: ArticleId, stamp: Stamp) -> Folded | None:
        """A kept version's text; None if there was none or it is not kept."""
        revision = self.view.find_revision(kb, article, stamp)
        if revision is None:
            return None
        passages = self.view.list_passages(kb, article, stamp)
        return Folded.of(revision.text.content, passages)

    def _find_cited(
        self, kb: KnowledgeBaseId, article: ArticleId, stamp: Stamp, *, quoted: bool
    ) -> CitedVersion:
        if quoted:
            text = self.text_at(kb, article, stamp)
        else:
            text = _UNREAD if self.view.find_revision(kb, article, stamp) else None
        if text is not None:
            return text
        return NotKept() if self.view.had_stamp(kb, article, stamp) else Unknown()

    def _find_present(
        self, kb: KnowledgeBaseId, article_id: ArticleId, *, quoted: bool
    ) -> PresentState:
        article = self.view.find_article(kb, article_id)
        if article is None or article.updated_at is None:
            return Unknown()
        if article.state is not State.PUBLISHED or article.text is None:
            return Gone()
        if not quoted:
            return Published(_UNREAD, article.updated_at)
        passages = self.view.list_passages(kb, article_id, article.updated_at)
        return Published(Folded.of(article.text.content, passages), article.updated_at)


class Citing:
    """Judges citations for whoever may read what they cite."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._store = environment.store
        self._access = access

    def check(self, credential: Credential, citations: Sequence[Citation]) -> Checked:
        """One verdict for each citation; see :meth:`Service.check_citations`."""
        check_citations(citations)
        with self._store.view() as view:
            caller = self._access.caller(view, credential)
            heads = {
                kb: readable_head(view, caller, kb)
                for kb in dict.fromkeys(citation.knowledge_base_id for citation in citations)
            }
            readable = {kb for kb, head in heads.items() if head is not None}
            versions = Versions(view)
            refuse_too_much(versions, citations, readable)
            judgements = tuple(_judged(versions, citations, readable))
        return Checked(judgements, {kb: head for kb, head in heads.items() if head is not None})


def refuse_too_much(
    versions: Versions, citations: Sequence[Citation], readable: Collection[KnowledgeBaseId]
) -> None:
    """Refuses citations whose quotes take more looking through than one call may.

    Raises:
        InvalidInputError: Telling how many of them can be checked in one call.
    """
    searched = 0
    for number, citation in enumerate(citations):
        if citation.knowledge_base_id in readable:
            searched += versions.search_size(citation)
        if searched > SEARCH_LIMIT and number > 0:
            raise InvalidInputError(
                "The quotes of these citations stand in too much text to be checked at once; "
                f"the first {number} can be. Send fewer at a time.",
                field="citations",
                limit=f"{SEARCH_LIMIT:,} characters to look through",
            )


def _judged(
    versions: Versions, citations: Sequence[Citation], readable: Collection[KnowledgeBaseId]
) -> Iterator[tuple[Citation, Judgement]]:
    left = NEAREST_LIMIT
    for citation in citations:
        if citation.knowledge_base_id not in readable:
            yield citation, judge(citation, Unknown(), Unknown())
            continue
        judgement = versions.judge(citation, explain=left > 0)
        present = versions.present(citation)
        if judgement.reason is Reason.ABSENT and isinstance(present, Published):
            left -= len(present.text.text)
        yield citation, judgement


def readable_head(view: ReadView, caller: Caller, kb: KnowledgeBaseId) -> int | None:
    """The end of a knowledge base's log; None if there is none or none that is granted."""
    found = view.find_knowledge_base(kb)
    granted = caller.grant_on(Resource.of(kb)) is not None
    return found.latest_sequence if found and granted else None
