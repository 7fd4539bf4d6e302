"""Arguments become values, or a refusal that names the argument and its limit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.citations import Citation
from pincite.domain.edits import Edit, Patch, Replacement
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import InvalidInputError
from pincite.wire.calls import (
    Call,
    CheckCall,
    DraftCall,
    ListCall,
    PollCall,
    ReadCall,
    RecordCall,
    SearchCall,
    StaleCall,
    WriteCall,
    parse_call,
)
from pincite.wire.definition import Tool
from pincite.wire.tools import TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}
KB, ARTICLE = KnowledgeBaseId("support"), ArticleId("billing/invoices")
ARTICLE_OF = {"knowledge_base_id": "support", "article_id": "billing/invoices"}
STAMP = "2026-11-08T10:00:00.123Z"
CITED = Stamp(1_794_132_000_123)
GOOD: dict[str, dict[str, Any]] = {
    "search_knowledge_base": {"knowledge_base_id": "support", "query": "refund"},
    "read_knowledge_article": ARTICLE_OF,
    "edit_knowledge_article": {
        **ARTICLE_OF,
        "content": "Text.",
        "expected_version": STAMP,
        "idempotency_key": "k1",
    },
    "poll_resource_events": {"resource_type": "knowledge_base", "resource_id": "support"},
    "list_knowledge_bases": {},
    "patch_knowledge_article": {
        **ARTICLE_OF,
        "edits": [{"old_text": "a", "new_text": ""}],
        "expected_version": STAMP,
        "idempotency_key": "k1",
    },
    "draft_knowledge_article": {
        "knowledge_base_id": "support",
        "title": "Title",
        "content": "Text.",
        "idempotency_key": "k1",
    },
    "check_citations": {"citations": [{**ARTICLE_OF, "updated_at": STAMP}]},
    "record_answer": {
        "knowledge_base_id": "support",
        "question": "How long?",
        "answer": "30 days.",
        "citations": [{**ARTICLE_OF, "updated_at": STAMP, "quotes": [{"exact": "30 days"}]}],
        "idempotency_key": "k1",
    },
    "list_stale_answers": {"knowledge_base_id": "support"},
}
PINNED = Citation(KB, ARTICLE, CITED)
QUOTED = Citation(KB, ARTICLE, CITED, (Quote("30 days"),))


def refusal(name: str, arguments: object) -> dict[str, object]:
    with pytest.raises(InvalidInputError) as caught:
        parse_call(BY_NAME[name], arguments)
    assert str(caught.value.details["field"]) in caught.value.message
    return dict(caught.value.details)


@pytest.mark.parametrize(
    ("name", "more", "call"),
    [
        ("search_knowledge_base", {}, SearchCall(KB, "refund", 5)),
        ("search_knowledge_base", {"limit": 20}, SearchCall(KB, "refund", 20)),
        ("search_knowledge_base", {"limit": 3.0}, SearchCall(KB, "refund", 3)),
        ("read_knowledge_article", {}, ReadCall(KB, ARTICLE, False, None, None)),
        (
            "read_knowledge_article",
            {"outline": True, "first_passage": "p1", "max_characters": 900},
            ReadCall(KB, ARTICLE, True, "p1", 900),
        ),
        (
            "edit_knowledge_article",
            {"title": "New"},
            WriteCall(KB, ARTICLE, Edit(CITED, "Text.", "New"), "k1"),
        ),
        (
            "patch_knowledge_article",
            {},
            WriteCall(KB, ARTICLE, Patch(CITED, (Replacement("a", ""),)), "k1"),
        ),
        ("draft_knowledge_article", {}, DraftCall(KB, Text("Title", "Text."), "k1")),
        (
            "poll_resource_events",
            {"after_sequence": 41, "limit": 7},
            PollCall(Resource(ResourceType.KNOWLEDGE_BASE, "support"), 41, 7),
        ),
        (
            "poll_resource_events",
            {"resource_type": "session", "resource_id": "token/bot/s1"},
            PollCall(Resource(ResourceType.SESSION, "token/bot/s1"), 0, 100),
        ),
        ("list_knowledge_bases", {}, ListCall()),
        ("check_citations", {}, CheckCall((PINNED,))),
        (
            "record_answer",
            {"session_id": "s1"},
            RecordCall(KB, "How long?", "30 days.", (QUOTED,), "k1", "s1"),
        ),
        ("list_stale_answers", {"after": "2.7", "limit": 3}, StaleCall(KB, "2.7", 3)),
    ],
)
def test_good_arguments_become_a_call(name: str, more: dict[str, Any], call: object) -> None:
    assert parse_call(BY_NAME[name], {**GOOD[name], **more}) == call


def test_no_arguments_are_an_empty_object() -> None:
    assert parse_call(BY_NAME["list_knowledge_bases"], None) == ListCall()
    assert refusal("search_knowledge_base", None) == {
        "field": "knowledge_base_id",
        "limit": "required",
    }


@pytest.mark.parametrize(
    ("name", "missing"),
    [(tool.name, field) for tool in TOOLS for field in tool.arguments["required"]],
)
def test_a_missing_argument_is_named(name: str, missing: str) -> None:
    arguments = {key: value for key, value in GOOD[name].items() if key != missing}
    assert refusal(name, arguments) == {"field": missing, "limit": "required"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_unknown_argument_is_named_with_the_known_ones(tool: Tool) -> None:
    known = ", ".join(tool.arguments["properties"]) or "none"
    assert refusal(tool.name, {**GOOD[tool.name], "kb": 1}) == {
        "field": "kb",
        "limit": f"known arguments: {known}",
    }


def test_a_misspelt_argument_is_named_rather_than_the_one_it_leaves_missing() -> None:
    found = refusal("search_knowledge_base", {"knowledge_base_id": "support", "q": "refund"})
    assert found["field"] == "q"


@pytest.mark.parametrize(
    ("name", "field"),
    [(tool.name, field) for tool in TOOLS for field in tool.arguments["properties"]],
)
@pytest.mark.parametrize("wrong", [None, {"a": 1}, 1.5])
def test_an_argument_of_the_wrong_type_is_named_with_its_limit(
    name: str, field: str, wrong: object
) -> None:
    found = refusal(name, {**GOOD[name], field: wrong})
    assert found["field"] == field
    assert str(found["limit"]).startswith(("a ", "one of ", "true or false"))


LIMITS = [
    ("search_knowledge_base", "query", "a", "aa", "a string of 2–200 characters"),
    ("search_knowledge_base", "query", "a" * 201, "a" * 200, "a string of 2–200 characters"),
    ("search_knowledge_base", "query", "😀" * 201, "😀" * 200, "a string of 2–200 characters"),
    ("search_knowledge_base", "limit", 0, 1, "a whole number of 1–20"),
    ("search_knowledge_base", "limit", 21, 20, "a whole number of 1–20"),
    ("search_knowledge_base", "knowledge_base_id", "", "a", "a string of 1–200 characters"),
    (
        "search_knowledge_base",
        "knowledge_base_id",
        "a" * 201,
        "a" * 200,
        "a string of 1–200 characters",
    ),
    ("read_knowledge_article", "article_id", "", "a", "a string of 1–200 characters"),
    ("read_knowledge_article", "article_id", "é" * 201, "é" * 200, "a string of 1–200 characters"),
    ("read_knowledge_article", "first_passage", "", "a", "a string of 1–200 characters"),
    ("read_knowledge_article", "first_passage", "a" * 201, "a", "a string of 1–200 characters"),
    ("read_knowledge_article", "max_characters", 0, 1, "a whole number of at least 1"),
    ("edit_knowledge_article", "content", "", " ", "a string of at least 1 character"),
    ("edit_knowledge_article", "title", "", "a", "a string of 1–300 characters"),
    ("edit_knowledge_article", "title", "a" * 301, "a" * 300, "a string of 1–300 characters"),
    ("edit_knowledge_article", "idempotency_key", "", "a", "a string of 1–200 characters"),
    (
        "edit_knowledge_article",
        "idempotency_key",
        "a" * 201,
        "a" * 200,
        "a string of 1–200 characters",
    ),
    ("poll_resource_events", "after_sequence", -1, 0, "a whole number of at least 0"),
    ("poll_resource_events", "limit", 0, 1, "a whole number of 1–100"),
    ("poll_resource_events", "limit", 101, 100, "a whole number of 1–100"),
    ("poll_resource_events", "resource_id", "a" * 201, "a" * 200, "a string of 1–200 characters"),
    (
        "poll_resource_events",
        "resource_type",
        "notes",
        "note",
        "one of channel, note, knowledge_base, record, session",
    ),
    (
        "patch_knowledge_article",
        "edits",
        [],
        [{"old_text": "a", "new_text": "b"}],
        "a list of 1–100 items",
    ),
    (
        "patch_knowledge_article",
        "edits",
        [{"old_text": "a", "new_text": "b"}] * 101,
        [{"old_text": "a", "new_text": "b"}] * 100,
        "a list of 1–100 items",
    ),
]


@pytest.mark.parametrize(("name", "field", "bad", "good", "limit"), LIMITS)
def test_a_limit_holds_to_one_and_its_refusal_tells_it(
    name: str, field: str, bad: object, good: object, limit: str
) -> None:
    parse_call(BY_NAME[name], {**GOOD[name], field: good})
    assert refusal(name, {**GOOD[name], field: bad}) == {"field": field, "limit": limit}


def test_a_part_of_a_list_is_named_by_its_place() -> None:
    edits = [{"old_text": "a", "new_text": "b"}, {"old_text": "", "new_text": "b"}]
    found = refusal("patch_knowledge_article", {**GOOD["patch_knowledge_article"], "edits": edits})
    assert found == {"field": "edits[1].old_text", "limit": "a string of at least 1 character"}
    found = refusal("patch_knowledge_article", {**GOOD["patch_knowledge_article"], "edits": [{}]})
    assert found == {"field": "edits[0].old_text", "limit": "required"}


@pytest.mark.spec("STAMP-3")
@pytest.mark.parametrize(
    "spelling",
    [
        "2026-11-08T10:00:00.123Z",
        "2026-11-08t10:00:00.123z",
        "2026-11-08T10:00:00.12300Z",
        "2026-11-08T12:30:00.123+02:30",
        "2026-11-07T23:00:00.123-11:00",
    ],
)
def test_every_spelling_of_an_instant_is_the_same_version(spelling: str) -> None:
    given_ = {**GOOD["edit_knowledge_article"], "expected_version": spelling}
    assert parse_call(BY_NAME["edit_knowledge_article"], given_) == WriteCall(
        KB, ARTICLE, Edit(CITED, "Text."), "k1"
    )


@pytest.mark.spec("STAMP-3")
@pytest.mark.parametrize(
    "text", ["", "2026-11-08", "2026-11-08T10:00:00.123", "2026-13-08T10:00:00Z", "now", "0" * 999]
)
def test_what_is_no_date_time_with_an_offset_is_refused(text: str) -> None:
    found = refusal(
        "edit_knowledge_article", {**GOOD["edit_knowledge_article"], "expected_version": text}
    )
    assert found == {"field": "expected_version", "limit": "RFC 3339 date-time with an offset"}


@pytest.mark.parametrize("odd", ["a b", "a\x00", "a\ud800", "e\u0301", "a:b", "a?b", "a\nb", "😀"])
@pytest.mark.parametrize("field", ["knowledge_base_id", "article_id"])
def test_an_id_with_an_odd_character_is_refused(field: str, odd: str) -> None:
    assert refusal("read_knowledge_article", {**ARTICLE_OF, field: odd})["field"] == field


@pytest.mark.parametrize("name", ["\ud800", "a" * 10_000])
def test_an_unknown_name_of_any_kind_is_refused(name: str) -> None:
    found = refusal("list_knowledge_bases", {name: 1})
    assert len(str(found["field"])) <= 81


def test_nesting_without_end_is_refused() -> None:
    nested: Any = {}
    for _ in range(5000):
        nested = {"a": nested}
    assert refusal("list_knowledge_bases", nested) == {
        "field": "arguments",
        "limit": "JSON object of Unicode text",
    }


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, categories=None)),  # surrogates included
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def parsed(tool: Tool, arguments: object) -> Call | InvalidInputError:
    try:
        return parse_call(tool, arguments)
    except InvalidInputError as error:
        return error


@pytest.mark.spec("FT-3")
@given(data=st.data())
def test_any_arguments_are_a_call_or_a_refusal(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(TOOLS))
    names = st.sampled_from([*tool.arguments["properties"], "other"])
    changes = data.draw(st.dictionaries(names, JSON, max_size=3) | JSON)
    arguments = {**GOOD[tool.name], **changes} if isinstance(changes, dict) else changes
    outcome = parsed(tool, arguments)
    assert isinstance(outcome, Call) or set(outcome.details) == {"field", "limit"}
