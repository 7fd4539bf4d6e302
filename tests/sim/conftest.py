"""Days small enough to play in a test."""

import pytest

from pincite.sim.clock import HOUR, MINUTE, SECOND
from pincite.sim.day.results import Results
from pincite.sim.day.simulate import Simulation
from pincite.sim.day.world import Shape
from pincite.sim.stages import Over

SMALL = Shape(
    articles=24,
    topics=4,
    questions=15,
    saves=30,
    hours=2,
    passages=3,
    delays=(20 * SECOND, 15 * MINUTE, HOUR),
)


def played(shape: Shape = SMALL, *seeds: int, over: Over = Over.PROCESS) -> Results:
    return Simulation(shape, seeds or (1,), over).run(lambda: None)


@pytest.fixture(scope="session")
def small() -> Results:
    return played(SMALL, 1, 2)
