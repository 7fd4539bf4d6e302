"""Differences: exact for every text, readable for people, bounded for hostile ones."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.differences import (
    Change,
    Hunk,
    hunks_between,
    lines_of,
    unified_diff,
    word_changes,
)

TEXTS = st.lists(
    st.sampled_from(
        ["one two\n", "one three\n", "\n", "漢字を\n", "a\r\n", "\r", "b", " ", "- x\n"]
    ),
    max_size=25,
).map("".join)
UNBOUNDED = 10**9
HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def patched(old: str, diff: str) -> str:
    """What a reader of unified diffs, who knows nothing of ours, makes of one."""
    old_lines, result, position, last = lines_of(old), [], 0, ""
    for line in lines_of(diff)[2:]:
        head = HEAD.fullmatch(line)
        if head:
            start, count = int(head[1]), int(head[2] or 1)
            start -= count > 0
            result += old_lines[position:start]
            position = start
        elif line.startswith("\\"):
            if last in " +":
                result[-1] = result[-1].removesuffix("\n")
            continue
        elif line[0] in " -":
            assert old_lines[position].removesuffix("\n") == line[1:].removesuffix("\n")
            position += 1
        if not head and line[0] in " +":
            result.append(line[1:])
        last = line[0]
    return "".join(result + old_lines[position:])


def test_lines_end_at_line_feeds_alone() -> None:
    assert lines_of("a\r\nb\rc\u2028d\n\ne") == ["a\r\n", "b\rc\u2028d\n", "\n", "e"]
    assert lines_of("") == []


def test_hunks_name_the_ranges_that_differ() -> None:
    assert hunks_between("abcdef", "aXcdYYf") == (Hunk(1, 2, 1, 2), Hunk(4, 5, 4, 6))
    assert hunks_between("abc", "abc") == ()
    assert hunks_between("", "ab") == (Hunk(0, 0, 0, 2),)


@given(st.text("abc", max_size=30), st.text("abc", max_size=30))
def test_hunks_turn_the_old_sequence_into_the_new_and_keep_a_longest_common_one(
    old: str, new: str
) -> None:
    hunks = hunks_between(old, new)
    rebuilt, position = "", 0
    for hunk in hunks:
        assert hunk.start > position or hunk == hunks[0]
        rebuilt += old[position : hunk.start] + new[hunk.new_start : hunk.new_end]
        position = hunk.end
    assert rebuilt + old[position:] == new
    assert len(old) - sum(hunk.end - hunk.start for hunk in hunks) == longest_common(old, new)


def longest_common(old: str, new: str) -> int:
    row = [0] * (len(new) + 1)
    for mine in old:
        before = 0
        for index, yours in enumerate(new, 1):
            before, row[index] = (
                row[index],
                before + 1 if mine == yours else max(row[index], row[index - 1]),
            )
    return row[-1]


def test_a_unified_diff_reads_as_git_writes_it() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))
    new = old.replace("5\n", "five\n", 1).replace("20\n", "20")
    assert unified_diff(old, new, UNBOUNDED) == (
        "--- expected\n+++ current\n"
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        "@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20\n\\ No newline at end of file\n"
    )


def test_hunks_whose_contexts_touch_are_shown_together() -> None:
    def heads(kept: int) -> list[str]:
        middle = "=\n" * kept
        diff = unified_diff(f"a\n{middle}b\n", f"A\n{middle}B\n", UNBOUNDED)
        return [line for line in diff.splitlines() if line.startswith("@@")]

    assert heads(6) == ["@@ -1,8 +1,8 @@"]
    assert heads(7) == ["@@ -1,4 +1,4 @@", "@@ -6,4 +6,4 @@"]


def test_a_unified_diff_of_equal_texts_is_empty() -> None:
    assert unified_diff("a\n", "a\n", UNBOUNDED) == ""


@given(TEXTS, TEXTS)
def test_a_unified_diff_applied_to_the_old_text_gives_the_new(old: str, new: str) -> None:
    assert patched(old, unified_diff(old, new, UNBOUNDED)) == new


@given(TEXTS, TEXTS, st.integers(30, 120))
def test_a_unified_diff_is_never_longer_than_asked_and_says_where_it_was_cut(
    old: str, new: str, limit: int
) -> None:
    whole = unified_diff(old, new, UNBOUNDED)
    short = unified_diff(old, new, limit)
    assert len(short) <= limit
    if len(whole) <= limit:
        assert short == whole
    else:
        assert short.endswith("\n… the difference goes on\n")
        assert whole.startswith(short.removesuffix("\n… the difference goes on\n"))


def test_word_changes_say_what_became_of_each_word() -> None:
    assert word_changes("Deploys are allowed on Friday.\n", "Deploys are never allowed.\n") == (
        Change("kept", "Deploys are "),
        Change("added", "never "),
        Change("kept", "allowed"),
        Change("removed", " on Friday"),
        Change("kept", ".\n"),
    )


def test_a_phrase_that_was_replaced_is_one_change() -> None:
    assert word_changes("the quick fox", "a very slow fox") == (
        Change("removed", "the quick"),
        Change("added", "a very slow"),
        Change("kept", " fox"),
    )


def test_writing_without_spaces_is_compared_sign_by_sign() -> None:
    assert word_changes("部署在周五允许。", "部署在周一允许。") == (
        Change("kept", "部署在周"),
        Change("removed", "五"),
        Change("added", "一"),
        Change("kept", "允许。"),
    )


@given(TEXTS, TEXTS)
def test_word_changes_hold_both_texts_whole(old: str, new: str) -> None:
    changes = word_changes(old, new)
    assert "".join(each.text for each in changes if each.fate != "added") == old
    assert "".join(each.text for each in changes if each.fate != "removed") == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n" * 400_000, "b\n" * 400_000),
        ("a\nb\n" * 200_000, "b\na\n" * 200_000),
        ("a " * 400_000, "a b " * 200_000),
        ("a" * 1_048_576, "a" * 1_048_575),
        ("ab\n" * 10_000, "ba\n" * 10_000),
        ("a b c\n" * 3_000, "c b a\n" * 3_000),
    ],
)
def test_hostile_texts_are_compared_within_the_bound(old: str, new: str) -> None:
    assert len(unified_diff(old, new, 2_000)) <= 2_000
    changes = word_changes(old, new)
    assert "".join(each.text for each in changes if each.fate != "added") == old
    assert "".join(each.text for each in changes if each.fate != "removed") == new


def test_beyond_the_bound_the_unequal_middle_is_replaced_as_a_whole() -> None:
    old = [f"old {number}" for number in range(15_000)]
    new = [f"new {number}" for number in range(15_000)]
    assert hunks_between(
        ["head", *old, "shared", *old, "tail"], ["head", *new, "shared", *new, "tail"]
    ) == (Hunk(1, 30_002, 1, 30_002),)
