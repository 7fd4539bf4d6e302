"""Three-way merge: one text from two changes of the same version that do not touch.

The unit is the line, as in git; what counts as touching is judged by passages. Two changed runs
that adjoin touch when they meet inside a passage, but list items, table rows or paragraphs that
follow each other may change on either side.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pincite.domain.differences import hunks_between, lines_of
from pincite.domain.passages import cut


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """Lines ``start`` to ``end`` of the base became ``lines``."""

    start: int
    end: int
    lines: tuple[str, ...]

    @property
    def inserts(self) -> bool:
        return self.start == self.end

    @property
    def keeps_count(self) -> bool:
        return self.end - self.start == len(self.lines)


def merge(base: str, theirs: str, mine: str) -> str | None:
    """Brings two changes of ``base`` together; None if they touch.

    Every line that either side added is in the result, and every line that both kept. A line
    that one side deleted while the other changed it is a conflict. Line ends, and a last line
    without one, stay as they are. Also fits titles, which are texts of one line.
    """
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    base_lines = lines_of(base)
    edits = sorted(set(_edits(base_lines, theirs)) | set(_edits(base_lines, mine)))
    pairs = list(pairwise(edits))
    if any(_overlap(*pair) for pair in pairs):
        return None
    seams = [later.start for earlier, later in pairs if earlier.end == later.start]
    if seams and _inside_passages(base, seams):
        return None
    merged = _applied(base_lines, edits)
    return merged if _keeps_lines(base, theirs, mine, merged) else None


def _edits(base: Sequence[str], side: str) -> list[_Edit]:
    lines = lines_of(side)
    return [
        _Edit(hunk.start, hunk.end, tuple(lines[hunk.new_start : hunk.new_end]))
        for hunk in hunks_between(base, lines)
    ]


def _overlap(earlier: _Edit, later: _Edit) -> bool:
    if earlier.end != later.start:
        return earlier.end > later.start
    if not (earlier.inserts or later.inserts):
        return False
    # Does what is inserted belong before or behind the other's new lines? That is plain only
    # where these stand one for one.
    replacing = later if earlier.inserts else earlier
    return not replacing.keeps_count


def _inside_passages(base: str, seams: Sequence[int]) -> bool:
    """Whether any passage begins before one of these lines and goes on in it."""
    offsets = list(accumulate(map(len, lines_of(base)), initial=0))
    passages = cut(base)
    for offset in (offsets[line] for line in seams):
        index = bisect_left(passages, offset, key=lambda passage: passage.start) - 1
        if index >= 0 and offset < passages[index].end:
            return True
    return False


def _applied(base: Sequence[str], edits: Sequence[_Edit]) -> str:
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += base[position : edit.start]
        parts += edit.lines
        position = edit.end
    return "".join([*parts, *base[position:]])


def _keeps_lines(base: str, theirs: str, mine: str, merged: str) -> bool:
    """The promise itself, looked at once more.

    Where lines repeat, both sides can have dropped a twin and each mean another one.
    """
    their_lines, my_lines = set(lines_of(theirs)), set(lines_of(mine))
    added = (their_lines | my_lines) - set(lines_of(base))
    return added | (their_lines & my_lines) <= set(lines_of(merged))
