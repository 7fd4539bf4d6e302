"""Plays support days: for each seed the day, its control, and the day in which the agent edits."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from time import process_time_ns

from pincite.domain.ids import KnowledgeBaseId
from pincite.sim.day.agents import Agent
from pincite.sim.day.edits import EditsExperiment
from pincite.sim.day.figures import SeedRun, counts_of
from pincite.sim.day.hours import DayExperiment
from pincite.sim.day.oracle import Truth
from pincite.sim.day.people import People
from pincite.sim.day.results import Results
from pincite.sim.day.scene import Scene
from pincite.sim.day.wording import FIRST_REFERENCE
from pincite.sim.day.world import Shape, Spread, world_of
from pincite.sim.stages import Over, Stage, open_stage
from pincite.sim.tools import Meter

KNOWLEDGE_BASE = KnowledgeBaseId("support-day")
STAGES = 3
"""What each seed plays."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Some days to play.

    Attributes:
        over: How the agent's calls reach the tools.
        db: Where; None for a database that is gone afterwards.
    """

    shape: Shape
    seeds: Sequence[int]
    over: Over = Over.PROCESS
    db: str | None = None

    @property
    def steps(self) -> int:
        """How often :meth:`run` calls ``advance``."""
        return STAGES * len(self.seeds)

    def run(self, advance: Callable[[], None]) -> Results:
        """Plays them, one after another.

        Args:
            advance: Called after each stage of a seed.

        Raises:
            InvalidInputError: The database holds a support day already.
            DisagreementError: Pincite told something else than the truth.
        """
        meter, began = Meter(), process_time_ns()
        with open_stage(self.over, self.db) as stage:
            scene = scene_of(stage, meter)
            counts = [counts_of(run) for run in play(scene, self.shape, self.seeds, advance)]
        spent = process_time_ns() - began
        return Results(self.shape, tuple(self.seeds), self.over, counts, meter, spent)


def scene_of(stage: Stage, meter: Meter) -> Scene:
    """Sets the scene on a stage where no day was played yet."""
    truth, references = Truth(), count(FIRST_REFERENCE)
    people = People(stage.service, KNOWLEDGE_BASE, truth, references)
    agent = Agent(stage.tools, KNOWLEDGE_BASE, meter)
    return Scene(stage.clock, people, agent, truth, meter, references)


def play(
    scene: Scene, shape: Shape, seeds: Collection[int], advance: Callable[[], None]
) -> Iterator[SeedRun]:
    """Plays one seed after another.

    Args:
        scene: Where; days follow each other in it.
        shape: The size of each day.
        seeds: Which days.
        advance: Called after each of a seed's stages.

    Raises:
        DisagreementError: Pincite told something else than the truth.
    """
    for seed in seeds:
        world = world_of(shape, seed)
        scene.prepare(world)
        day = DayExperiment(scene, world, range(1, shape.hours + 1)).play()
        advance()
        even = world_of(shape, seed, Spread.EVEN)
        scene.prepare(even)
        control = DayExperiment(scene, even, [shape.hours], titles=False).play()
        advance()
        scene.prepare(world)
        edits = EditsExperiment(scene, world).play()
        advance()
        yield SeedRun(seed, day, control, edits)
