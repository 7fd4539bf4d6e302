"""An agent that answers from a knowledge base, remembers what it cited, and checks it later.

The model is scripted, so that this runs anywhere; put a real one in its place. What the agent
gives it and gets from it has the form of the Messages API: ``search_result`` blocks in, text
blocks with citations out.

Run it on any database that holds the sample knowledge base::

    python examples/agent.py pincite.db "how many days until a full refund" ledger.db
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite.client import sync
from pincite.client.blocks import citations_in, search_result
from pincite.client.calls import read, search
from pincite.client.ledger import Ledger, Rest
from pincite.domain.ids import KnowledgeBaseId

KB = KnowledgeBaseId("acorn")


class ScriptedModel:
    """Answers with the first passage that holds a number, and cites it."""

    def answer(self, question: str, results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The content of the assistant's message."""
        for place, result in enumerate(results):
            for number, passage in enumerate(result["content"]):
                if any(character.isdigit() for character in passage["text"]):
                    cited = {
                        "type": "search_result_location",
                        "source": result["source"],
                        "title": result["title"],
                        "cited_text": passage["text"],
                        "search_result_index": place,
                        "start_block_index": number,
                        "end_block_index": number + 1,
                    }
                    return [{"type": "text", "text": passage["text"], "citations": [cited]}]
        return [{"type": "text", "text": f"I found nothing about: {question}", "citations": None}]


def answer(client: sync.SyncClient, ledger: Ledger, question: str) -> str:
    """Searches, reads, lets the model answer, and keeps what the answer rests on."""
    hits = client.run(search(KB, question, 2))
    articles = [client.run(read(KB, hit.citation.article_id)) for hit in hits]
    given = [search_result(article) for article in articles]
    message = ScriptedModel().answer(question, given)
    text = "".join(block["text"] for block in message)
    quotes = {one.article_id: one.quotes for one in citations_in(message, given)}
    rests = [
        Rest(article, quotes[article.citation.article_id])
        for article in articles
        if article.citation.article_id in quotes
    ]
    ledger.record(question, text, rests)
    return text


def main(database: str, question: str, file: str) -> None:
    """Answers one question, and tells which earlier answers no longer stand."""
    serve = [sys.executable, "-m", "pincite", "--db", database, "serve", "--stdio"]
    with Ledger(Path(file)) as ledger, sync.start(serve) as client:
        client.run(ledger.check(client.tools))
        for stale in ledger.list_stale():
            verdicts = {str(one.verdict) for one in stale.citations} - {"current", "intact"}
            if verdicts:
                print(f"No longer certain ({', '.join(sorted(verdicts))}): {stale.question}")
        print(answer(client, ledger, question))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
