"""Verdicts: the order of CITE-1, look-alikes, context, and agreement with brute force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import oracle
from pincite.domain.citations import (
    Citation,
    CitedVersion,
    Gone,
    Judgement,
    NotKept,
    PresentState,
    Published,
    Reason,
    Unknown,
    Verdict,
    anchored,
    judge,
    judge_moved,
)
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import cut
from pincite.domain.quotes import Folded, Quote
from pincite.domain.stamps import Stamp

THEN = Stamp.parse("2026-11-08T10:00:00.123Z")
NOW = Stamp.parse("2026-11-08T11:00:00.000Z")
PAGE = "# Deploys\n\nDeploys are allowed.\n\nAsk first.\n\n## Undo\n\nRun undo.\n"
ASK = Quote("Ask first.")


def citation(*quotes: Quote) -> Citation:
    return Citation(KnowledgeBaseId("kb"), ArticleId("deploys"), THEN, quotes)


def verdict(
    quote: Quote, present: str, cited: str | None = PAGE, updated_at: Stamp = NOW
) -> Judgement:
    version = NotKept() if cited is None else Folded.of(cited)
    return judge(citation(quote), version, Published(Folded.of(present), updated_at))


@pytest.mark.spec("CITE-1")
@pytest.mark.parametrize(
    ("cited", "present", "expected"),
    [
        (Unknown(), Published(Folded.of(PAGE), NOW), "unfounded"),
        (Folded.of(PAGE), Unknown(), "unfounded"),
        (Unknown(), Gone(), "unfounded"),
        (Folded.of(PAGE), Gone(), "gone"),
        (NotKept(), Gone(), "gone"),
        (Folded.of("Other.\n"), Gone(), "gone"),
        (Folded.of("Other.\n"), Published(Folded.of(PAGE), THEN), "unfounded"),
        (Folded.of("Other.\n"), Published(Folded.of(PAGE), NOW), "unfounded"),
        (Folded.of(PAGE), Published(Folded.of(PAGE), THEN), "current"),
        (NotKept(), Published(Folded.of("Other.\n"), NOW), "changed"),
        (Folded.of(PAGE), Published(Folded.of("Other.\n"), NOW), "changed"),
        (Folded.of(PAGE), Published(Folded.of(PAGE + "\nMore.\n"), NOW), "intact"),
    ],
)
def test_the_first_verdict_that_applies_is_given(
    cited: CitedVersion, present: PresentState, expected: str
) -> None:
    assert judge(citation(ASK), cited, present).verdict == expected


@pytest.mark.spec("CITE-1")
def test_a_citation_without_quotes_is_changed_by_any_change() -> None:
    version = Folded.of(PAGE)
    assert judge(citation(), version, Published(version, NOW)) == Judgement(
        Verdict.CHANGED, None, NOW, version_kept=True
    )
    assert judge(citation(), version, Published(version, THEN)).verdict == "current"


@pytest.mark.spec("CITE-1")
def test_one_quote_that_is_not_founded_makes_the_whole_citation_unfounded() -> None:
    version = Folded.of(PAGE)
    found = judge(citation(ASK, Quote("Never said.")), version, Published(version, NOW))
    assert found == Judgement(Verdict.UNFOUNDED, None, NOW, version_kept=True)


@pytest.mark.spec("CITE-1")
def test_a_quote_that_stands_no_more_comes_with_the_nearest_present_text() -> None:
    found = verdict(ASK, PAGE.replace("Ask first", "Always ask first"))
    assert (found.verdict, found.reason, found.updated_at) == ("changed", "absent", NOW)
    assert found.present is not None
    assert found.present.text == "Always ask first."
    assert [(each.fate, each.text) for each in found.present.changes] == [
        ("removed", "Ask"),
        ("added", "Always ask"),
        ("kept", " first."),
    ]


@pytest.mark.spec("CITE-1")
def test_an_absent_quote_weighs_more_than_an_ambiguous_one() -> None:
    cited, present = Folded.of(PAGE), Folded.of("Ask first.\n\nAsk first.\n")
    quotes = (ASK, Quote("Run undo."))
    found = judge(citation(*quotes), cited, Published(present, NOW))
    assert (found.verdict, found.reason) == (Verdict.CHANGED, Reason.ABSENT)
    found = judge(citation(ASK), cited, Published(present, NOW))
    assert (found.verdict, found.reason) == (Verdict.CHANGED, Reason.AMBIGUOUS)


@pytest.mark.spec("CITE-1")
def test_a_version_that_is_not_kept_is_said_and_leaves_the_quote_unproved() -> None:
    assert verdict(Quote("Never said."), PAGE, None) == Judgement(
        Verdict.CHANGED, Reason.ABSENT, NOW, version_kept=False
    )
    assert verdict(ASK, PAGE, None) == Judgement(Verdict.INTACT, None, NOW, version_kept=False)
    misplaced = verdict(Quote("Ask first.", "Nobody said: "), PAGE, None)
    assert (misplaced.verdict, misplaced.context_changed) == (Verdict.INTACT, True)


@pytest.mark.spec("CITE-2")
def test_a_look_alike_never_makes_a_quote_intact() -> None:
    replaced = PAGE.replace("Ask first.", "Ask twice.")
    twins = PAGE + "\nAsk first.\n"
    context = Quote("Ask first.", "Deploys are allowed. ", " ## Undo")
    assert verdict(context, replaced + "\nAsk first.\n", twins).reason == "ambiguous"
    assert verdict(ASK, replaced + "\nAsk first.\n", twins).reason == "ambiguous"
    assert verdict(ASK, replaced + "\nAsk first. Ask first.\n").reason == "ambiguous"
    assert verdict(Quote("- Git"), "- GitHub\n", "- Git\n").reason == "absent"


@pytest.mark.spec("CITE-2")
def test_a_quote_is_found_by_its_text_when_lines_come_in_above() -> None:
    found = verdict(ASK, "Above.\n\n" * 30 + PAGE)
    assert (found.verdict, found.context_changed) == ("intact", False)


@pytest.mark.spec("CITE-3")
@pytest.mark.parametrize(
    ("present", "context_changed"),
    [
        pytest.param(PAGE.replace("Run undo", "Run redo"), False, id="a passage further on"),
        pytest.param(PAGE.replace("\n\n", "\r\n\r\n\n"), False, id="white space alone"),
        pytest.param(PAGE.replace("# Deploys\n", "# Releases\n"), True, id="the heading above"),
        pytest.param(PAGE.replace("are allowed", "are banned"), True, id="the passage before"),
        pytest.param(PAGE.replace("## Undo", "## Redo"), True, id="the passage behind"),
        pytest.param(PAGE.replace("first.", "first. Twice."), True, id="its own passage's rest"),
        pytest.param(PAGE.replace("Ask first.\n\n", "") + "\nAsk first.\n", True, id="its place"),
        pytest.param("Deploys are allowed.\n\nAsk first.\n\n## Undo\n", True, id="heading gone"),
    ],
)
def test_intact_says_whether_headings_or_neighbours_changed(
    present: str, *, context_changed: bool
) -> None:
    found = verdict(ASK, present)
    assert (found.verdict, found.context_changed) == ("intact", context_changed)


OFFER = "# Offer\n\nAsk us. Goods may be sent back within 30 days of delivery. Keep the box.\n"


@pytest.mark.parametrize(
    ("present", "nearest"),
    [
        pytest.param(
            OFFER.replace("30 days", "two weeks") + "\nWait 30 minutes.\n",
            "Goods may be sent back within two weeks of delivery.",
            id="its sentence, rather than one with a word of it",
        ),
        pytest.param("Goods are sold. Call us.\n", None, id="its sentence is gone"),
        pytest.param("Now 30 working days.\n", "Now 30 working days.", id="its words elsewhere"),
    ],
)
def test_a_few_words_that_stand_no_more_are_looked_for_by_their_sentence(
    present: str, nearest: str | None
) -> None:
    found = verdict(Quote("30 days"), present, OFFER)
    assert found.reason == "absent"
    assert (found.present and found.present.text) == nearest


def test_without_the_version_cited_a_few_words_are_looked_for_alone() -> None:
    found = verdict(Quote("30 days"), OFFER.replace("30 days", "two weeks"), None)
    assert (found.reason, found.present) == ("absent", None)


@pytest.mark.spec("CITE-4")
def test_a_kept_anchor_judges_as_the_version_cited_does() -> None:
    version = Folded.of(PAGE)
    anchors = anchored((ASK, Quote("Run undo.")), version)
    assert anchors is not None
    for content in (PAGE + "\nAsk first.\n", PAGE.replace("undo.", "it."), "Ask first.\n"):
        present = Published(Folded.of(content), NOW)
        assert judge_moved(anchors, present, version_kept=True) == judge(
            citation(ASK, Quote("Run undo.")), version, present, explain=False
        )


PIECES = st.sampled_from(
    [
        "Run X.",
        "Run X. Run X.",
        "- X\n",
        "# X\n\n",
        "\n\n",
        "\n",
        " ",
        "X",
        "Xy",
        "漢字",
        "漢",
        "No.",
    ]
)
CONTENTS = st.lists(PIECES, max_size=14).map("".join)


@st.composite
def quoted(draw: st.DrawFn, content: str) -> Quote:
    """A stretch of the content with, perhaps, what stands around it, or something else."""
    start = draw(st.integers(0, max(0, len(content) - 1)))
    end = start + draw(st.integers(1, 12))
    before = content[max(0, start - draw(st.integers(0, 8))) : start]
    behind = content[end : end + draw(st.integers(0, 8))]
    wrong = draw(st.sampled_from(["", "", "", "X", " "]))
    trimmed = draw(st.booleans())
    return Quote(
        content[start:end],
        wrong + (before.strip() if trimmed else before),
        behind.strip() if trimmed else behind,
    )


@pytest.mark.spec("CITE-1", "CITE-2", "CITE-3")
@given(CONTENTS, CONTENTS, st.booleans(), st.booleans(), st.data())
def test_verdicts_agree_with_brute_force(
    content: str, other: str, edited: bool, kept: bool, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(content)))
    present = content[:place] + other if edited else other
    quotes = tuple(data.draw(st.lists(quoted(content), min_size=1, max_size=2)))
    cited = NotKept() if not kept else Folded.of(content)
    found = judge(citation(*quotes), cited, Published(Folded.of(present), NOW))
    expected = oracle.answer(
        citation(*quotes),
        oracle.Version.of(content, cut(content)) if kept else None,
        oracle.Version.of(present, cut(present)),
        NOW,
    )
    assert oracle.Answer(found.verdict, found.reason, found.context_changed) == expected
