"""Markdown as pages show it: what is kept, where links lead, what hostile text can do."""

import re
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.passages import cut
from pincite.web.markdown import Document, Links, heading_fragment
from pincite.web.parsing import LONGEST

NONE = Links({}, lambda name: f"?cite={name}")


def rendered(content: str, links: Links = NONE) -> str:
    return str(Document(content).html(cut(content), links))


def bare(content: str) -> str:
    """The same without the app's own marks."""
    return str(Document(content).html((), NONE))


class Seen(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)


@pytest.mark.parametrize(
    ("content", "html"),
    [
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>\n"),
        ("## A & B", '<h2 id="h-a--b">A &amp; B</h2>\n'),
        ("3. x", '<ol start="3">\n<li>x</li>\n</ol>\n'),
        ("```py\n<a>\n```", "<pre><code>&lt;a&gt;\n</code></pre>\n"),
        ("H<sub>2</sub>O", "<p>H<sub>2</sub>O</p>\n"),
        ("![a *dog*](dog.png)", "<p><em>[a *dog*]</em></p>\n"),
        ("![](dog.png)", "<p><em>[dog.png]</em></p>\n"),
        ("a <!-- b --> c", "<p>a  c</p>\n"),
    ],
)
def test_what_a_text_says_is_kept(content: str, html: str) -> None:
    assert bare(content) == html


def test_a_cell_keeps_its_side_without_a_style() -> None:
    html = bare("| a | b |\n|--|--:|\n| 1 | 2 |\n")
    assert '<td class="right">2</td>' in html
    assert "style" not in html
    assert html.startswith('<div class="wide" role="group" tabindex="0" aria-label="Table"><table>')


def test_links_lead_to_articles_and_other_sites_and_nowhere_else() -> None:
    links = Links({"a.md": "article?kb=kb&id=a"}, str)
    content = "[a](a.md) [b](b.md) [c](https://example.org/) [d](//evil) [e](start?token=x) [f](#g)"
    html = str(Document(content).html((), links))
    assert re.findall('href="([^"]*)"', html) == [
        "article?kb=kb&amp;id=a",
        "https://example.org/",
    ]
    assert html.count('rel="noopener noreferrer nofollow"') == 6
    assert Document(content).targets == (
        "a.md",
        "b.md",
        "https://example.org/",
        "//evil",
        "start?token=x",
        "#g",
    )


def test_each_passage_begins_with_a_link_to_its_citation() -> None:
    content = (
        "# T\n\nOne\ntwo.\n\n- a\n- b\n\n| h |\n|---|\n| r |\n\n    code\n\n***\n\nlast\r\nline"
    )
    html = rendered(content)
    ids = [passage.id for passage in cut(content)]
    assert len(ids) == 9
    assert re.findall('id="p-([^"]*)"', html) == ids
    assert re.findall('href="([^"]*)"', html) == [f"?cite={name}" for name in ids]
    assert re.search(f'<li><a class="cite" id="p-{ids[2]}"[^>]*>¶</a>a</li>', html)
    assert re.search(f'<th><a class="cite" id="p-{ids[4]}"[^>]*>¶</a>h</th>', html)
    assert re.search(f'<a class="cite" id="p-{ids[6]}"[^>]*>¶</a><pre>', html)


@pytest.mark.parametrize(
    ("content", "html"),
    [
        ("# The *title*\n\nText.", "<p>Text.</p>\n"),
        ("The title\n===\n", ""),
        ("# Another\n", '<h1 id="h-another">Another</h1>\n'),
        ("## The title\n", '<h2 id="h-the-title">The title</h2>\n'),
        ("Text.\n\n# The title\n", '<p>Text.</p>\n<h1 id="h-the-title">The title</h1>\n'),
    ],
)
def test_a_first_heading_that_repeats_the_title_is_left_out(content: str, html: str) -> None:
    assert str(Document(content, "The  title").html((), NONE)) == html


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=https://evil.example></iframe>",
    "<style>body{display:none}</style>",
    '<p style="position:fixed">x</p>',
    "<form action=https://evil.example><input name=a><button>b</button></form>",
    "<base href=https://evil.example>",
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    "<link rel=stylesheet href=https://evil.example>",
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT&#58;alert(1))",
    "<a href='java\nscript:alert(1)'>x</a>",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "<a href=x onclick=alert(1) id=main class=cite>x</a>",
    '<div title="\n\nx" onmouseover=alert(1) class=banner>',
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=1>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<details open ontoggle=alert(1)>x",
    "</article></main><h1>Not the app</h1>",
    "<template><script>alert(1)</script></template>",
    "<textarea><script>alert(1)</script>",
    "<x-y onclick=alert(1)>",
]
TAGS = {
    *("a", "article", "b", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "hr"),
    *("i", "li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr"),
    "ul",
}
OURS = {
    ("class", "cite"),
    ("class", "wide"),
    ("role", "group"),
    ("tabindex", "0"),
    ("aria-label", "Cite"),
    ("aria-label", "Table"),
    ("rel", "noopener noreferrer nofollow"),
}
PLAIN = {"title", "start", "open"}


