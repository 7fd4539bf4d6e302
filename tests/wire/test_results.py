"""Values become the results of the contract, and each fits the schema that is advertised."""

from typing import Any

import jsonschema_rs
import pytest

from pincite.domain.articles import KnowledgeBase
from pincite.domain.edits import Receipt, Status
from pincite.domain.events import (
    ArticleEvent,
    ArticleEventType,
    EventPage,
    Gap,
    HostEvent,
    Part,
)
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import NotFoundError
from pincite.ports import SearchHit
from pincite.service.reading import OutlineEntry, ReadArticle
from pincite.wire import results
from pincite.wire.definition import Tool
from pincite.wire.errors import error_object
from pincite.wire.results import Results
from pincite.wire.tools import DRAFT, EDIT, LIST, POLL, READ, SEARCH, TOOLS

KB, ARTICLE = KnowledgeBaseId("support"), ArticleId("refunds")
AT = Stamp(1_794_132_000_123)
STAMP = "2026-11-08T10:00:00.123Z"
CITATION = {"knowledge_base_id": "support", "article_id": "refunds", "updated_at": STAMP}
PASSAGE = Passage("p1", "paragraph", ("Refunds",), 11, 22)


def fits(tool: Tool, result: Any) -> bool:
    return jsonschema_rs.is_valid(tool.output, result, validate_formats=True)


def test_a_search_tells_hits_with_their_citations() -> None:
    hit = SearchHit(ARTICLE, "Refunds", AT, "Get a refund.", ((6, 12),), PASSAGE, 2.5)
    result = Results().search(KB, [hit], 41)
    assert result == {
        "results": [
            {
                "article_id": "refunds",
                "title": "Refunds",
                "updated_at": STAMP,
                "snippet": "Get a refund.",
                "passage": {"id": "p1", "heading_path": ["Refunds"]},
                "citation": CITATION,
            }
        ],
        "latest_sequence": 41,
    }
    assert fits(SEARCH, result)


def test_a_read_tells_the_text_its_citation_and_where_people_find_it() -> None:
    article = ReadArticle(
        ARTICLE,
        Text("Refunds", "# Refunds\n\nAsk nicely."),
        AT,
        latest_sequence=41,
        outline=(OutlineEntry("p1", ("Refunds",), "Ask nicely."),),
    )
    result = Results(lambda kb, article_id, at: f"there/{kb}/{article_id}/{at}").read(KB, article)
    assert result == {
        "article_id": "refunds",
        "title": "Refunds",
        "content": "# Refunds\n\nAsk nicely.",
        "updated_at": STAMP,
        "citation": CITATION,
        "url": f"there/support/refunds/{STAMP}",
        "complete": True,
        "passages": [{"id": "p1", "heading_path": ["Refunds"], "text_start": "Ask nicely."}],
        "latest_sequence": 41,
    }
    assert fits(READ, result)


@pytest.mark.parametrize("following", ["p2", None])
def test_a_part_can_be_cited_but_says_that_it_is_one(following: str | None) -> None:
    text = Text("Refunds", "# Refunds")
    part = ReadArticle(ARTICLE, text, AT, 41, complete=False, next_passage=following)
    result = Results().read(KB, part)
    assert result["citation"] == CITATION
    assert result["complete"] is False
    assert result["next_passage"] == following
    assert "to replace the whole content, read all of it first" in result["note"]
    assert fits(READ, result)


def test_a_saved_edit_tells_its_stamp_and_a_pending_one_has_none_yet() -> None:
    receipt = Receipt(Status.SAVED, ARTICLE, AT, 42)
    result = results.saved(KB, receipt, replayed=True)
    assert result == {
        "status": "saved",
        "article_id": "refunds",
        "updated_at": STAMP,
        "citation": CITATION,
        "sequence": 42,
        "replayed": True,
    }
    assert fits(EDIT, result)
    pending = Receipt(Status.PENDING_APPROVAL, ARTICLE, proposal_id="x7")
    result = results.saved(KB, pending, replayed=False)
    assert result == {
        "status": "pending_approval",
        "article_id": "refunds",
        "updated_at": None,
        "citation": None,
        "sequence": None,
        "replayed": False,
        "proposal_id": "x7",
    }
    assert fits(EDIT, result)


def test_a_draft_tells_its_new_id_and_nothing_to_cite() -> None:
    result = results.drafted(Receipt(Status.DRAFT, ARTICLE), replayed=False)
    assert result == {"status": "draft", "article_id": "refunds", "replayed": False}
    assert fits(DRAFT, result)


def test_a_page_tells_events_of_both_kinds_and_the_gap_it_spans() -> None:
    page = EventPage(
        (
            ArticleEvent(1, ArticleEventType.PUBLISHED, ARTICLE, AT),
            ArticleEvent(2, ArticleEventType.UPDATED, ARTICLE, AT, (Part.TITLE, Part.CONTENT)),
            HostEvent(9, "call.ended", AT, '{"minutes": 4}'),
        ),
        9,
        12,
        Gap(2, 9),
    )
    result = results.page(page)
    assert result == {
        "events": [
            {
                "sequence": 1,
                "type": "article.published",
                "article_id": "refunds",
                "updated_at": STAMP,
            },
            {
                "sequence": 2,
                "type": "article.updated",
                "article_id": "refunds",
                "updated_at": STAMP,
                "changed": ["title", "content"],
            },
            {"sequence": 9, "type": "call.ended", "at": STAMP, "data": {"minutes": 4}},
        ],
        "next_sequence": 9,
        "latest_sequence": 12,
        "has_more": True,
        "gap": {"after": 2, "next": 9},
    }
    assert fits(POLL, result)


def test_the_list_tells_every_grant_that_the_callers_includes() -> None:
    found = KnowledgeBase(KB, "Support", "en", 41, "e1", 7)
    result = results.knowledge_bases([(found, Grant.EDIT)])
    assert result == {
        "knowledge_bases": [
            {
                "knowledge_base_id": "support",
                "title": "Support",
                "language": "en",
                "grants": ["read", "propose", "edit"],
                "article_count": 7,
                "latest_sequence": 41,
            }
        ]
    }
    assert fits(LIST, result)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_refusal_fits_the_output_schema_and_an_empty_object_does_not(tool: Tool) -> None:
    assert fits(tool, error_object(NotFoundError("There is no such article.")))
    assert not fits(tool, {})
