import re
from html import escape
from xml.etree import ElementTree as ET

import pytest

from pincite.sim.day.page import day_report
from pincite.sim.day.results import Results
from pincite.sim.plots import Axes, Plot, Series, bars, lines
from pincite.sim.report import Report, Section
from pincite.sim.tables import Table, as_csv, percent, shown
from tests.web.browser import browser, violations

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def page(small: Results) -> str:
    return day_report(small).html()


def test_the_page_loads_nothing_and_runs_nothing(page: str) -> None:
    assert re.findall(r"<(?:script|link|img|iframe|object)\b", page) == []
    assert "url(" not in page
    assert re.findall(r'(?:src|href)="(?!#)', page) == []


def test_every_plot_has_a_name_and_a_description_and_its_data_as_a_table(page: str) -> None:
    plots = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    assert len(plots) == 7
    for text in plots:
        plot = ET.fromstring(text)
        title, description = plot.find(f"{SVG}title"), plot.find(f"{SVG}desc")
        assert plot.get("role") == "img"
        assert title is not None
        assert f"<figcaption><strong>{escape(title.text or '')}.</strong>" in page
        assert description is not None
        assert re.match("[A-Z]", description.text or "")
        assert (plot.get("aria-labelledby"), plot.get("aria-describedby")) == (
            title.get("id"),
            description.get("id"),
        )
    for section in re.findall(r"<section.*?</section>", page, re.DOTALL):
        assert "<table" in section
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_in_a_browser_the_page_breaks_no_rule_of_accessibility_and_fits_the_screen(
    page: str,
) -> None:
    with browser() as chromium:
        for scheme, width in (("light", 1100), ("dark", 320)):
            opened = chromium.new_page(
                viewport={"width": width, "height": 800},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            opened.set_content(page)
            assert violations(opened) == []
            assert opened.evaluate("document.documentElement.scrollWidth") == width


def test_every_cell_of_a_table_has_a_heading(page: str) -> None:
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        columns = table.count('<th scope="col">')
        for row in re.findall(r"<tr>(.*?)</tr>", table.partition("<tbody>")[2], re.DOTALL):
            assert row.startswith('<th scope="row">')
            assert row.count("<td>") == columns - 1


def test_what_a_table_says_cannot_become_markup() -> None:
    table = Table("t", "<b>", ["a", "b"], [["<i>", 1.0]], note="&")
    html = Report("<u>", "s", {"f": "<s>"}, [Section("s", "S", (), [table])]).html()
    for tag in ("<b>", "<i>", "<u>", "<s>"):
        assert tag not in html
    plot = Plot("p", "<b>", "&", bars(Axes("<x>", "y"), ["<g>"], [("<n>", [1])]))
    assert [one.text for one in ET.fromstring(plot.svg).iter(f"{SVG}text")].count("<g>")


def test_a_line_goes_from_the_axes_corner_to_its_highest_point() -> None:
    body = lines(Axes("x", "y"), [Series("a", [(0, 0), (10, 100)])])
    assert 'd="M70.0 308.0L704.0 14.0"' in body


def test_what_has_no_place_among_powers_of_ten_is_not_drawn_as_if_it_had() -> None:
    body = lines(Axes("x", "y", logarithmic=True), [Series("a", [(1, 0), (10, 10), (100, 1000)])])
    assert 'd="M387.0 308.0L704.0 14.0"' in body


def test_powers_of_ten_stand_as_far_apart_as_each_other() -> None:
    body = lines(Axes("x", "y", logarithmic=True), [Series("a", [(1, 10), (10, 100), (100, 1000)])])
    assert 'd="M70.0 308.0L387.0 161.0L704.0 14.0"' in body


def test_a_stack_s_parts_stand_on_each_other() -> None:
    body = bars(Axes("x", "y"), ["one"], [("a", [30]), ("b", [70])])
    boxes = re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/>', body)[:2]
    assert boxes == [("219.8", "88.2"), ("14.0", "205.8")]


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "–"), ("a", "a"), (1234567, "1,234,567"), (1.25, "1.2"), (3.0, "3"), (0, "0")],
)
def test_a_cell_is_shown_with_one_decimal_at_most(cell: str | float | None, text: str) -> None:
    assert shown(cell) == text


def test_a_share_of_nothing_is_none() -> None:
    assert (percent(1, 4), percent(0, 4), percent(0, 0)) == (25, 0, None)


def test_tables_stand_one_below_another_in_csv() -> None:
    table = Table("t", "Title, and more", ["a", "b"], [["x", None], ["y", 1.5]])
    assert as_csv([table, table]) == '"Title, and more"\na,b\nx,\ny,1.5\n\n' * 2
