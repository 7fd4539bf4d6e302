"""Replays a real history, and measures how fast citations of it go stale.

While the history is saved publication by publication, with the clock at each one's time, an
agent reads random articles at random times and cites a passage of each. A while later it asks
what became of the citation, and tries to save a change of that passage from the version that it
had read.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, count
from typing import Final, TypeAlias

from pincite.domain.citations import Citation, Verdict
from pincite.domain.edits import Edit
from pincite.domain.events import Resource
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId
from pincite.domain.passages import Passage, cut
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.errors import VersionConflictError
from pincite.service.knowledge_base import Service
from pincite.sim.chance import Chance
from pincite.sim.clock import DAY, HOUR, SimulatedClock
from pincite.sim.errors import DisagreementError
from pincite.sim.history.editors import Editors
from pincite.sim.history.lineage import Steps, saves_of
from pincite.sim.tools import Meter

HORIZONS: Final = (HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY)
SHORTEST: Final = 60
"""The shortest passage that is cited, in code points."""
_CONTEXT: Final = 32
_LONGEST: Final = 2000
_BATCH: Final = 200
_CITED_KINDS: Final = frozenset({"paragraph", "item"})


class Weighting(StrEnum):
    """Which articles are read."""

    UNIFORM = "uniform"
    """Each published article as likely."""
    EDITS = "by edits"
    """By how often an article is saved in the whole history: what moves is also what is read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One random read.

    Attributes:
        at: When, in milliseconds since 1970.
        commit: A publication in which the file at ``path`` says what was read.
        content: What was read.
        passage: What the citation rests on.
    """

    number: int
    weighting: Weighting
    at: int
    article_id: ArticleId
    commit: str
    path: str
    updated_at: Stamp
    content: str
    passage: Passage

    @property
    def quote(self) -> Quote:
        """The passage with what stands around it."""
        start, end = self.passage.start, min(self.passage.end, self.passage.start + _LONGEST)
        before, after = max(0, start - _CONTEXT), end + _CONTEXT
        return Quote(self.content[start:end], self.content[before:start], self.content[end:after])

    @property
    def edited(self) -> str:
        """The content with a change of the passage."""
        end = self.passage.end
        return f"{self.content[:end]} (An agent was here.){self.content[end:]}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a citation after a while.

    Attributes:
        merged: Whether a change of the passage came back merged; None if it was not refused.
    """

    reading: Reading
    horizon: int
    verdict: Verdict
    merged: bool | None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is read.

    Attributes:
        reads: For each weighting.
    """

    reads: int = 1000
    seed: int = 1
    horizons: Sequence[int] = HORIZONS
    weightings: Sequence[Weighting] = tuple(Weighting)


Due: TypeAlias = tuple[int, int, Weighting | tuple[Reading, int]]


@dataclass(slots=True)
class Replay:
    """Plays a history.

    Attributes:
        history: All of it, in order.
        findings: What was found so far.
        without_passage: Reads of articles that hold no passage worth a citation.
        pages: The most pages that the events of one publication took.
    """

    service: Service
    clock: SimulatedClock
    editors: Editors
    history: Sequence[Steps]
    sampling: Sampling
    meter: Meter
    findings: list[Finding] = field(default_factory=list)
    without_passage: int = 0
    pages: int = 0
    _due: list[Due] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)
    _saves: Mapping[ArticleId, int] = field(default_factory=dict)
    _chance: Chance = field(default_factory=Chance)
    _cursor: int = 0
    _agent: LocalUser = field(default_factory=lambda: LocalUser("agent"))

    def play(self) -> Iterator[int]:
        """Plays it; yields after each publication how many changes it had.

        Raises:
            DisagreementError: A page of the log lost, repeated or invented an event.
        """
        self._saves = saves_of(self.history)
        self._chance = Chance(self.sampling.seed, "reads")
        self._put_reads()
        for steps in self.history:
            self._catch_up(steps.publication.at.milliseconds)
            self.clock.put(steps.publication.at)
            with self.meter.measure("publications are saved") as cost:
                events = self.editors.save(steps)
                cost.calls += len(steps.steps)
            self._follow(events)
            yield len(steps.steps)
        self._catch_up(self.history[-1].publication.at.milliseconds + 1)

    def _put_reads(self) -> None:
        first, last = (self.history[end].publication.at.milliseconds for end in (0, -1))
        for weighting in self.sampling.weightings:
            for _ in range(self.sampling.reads):
                self._put(first + self._chance.below(last - first + 1), weighting)

    def _put(self, at: int, deed: Weighting | tuple[Reading, int]) -> None:
        heapq.heappush(self._due, (at, next(self._order), deed))

    def _catch_up(self, until: int) -> None:
        """Does all that is due before a time: nothing was saved since the last one."""
        checks = []
        with self.meter.measure("articles are read") as cost:
            while self._due and self._due[0][0] < until:
                at, _, deed = heapq.heappop(self._due)
                if isinstance(deed, Weighting):
                    self._read(at, deed)
                    cost.calls += 1
                else:
                    checks.append(deed)
        with self.meter.measure("citations are checked") as cost:
            for start in range(0, len(checks), _BATCH):
                self._check(checks[start : start + _BATCH])
            cost.calls += len(checks)

    def _read(self, at: int, weighting: Weighting) -> None:
        article_id = self._drawn(weighting)
        if article_id is None:
            return
        read = self.service.read(self._agent, self.editors.knowledge_base_id, article_id)
        long = [one for one in cut(read.text.content) if is_cited(one)]
        if not long:
            self.without_passage += 1
            return
        article = self.editors.articles[article_id]
        reading = Reading(
            next(self._order),
            weighting,
            at,
            article_id,
            article.commit,
            article.path,
            read.updated_at,
            read.text.content,
            self._chance.choice(long),
        )
        for horizon in self.sampling.horizons:
            self._put(at + horizon, (reading, horizon))

    def _drawn(self, weighting: Weighting) -> ArticleId | None:
        published = self.editors.published()
        if not published:
            return None
        if weighting is Weighting.UNIFORM:
            return self._chance.choice(published)
        weights = accumulate(self._saves[article_id] for article_id in published)
        return published[self._chance.weighted(list(weights))]

    def _check(self, checks: Sequence[tuple[Reading, int]]) -> None:
        kb = self.editors.knowledge_base_id
        citations = [
            Citation(kb, reading.article_id, reading.updated_at, (reading.quote,))
            for reading, _ in checks
        ]
        judged = self.service.check_citations(self._agent, citations).judgements
        for (reading, horizon), (_, one) in zip(checks, judged, strict=True):
            moved = one.verdict in (Verdict.INTACT, Verdict.CHANGED)
            merged = self._merges(reading) if moved else None
            self.findings.append(Finding(reading, horizon, one.verdict, merged))

    def _merges(self, reading: Reading) -> bool:
        """Whether a late change of the passage comes back merged; it is always refused."""
        kb = self.editors.knowledge_base_id
        edit = Edit(reading.updated_at, reading.edited)
        try:
            self.service.write(self._agent, kb, reading.article_id, edit)
        except VersionConflictError as refused:
            return refused.details["merged"] is not None
        raise DisagreementError(f"a stale edit of {reading.article_id} was saved")

    def _follow(self, events: int) -> None:
        """Polls what a publication wrote, page by page, and counts every event once."""
        log = Resource.of(self.editors.knowledge_base_id)
        before, pages, more = self._cursor, 0, bool(events)
        while more:
            page = self.service.poll(self._agent, log, self._cursor)
            numbers = [event.sequence for event in page.events]
            if numbers != list(range(self._cursor + 1, page.next_sequence + 1)):
                raise DisagreementError(f"a page after {self._cursor} holds {numbers}")
            pages += 1
            self._cursor, more = page.next_sequence, page.has_more
        if self._cursor != before + events:
            raise DisagreementError(f"{events} events were written, {self._cursor - before} told")
        self.pages = max(self.pages, pages)


def is_cited(passage: Passage) -> bool:
    """Whether a passage is prose, and long enough to rest an answer on."""
    return passage.kind in _CITED_KINDS and passage.end - passage.start >= SHORTEST
