import pytest

from pincite.sim.day.figures import figures_of
from pincite.sim.day.published import is_compared, published
from pincite.sim.day.world import Shape
from tests.sim.conftest import played
from tests.sim.model import counts_of_seed

SEEDS = 200


def test_the_product_counts_in_full_days_what_the_model_counts() -> None:
    # Short articles: what they say makes no difference to a count, only to the time it takes.
    results = played(Shape(passages=1), 1, 2)
    for seed, counts in zip((1, 2), results.counts, strict=True):
        told = counts_of_seed(seed)
        assert {name: counts[name] for name in told} == told
    compared = {name for name in published() if is_compared(name)}
    assert compared <= results.figures.keys()


def test_two_hundred_days_of_the_model_have_the_published_means() -> None:
    figures = figures_of([counts_of_seed(seed) for seed in range(1, SEEDS + 1)])
    compared = [name for name in published() if is_compared(name)]
    assert len(compared) == 56
    for name in compared:
        told = published()[name]
        # A band of 95% is 3.92 standard deviations wide; ours and the rebuild's mean are each
        # of 40 groups of five seeds. Four standard errors apart is one in 15,000.
        error = (told.hi - told.lo) / 3.92 * (1 / 40 + 1 / 40) ** 0.5
        assert told.holds(figures[name]), name
        assert figures[name] == pytest.approx(told.mean, abs=max(4 * error, 0.05)), name
