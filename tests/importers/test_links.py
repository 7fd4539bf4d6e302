import pytest

from pincite.importers.links import Linked, unresolved

PAGES = [
    Linked("src/guide/start.md", (), ()),
    Linked("src/guide/index.md", (), ()),
    Linked("src/About us.md", (), ()),
    Linked("blog/2024-01-01-news.md", ("/news/first/", "/old/news.html"), ()),
    Linked("blog/other.md", ("renamed",), ()),
]


def missing(target: str, page: str = "src/guide/page.md") -> list[str]:
    pages = [*PAGES, Linked(page, (), (target,))]
    return [finding.message for finding in unresolved(pages, ["src/img/Plan.pdf"])]


@pytest.mark.parametrize(
    "target",
    [
        "start.md",
        "./start",
        "START.md#part",
        "../guide/start.md?x=1",
        "../About%20us.md",
        "..",
        "./",
        "/guide/start",
        "/guide/start.html",
        "/src/guide/",
        "/guide",
        "/",
        "/news/first",
        "/old/news.html",
        "/renamed",
        "/blog/renamed",
        "../img/Plan.pdf",
        "/img/Plan.pdf",
        "../start",
    ],
)
def test_a_path_a_route_a_slug_and_a_permalink_lead_to_the_page(target: str) -> None:
    assert missing(target) == []


@pytest.mark.parametrize(
    "target", ["nowhere.md", "/guide/nowhere", "../start/nowhere", "/art", "img/Plan.pdf"]
)
def test_a_link_that_leads_nowhere_is_told_as_it_stands(target: str) -> None:
    assert missing(target) == [target]


@pytest.mark.parametrize(
    "target",
    [
        "https://example.org/x",
        "//example.org/x",
        "mailto:a@example.org",
        "#part",
        "?page=2",
        "",
        "{{ site.url }}/x",
        "%7B%7B%20site.url%20%7D%7D/x",
    ],
)
def test_links_elsewhere_and_templated_links_are_not_judged(target: str) -> None:
    assert missing(target) == []


def test_a_link_that_stands_twice_in_a_page_is_told_once() -> None:
    pages = [Linked("a.md", (), ("x.md", "x.md")), Linked("b.md", (), ("x.md",))]
    assert [finding.path for finding in unresolved(pages, [])] == ["a.md", "b.md"]


def test_an_address_that_cannot_be_parsed_is_told_and_stops_nothing() -> None:
    assert missing("http://[::1/x") == ["http://[::1/x"]
