"""Replies of any shape: values by name, and refusals by their code, wherever it stands."""

import json
from typing import Any

import pytest

from pincite.client.calls import edit, read, search
from pincite.client.replies import find, reply_of
from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import (
    CursorExpiredError,
    GoneError,
    PinciteError,
    StoreBusyError,
    VersionConflictError,
)

KB, A = KnowledgeBaseId("kb"), ArticleId("a")


@pytest.mark.parametrize(
    ("structured", "texts"),
    [
        ({"a": {"b": 1}}, []),
        (None, ['{"a": {"b": 1}}']),
        (None, ["Here you are:", '{"a": {"b": 1}}']),
        (None, ['[{"a": {"b": 1}}]']),
    ],
)
def test_a_value_is_found_in_structured_content_or_in_text_that_is_json(
    structured: dict[str, Any] | None, texts: list[str]
) -> None:
    assert find(reply_of(structured, texts, is_error=False), "b") == 1


def test_the_outermost_value_of_a_name_is_the_one_that_counts() -> None:
    assert find({"x": {"title": "inner"}, "title": "outer"}, "title") == "outer"


@pytest.mark.parametrize(
    ("structured", "texts", "error"),
    [
        ({"error": {"code": "gone", "message": "m", "details": {}}}, [], GoneError),
        (None, ['{"code": "version_conflict", "current": "x"}'], VersionConflictError),
        (None, ['{"error": "cursor_expired", "latest_sequence": 7}'], CursorExpiredError),
        (None, ["Error store_busy, try again"], StoreBusyError),
        (None, ["What?"], PinciteError),
        (None, [], PinciteError),
        (None, ["[" * 100_000], PinciteError),
    ],
)
def test_a_refusal_is_raised_as_the_error_of_its_code(
    structured: dict[str, Any] | None, texts: list[str], error: type[PinciteError]
) -> None:
    with pytest.raises(error) as caught:
        reply_of(structured, texts, is_error=True)
    assert type(caught.value) is error


def test_a_refusals_details_are_kept() -> None:
    with pytest.raises(CursorExpiredError) as caught:
        reply_of(None, ['{"error": "cursor_expired", "latest_sequence": 7}'], is_error=True)
    assert caught.value.details["latest_sequence"] == 7


def test_a_read_that_holds_no_content_is_never_an_empty_article() -> None:
    for body in ({}, {"content": None}, {"updated_at": "2026-11-08T10:00:00Z"}):
        steps = read(KB, A)
        next(steps)
        with pytest.raises(PinciteError, match="holds no content"):
            steps.send(reply_of(None, [json.dumps(body)], is_error=False))


def test_a_search_names_the_citations_of_its_hits() -> None:
    steps = search(KB, "refund", 3)
    assert next(steps).arguments == {"knowledge_base_id": "kb", "query": "refund", "limit": 3}
    hit = {"article_id": "a", "title": "T", "updated_at": "2026-11-08T10:00:00Z", "snippet": "s"}
    with pytest.raises(StopIteration) as done:
        steps.send({"data": {"hits": [hit]}})
    (found,) = done.value.value
    assert found.citation == Citation(KB, A, Stamp(1_794_132_000_000))
    assert (found.title, found.snippet) == ("T", "s")


def test_an_edit_names_the_version_that_it_was_made_from() -> None:
    steps = edit(Citation(KB, A, Stamp(1_794_132_000_000)), "text", "k")
    assert next(steps).arguments == {
        "knowledge_base_id": "kb",
        "article_id": "a",
        "content": "text",
        "expected_version": "2026-11-08T10:00:00.000Z",
        "idempotency_key": "k",
    }
    with pytest.raises(StopIteration) as done:
        steps.send({"status": "saved", "updated_at": "2026-11-08T10:00:01Z", "replayed": True})
    assert done.value.value.citation.updated_at == Stamp(1_794_132_001_000)
    assert done.value.value.replayed
