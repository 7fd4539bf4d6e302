"""Passages: where they begin and end, what they are called, and what hostile text does to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.passages import Passage, _parser, cut, normalise, window
from pincite.errors import InvalidInputError

HANDBOOK = """\
# Deploys #

Deploys are allowed
on any weekday.

- Ask first
  - and wait
-

## Roll *back*

| step | who |
|------|-----|
| stop | ops |

```sh
make undo

make sure
```

Fire drill
----------

> Stay calm.
> Walk.

[rules]: /rules
<div>
end
"""

FRAGMENTS = st.sampled_from(
    [
        *["# A\n", "## B\n", "Text.\n", "\n", "- x\n", "  - y\n", "1. z\n", "> q\n", "```\n"],
        *["    c\n", "|a|b|\n", "|-|-|\n", "===\n", "---\n", "<div>\n", "[a]: b\n", "\r\n", "\r"],
        *[
            "\t",
            " ",
            "\f",
            "\ufeff",
            "\0",
            "\u3000\n",
            "\u2028",
            "\x85",
            "é",
            "漢字。",
            "\U0001f600",
        ],
    ]
)
MARKDOWN = st.lists(FRAGMENTS, max_size=30).map("".join)


def text_of(content: str, passage: Passage) -> str:
    return content[passage.start : passage.end]


def described(content: str) -> list[tuple[str, tuple[str, ...], str]]:
    return [(each.kind, each.heading_path, text_of(content, each)) for each in cut(content)]


def test_each_kind_of_block_is_a_passage_under_its_headings() -> None:
    assert described(HANDBOOK) == [
        ("heading", (), "# Deploys #"),
        ("paragraph", ("Deploys",), "Deploys are allowed\non any weekday."),
        ("item", ("Deploys",), "- Ask first"),
        ("item", ("Deploys",), "- and wait"),
        ("item", ("Deploys",), "-"),
        ("heading", ("Deploys",), "## Roll *back*"),
        ("row", ("Deploys", "Roll *back*"), "| step | who |\n|------|-----|"),
        ("row", ("Deploys", "Roll *back*"), "| stop | ops |"),
        ("code", ("Deploys", "Roll *back*"), "```sh\nmake undo\n\nmake sure\n```"),
        ("heading", ("Deploys",), "Fire drill\n----------"),
        ("paragraph", ("Deploys", "Fire drill"), "> Stay calm.\n> Walk."),
        ("paragraph", ("Deploys", "Fire drill"), "[rules]: /rules"),
        ("paragraph", ("Deploys", "Fire drill"), "<div>\nend"),
    ]


def test_a_heading_closes_the_sections_of_its_level_and_deeper() -> None:
    content = "# A\n### C\nc\n## B\nb\n# D\nd\n"
    assert [each.heading_path for each in cut(content)] == [
        (),
        ("A",),
        ("A", "C"),
        ("A",),
        ("A", "B"),
        (),
        ("D",),
    ]


def test_a_heading_inside_a_list_or_quote_opens_no_section() -> None:
    assert described("# A\n\n- # B\n\n> # C\n\nd\n")[1:] == [
        ("heading", ("A",), "- # B"),
        ("heading", ("A",), "> # C"),
        ("paragraph", ("A",), "d"),
    ]


@given(MARKDOWN)
def test_passages_are_ordered_and_leave_out_nothing_but_white_space(content: str) -> None:
    position = 0
    for passage in cut(content):
        assert position <= passage.start < passage.end
        assert content[position : passage.start].removeprefix("\ufeff").strip() == ""
        assert text_of(content, passage) == text_of(content, passage).strip()
        position = passage.end
    assert content[position:].removeprefix("\ufeff" if position == 0 else "").strip() == ""


@given(MARKDOWN)
def test_folded_passages_are_the_folded_text(content: str) -> None:
    folded = " ".join(normalise(text_of(content, each)) for each in cut(content))
    assert folded == normalise(content.removeprefix("\ufeff"))


@given(MARKDOWN)
def test_no_two_passages_of_a_text_share_an_id(content: str) -> None:
    names = [each.id for each in cut(content)]
    assert len(set(names)) == len(names)


@given(MARKDOWN)
def test_line_ends_change_offsets_alone(content: str) -> None:
    unix = content.replace("\r", "")
    windows = unix.replace("\n", "\r\n")
    assert [(each.id, each.kind, each.heading_path) for each in cut(unix)] == [
        (each.id, each.kind, each.heading_path) for each in cut(windows)
    ]
    assert [text_of(unix, each) for each in cut(unix)] == [
        text_of(windows, each).replace("\r\n", "\n") for each in cut(windows)
    ]


@given(MARKDOWN)
def test_telling_prose_by_its_letters_changes_no_passage(content: str) -> None:
    rules = _parser().block.ruler
    with_it = cut(content)
    rules.disable("prose")
    try:
        assert cut(content) == with_it
    finally:
        rules.enable("prose")


def test_a_byte_order_mark_hides_no_heading_and_shifts_offsets_by_one() -> None:
    assert cut("\ufeff# A\n\nb\n") == (
        Passage(id="327f031b25", kind="heading", heading_path=(), start=1, end=4),
        Passage(id="3e23e81600", kind="paragraph", heading_path=("A",), start=6, end=7),
    )


def test_an_id_survives_an_edit_elsewhere_and_a_reflow_of_its_own_lines() -> None:
    before = {text_of(HANDBOOK, each): each.id for each in cut(HANDBOOK)}
    edited = "New opening.\n\n" + HANDBOOK.replace("Ask first", "Ask twice").replace(
        "allowed\non any", "allowed on\nany"
    )
    after = {normalise(text_of(edited, each)): each.id for each in cut(edited)}
    assert {text for text, name in before.items() if name not in after.values()} == {"- Ask first"}


def test_twins_are_numbered_in_the_order_of_the_text() -> None:
    assert [each.id for each in cut("- a\n- b\n- a\n- a\n")] == [
        "ae030a32f1",
        "d919ba0955",
        "ae030a32f1-2",
        "ae030a32f1-3",
    ]


def test_normalise_folds_white_space_and_nothing_else() -> None:
    assert normalise(" \tA\r\n\n b\u00a0\u3000C\u2028d ") == "A b C d"
    assert (
        normalise("ﬁ \uff21 É é e\u0301 \u200b“x” \ufeff")
        == "ﬁ \uff21 É é e\u0301 \u200b“x” \ufeff"
    )


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert described("a\n\n```\n# no heading\n\n- no item\n") == [
        ("paragraph", (), "a"),
        ("code", (), "```\n# no heading\n\n- no item"),
    ]


def test_blocks_nested_beyond_the_parsers_depth_are_kept_as_paragraphs() -> None:
    content = "- top\n\n" + "> " * 30 + "- deep\n\n" + "> " * 30 + "- deeper\n"
    assert described(content) == [
        ("item", (), "- top"),
        ("paragraph", (), "> " * 30 + "- deep"),
        ("paragraph", (), "> " * 30 + "- deeper"),
    ]


@pytest.mark.parametrize("character", list("a #>-*`|[<\\\n\r\t~=_1&\u3000漢\U0001f600\0\ud800"))
def test_a_mebibyte_of_one_character_is_one_passage_or_none(character: str) -> None:
    content = character * 1_048_576
    expected = [] if character.isspace() else [content]
    assert [text_of(content, each) for each in cut(content)] == expected


def test_thousands_of_list_items_are_as_many_passages() -> None:
    passages = cut("- a\n" * 20_000)
    assert len(passages) == 20_000
    assert passages[-1].id == "ae030a32f1-20000"


def test_a_text_of_too_many_lines_to_parse_is_cut_at_blank_lines() -> None:
    assert described("- a\n- b\n\n# c\n" * 12_500)[:3] == [
        ("paragraph", (), "- a\n- b"),
        ("paragraph", (), "# c\n- a\n- b"),
        ("paragraph", (), "# c\n- a\n- b"),
    ]


def test_a_window_without_limits_is_the_whole_content() -> None:
    content = "\ufeff\n# A\n\nb\n\n"
    whole = window(content, cut(content))
    assert (whole.text, whole.start, whole.complete, whole.next_passage) == (content, 0, True, None)


def test_a_window_holds_as_many_whole_passages_as_fit() -> None:
    content = "One.\n\nTwo.\n\nThree.\n"
    passages = cut(content)
    short = window(content, passages, max_characters=12)
    assert (short.text, short.start, short.complete) == ("One.\n\nTwo.", 0, False)
    rest = window(content, passages, first_passage=short.next_passage, max_characters=12)
    assert (rest.text, rest.start, rest.complete) == ("Three.\n", 12, False)
    assert rest.next_passage is None


def test_a_passage_longer_than_the_window_is_cut_and_named_as_the_next() -> None:
    content = "One sentence.\n\nTwo.\n"
    passages = cut(content)
    part = window(content, passages, max_characters=5)
    assert (part.text, part.complete, part.next_passage) == ("One s", False, passages[0].id)


def test_a_window_from_a_passage_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        window("One.\n", cut("One.\n"), first_passage="0000000000")
    assert refusal.value.details["field"] == "first_passage"


@given(MARKDOWN, st.integers(1, 40))
def test_windows_read_one_after_the_other_hold_every_passage(content: str, limit: int) -> None:
    passages = cut(content)
    read: list[str] = []
    name = None
    while True:
        view = window(content, passages, name, limit)
        assert len(view.text) <= limit
        assert content[view.start : view.start + len(view.text)] == view.text
        inside = [
            each.id
            for each in passages
            if view.start <= each.start and each.end <= view.start + len(view.text)
        ]
        if not inside and view.next_passage is not None:
            limit = 10_000
            continue
        read += inside
        if view.next_passage is None:
            break
        name = view.next_passage
    assert read == [each.id for each in passages]
