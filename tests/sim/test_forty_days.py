"""The support day on the product itself, against the study: the mean of forty seeds."""

import pytest

from pincite.sim.day.published import is_compared, published
from pincite.sim.day.world import Shape
from tests.sim.conftest import played

SEEDS = range(1, 41)


@pytest.fixture(scope="module")
def figures() -> dict[str, float]:
    """Means over the seeds, scaled to five as the study's totals are."""
    return dict(played(Shape(), *SEEDS).figures)


def test_the_mean_of_forty_full_days_lies_in_every_published_band(
    figures: dict[str, float],
) -> None:
    compared = [name for name in published() if is_compared(name)]
    assert len(compared) == 56
    outside = {
        name: figures[name] for name in compared if not published()[name].holds(figures[name])
    }
    assert outside == {}


def test_the_mean_of_forty_full_days_is_the_rebuilds_mean(figures: dict[str, float]) -> None:
    for name in filter(is_compared, published()):
        told = published()[name]
        # A band of 95% is 3.92 standard deviations wide; forty seeds are eight groups of five,
        # the rebuild's two hundred are forty. Four standard errors apart is one in 15,000.
        error = (told.hi - told.lo) / 3.92 * (1 / 8 + 1 / 40) ** 0.5
        assert figures[name] == pytest.approx(told.mean, abs=max(4 * error, 0.05)), name
