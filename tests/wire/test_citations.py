"""A citation in one word, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.wire.citations import parse_source, source_of

PINNED = Citation(KnowledgeBaseId("kb"), ArticleId("returns/a~b"), Stamp(1_794_132_000_123))
SOURCE = "pincite:kb/returns%2Fa~b@2026-11-08T10:00:00.123Z"


def test_a_source_is_the_citation_in_one_word_and_reads_back() -> None:
    assert source_of(PINNED) == SOURCE
    assert parse_source(SOURCE) == PINNED


@given(st.text("aé返/.~-_", min_size=1, max_size=20), st.integers(0, 10**13))
def test_every_citation_survives_the_way_there_and_back(article: str, milliseconds: int) -> None:
    citation = Citation(KnowledgeBaseId(article), ArticleId(article), Stamp(milliseconds))
    assert parse_source(source_of(citation)) == citation


@pytest.mark.parametrize("source", ["", "kb/a@x", "pincite:kb@x", "pincite:kb/a", "pincite:/@"])
def test_another_source_is_refused(source: str) -> None:
    for field in ("source", "citation"):
        with pytest.raises(InvalidInputError, match=f"^{field} ") as refusal:
            parse_source(source, field)
        assert refusal.value.details["field"] == field
