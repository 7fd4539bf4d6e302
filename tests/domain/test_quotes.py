"""Quotes: where they stand, what makes a place the one that was cited, and hostile text."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pincite.domain.differences import Change
from pincite.domain.passages import cut, normalise
from pincite.domain.quotes import (
    Folded,
    Nearest,
    Quote,
    _cuts_no_word,
    _whole_places,
    bare_anchor,
    find_anchor,
    find_nearest,
    places,
)

GUIDE = "# Setup\n\n## Linux\n\n- Run the\n  installer.\n\n## macOS\n\n- Run the\r\n  installer.\n"


def stands(quote: Quote, cited: str, present: str) -> int:
    """How many places come into question: 0, 1 or 2."""
    anchor = find_anchor(quote, Folded.of(cited))
    assert anchor is not None
    return len(places(anchor, Folded.of(present)))


@given(st.text("a #-|\n\r\t`>\u3000", max_size=60))
def test_folded_text_knows_where_its_passages_stand(content: str) -> None:
    folded = Folded.of(content)
    assert folded.text == f"\n{normalise(content)}\n"
    for index, passage in enumerate(folded.passages):
        text = normalise(content[passage.start : passage.end])
        assert folded.passage_text(index) == text
        assert folded.text.startswith(text, folded.starts[index])
        assert folded.passage_at(folded.starts[index] + len(text) - 1) == index


@pytest.mark.parametrize(
    "exact",
    [
        "# Setup",
        "Run the installer.\n\n## macOS",
        " ## Linux\t- Run\nthe ",
        "taller.",
    ],
)
def test_a_quote_is_found_whatever_its_white_space_and_across_passages(exact: str) -> None:
    assert find_anchor(Quote(exact), Folded.of(GUIDE)) is not None


@pytest.mark.parametrize(
    "exact", ["## linux", "Runthe installer.", " \n", "“Run the", "Linux Run", "installer.\ufeff"]
)
def test_nothing_but_white_space_is_folded(exact: str) -> None:
    assert find_anchor(Quote(exact), Folded.of(GUIDE)) is None


@pytest.mark.parametrize(
    ("exact", "cited", "present", "places_now"),
    [
        ("- Git", "- Git\n", "- Git\n\nMore.\n", 1),
        ("- Git", "- Git\n", "- GitHub\n", 0),
        ("- Git", "- Git\n- GitHub\n", "- GitHub\n- GitLab\n", 0),
        ("- Git", "- Git\n- GitHub\n", "- GitLab\n- Git\n", 1),
        ("## 配置", "## 配置\n", "## 配置文件\n", 0),
        ("配置", "## 配置文件\n", "配置文件在这里。\n", 1),
        ("क", "क है।\n", "कि है।\n", 0),
        ("a_b", "a_b\n", "a_b_c\n", 0),
        ("v1", "v1.\n", "v1.2\n", 1),
    ],
)
def test_a_quote_that_cut_no_word_stands_only_where_it_cuts_none(
    exact: str, cited: str, present: str, places_now: int
) -> None:
    assert stands(Quote(exact), cited, present) == places_now


@pytest.mark.parametrize(
    ("end", "places_now"), [("Git\n", 1), ("GitLab\n", 0), ("Git\n\nGit\n", 2), ("Gits; Git\n", 1)]
)
def test_a_quote_is_singled_out_among_countless_cut_words(end: str, places_now: int) -> None:
    assert stands(Quote("Git"), "Git\n", "GitHub " * 140_000 + end) == places_now


@given(
    st.text("aab b-é\u0301漢_.", max_size=12),
    st.tuples(*[st.text("ab -é\u0301漢_.", max_size=3)] * 3),
)
def test_a_place_is_found_among_cut_words_wherever_none_is_cut(
    text: str, quote: tuple[str, str, str]
) -> None:
    prefix, exact, suffix = (normalise(part) for part in quote)
    assume(exact)
    around, offset = normalise(prefix + exact + suffix), len(normalise(prefix + exact)) - len(exact)
    folded = f"\n{normalise(text)}\n"
    found = [
        start + offset
        for start in range(len(folded))
        if folded.startswith(around, start) and _cuts_no_word(folded, start + offset, exact)
    ]
    assert _whole_places(folded, around, exact, offset) == found[:2]


TWICE = "Stop first. Run X. Then wait.\n\nGo on. Run X. Then leave.\n"


@pytest.mark.spec("CITE-2")
@pytest.mark.parametrize(
    ("quote", "present", "places_now"),
    [
        pytest.param(Quote("Run X."), TWICE + "\nEnd.\n", 2, id="no context given"),
        pytest.param(
            Quote("Run X.", "Stop first. "), TWICE + "\nEnd.\n", 1, id="prefix singles one out"
        ),
        pytest.param(
            Quote("Run X.", suffix=" Then wait."), TWICE + "\nEnd.\n", 1, id="so does a suffix"
        ),
        pytest.param(
            Quote("Run X.", "Stop first.", "Then wait."), TWICE + "\nEnd.\n", 1, id="trimmed"
        ),
        pytest.param(
            Quote("Run X.", suffix=" Then"), TWICE + "\nEnd.\n", 2, id="this suffix fits both"
        ),
        pytest.param(
            Quote("Run X.", "Stop first. "),
            "Stop. Run X. Then wait.\n\nGo on. Run X. Then leave.\n",
            2,
            id="its context is gone",
        ),
        pytest.param(
            Quote("Run X.", "Stop first. "),
            "Stop first. Then wait.\n\nGo on. Run X. Then leave.\n",
            2,
            id="only the look-alike is left",
        ),
        pytest.param(
            Quote("Run X."),
            "Stop first. Then wait.\n\nGo on. Run X. Then leave.\n",
            2,
            id="one is left, nobody knows which",
        ),
        pytest.param(Quote("Run X.", "Stop first. "), "Nothing.\n", 0, id="both are gone"),
    ],
)
def test_a_quote_that_stood_twice_is_singled_out_by_its_context_alone(
    quote: Quote, present: str, places_now: int
) -> None:
    assert stands(quote, TWICE, present) == places_now


ONCE = "Before you begin, close every window. Run X. Afterwards, open them all again.\n"


@pytest.mark.spec("CITE-2")
@pytest.mark.parametrize(
    ("present", "places_now"),
    [
        pytest.param("Run X.\n\n" + ONCE, 1, id="a twin came before"),
        pytest.param(ONCE + "\nAgain: Run X.\n", 1, id="a twin came behind"),
        pytest.param(ONCE + "\n" + ONCE, 2, id="its context came twice, too"),
        pytest.param(
            ONCE.replace("window", "door") + "\nAgain: Run X.\n", 2, id="its context changed"
        ),
        pytest.param("Again: Run X.\n", 1, id="it was moved"),
    ],
)
def test_a_quote_that_stood_once_keeps_its_context_from_the_version_cited(
    present: str, places_now: int
) -> None:
    assert stands(Quote("Run X."), ONCE, present) == places_now


@pytest.mark.spec("CITE-2")
def test_context_at_the_ends_of_a_text_fits_only_there() -> None:
    assert stands(Quote("Run X."), "Run X.\n", "Run X.\n\nAgain: Run X.\n") == 2
    assert stands(Quote("Run X."), "Run X. Yes.\n", "Run X. Yes.\n\nNever: Run X. Yes.\n") == 2
    assert (
        stands(Quote("Run X."), f"Run X. {'y' * 40}\n", f"No.\n\nRun X. {'y' * 40}\n\nRun X.\n")
        == 2
    )


def test_without_the_version_cited_a_quote_has_its_own_context_alone() -> None:
    twice = Folded.of(TWICE)
    assert len(places(bare_anchor(Quote("Run X.")), twice)) == 2
    assert len(places(bare_anchor(Quote("Run X.", "on. ")), twice)) == 1
    assert len(places(bare_anchor(Quote("Run X.", "off. ")), twice)) == 2
    assert len(places(bare_anchor(Quote("Stop", "off. ")), twice)) == 1
    assert places(bare_anchor(Quote("Walk.")), twice) == []


def test_the_nearest_text_is_the_sentence_that_shares_most_words() -> None:
    page = "# Rules\n\nAsk twice. Deploys are never allowed on Friday. Be kind.\n\n- Deploys\n"
    assert find_nearest("Deploys are allowed on Friday.", Folded.of(page)) == Nearest(
        passage=cut(page)[1].id,
        text="Deploys are never allowed on Friday.",
        changes=(
            Change("kept", "Deploys are "),
            Change("added", "never "),
            Change("kept", "allowed on Friday."),
        ),
    )


def test_the_nearest_text_of_a_long_quote_spans_passages() -> None:
    page = "One.\n\nFirst stop the server. Wait.\n\nThen start it again today.\n\nTwo.\n"
    found = find_nearest("First stop the server. Wait. Then start it again.", Folded.of(page))
    assert found is not None
    assert found.text == "First stop the server. Wait. Then start it again today."


def test_the_nearest_text_is_cut_at_two_thousand_characters() -> None:
    page = "Word word. " * 300
    found = find_nearest(("Word. " * 300).strip(), Folded.of(page))
    assert found is not None
    assert found.text == page[:2_000].strip()


def test_nothing_is_near_to_a_quote_that_shares_no_words() -> None:
    assert find_nearest("Deploys are allowed.", Folded.of("Something else entirely\n")) is None
    assert find_nearest("Deploys are allowed.", Folded.of("\n")) is None


MEBIBYTE = 1_048_576


@pytest.mark.parametrize(
    ("content", "exact"),
    [
        ("a" * MEBIBYTE, "a" * 2_000),
        ("ab " * (MEBIBYTE // 3), "ab " * 600),
        ("aa " * (MEBIBYTE // 3), "a " + "aa " * 600 + "a"),
        ("a " * (MEBIBYTE // 2), "a " * 999 + "b"),
        ("漢" * MEBIBYTE, "漢" * 2_000),
        ("." * MEBIBYTE, "." * 2_000),
        ("a. " * (MEBIBYTE // 3), "a. " * 600 + "b."),
        ("- a\n" * 40_000, "- a\n" * 500),
    ],
)
def test_endless_repetition_is_never_singled_out(content: str, exact: str) -> None:
    version = Folded.of(content)
    anchor = find_anchor(Quote(exact, "a", "a"), version) or bare_anchor(Quote(exact))
    assert len(places(anchor, version)) != 1
    nearest = find_nearest(anchor.exact, version)
    assert nearest is None or len(nearest.text) <= 2_000
