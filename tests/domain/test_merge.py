"""Merging: nothing is lost, and what touches is left to a person."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.merging import compare, random_triples
from pincite.domain.merge import merge

ARTICLE = """\
# Deploys

Deploys are allowed
on any weekday.

- Ask first.
- Wait for yes.
- Deploy.

| step | who |
|------|-----|
| stop | ops |
| undo | dev |

The end."""


def changed(*replacements: tuple[str, str]) -> str:
    text = ARTICLE
    for old, new in replacements:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


REPEATED = st.lists(st.sampled_from(["- a\n", "- b\n", "\n"]), max_size=8)


@st.composite
def edited_lines(draw: st.DrawFn, who: str, count: int) -> dict[int, list[str]]:
    """What becomes of each of ``count`` distinct lines; lines that are missing stay."""
    touched = draw(st.sets(st.integers(0, count - 1), max_size=4)) if count else set()
    fates = st.sampled_from(["delete", "replace", "before", "behind", "grow"])
    return {line: new_lines(draw(fates), who, line) for line in touched}


def new_lines(fate: str, who: str, line: int) -> list[str]:
    kept, new = f"- {line}\n", f"- {who} {line}\n"
    return {
        "delete": [],
        "replace": [new],
        "before": [new, kept],
        "behind": [kept, new],
        "grow": [new, f"- {who} {line} more\n"],
    }[fate]


def written(count: int, edits: dict[int, list[str]]) -> list[str]:
    return [new for line in range(count) for new in edits.get(line, [f"- {line}\n"])]


@pytest.mark.spec("CAS-4")
def test_changes_of_two_paragraphs_merge() -> None:
    theirs = changed(("on any weekday", "on Mondays"))
    mine = changed(("The end.", "The end.\n\nMore."))
    assert merge(ARTICLE, theirs, mine) == changed(
        ("on any weekday", "on Mondays"), ("The end.", "The end.\n\nMore.")
    )


@pytest.mark.spec("CAS-4")
def test_changes_of_neighbouring_list_items_or_rows_merge() -> None:
    ours = ("Ask first", "Ask twice"), ("| stop | ops |", "| stop | all |")
    theirs = ("Wait for yes", "Wait an hour"), ("| undo | dev |", "| undo | ops |")
    assert merge(ARTICLE, changed(*theirs), changed(*ours)) == changed(*ours, *theirs)


@pytest.mark.spec("CAS-4")
def test_a_new_item_beside_a_reworded_one_merges() -> None:
    theirs = ("- Wait for yes.\n", "- Wait for yes.\n- Breathe.\n")
    mine = ("Wait for yes", "Wait an hour")
    assert merge(ARTICLE, changed(theirs), changed(mine)) == changed(
        ("- Wait for yes.\n", "- Wait an hour.\n- Breathe.\n")
    )


@pytest.mark.spec("CAS-4")
@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        pytest.param(("Ask first", "Ask twice"), ("Ask first", "Ask me"), id="same line"),
        pytest.param(
            ("Deploys are allowed", "Deploys are banned"),
            ("on any weekday", "on Mondays"),
            id="neighbouring lines of one paragraph",
        ),
        pytest.param(("- Ask first.\n", ""), ("Ask first", "Ask me"), id="deleted and changed"),
        pytest.param(
            ("- Wait for yes.\n", "- Wait for yes.\n- Mine.\n"),
            ("- Wait for yes.\n", "- Wait for yes.\n- Theirs.\n"),
            id="two insertions at one place",
        ),
        pytest.param(
            ("- Wait for yes.\n", "- Wait for yes.\n- Breathe.\n"),
            ("- Wait for yes.\n", ""),
            id="inserted behind what was deleted",
        ),
        pytest.param(
            ("- Wait for yes.\n", "- Wait for yes.\n- Breathe.\n"),
            ("- Wait for yes.\n", "- Wait.\n- Yes.\n"),
            id="inserted behind what became two lines",
        ),
        pytest.param(("The end.", "The end.\n"), ("The end.", "The end!"), id="last line end"),
    ],
)
def test_changes_that_touch_are_a_conflict(theirs: tuple[str, str], mine: tuple[str, str]) -> None:
    assert merge(ARTICLE, changed(theirs), changed(mine)) is None
    assert merge(ARTICLE, changed(mine), changed(theirs)) is None


@pytest.mark.spec("CAS-4")
def test_the_same_change_on_both_sides_is_taken_once() -> None:
    both = ("Ask first", "Ask twice")
    mine = ("The end.", "The very end.")
    assert merge(ARTICLE, changed(both), changed(both, mine)) == changed(both, mine)


def test_line_ends_and_a_missing_last_one_stay_as_they_are() -> None:
    assert merge("a\r\n\r\nb\n\nc", "A\r\n\r\nb\n\nc", "a\r\n\r\nb\n\nC") == "A\r\n\r\nb\n\nC"
    assert merge("a\n\nb\n", "A\n\nb\n", "a\n\nb") == "A\n\nb"


@pytest.mark.spec("CAS-4")
def test_a_line_that_both_kept_is_not_lost_where_each_dropped_another_twin() -> None:
    assert merge("- a\n- a\n- b\n- a\n", "- a\n- a\n- b\n", "- c\n- c\n- a\n") is None


def test_titles_merge_when_one_side_kept_them_or_both_agree() -> None:
    assert merge("Old", "New", "Old") == "New"
    assert merge("Old", "Old", "New") == "New"
    assert merge("Old", "New", "New") == "New"
    assert merge("Old", "New", "Newer") is None


@pytest.mark.spec("CAS-4")
@given(st.integers(0, 9), st.data())
def test_a_merge_of_distinct_lines_holds_exactly_what_both_sides_made(
    count: int, data: st.DataObject
) -> None:
    their_edits = data.draw(edited_lines("theirs", count))
    my_edits = data.draw(edited_lines("mine", count))
    base, theirs, mine = (written(count, edits) for edits in ({}, their_edits, my_edits))
    merged = merge("".join(base), "".join(theirs), "".join(mine))
    if their_edits.keys() & my_edits.keys():
        return  # what the two made of one line may or may not touch
    if merged is None:
        assert any(line + 1 in my_edits or line - 1 in my_edits for line in their_edits)
        return
    assert merged == "".join(written(count, their_edits | my_edits))


@pytest.mark.spec("CAS-4")
@given(REPEATED, REPEATED, REPEATED)
def test_a_merge_never_drops_a_line_that_a_side_added_or_both_kept(
    base: list[str], theirs: list[str], mine: list[str]
) -> None:
    merged = merge("".join(base), "".join(theirs), "".join(mine))
    assert merged == merge("".join(base), "".join(mine), "".join(theirs))
    if merged is None:
        return
    lines = merged.splitlines(keepends=True)
    if base not in (theirs, mine):
        assert set(theirs) & set(mine) <= set(lines)
    for line in (set(theirs) | set(mine)) - set(base):
        assert lines.count(line) >= max(theirs.count(line), mine.count(line))


@pytest.mark.spec("CAS-4")
def test_random_edits_merge_at_least_as_git_merges_them_and_lose_no_line(tmp_path: Path) -> None:
    counts = compare(random_triples(seed=1, count=60), tmp_path)
    assert counts["lost"] == 0
    assert counts["same"] == counts["both clean"] == counts["git clean"] < counts["clean"] < 60


@pytest.mark.parametrize(
    ("base", "theirs", "mine"),
    [
        ("a\n" * 300_000, "b\n" + "a\n" * 300_000, "a\n" * 300_000 + "b\n"),
        ("a\n" * 20_000, "a\nb\n" * 10_000, "b\na\n" * 10_000),
        ("- a\n" * 20_000, "- b\n- a\n" * 10_000, "- a\n- c\n" * 10_000),
        ("a" * 1_048_576, "b" + "a" * 1_048_575, "a" * 1_048_575 + "b"),
    ],
)
def test_hostile_texts_are_merged_or_refused_within_the_bound(
    base: str, theirs: str, mine: str
) -> None:
    merged = merge(base, theirs, mine)
    assert merged is None or "b" in merged
