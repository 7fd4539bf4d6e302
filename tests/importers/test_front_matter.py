import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.importers.front_matter import split, with_title


def test_front_matter_and_content_are_parted_after_the_closing_line() -> None:
    front, content = split("---\ntitle: Refunds\ntags: [a, b]\n---\n\n# Text\n")
    assert front.raw == "---\ntitle: Refunds\ntags: [a, b]\n---\n"
    assert front.values == {"title": "Refunds", "tags": ["a", "b"]}
    assert front.repair is None
    assert content == "\n# Text\n"


def test_a_byte_order_mark_and_windows_line_ends_stay_in_the_front_matter() -> None:
    front, content = split("\ufeff---\r\ntitle: Invoices\r\n---\r\nText\r\n")
    assert front.raw == "\ufeff---\r\ntitle: Invoices\r\n---\r\n"
    assert front.text("title") == "Invoices"
    assert content == "Text\r\n"


def test_a_byte_order_mark_alone_is_kept_beside_the_content() -> None:
    front, content = split("\ufeffText")
    assert (front.raw, dict(front.values), content) == ("\ufeff", {}, "Text")


@pytest.mark.parametrize(
    "text",
    [
        "Text\n---\ntitle: no\n---\n",
        "---\nA line between two breaks\n---\nText\n",
        "---\n- a list\n---\nText\n",
        "---\ntitle: never closed\n",
        "----\ntitle: four\n----\n",
    ],
)
def test_what_is_no_front_matter_stays_in_the_content(text: str) -> None:
    front, content = split(text)
    assert (front.raw, front.repair, content) == ("", None, text)


def test_yaml_that_does_not_parse_is_read_line_by_line_and_keeps_its_text() -> None:
    block = "---\ntitle: Plans: prices and more\ndraft: true\n  bad\n indent: [\n---\n"
    front, content = split(block + "Text")
    assert front.raw == block
    assert front.text("title") == "Plans: prices and more"
    assert front.text("draft") == "true"
    assert front.repair == (
        "front matter is no valid YAML (line 2: mapping values are not allowed here); "
        "its lines were read one by one"
    )
    assert content == "Text"


def test_scalars_are_the_text_that_stands_there() -> None:
    front, _ = split("---\ntitle: 2024-01-01\nid: 007\ndraft: yes\nempty:\n---\n")
    assert front.values == {"title": "2024-01-01", "id": "007", "draft": "yes", "empty": ""}
    assert front.text("empty") is None


def test_a_key_that_stands_twice_loses_no_page() -> None:
    front, content = split("---\ntitle: One\ntitle: Two\n---\nText")
    assert front.text("title") in {"One", "Two"}
    assert content == "Text"


def test_endless_nesting_is_repaired_instead_of_stopping_the_import() -> None:
    front, content = split(f"---\ntitle: Deep\nlist: {'[' * 5000}\n---\nText")
    assert front.text("title") == "Deep"
    assert front.repair is not None
    assert content == "Text"


@given(st.text(alphabet=st.sampled_from("-\n\r: aé[]{}\"'#|>&*!\t\ufefftitle"), max_size=80))
@example("---\n---\n")
@example("---\n---")
@example("---\n\x00\n---\n")
@example("---\n&a [*a]\n---\n")
def test_front_matter_and_content_together_are_the_file(text: str) -> None:
    for candidate in (text, f"---\n{text}\n---\n{text}"):
        front, content = split(candidate)
        assert front.raw + content == candidate


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '---\ntitle: "A \\"new\\" one"\n---\n'),
        ("\ufeff", '\ufeff---\ntitle: "A \\"new\\" one"\n---\n'),
        ("---\nx: 1\ntitle: Old\n---\n", '---\nx: 1\ntitle: "A \\"new\\" one"\n---\n'),
        ("---\r\ntitle: Old\r\n---\r\n", '---\r\ntitle: "A \\"new\\" one"\r\n---\r\n'),
        ("---\nx: 1\n---\n", '---\ntitle: "A \\"new\\" one"\nx: 1\n---\n'),
    ],
)
def test_a_new_title_changes_its_line_and_nothing_else(before: str, after: str) -> None:
    assert with_title(before, 'A "new" one') == after
    assert split(after)[0].text("title") == 'A "new" one'
