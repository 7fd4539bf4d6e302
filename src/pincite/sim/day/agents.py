"""The scripted agent: it answers from two articles, keeps their citations, and edits one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pincite.domain.texts import Text
from pincite.sim.day import wording
from pincite.sim.day.oracle import CitedPassage
from pincite.sim.day.world import Question
from pincite.sim.errors import DisagreementError
from pincite.sim.tools import Cost, Json, Meter, Reply, Tools, size_of

_CITED: Final = 2
"""How many hits an answer rests on."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """An article as the agent read it."""

    article_id: str
    updated_at: str
    text: Text


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent answered from.

    Attributes:
        sources: The articles, best first.
        citations: One for each source.
    """

    question: Question
    sources: Sequence[ReadText]
    citations: Sequence[CitedPassage]


class Agent:
    """Works in one knowledge base with nothing but the tools."""

    def __init__(self, tools: Tools, knowledge_base_id: str, meter: Meter) -> None:
        self._tools = tools
        self._knowledge_base_id = knowledge_base_id
        self._meter = meter

    def call(self, name: str, arguments: Json, cost: Cost | None = None) -> Reply:
        """Calls a tool, and counts the call for the tool and, if named, elsewhere too."""
        sent = size_of(arguments)
        with self._meter.measure(name) as spent:
            reply = self._tools.call(name, arguments)
            spent.calls, spent.sent, spent.returned = 1, sent, reply.size
        if cost is not None:
            cost += spent
        return reply

    def citation(self, article_id: str, updated_at: str) -> Json:
        """The citation of a version."""
        return {
            "knowledge_base_id": self._knowledge_base_id,
            "article_id": article_id,
            "updated_at": updated_at,
        }

    def search(self, query: str, cost: Cost | None = None) -> Sequence[Json]:
        """The hits for a query, best first: no more than an answer rests on."""
        arguments = {
            "knowledge_base_id": self._knowledge_base_id,
            "query": query,
            "limit": _CITED,
        }
        reply = self.call("search_knowledge_base", arguments, cost)
        hits: Sequence[Json] = expected(reply)["results"]
        return hits

    def find_text(self, article_id: str, cost: Cost | None = None) -> ReadText | None:
        """An article's present text; None if it is gone."""
        arguments = {"knowledge_base_id": self._knowledge_base_id, "article_id": article_id}
        reply = self.call("read_knowledge_article", arguments, cost)
        if reply.code == "gone":
            return None
        read = expected(reply)
        return ReadText(article_id, read["updated_at"], Text(read["title"], read["content"]))

    def answer(self, question: Question) -> Answer:
        """Searches, reads the two best hits, and keeps a citation of a paragraph of each.

        Where so much was withdrawn that fewer are left, the answer rests on fewer.
        """
        hits = self.search(question.text)
        sources = [one for hit in hits if (one := self.find_text(hit["article_id"]))]
        if len(sources) != len(hits):
            raise DisagreementError(f"a search found what cannot be read: {hits}")
        citations = [
            CitedPassage(
                question.number,
                source.article_id,
                source.updated_at,
                source.text.title,
                wording.passage_of(source.text.content, passage),
            )
            for source, passage in zip(sources, question.passages, strict=False)
        ]
        return Answer(question, sources, citations)

    def edit(self, source: ReadText, content: str, key: str) -> Reply:
        """Sends a whole new content, made from the version that was read."""
        return self.call(
            "edit_knowledge_article",
            {
                "knowledge_base_id": self._knowledge_base_id,
                "article_id": source.article_id,
                "content": content,
                "expected_version": source.updated_at,
                "idempotency_key": key,
            },
        )

    def latest_sequence(self) -> int:
        """The end of the log, from which to follow it."""
        seen = expected(self.call("list_knowledge_bases", {}))["knowledge_bases"]
        ends = {one["knowledge_base_id"]: one["latest_sequence"] for one in seen}
        return int(ends[self._knowledge_base_id])

    def poll(self, after: int, cost: Cost | None = None) -> Json:
        """One page of the log."""
        arguments = {
            "resource_type": "knowledge_base",
            "resource_id": self._knowledge_base_id,
            "after_sequence": after,
        }
        return expected(self.call("poll_resource_events", arguments, cost))


def expected(reply: Reply) -> Json:
    """The result of a call that had no reason to be refused."""
    if reply.code:
        raise DisagreementError(f"refused for no reason: {reply.content}")
    return reply.content