def assert_harmless(content: str) -> None:
    """Only text, and the app's own marks, come through."""
    seen = Seen(rendered(content))
    assert seen.tags <= TAGS
    for name, value in seen.attributes - OURS:
        if name == "href":
            assert str(value).startswith(("?cite=", "http://", "https://", "mailto:"))
        elif name == "id" and str(value).startswith("h-"):
            assert value == "h-not-the-app"
        elif name == "id":
            assert str(value) in {f"p-{passage.id}" for passage in cut(content)}
        elif name == "class":
            assert value in {"right", "left", "center"}
        else:
            assert name in PLAIN


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("shape", ["{}", "> {}\n\nmore", "- {}", "| a |\n|---|\n| {} |", "x {} y"])
def test_hostile_text_comes_to_nothing(text: str, shape: str) -> None:
    assert_harmless(shape.format(text))


PIECES = [*HOSTILE, "\n\n", "\n", '"', "'", ">", "<", "`", "```\n", "|", "- ", "class=cite", "&lt;"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_mixture_of_hostile_texts_comes_to_anything(content: str) -> None:
    assert_harmless(content)


def as_written(content: str, why: str) -> str:
    note = f'<p class="note">This text is shown as it is written: it is {why}.</p>'
    return f"{note}\n<pre>{escape(content, quote=False)}</pre>"


def test_a_text_beyond_the_limit_is_shown_as_it_is_written() -> None:
    content = "<b>" + "x" * LONGEST
    assert bare(content) == as_written(content, "longer than 200,000 characters")
    assert Document("[a](b)" * LONGEST).targets == ()


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize(
    "piece", ["[", "![", "[*", "*]", "*_", "[a](", "[a\n", "> > > > > > > > a\nb\nc\nd\n", "[]("]
)
def test_a_text_that_takes_too_much_work_is_shown_as_it_is_written(piece: str) -> None:
    content = (piece * LONGEST)[:LONGEST]
    why = "nested or marked up too much to be made into a page"
    assert bare(content) == as_written(content, why)


@pytest.mark.parametrize(
    "piece",
    [
        "The *quick* brown `fox` jumps [over](x.md) the **lazy** dog.\n\n",
        "- [Title of a page](path/to/page.md)\n",
        "| one cell | [a link](a.md) | *more* |\n",
        "> A quotation, which goes on\nin a lazy line.\n\n",
        "## A heading\n\n1. One step\n   - with `code`\n\n```\n[[[[[[[[\n```\n\n",
    ],
)
def test_an_ordinary_document_of_the_longest_size_is_a_page(piece: str) -> None:
    head = "| a | b | c |\n|---|---|---|\n" if piece.startswith("|") else ""
    content = head + piece * ((LONGEST - len(head)) // len(piece))
    assert len(content) > 199_900
    assert not bare(content).startswith('<p class="note">')


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Set up the hub", "set-up-the-hub"),
        ("What's new in *v2.1*?", "whats-new-in-v21"),
        ("`store.open()` & [links](a.md)", "storeopen--links"),
        ("Größe_x - Ünïcode 漢字 ①²", "größe_x---ünïcode-漢字-"),
        ("क्या है", "क्या-है"),
        ("a <b>bold</b> &amp; ![pic](p.png)", "a-bold--"),
        ("!?", ""),
    ],
)
def test_a_heading_is_called_as_github_calls_it(heading: str, slug: str) -> None:
    assert re.findall('<h2 id="([^"]*)"', bare(f"## {heading}\n")) == [f"h-{slug}"]


def test_headings_of_one_text_are_numbered_the_title_that_is_left_out_too() -> None:
    document = Document("# Setup\n\n## Setup\n\n> ## Setup\n\nOther\n---\n", "Setup")
    html = str(document.html((), NONE))
    assert re.findall('id="([^"]*)"', html) == ["h-setup-1", "h-setup-2", "h-other"]


def test_no_two_headings_have_one_name() -> None:
    html = bare("# a-1\n# a\n# a\n# a\n# a-1\n")
    assert re.findall('id="h-([^"]*)"', html) == ["a-1", "a", "a-2", "a-3", "a-1-1"]


def test_a_link_to_a_heading_of_its_own_text_leads_there_and_to_none_nowhere() -> None:
    html = bare("[a](#größe) [b](#gr%C3%B6%C3%9Fe) [c](#nowhere) [d](#main)\n\n## Größe\n")
    assert re.findall('href="([^"]*)"', html) == ["#h-gr%C3%B6%C3%9Fe"] * 2


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("a.md", ""),
        ("a.md#", ""),
        ("a.md#prices", "#h-prices"),
        ("a.md?x=1#gr%C3%B6%C3%9Fe", "#h-gr%C3%B6%C3%9Fe"),
        ('a.md#"><script>', "#h-%22%3E%3Cscript%3E"),
    ],
)
def test_the_end_of_a_link_names_a_heading(target: str, end: str) -> None:
    assert heading_fragment(target) == end
