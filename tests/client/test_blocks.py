"""Content blocks: a source is a stamp, a cited block is a quote."""

from typing import Any

from pincite.client.blocks import citations_in, search_result
from pincite.client.calls import ArticleRead
from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp

PINNED = Citation(KnowledgeBaseId("kb"), ArticleId("returns/a~b"), Stamp(1_794_132_000_123))
SOURCE = "pincite:kb/returns%2Fa~b@2026-11-08T10:00:00.123Z"
READ = ArticleRead(PINNED, "Refunds", "# Refunds\n\nThirty days.\n\nNo reason.\n", True, 1)


def test_an_article_is_a_search_result_with_a_text_for_each_passage() -> None:
    assert search_result(READ) == {
        "type": "search_result",
        "source": SOURCE,
        "title": "Refunds",
        "content": [
            {"type": "text", "text": "# Refunds"},
            {"type": "text", "text": "Thirty days."},
            {"type": "text", "text": "No reason."},
        ],
        "citations": {"enabled": True},
    }


def test_a_models_citations_become_quotes_of_the_version_that_it_was_given() -> None:
    location: dict[str, Any] = {
        "type": "search_result_location",
        "source": SOURCE,
        "title": "Refunds",
        "search_result_index": 0,
        "cited_text": "Thirty days.",
        "start_block_index": 1,
        "end_block_index": 2,
    }
    (one,) = citations_in([{"type": "text", "citations": [location]}], [search_result(READ)])
    assert one.quotes == (Quote("Thirty days."),)
    answer: list[dict[str, Any]] = [
        {"type": "text", "text": "Within "},
        {"type": "text", "text": "thirty days", "citations": [location]},
        {"type": "text", "text": ".", "citations": [{**location, "end_block_index": 3}]},
        {"type": "text", "text": "", "citations": None},
    ]
    (citation,) = citations_in(answer, [search_result(READ)])
    assert citation.quotes == (Quote("Thirty days."), Quote("No reason."))
    assert (citation.article_id, citation.updated_at) == (PINNED.article_id, PINNED.updated_at)
