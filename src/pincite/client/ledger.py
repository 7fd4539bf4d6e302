"""An agent's ledger: what it answered, what that rests on, and what became of it.

A check costs one poll for each knowledge base, however much was cited, and then a look at
the cited articles that changed. It works with any server that offers the four core tools:
each quote is kept with its surroundings, so that it can be judged without the version cited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from pincite.client.calls import ArticleRead, Followed, Steps, ToolCall, end_of, follow, read
from pincite.client.records import Kept, KeptAnswer, Records
from pincite.domain.answers import CITATION_LIMIT
from pincite.domain.citations import (
    Citation,
    Gone,
    PresentState,
    Published,
    Unknown,
    Verdict,
    anchored,
    judge_moved,
)
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Anchor, Folded, Quote, bare_anchor, find_anchor
from pincite.errors import CursorAheadError, CursorExpiredError, GoneError, NotFoundError
from pincite.wire.answer_tools import CHECK
from pincite.wire.citations import citation_object


@dataclass(frozen=True, slots=True)
class Rest:
    """One thing that an answer rests on: an article as it was read, and the words used."""

    read: ArticleRead
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A citation whose verdict moved at a check."""

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
        cited = [(_citation(rest), _anchors(rest)) for rest in rests]
        number = self._records.add(question, text, cited)
        for rest in rests:
            kb, sequence = rest.read.citation.knowledge_base_id, rest.read.latest_sequence
            if kb not in cursors:
                self._records.begin(kb, sequence)
            elif sequence is None or sequence < (cursors[kb] or 0):
                # The events since that read were seen when this was not yet cited.
                self._records.doubt(rest.read.citation)
        return number

    def check(self, tools: frozenset[str] = frozenset()) -> Steps[Sequence[Change]]:
        """Brings every verdict up to date.

        Args:
            tools: What the server offers; with ``check_citations`` among them, changed
                articles are judged there and not read.

        Returns:
            The citations whose verdict moved.
        """
        changes: list[Change] = []
        for kb, cursor in self._records.cursors():
            changes += yield from self._check(kb, cursor, by_server=CHECK.name in tools)
        return changes

    def list_stale(self) -> Sequence[KeptAnswer]:
        """Answers that were no longer current at the last check."""
        return self._records.list_stale()

    def count(self) -> tuple[int, int]:
        """How many answers there are, and how many different citations."""
        return self._records.count()

    def _check(
        self, kb: KnowledgeBaseId, cursor: int | None, *, by_server: bool
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
        settled = yield from _judged(list(dict.fromkeys(kept)), gone, by_server=by_server)
        self._records.settle(kb, end, [(one.number, verdict) for one, verdict in settled])
        return [
            Change(one.citation, one.verdict, verdict)
            for one, verdict in settled
            if verdict is not one.verdict
        ]


def _followed(kb: KnowledgeBaseId, cursor: int | None) -> Steps[Followed | None]:
    """What happened behind the cursor; None if that cannot be known any more."""
    if cursor is None:
        return None
    try:
        return (yield from follow(kb, cursor))
    except (CursorExpiredError, CursorAheadError):
        return None


def _judged(
    kept: Sequence[Kept], gone: set[ArticleId], *, by_server: bool
) -> Steps[Sequence[tuple[Kept, Verdict]]]:
    settled = [(one, Verdict.GONE) for one in kept if one.citation.article_id in gone]
    rest = [one for one in kept if one.citation.article_id not in gone]
    if by_server:
        settled += yield from _judged_there(rest)
        return settled
    present: dict[ArticleId, PresentState] = {}
    for one in rest:
        name = one.citation.article_id
        if name not in present:
            present[name] = yield from _present(one.citation)
        settled.append((one, _verdict(one, present[name])))
    return settled


def _judged_there(kept: Sequence[Kept]) -> Steps[Sequence[tuple[Kept, Verdict]]]:
    settled: list[tuple[Kept, Verdict]] = []
    for begin in range(0, len(kept), CITATION_LIMIT):
        some = kept[begin : begin + CITATION_LIMIT]
        citations = [citation_object(one.citation) for one in some]
        reply = yield ToolCall(CHECK.name, {"citations": citations})
        results: Sequence[Mapping[str, Any]] = reply["results"]
        settled += [
            (one, Verdict(result["verdict"])) for one, result in zip(some, results, strict=True)
        ]
    return settled


def _present(citation: Citation) -> Steps[PresentState]:
    try:
        found = yield from read(citation.knowledge_base_id, citation.article_id)
    except GoneError:
        return Gone()
    except NotFoundError:
        return Unknown()
    return Published(Folded.of(found.content), found.citation.updated_at)


def _verdict(kept: Kept, present: PresentState) -> Verdict:
    """The same order of verdicts as the server's, on what the ledger keeps of the version cited."""
    match present:
        case Unknown():
            return Verdict.UNFOUNDED
        case Gone():
            return Verdict.GONE
        case Published(_, updated_at):
            if kept.anchors is None:
                return Verdict.UNFOUNDED
            if updated_at == kept.citation.updated_at:
                return Verdict.CURRENT
            return judge_moved(kept.anchors, present, version_kept=True, explain=False).verdict


def _citation(rest: Rest) -> Citation:
    pinned = rest.read.citation
    return Citation(pinned.knowledge_base_id, pinned.article_id, pinned.updated_at, rest.quotes)


def _anchors(rest: Rest) -> Sequence[Anchor] | None:
    text = Folded.of(rest.read.content)
    if rest.read.complete:
        return anchored(rest.quotes, text)
    # Of a part one cannot say that a quote does not stand elsewhere in the article.
    return [find_anchor(quote, text) or bare_anchor(quote) for quote in rest.quotes]
