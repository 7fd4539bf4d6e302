"""Differences as people read them: the words that changed, with a few around them."""

from collections.abc import Iterator, Sequence

from pincite.domain.differences import Change, word_changes
from pincite.domain.texts import Text
from pincite.web.pages import Difference, Run, Skipped

_AROUND = 160
"""Characters that are shown on each side of a change."""


def difference(old: Text, new: Text) -> Difference:
    """What became of a text."""
    title = word_changes(old.title, new.title) if old.title != new.title else ()
    content = word_changes(old.content, new.content) if old.content != new.content else ()
    return Difference(title, tuple(_shortened(content)))


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
        # Words are not cut: what is shown ends and begins at white space.
        end = text.rfind(" ", 0, head) + 1 if head else 0
        start = text.find(" ", len(text) - tail) + 1 or len(text) - tail if tail else len(text)
        if end:
            yield Change("kept", text[:end])
        yield Skipped(len(text[end:start].split()))
        if start < len(text):
            yield Change("kept", text[start:])
