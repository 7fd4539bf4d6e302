"""The support day on the product itself, against the study: the mean of forty seeds."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from pincite.sim.day.figures import Counts, figures_of
from pincite.sim.day.published import is_compared, published
from pincite.sim.day.world import Shape
from tests.sim.conftest import played

HALVES = (range(1, 21), range(21, 41))


@pytest.fixture(scope="module")
def figures() -> Mapping[str, float]:
    """Means over the seeds, scaled to five as the study's totals are."""
    with ProcessPoolExecutor(len(HALVES), get_context("spawn")) as pool:
        return figures_of([one for counts in pool.map(counts_of, HALVES) for one in counts])


def counts_of(seeds: Sequence[int]) -> Sequence[Counts]:
    return played(Shape(), *seeds).counts


def test_the_mean_of_forty_full_days_lies_in_every_published_band(
    figures: Mapping[str, float],
) -> None:
    compared = [name for name in published() if is_compared(name)]
    assert len(compared) == 56
    outside = {
        name: figures[name] for name in compared if not published()[name].holds(figures[name])
    }
    assert outside == {}


def test_the_mean_of_forty_full_days_is_the_rebuilds_mean(figures: Mapping[str, float]) -> None:
    for name in filter(is_compared, published()):
        told = published()[name]
        # A band of 95% is 3.92 standard deviations wide; forty seeds are eight groups of five,
        # the rebuild's two hundred are forty. Four standard errors apart is one in 15,000.
        error = (told.hi - told.lo) / 3.92 * (1 / 8 + 1 / 40) ** 0.5
        assert figures[name] == pytest.approx(told.mean, abs=max(4 * error, 0.05)), name
