"""Text into terms: what is found by what."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.storage.index.analyser import MAX_TERM, analyse, query_terms, terms


def looked_for(query: str, language: str) -> list[str]:
    return [term.term + ("*" if term.prefix else "") for term in query_terms(query, language)]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Refunds", "refund"),
        ("en", "Straße", "STRASSE"),
        ("en", "Café", "cafe"),
        ("en", "ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("en", "١٢٣", "123"),
        ("en-GB", "cancelling", "cancelled"),
        ("fr", "Données", "donnees"),
        ("fr", "Cœur", "coeur"),
        ("de", "Häuser", "HAUS"),
        ("es", "facturación", "facturacion"),
        ("pt_BR", "cancelamento", "cancelamentos"),
        ("ru", "хороший", "хорошая"),
        ("ru", "ёлка", "елка"),
        ("tr", "İSTANBUL", "istanbul"),
        ("el", "ΟΔΟΣ", "οδος"),
        ("ar", "كِتَاب", "كتاب"),
        ("ja", "ｶﾞｲﾄﾞ", "ガイド"),
        ("ja", unicodedata.normalize("NFD", "ガイド"), "ガイド"),
        ("ko", unicodedata.normalize("NFD", "한국어"), "한국어"),
    ],
)
def test_two_spellings_of_a_word_become_the_same_term(language: str, one: str, other: str) -> None:
    assert terms(one, language)
    assert terms(one, language) == terms(other, language)


@pytest.mark.parametrize(
    ("one", "other"), [("शेर", "शोर"), ("กิน", "กัน"), ("か", "が"), ("май", "маи")]
)
def test_marks_that_spell_another_word_are_kept(one: str, other: str) -> None:
    assert terms(one, "xx") != terms(other, "xx")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京タワー", ["東京", "京タ", "タワ", "ワー", "ー"]),
        ("한국어", ["한국", "국어", "어"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("ลาว", ["ลา", "าว", "ว"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ", "រ"]),
        ("မြန်", ["မြ", "ြန", "န်", "်"]),
        ("字", ["字"]),
        ("USBを挿す", ["usb", "を挿", "挿す", "す"]),
    ],
)
def test_scripts_without_spaces_become_pairs_and_a_last_character(
    text: str, expected: list[str]
) -> None:
    assert terms(text, "en") == expected


def test_a_questions_lone_character_stands_for_every_pair_that_begins_with_it() -> None:
    assert looked_for("字", "ja") == ["字*"]
    assert looked_for("価格", "ja") == ["価格"]
    assert looked_for("価格は 字", "ja") == ["価格", "格は", "字*"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case", ["snake", "case", "snakecas"]),
        ("getUserName", ["get", "user", "name", "getusernam"]),
        ("e-mails", ["e", "mail", "email"]),
        ("v3.11.2", ["v3", "11", "2", "v3112"]),
        ("12:30", ["12", "30", "1230"]),
        ("ERR-4012", ["err", "4012", "err4012"]),
        ("__init__", ["init"]),
        ("C++ and C#", ["c", "cplusplus", "and", "c", "csharp"]),
        ("a@b.example", ["a", "b", "exampl"]),
    ],
)
def test_compounds_and_identifiers_are_found_by_their_parts_and_whole(
    text: str, expected: list[str]
) -> None:
    assert terms(text, "en") == expected


def test_a_question_leaves_out_function_words() -> None:
    assert looked_for("How do I cancel the subscription?", "en") == ["cancel", "subscript"]
    assert looked_for("Qu'est-ce que le FCC ?", "fr") == ["fcc"]
    assert looked_for("¿Cómo puedo cancelar?", "es") == ["pued", "cancel"]


def test_a_question_of_function_words_alone_keeps_them() -> None:
    assert looked_for("To be or not to be", "en") == ["to", "be", "or", "not"]
    assert looked_for("IT", "en") == ["it"]


def test_a_text_keeps_its_function_words() -> None:
    assert terms("to be", "en") == ["to", "be"]


def test_a_question_names_each_term_once() -> None:
    assert looked_for("refund refunds REFUND", "en") == ["refund"]


@pytest.mark.parametrize("text", ["", " \t\n", "?!\"'()*", "👍🏽", "\x00", "\ud800", "\u0301", "️"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text, "en") == []
    assert query_terms(text, "en") == ()


def test_an_endless_word_is_found_by_its_beginning() -> None:
    assert terms("x" * 100_000, "en") == ["x" * MAX_TERM]
    assert looked_for("x" * 200, "en") == ["x" * MAX_TERM]


def test_an_unknown_language_is_neither_stemmed_nor_stopped() -> None:
    assert looked_for("the refunds", "xx-unknown") == ["the", "refunds"]
    assert looked_for("the refunds", "") == ["the", "refunds"]


WORDS = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("aZ09_-.@:/+#' \u0301\u3099が한\u1112\u1161\u11abกิ字Éﷺ⑴\ud800\x00"),
    ),
    max_size=60,
)


@given(WORDS, st.sampled_from(["en", "fr", "ru", "ja", "th", "tr", "ar", "xx"]))
def test_terms_with_places_are_the_terms_and_lie_in_the_text(text: str, language: str) -> None:
    tokens = analyse(text, language)
    assert [token.term for token in tokens] == terms(text, language)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)


@given(WORDS, st.sampled_from(["en", "fr", "ru", "ja", "th", "tr", "ar", "xx"]))
def test_no_term_holds_what_the_engine_would_split_or_read(text: str, language: str) -> None:
    for term in terms(text, language):
        assert re.fullmatch(r"[0-9a-z\x80-\U0010ffff]+", term)
        assert len(term) <= MAX_TERM


@given(WORDS, st.sampled_from(["en", "fr", "ru", "ja", "th", "xx"]))
def test_a_text_holds_every_term_of_itself_as_a_question(text: str, language: str) -> None:
    held = terms(text, language)
    for wanted in query_terms(text, language):
        if wanted.prefix:
            assert any(term.startswith(wanted.term) for term in held)
        else:
            assert wanted.term in held
