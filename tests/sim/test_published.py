import pytest

from pincite.sim.day.published import is_compared, published
from pincite.sim.day.world import Shape
from tests.sim.conftest import played

SEEDS = 40


@pytest.mark.timeout(1200)
def test_forty_days_have_the_means_of_the_published_study_s_rebuild() -> None:
    # Short articles: what they say makes no difference to these figures, only to the time.
    figures = played(Shape(passages=1), *range(1, SEEDS + 1)).figures
    compared = [name for name in published() if is_compared(name)]
    assert len(compared) == 56
    for name in compared:
        told = published()[name]
        # A band of 95% is 3.92 standard deviations wide. Ours is the mean of 8 groups of five
        # seeds, the rebuild's of 40; four standard errors apart is one in 15,000.
        error = (told.hi - told.lo) / 3.92 * (1 / 8 + 1 / 40) ** 0.5
        assert told.holds(figures[name]), name
        assert figures[name] == pytest.approx(told.mean, abs=max(4 * error, 0.05)), name
