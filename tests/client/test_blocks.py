"""Content blocks: a source is a stamp, a cited block is a quote."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.client.blocks import citation_from, citations_in, search_result, source_of
from pincite.client.calls import ArticleRead
from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

PINNED = Citation(KnowledgeBaseId("kb"), ArticleId("returns/a~b"), Stamp(1_794_132_000_123))
SOURCE = "pincite:kb/returns%2Fa~b@2026-11-08T10:00:00.123Z"
READ = ArticleRead(PINNED, "Refunds", "# Refunds\n\nThirty days.\n\nNo reason.\n", True, 1)


def test_a_source_is_the_citation_in_one_word_and_reads_back() -> None:
    assert source_of(PINNED) == SOURCE
    assert citation_from(SOURCE) == PINNED


@given(st.text("aé返/.~-_", min_size=1, max_size=20), st.integers(0, 10**13))
def test_every_citation_survives_the_way_there_and_back(article: str, milliseconds: int) -> None:
    citation = Citation(KnowledgeBaseId(article), ArticleId(article), Stamp(milliseconds))
    assert citation_from(source_of(citation)) == citation


@pytest.mark.parametrize("source", ["", "kb/a@x", "pincite:kb@x", "pincite:kb/a", "pincite:/@"])
def test_another_source_is_refused(source: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        citation_from(source)
    assert refusal.value.details["field"] == "source"


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
    answer: list[dict[str, Any]] = [
        {"type": "text", "text": "Within "},
        {"type": "text", "text": "thirty days", "citations": [location]},
        {"type": "text", "text": ".", "citations": [{**location, "end_block_index": 3}]},
        {"type": "text", "text": "", "citations": None},
    ]
    (citation,) = citations_in(answer, [search_result(READ)])
    assert citation.quotes == (Quote("Thirty days."), Quote("No reason."))
    assert (citation.article_id, citation.updated_at) == (PINNED.article_id, PINNED.updated_at)
