"""Differences between two texts: as hunks, as a unified diff, and word by word.

Alignments are longest common subsequences, found by rapidfuzz in n·m/64 machine steps, so that
hostile text costs what any text of its size costs. Beyond a bound the unequal middle counts as
replaced as a whole: coarser, never wrong.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Fate: TypeAlias = Literal["kept", "removed", "added"]

_MOST_PAIRS = 200_000_000  # about 40 ms, and 25 MB for a moment
_CONTEXT = 3  # unchanged lines around a hunk, as diff and git show them
_CUT = "… the difference goes on\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_NEWLINE = "\n\\ No newline at end of file\n"
# Writing without spaces between words is compared sign by sign.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"  # Han, kana, Hangul
)
_PLAIN_WORD = rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]"
_PLAIN_WORDS = re.compile(_PLAIN_WORD)
_WORDS = re.compile(rf"{_PLAIN_WORD}|\s+")


@dataclass(frozen=True, slots=True, order=True)
class Hunk:
    """One place where two sequences differ: ``old[start:end]`` became ``new[new_start:new_end]``.

    Between two hunks of one comparison stands at least one unchanged element.
    """

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Change:
    """A run of text with what became of it."""

    fate: Fate
    text: str


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, so that joined they are the text.

    As in git, only a line feed ends a line; a carriage return before it belongs to the line.
    """
    return _LINE.findall(text)


def words_of(text: str) -> list[str]:
    """Words, marks and runs of white space, so that joined they are the text."""
    return _WORDS.findall(text)


def plain_words_of(text: str) -> list[str]:
    """Words and marks, without the white space between them."""
    return _PLAIN_WORDS.findall(text)


def hunks_between(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...]:
    """Where two sequences of lines or words differ, in order."""
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if head == old_end and head == new_end:
        return ()
    if (old_end - head) * (new_end - head) > _MOST_PAIRS:
        return (Hunk(head, old_end, head, new_end),)
    return tuple(_aligned(old[head:old_end], new[head:new_end], head))


def unified_diff(old: str, new: str, limit_characters: int) -> str:
    """A unified diff, as ``diff -u`` and git write it; empty if the texts are the same.

    Args:
        old: The text under ``--- expected``.
        new: The text under ``+++ current``.
        limit_characters: The longest diff wanted; a longer one is cut, and its last line says so.
    """
    parts: list[str] = []
    size = 0
    for part in _unified(lines_of(old), lines_of(new)):
        parts.append(part)
        size += len(part)
        if size > limit_characters:
            kept = "".join(parts)[: max(0, limit_characters - len(_CUT) - 1)]
            return f"{kept}\n{_CUT}"[:limit_characters]
    return "".join(parts)


def word_changes(old: str, new: str) -> tuple[Change, ...]:
    """What became of each word: without what was added it is ``old``, without removed ``new``.

    Lines are compared first, then words within the lines that differ.
    """
    old_lines, new_lines = lines_of(old), lines_of(new)
    changes: list[Change] = []
    position = 0
    for hunk in hunks_between(old_lines, new_lines):
        changes.append(Change("kept", "".join(old_lines[position : hunk.start])))
        removed = words_of("".join(old_lines[hunk.start : hunk.end]))
        added = words_of("".join(new_lines[hunk.new_start : hunk.new_end]))
        changes += _changes(removed, added)
        position = hunk.end
    changes.append(Change("kept", "".join(old_lines[position:])))
    return tuple(change for change in changes if change.text)


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    position = 0
    for hunk in _readable(hunks_between(old, new), old):
        yield Change("kept", "".join(old[position : hunk.start]))
        yield Change("removed", "".join(old[hunk.start : hunk.end]))
        yield Change("added", "".join(new[hunk.new_start : hunk.new_end]))
        position = hunk.end
    yield Change("kept", "".join(old[position:]))


def _readable(hunks: Sequence[Hunk], old: Sequence[str]) -> Iterator[Hunk]:
    """Joins hunks between which only white space is kept: a phrase was replaced, not its words."""
    joined: Hunk | None = None
    for hunk in hunks:
        if joined and "".join(old[joined.end : hunk.start]).isspace():
            joined = Hunk(joined.start, hunk.end, joined.new_start, hunk.new_end)
            continue
        if joined:
            yield joined
        joined = hunk
    if joined:
        yield joined


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """How many elements both begin with."""
    for index, (mine, yours) in enumerate(zip(old, new, strict=False)):
        if mine != yours:
            return index
    return min(len(old), len(new))


def _aligned(old: Sequence[str], new: Sequence[str], offset: int) -> Iterator[Hunk]:
    from rapidfuzz.distance import LCSseq

    # Numbers instead of texts: rapidfuzz compares hashes, and those of numbers cannot collide.
    numbers: dict[str, int] = {}
    numbered = [[numbers.setdefault(each, len(numbers)) for each in side] for side in (old, new)]
    start = new_start = 0
    for operation in LCSseq.opcodes(*numbered):
        if operation.tag != "equal":
            continue
        if operation.src_start > start or operation.dest_start > new_start:
            yield Hunk(
                start + offset,
                operation.src_start + offset,
                new_start + offset,
                operation.dest_start + offset,
            )
        start, new_start = operation.src_end, operation.dest_end
    if start < len(old) or new_start < len(new):
        yield Hunk(start + offset, len(old) + offset, new_start + offset, len(new) + offset)


def _unified(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    hunks = hunks_between(old, new)
    if hunks:
        yield "--- expected\n+++ current\n"
    for group in _near(hunks):
        first, last = group[0], group[-1]
        before = min(_CONTEXT, first.start)
        after = min(_CONTEXT, len(old) - last.end)
        old_span = _span(first.start - before, last.end + after)
        new_span = _span(first.new_start - before, last.new_end + after)
        yield f"@@ -{old_span} +{new_span} @@\n"
        position = first.start - before
        for hunk in group:
            yield from _marked(" ", old[position : hunk.start])
            yield from _marked("-", old[hunk.start : hunk.end])
            yield from _marked("+", new[hunk.new_start : hunk.new_end])
            position = hunk.end
        yield from _marked(" ", old[position : position + after])


def _near(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks whose contexts touch, together."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _span(start: int, end: int) -> str:
    """Lines as unified diffs count them: from 1; an empty range names the line before it."""
    if end - start == 1:
        return str(end)
    return f"{start + 1 if end > start else start},{end - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}{_NO_NEWLINE}"
