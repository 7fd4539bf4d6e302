"""Identifiers and texts: what is taken, and which limit a refusal names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.ids import parse_article_id, parse_id, parse_knowledge_base_id
from pincite.domain.texts import (
    check_size,
    checked_content,
    checked_key,
    checked_query,
    checked_title,
)
from pincite.errors import InvalidInputError, TooLargeError


@pytest.mark.parametrize("text", ["a", "A-b_c.d~e/f", "führung", "返品", "हिन्दी", "x" * 200])
def test_an_id_is_returned_as_it_came(text: str) -> None:
    assert parse_id(text, "article_id") == text


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", "1–200 characters"),
        ("x" * 201, "1–200 characters"),
        ("a b", "letters, digits, - _ . ~ /"),
        ("a\n", "letters, digits, - _ . ~ /"),
        ("a:b", "letters, digits, - _ . ~ /"),
        ("a%2Fb", "letters, digits, - _ . ~ /"),
        ("😀", "letters, digits, - _ . ~ /"),
        ("e\u0301", "NFC"),
        ("a\x00", "Unicode text without NUL"),
        ("\ud800", "Unicode text without NUL"),
    ],
)
def test_a_bad_id_is_refused_by_field_and_limit(text: str, limit: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        parse_article_id(text)
    assert refusal.value.details == {"field": "article_id", "limit": limit}


def test_case_counts_in_ids() -> None:
    assert parse_knowledge_base_id("KB") != parse_knowledge_base_id("kb")


@given(st.text(max_size=300))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    try:
        taken, field = parse_id(text, "article_id"), "article_id"
    except InvalidInputError as refusal:
        taken, field = text, str(refusal.details["field"])
    assert (taken, field) == (text, "article_id")


@pytest.mark.parametrize("query", ["ab", " ab ", "x" * 200, '"NOT OR NEAR(*'])
def test_a_query_within_its_limits_is_taken_as_it_is(query: str) -> None:
    assert checked_query(query) == query


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        ("", "2–200 characters"),
        ("a", "2–200 characters"),
        ("a" * 201, "2–200 characters"),
        (" a ", "at least 2 characters when trimmed"),
        ("    ", "at least 2 characters when trimmed"),
        ("ab\x00", "Unicode text without NUL"),
    ],
)
def test_a_query_outside_its_limits_is_refused(query: str, limit: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        checked_query(query)
    assert refusal.value.details == {"field": "query", "limit": limit}


def test_titles_and_keys_end_at_their_limits() -> None:
    assert checked_title("t" * 300) == "t" * 300
    assert checked_key("k" * 200) == "k" * 200
    with pytest.raises(InvalidInputError, match="title must have 1–300 characters; it has 301"):
        checked_title("t" * 301)
    with pytest.raises(InvalidInputError, match="title must not be blank"):
        checked_title(" \t ")
    with pytest.raises(InvalidInputError, match="idempotency_key must have 1–200 characters"):
        checked_key("k" * 201)


def test_content_is_never_empty_and_its_size_counts_bytes() -> None:
    assert checked_content(" ") == " "
    with pytest.raises(InvalidInputError, match="content must not be empty"):
        checked_content("")
    with pytest.raises(InvalidInputError, match="NUL or a lone surrogate"):
        checked_content("a\udfffb")
    check_size("é" * 5, 10)
    with pytest.raises(TooLargeError, match="content has 12 bytes; the limit is 10") as refusal:
        check_size("é" * 6, 10)
    assert refusal.value.details == {"limit": 10}
