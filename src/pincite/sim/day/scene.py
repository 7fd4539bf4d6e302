"""The scene of the support days: one knowledge base, played in one day after another.

The articles are published once, and go on from day to day as edits leave them; only what was
withdrawn is published again overnight. What articles say makes no difference to a day: it is
only asked what moves in it.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Final

from pincite.domain.stamps import Stamp
from pincite.sim.clock import DAY, HOUR, MORNING, SimulatedClock
from pincite.sim.day.agents import Agent
from pincite.sim.day.oracle import Truth
from pincite.sim.day.people import People
from pincite.sim.day.world import Save, World
from pincite.sim.tools import Meter

PUBLISH: Final = "articles are published"
REPUBLISH: Final = "withdrawn articles are published again"
SAVE: Final = "people read and save"


@dataclass(slots=True)
class Scene:
    """One knowledge base with its people, its agent, and the truth.

    Attributes:
        meter: Where everything that happens is timed.
        references: Numbers that no text holds yet.
        morning: When the present day began, in milliseconds.
        published: Whether the articles were published once.
    """

    clock: SimulatedClock
    people: People
    agent: Agent
    truth: Truth
    meter: Meter
    references: Iterator[int]
    morning: int = MORNING.milliseconds - DAY
    published: bool = False

    def prepare(self, world: World) -> None:
        """Lets a day begin, with all articles published."""
        rest = world.shape.hours * HOUR + max(world.shape.delays)
        self.morning += DAY * (1 + rest // DAY)
        self.clock.put(Stamp(self.morning - 1))
        if self.published:
            with self.meter.measure(REPUBLISH) as cost:
                cost.calls += self.people.republish()
        else:
            with self.meter.measure(PUBLISH) as cost:
                cost.calls += self.people.publish(world.articles)
            self.published = True
        self.clock.put(Stamp(self.morning))


@dataclass(slots=True)
class Agenda:
    """What is to happen in a day; at one moment what was put in first comes first."""

    scene: Scene
    _entries: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def put(self, at: int, deed: Callable[[], None]) -> None:
        """Puts a deed on the agenda, ``at`` milliseconds after the morning."""
        heapq.heappush(self._entries, (at, next(self._order), deed))

    def put_saves(self, world: World) -> None:
        """Puts all that people save on the agenda."""
        for save in world.saves:
            self.put(save.at, partial(self._save, save))

    def play(self) -> None:
        """Does all that is due, in order of time, until nothing is left."""
        while self._entries:
            at, _, deed = heapq.heappop(self._entries)
            self.scene.clock.put(Stamp(self.scene.morning + at))
            deed()

    def _save(self, save: Save) -> None:
        with self.scene.meter.measure(SAVE) as cost:
            cost.calls += self.scene.people.save(save)
