"""Differences as people read them: the words that changed, with a few around them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pincite.domain.differences import Change, word_changes
from pincite.domain.texts import Text
from pincite.web.pages import Difference, Run, Skipped

_AROUND = 160
"""Characters that are shown on each side of a change."""


def difference(old: Text, new: Text) -> Difference:
    """What became of a text."""
    title = word_changes(old.title, new.title) if old.title != new.title else ()
    content = word_changes(old.content, new.content) if old.content != new.content else ()
    return Difference(title, tuple(_shortened(_joined(content))))


def _joined(changes: Sequence[Change]) -> list[Change]:
    """The same with neighbours of one fate as one."""
    groups = groupby(changes, lambda change: change.fate)
    return [Change(fate, "".join(change.text for change in group)) for fate, group in groups]


def _shortened(changes: Sequence[Change]) -> Iterator[Run]:
    last = len(changes) - 1
    for index, change in enumerate(changes):
        if change.fate != "kept":
            yield change
            continue
        text = change.text
        head = 0 if index == 0 else _AROUND
        tail = 0 if index == last else _AROUND
        if len(text) <= head + tail + _AROUND:
            yield change
            continue
        # What is shown ends and begins at white space, if there is some not too far off.
        end = text.rfind(" ", head // 2, head) + 1 or head
        start = len(text) - tail
        start = text.find(" ", start, start + tail // 2) + 1 or start
        if end:
            yield Change("kept", text[:end])
        yield Skipped(start - end)
        if start < len(text):
            yield Change("kept", text[start:])
