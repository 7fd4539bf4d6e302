import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.domain.documents import Document
from pincite.domain.ids import parse_article_id
from pincite.domain.texts import CONTENT_LIMIT, checked_title
from pincite.errors import InvalidInputError, TooLargeError
from pincite.importers.markdown import read_document, title_in


def document(data: str, path: str = "guide/set-up.md") -> Document:
    return read_document(path, data.encode(), CONTENT_LIMIT)[0]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("---\ntitle: From above\n---\n# From the text\n", "From above"),
        ("---\ntitle: ''\n---\n# From the text\n", "From the text"),
        ("---\ntitle: [a, list]\n---\n# From the text\n", "From the text"),
        ("Words\n\n## A `code` **[link](x)** &amp; heading\n# Later", "A code link & heading"),
        ("Underlined\n==========\n", "Underlined"),
        ("# 标题 {#the-title}\n", "标题"),
        ("# Título {/*titulo*/}\n", "Título"),
        ("#\n\n# Second, as the first is empty\n", "Second, as the first is empty"),
        ("```\n# a comment\n```\n\nno heading\n", "set-up"),
    ],
)
def test_the_title_is_the_front_matters_or_the_first_headings_or_the_files(
    data: str, title: str
) -> None:
    assert document(data).title == title


@pytest.mark.parametrize(
    ("path", "article_id"),
    [
        ("returns/refund-policy.md", "returns/refund-policy"),
        ("v1.2/Read Me.markdown", "v1.2/Read-Me"),
        ("What's new?.md", "What-s-new"),
        ("Cafe\u0301.md", "Caf\u00e9"),
        ("日本語/返品.md", "日本語/返品"),
        ("हिन्दी.md", "हिन्दी"),
        ("a & b/(c).md", "a-b/c"),
        ("-kept-.md", "-kept-"),
        ("???.md", "a03b221c"),
        (f"{'x' * 210}.md", f"{'x' * 191}-aa10a2d2"),
    ],
)
def test_the_id_is_the_path_without_its_ending_made_to_fit(path: str, article_id: str) -> None:
    made = document("text", path)
    assert (made.article_id, made.names_id) == (article_id, False)


@pytest.mark.parametrize(
    ("named", "article_id"),
    [("kb-17", "kb-17"), ("12", "12"), ("v1.2", "v1.2"), ("/../up//on", "up/on")],
)
def test_an_id_in_the_front_matter_wins(named: str, article_id: str) -> None:
    made = document(f"---\nid: {named}\n---\ntext")
    assert (made.article_id, made.names_id) == (article_id, True)


@pytest.mark.parametrize(
    ("line", "draft"),
    [
        ("status: draft", True),
        ("status: Draft", True),
        ("status: published", False),
        ("draft: true", True),
        ("draft: 'yes'", True),
        ("draft: false", False),
        ("published: false", True),
        ("published: 2024-01-01", False),
    ],
)
def test_a_file_that_calls_itself_a_draft_is_one(line: str, draft: bool) -> None:
    assert document(f"---\n{line}\n---\ntext").draft is draft


def test_content_is_kept_byte_for_byte_behind_the_front_matter() -> None:
    data = "\ufeff---\r\ntitle: T\r\n---\r\n\r\n:::tip  \r\n{{ x }} <Tab/> 🙂\r\n"
    made = document(data)
    assert made.front_matter + made.content == data
    assert made.content == "\r\n:::tip  \r\n{{ x }} <Tab/> 🙂\r\n"


def test_a_title_beyond_the_limit_is_cut_and_told() -> None:
    made, _, repairs = read_document("a.md", f"# {'t' * 301}\n".encode(), CONTENT_LIMIT)
    assert made.title == "t" * 300
    assert repairs == ["the title has 301 characters and was cut to 300"]


def test_links_are_found_outside_code_and_images() -> None:
    text = (
        "[a](one.md) ![i](i.png) [b][r] `[c](no.md)`\n\n[r]: two.md 'T'\n\n"
        "```\n[d](no.md)\n```\n\n- [e](<three four.md>)\n\n| x |\n|--|\n| [f](five.md) |\n"
    )
    page = read_document("a.md", text.encode(), CONTENT_LIMIT)[1]
    assert page.targets == ("one.md", "two.md", "three%20four.md", "five.md")


def test_slug_permalink_and_former_addresses_are_routes_of_the_page() -> None:
    data = "---\nslug: s\npermalink: /p/\nredirect_from:\n  - /old/\naliases: /older/\n---\ntext"
    page = read_document("a.md", data.encode(), CONTENT_LIMIT)[1]
    assert page.routes == ("s", "/p/", "/old/", "/older/")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\xff\xfeT\x00", UnicodeDecodeError),
        (b"", InvalidInputError),
        (b"---\ntitle: alone\n---\n", InvalidInputError),
        (b"a\x00b", InvalidInputError),
        (b"x" * (CONTENT_LIMIT + 1), TooLargeError),
    ],
)
def test_a_file_that_cannot_be_an_article_is_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_document("a.md", data, CONTENT_LIMIT)


def test_content_of_just_the_limit_is_taken() -> None:
    data = b"---\ntitle: T\n---\n" + b"x" * CONTENT_LIMIT
    assert len(read_document("a.md", data, CONTENT_LIMIT)[0].content) == CONTENT_LIMIT


def test_a_title_is_found_in_a_files_two_parts() -> None:
    assert title_in("---\ntitle: T\n---\n", "# H\n") == "T"
    assert title_in("", "# H\n") == "H"
    assert title_in("", "text") is None


@given(st.text(min_size=1), st.text(min_size=1))
@example("a.md", "---\ntitle: \x07\nid: ' '\n---\nx")
@example(" ", "x")
@example("a.md", "---\nid: ..\n---\nx")
@example("a.md", "# " + "\u00a0" * 3 + "\n")
@example("a.md", '---\ntitle: "\\0"\n---\nx')
@example("a.md", '---\ntitle: "\\ud800"\n---\nx')
def test_whatever_stands_in_a_file_its_id_and_title_are_within_the_limits(
    name: str, text: str
) -> None:
    path = f"{name.encode(errors='ignore').decode().translate({0: 'x', 47: 'x'}) or 'x'}.md"
    try:
        made, _, _ = read_document(path, text.encode(errors="ignore"), CONTENT_LIMIT)
    except InvalidInputError:
        return
    assert parse_article_id(made.article_id) == made.article_id
    assert checked_title(made.title) == made.title
    assert (made.front_matter + made.content).encode() == text.encode(errors="ignore")
