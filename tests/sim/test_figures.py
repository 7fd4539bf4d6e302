import pytest

from pincite.sim.day.figures import bands_of, figures_of, spelled
from pincite.sim.day.published import is_compared, published

HOUR = {
    "hour 1: citations so far": 40.0,
    "hour 1: versions cited so far": 30.0,
    "hour 1: answers so far": 20.0,
    "hour 1: answers with a stale citation": 8.0,
    "hour 1: stale": 6.0,
    "hour 1: stale, each citation counted": 10.0,
    "hour 1: title-only caught": 3.0,
    "hour 1: stale, passage intact, each citation counted": 5.0,
}


def test_counts_are_scaled_to_five_seeds_and_shares_are_not() -> None:
    figures = figures_of([HOUR, HOUR])
    assert figures["hour 1: citations so far"] == 200
    assert figures["hour 1: stale"] == 30
    assert figures["hour 1: stale % of citations"] == 15
    assert figures["hour 1: stale % of citations, each citation counted"] == 25
    assert figures["hour 1: stale % of versions"] == 20
    assert figures["hour 1: answers with a stale citation %"] == 40
    assert figures["hour 1: title-only caught % of stale"] == 50
    assert figures["hour 1: passage intact % of stale, each citation counted"] == 50


def test_nothing_stale_is_no_share_of_nothing() -> None:
    none = dict.fromkeys(HOUR, 0.0)
    assert figures_of([none])["hour 1: title-only caught % of stale"] == 0


def test_few_seeds_have_no_band() -> None:
    assert bands_of([HOUR] * 19) == {}


def test_a_band_holds_what_groups_of_five_seeds_give() -> None:
    counts = [HOUR | {"hour 1: stale": float(stale)} for stale in range(20)]
    bands = bands_of(counts)
    assert (bands["hour 1: citations so far"].lo, bands["hour 1: citations so far"].hi) == (
        200,
        200,
    )
    # The sum of five of 0 … 19 has mean 47.5 and standard deviation 12.9.
    assert bands["hour 1: stale"].lo == pytest.approx(47.5 - 2 * 12.9, abs=4)
    assert bands["hour 1: stale"].hi == pytest.approx(47.5 + 2 * 12.9, abs=4)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(20_000, "20 s"), (900_000, "15 min"), (3_600_000, "1 h"), (1500, "1.5 s")],
)
def test_a_delay_is_spelled_in_its_largest_whole_unit(milliseconds: int, words: str) -> None:
    assert spelled(milliseconds) == words


def test_the_published_figures_are_the_study_s() -> None:
    told = published()["hour 8: stale"]
    assert (told.article, told.mean, told.lo, told.hi) == (369, 364.67, 331, 398)
    assert told.holds(331)
    assert not told.holds(399)
    assert published()["hour 8: stale, each citation counted"].article is None


def test_sizes_and_figures_of_our_own_are_not_compared() -> None:
    assert is_compared("search: calls")
    assert not is_compared("search: KiB returned")
    assert not is_compared("poll and read: calls")
