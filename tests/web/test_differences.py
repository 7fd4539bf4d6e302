"""Differences are shortened to what changed, with some text around."""

from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.differences import Change
from pincite.domain.texts import Text
from pincite.web.differences import difference
from pincite.web.pages import Skipped


def test_only_what_is_far_from_a_change_is_left_out() -> None:
    far = "word " * 200
    found = difference(Text("T", f"{far}old {far}end"), Text("T", f"{far}new {far}end"))
    assert found.title == ()
    assert found.content == (
        Skipped(845),
        Change("kept", "word " * 31),
        Change("removed", "old"),
        Change("added", "new"),
        Change("kept", " " + "word " * 31),
        Skipped(848),
    )


def test_writing_without_spaces_keeps_text_around_a_change_too() -> None:
    far = "電池を交換します" * 100
    found = difference(Text("T", f"{far}旧{far}"), Text("T", f"{far}新{far}"))
    assert found.content == (
        Skipped(640),
        Change("kept", far[:160]),
        Change("removed", "旧"),
        Change("added", "新"),
        Change("kept", far[:160]),
        Skipped(640),
    )


def test_a_title_that_changed_is_told_apart_from_the_content() -> None:
    found = difference(Text("One fine day", "same"), Text("One grey day", "same"))
    assert found.title == (
        Change("kept", "One "),
        Change("removed", "fine"),
        Change("added", "grey"),
        Change("kept", " day"),
    )
    assert found.content == ()
    assert not difference(Text("T", "same"), Text("T", "same"))


TEXTS = st.text("ab \n語", max_size=30).flatmap(
    lambda text: st.integers(1, 40).map(lambda times: text * times)
)


@given(TEXTS, TEXTS)
def test_what_is_left_out_is_counted_and_nothing_else_is_lost(old: str, new: str) -> None:
    found = difference(Text("T", old), Text("T", new)).content
    sizes = {"kept": 0, "removed": 0, "added": 0}
    for run in found:
        if isinstance(run, Skipped):
            assert run.characters > 0
            sizes["kept"] += run.characters
        else:
            sizes[run.fate] += len(run.text)
    if old != new:
        assert sizes["kept"] + sizes["removed"] == len(old)
        assert sizes["kept"] + sizes["added"] == len(new)
