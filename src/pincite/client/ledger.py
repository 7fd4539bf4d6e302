"""An agent's ledger: what it answered, what that rests on, and what became of it.

A check costs one poll for each knowledge base, however much was cited, and then a look at
the cited articles that changed; see ``judging``. It works with any server that offers the four
core tools: each quote is kept with its surroundings, so that it can be judged without the
version cited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pincite.client.calls import ArticleRead, Followed, Steps, end_of, follow
from pincite.client.judging import by_either, by_reading
from pincite.client.records import KeptAnswer, Pinned, Records
from pincite.domain.citations import Citation, Verdict, anchored
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Folded, Quote, bare_anchor, find_anchor
from pincite.errors import CursorAheadError, CursorExpiredError
from pincite.wire.answer_tools import CHECK


@dataclass(frozen=True, slots=True)
class Rest:
    """One thing that an answer rests on: an article as it was read, and the words used."""

    read: ArticleRead
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A citation whose verdict moved at a check.

    Attributes:
        before: None if it was recorded later than its events were seen, and not judged since.
    """

    citation: Citation
    before: Verdict | None
    after: Verdict


class Ledger:
    """One ledger in one file; used by one thread at a time, and closed by ``with``.

    Args:
        file: Made if it is not there.
    """

    def __init__(self, file: Path) -> None:
        self._records = Records(file)

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._records.close()

    def record(self, question: str, text: str, rests: Sequence[Rest]) -> int:
        """Keeps an answer with what it rests on; returns its number.

        A quote that does not stand in what was read makes its citation ``unfounded`` at once.
        """
        cursors = dict(self._records.cursors())
        number = self._records.add(question, text, [_pinned(rest, cursors) for rest in rests])
        for rest in rests:
            self._records.begin(rest.read.citation.knowledge_base_id, rest.read.latest_sequence)
        return number

    def check(self, tools: frozenset[str] = frozenset()) -> Steps[Sequence[Change]]:
        """Brings every verdict up to date.

        Args:
            tools: What the server offers; with ``check_citations`` among them, only changed
                articles that much is cited of are read.

        Returns:
            The citations whose verdict moved.
        """
        changes: list[Change] = []
        for kb, cursor in self._records.cursors():
            changes += yield from self._check(kb, cursor, can_ask=CHECK.name in tools)
        return changes

    def list_stale(self) -> Sequence[KeptAnswer]:
        """Answers that were no longer current at the last check."""
        return self._records.list_stale()

    def count(self) -> tuple[int, int]:
        """How many answers there are, and how many different citations."""
        return self._records.count()

    def _check(
        self, kb: KnowledgeBaseId, cursor: int | None, *, can_ask: bool
    ) -> Steps[Sequence[Change]]:
        gone: set[ArticleId] = set()
        followed = yield from _followed(kb, cursor)
        if followed is None:
            # Everything is looked at from here on, so the log's end of before that is safe.
            end = yield from end_of(kb)
            kept = self._records.list_cited(kb)
        else:
            end = followed.cursor
            last = {change.article_id: change for change in followed.changes}
            gone = {name for name, change in last.items() if change.takes_away}
            kept = [*self._records.list_cited(kb, last), *self._records.list_unjudged(kb)]
        kept = list({one.number: one for one in kept}.values())
        settled = [(one, Verdict.GONE) for one in kept if one.citation.article_id in gone]
        rest = [one for one in kept if one.citation.article_id not in gone]
        if can_ask:
            settled += yield from by_either(rest, followed=followed is not None)
        else:
            settled += yield from by_reading(rest)
        self._records.settle(kb, end, [(one.number, verdict) for one, verdict in settled])
        return [
            Change(one.citation, one.verdict, verdict)
            for one, verdict in settled
            if verdict is not (one.verdict or Verdict.CURRENT)
        ]


def _followed(kb: KnowledgeBaseId, cursor: int | None) -> Steps[Followed | None]:
    """What happened behind the cursor; None if that cannot be known any more."""
    if cursor is None:
        return None
    try:
        followed = yield from follow(kb, cursor)
    except (CursorExpiredError, CursorAheadError):
        return None
    # No event tells which of the versions cited a restore has lost.
    return None if followed.restored else followed


def _pinned(rest: Rest, cursors: Mapping[KnowledgeBaseId, int | None]) -> Pinned:
    read = rest.read.citation
    kb, sequence = read.knowledge_base_id, rest.read.latest_sequence
    # The events since that read were seen when this was not yet cited.
    late = kb in cursors and (sequence is None or sequence < (cursors[kb] or 0))
    citation = Citation(kb, read.article_id, read.updated_at, rest.quotes)
    text = Folded.of(rest.read.content)
    if rest.read.complete:
        size = len(rest.read.content.encode("utf-8", "surrogatepass"))
        return Pinned(citation, anchored(rest.quotes, text), size, late)
    # Of a part one cannot say that a quote does not stand elsewhere in the article.
    anchors = [find_anchor(quote, text) or bare_anchor(quote) for quote in rest.quotes]
    return Pinned(citation, anchors, None, late)
