"""The ways in which an agent finds out which of its citations went stale.

* by **title**: search each cited title again, and see whether it is still found;
* by **reading** each cited article again;
* by **polling** the log from a cursor, which tells what moved; to learn more of that, the agent
  reads it again, or asks about it;
* by **asking** ``check_citations``, for the stamps alone or for the passages too.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from pincite.sim.day.agents import Agent, ReadText, expected
from pincite.sim.day.oracle import CitedPassage
from pincite.sim.tools import Cost, Json

BATCH: Final = 200
"""The most citations that one call of ``check_citations`` takes."""

Key = TypeVar("Key")
Cited: TypeAlias = Collection[CitedPassage]
_Passage: TypeAlias = tuple[str, str, str]
"""An article, a stamp, and what stood there."""
_NEVER: Final = ("", "")
_GONE: Final = frozenset({"article.unpublished", "article.deleted"})

Verdicts: TypeAlias = Mapping[CitedPassage, str]
"""``current``, ``intact``, ``changed`` or ``gone``; ``stale`` where no more can be told."""


def missing_titles(agent: Agent, cited: Cited, cost: Cost) -> set[CitedPassage]:
    """The citations whose title no search finds any more, at one search for each title."""
    found = {
        title: any(hit["title"] == title for hit in agent.search(title, cost))
        for title in _distinct(one.title for one in cited)
    }
    return {one for one in cited if not found[one.title]}


def reread(agent: Agent, cited: Cited, cost: Cost) -> Verdicts:
    """Reads each cited article again."""
    texts = {
        article_id: agent.find_text(article_id, cost)
        for article_id in _distinct(one.article_id for one in cited)
    }
    return {one: _judged(one, texts[one.article_id]) for one in cited}


def asked_for_stamps(agent: Agent, cited: Cited, cost: Cost) -> Verdicts:
    """Asks the server whether the stamps have moved, each version once."""
    versions = _distinct(one.version for one in cited)
    citations = [agent.citation(*version) for version in versions]
    verdicts = dict(zip(versions, _asked(agent, citations, cost), strict=True))
    return {one: _without_passage(verdicts[one.version]) for one in cited}


def asked_for_passages(agent: Agent, cited: Cited, cost: Cost) -> Verdicts:
    """Asks the server how each quoted passage fares, each once."""
    passages = _distinct((*one.version, one.quote) for one in cited)
    citations = [quoting(agent, one) for one in passages]
    verdicts = dict(zip(passages, _asked(agent, citations, cost), strict=True))
    return {one: verdicts[*one.version, one.quote] for one in cited}


def quoting(agent: Agent, passage: _Passage) -> Json:
    """The citation of a passage."""
    article_id, updated_at, quote = passage
    return {**agent.citation(article_id, updated_at), "quotes": [{"exact": quote}]}


class Follower:
    """Follows the log, and remembers what it learned of each article that moved."""

    def __init__(self, agent: Agent, cursor: int) -> None:
        self._agent = agent
        self._cursor = cursor
        self._stamps: dict[str, str] = {}
        self._gone: set[str] = set()
        self._texts: dict[str, ReadText | None] = {}
        self._told: dict[_Passage, tuple[str, str]] = {}

    def poll(self, cited: Cited, cost: Cost) -> Verdicts:
        """Tells stale citations from current ones, by the log alone."""
        more = True
        while more:
            page = self._agent.poll(self._cursor, cost)
            cost.items += len(page["events"])
            for event in page["events"]:
                self._stamps[event["article_id"]] = event["updated_at"]
                self._texts.pop(event["article_id"], None)
                if event["type"] in _GONE:
                    self._gone.add(event["article_id"])
                else:
                    self._gone.discard(event["article_id"])
            self._cursor, more = page["next_sequence"], page["has_more"]
        return {one: "stale" if self._moved(one) else "current" for one in cited}

    def reread(self, cited: Cited, cost: Cost) -> Verdicts:
        """Reads what moved under a citation and was not read since, and judges the passages."""
        for article_id in _distinct(one.article_id for one in cited if self._moved(one)):
            if article_id not in self._texts and article_id not in self._gone:
                self._texts[article_id] = self._agent.find_text(article_id, cost)
        return {
            one: _judged(one, self._texts.get(one.article_id)) if self._moved(one) else "current"
            for one in cited
        }

    def ask(self, cited: Cited, cost: Cost) -> Verdicts:
        """Asks of the citations that moved since they were asked of, and remembers the rest."""
        moved = [one for one in cited if self._moved(one) and one.article_id not in self._gone]
        passages = _distinct((*one.version, one.quote) for one in moved)
        new = [one for one in passages if self._told.get(one, _NEVER)[0] != self._stamps[one[0]]]
        citations = [quoting(self._agent, one) for one in new]
        for one, verdict in zip(new, _asked(self._agent, citations, cost), strict=True):
            self._told[one] = self._stamps[one[0]], verdict
        return {one: self._known(one) for one in cited}

    def _known(self, one: CitedPassage) -> str:
        if not self._moved(one):
            return "current"
        return "gone" if one.article_id in self._gone else self._told[*one.version, one.quote][1]

    def _moved(self, one: CitedPassage) -> bool:
        return self._stamps.get(one.article_id, one.updated_at) != one.updated_at


def _asked(agent: Agent, citations: Sequence[Json], cost: Cost) -> list[str]:
    verdicts = []
    for start in range(0, len(citations), BATCH):
        batch = {"citations": citations[start : start + BATCH]}
        results = expected(agent.call("check_citations", batch, cost))["results"]
        verdicts += [result["verdict"] for result in results]
        cost.items += len(results)
    return verdicts


def _judged(one: CitedPassage, now: ReadText | None) -> str:
    if now is None:
        return "gone"
    if now.updated_at == one.updated_at:
        return "current"
    return "intact" if one.quote in now.text.content else "changed"


def _without_passage(verdict: str) -> str:
    return "current" if verdict == "current" else "stale"


def _distinct(keys: Iterable[Key]) -> list[Key]:
    """Each key once, in the order of its first appearance."""
    return list(dict.fromkeys(keys))
