import pytest

from pincite.sim.day.growth import CITATIONS, growth_of, growth_table

FIGURES = {
    f"{way}: {what}": value
    for way, values in {
        "search": (100, 200, 0),
        "read": (100, 100, 0),
        "poll": (10, 20, 40),
        "check stamps": (10, 30, 300),
        "check passages": (10, 60, 300),
    }.items()
    for what, value in zip(("calls", "KiB returned", "items"), values, strict=True)
}


def test_reading_grows_with_citations_and_following_the_log_does_not() -> None:
    citations, _ = growth_of(FIGURES, exponent=0.9)
    assert citations.sizes == CITATIONS
    assert citations.calls["poll"] == [1, 1, 1, 1, 1]
    assert citations.calls["check passages"] == [1, 5, 50, 500, 5000]
    assert [round(calls) for calls in citations.calls["read"]] == [90, 757, 5643, 32424, 91275]
    assert citations.kib["search"][1] == 2 * citations.calls["search"][1]
    assert citations.kib["poll"] == pytest.approx([20] * 5)
    assert citations.kib["check stamps"][2] == pytest.approx(1000)


def test_polling_grows_with_changes_and_reading_does_not() -> None:
    _, changes = growth_of(FIGURES, exponent=0.9)
    assert changes.calls["poll"] == [1, 1, 10, 100, 1000]
    assert len(set(changes.calls["read"])) == 1
    assert changes.calls["poll and read"][0] < 20
    assert changes.kib["poll"] == pytest.approx([5, 50, 500, 5000, 50_000])


def test_where_all_articles_are_alike_distinct_ones_follow_the_birthday_rule() -> None:
    citations, _ = growth_of(FIGURES, exponent=0)
    # 100,000 articles, 100,000 draws: a share of 1 - 1/e of them is drawn.
    assert citations.calls["read"][3] == pytest.approx(63_212, abs=1)
    # 40 changes, each on an article of its own, most of which are cited.
    assert citations.calls["poll and read"][3] == pytest.approx(1 + 40 * 0.63212, abs=0.1)
    assert citations.calls["poll and check"][4] == 1 + 2


def test_the_table_tells_calls_and_kib_of_every_way() -> None:
    table = growth_table(growth_of(FIGURES, exponent=0.9)[0])
    assert table.columns[1] == "100 citations"
    assert [row[0] for row in table.rows][2:4] == ["poll the log", "poll, and read what moved"]
    assert table.rows[2][1] == "1 / 20"
