"""Snippets: the words around a match."""

from typing import Any

import apsw.unicode
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.storage.index.snippets import snippet

FILLER = "Plain words that say little. " * 40


def shown(content: str, query: str, language: str, **options: Any) -> str:
    """A snippet with its matches in brackets."""
    text, matches = snippet(content, query, language, **options)
    for begin, end in reversed(matches):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text


def test_a_snippet_marks_every_word_that_matched() -> None:
    content = "You can ask for a refund.\nRefunds are paid to the card."
    assert shown(content, "how do refunds work?", "en") == (
        "You can ask for a [refund]. [Refunds] are paid to the card."
    )


def test_a_snippet_shows_the_place_that_holds_most_of_the_questions_words() -> None:
    content = f"A refund. {FILLER}The annual refund policy is strict. {FILLER}A policy."
    found = shown(content, "annual refund policy", "en", width=100)
    assert "The [annual] [refund] [policy] is strict." in found
    assert found.startswith("…")
    assert found.endswith("…")


def test_a_snippet_of_a_passage_quotes_nothing_else() -> None:
    content = "A refund here.\n\nA refund there.\n\nA refund everywhere."
    assert shown(content, "refund", "en", passage_span=(16, 31)) == "A [refund] there."


def test_without_a_match_the_beginning_is_shown() -> None:
    assert shown("Short text.", "refund", "en") == "Short text."
    assert shown("", "refund", "en") == ""
    assert shown("One two three four", "refund", "en", width=9) == "One two…"


def test_a_snippet_is_the_text_as_it_stands_so_that_it_can_be_quoted() -> None:
    content = "**Note** the [refund\n  policy](../refund-policy.md), *please*"
    text, matches = snippet(content, "refund", "en")
    assert text == "**Note** the [refund policy](../refund-policy.md), *please*"
    assert [text[begin:end] for begin, end in matches] == ["refund", "refund"]


@pytest.mark.parametrize(
    ("language", "content", "query", "expected"),
    [
        ("ja", "東京タワーの入場料", "入場料", "東京タワーの[入場料]"),
        ("ja", "東京タワーの入場料", "料", "東京タワーの入場[料]"),
        ("th", "ไปกินข้าวที่บ้าน", "กิน", "ไป[กิน]ข้าวที่บ้าน"),
        ("th", "น้ำ", "น", "[น้ำ]"),
        ("ko", "한국어 설명서", "설명", "한국어 [설명]서"),
        ("fr", "Les données privées", "donnees", "Les [données] privées"),
        ("en", "call getUserName() now", "user", "call get[User]Name() now"),
    ],
)
def test_matches_are_marked_in_every_script(
    language: str, content: str, query: str, expected: str
) -> None:
    assert shown(content, query, language) == expected


def test_a_long_text_is_scanned_up_to_a_limit() -> None:
    content = "x. " * 400_000 + "refund"
    assert shown(content, "refund", "en", width=5) == "x. x.…"


TEXTS = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"), st.sampled_from("ab \n\u0301\u200d👍🏽👩ก\u0e34が한")
    ),
    max_size=200,
)


@pytest.mark.parametrize("width", range(1, 40))
@pytest.mark.parametrize(
    "character", ["👩\u200d👩\u200d👧", "e\u0301\u0323", "👍🏽", "กิ่", "\u1112\u1161\u11ab"]
)
def test_a_snippet_breaks_off_between_characters(width: int, character: str) -> None:
    text = character * 60
    for found in (
        snippet(text, "nothing", "en", width=width),
        snippet(text + " refund " + text, "refund", "en", width=width),
    ):
        bare = found.text.replace("refund", "").replace("…", "").replace(" ", "")
        assert set(apsw.unicode.grapheme_iter(bare)) <= {character}


@given(TEXTS, st.integers(min_value=1, max_value=50), st.sampled_from(["a", "ab ก 한", "x", "👍"]))
def test_a_snippet_never_cuts_a_character(content: str, width: int, query: str) -> None:
    text, matches = snippet(content, query, "en", width=width)
    whole = set(apsw.unicode.grapheme_iter(" ".join(content.split())))
    parts = [text.strip("…"), *(text[begin:end] for begin, end in matches)]
    characters = [one for part in parts for one in apsw.unicode.grapheme_iter(part)]
    assert all(one in whole or one.isspace() for one in characters)


@given(TEXTS, st.text(max_size=40))
def test_no_text_and_no_question_is_an_error(content: str, query: str) -> None:
    assert len(snippet(content, query, "en", width=30).text) <= 32
