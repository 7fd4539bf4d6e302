"""The first experiment: an agent answers all day, and each hour checks what it cited."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from pincite.sim.clock import HOUR
from pincite.sim.day import checking
from pincite.sim.day.checking import Follower, Verdicts
from pincite.sim.day.oracle import CitedPassage
from pincite.sim.day.scene import Agenda, Scene
from pincite.sim.day.world import Question, World
from pincite.sim.errors import DisagreementError
from pincite.sim.tools import Cost

TITLES: Final = "titles"
READING: Final = "re-reading"
POLLING: Final = "polling"
POLLING_AND_READING: Final = "polling and re-reading"
POLLING_AND_ASKING: Final = "polling and check_citations"
STAMPS: Final = "check_citations, stamps"
PASSAGES: Final = "check_citations, passages"
WAYS: Final = (
    TITLES,
    READING,
    POLLING,
    POLLING_AND_READING,
    POLLING_AND_ASKING,
    STAMPS,
    PASSAGES,
)


@dataclass(frozen=True, slots=True)
class Count:
    """Citations in one state, counted in both ways.

    Attributes:
        versions: Distinct pairs of article and stamp, as the published study counts.
        citations: Each citation.
    """

    versions: int
    citations: int

    @classmethod
    def of(cls, cited: Collection[CitedPassage]) -> "Count":
        """Counts some citations."""
        return cls(len({one.version for one in cited}), len(cited))


@dataclass(frozen=True, slots=True)
class Hour:
    """How everything cited so far fares at the end of an hour.

    Attributes:
        stale: The article moved or is gone.
        caught: Stale, and told by the title alone.
        intact: Stale, but the passage still stands.
        gone: Stale, since the article was withdrawn.
        answers: How many were given.
        stale_answers: Those with a stale citation.
    """

    hour: int
    cited: Count
    stale: Count
    caught: Count
    intact: Count
    gone: Count
    answers: int
    stale_answers: int


@dataclass(frozen=True, slots=True)
class Day:
    """What a day showed.

    Attributes:
        costs: Of each way of checking, all checks together.
    """

    hours: Mapping[int, Hour]
    costs: Mapping[str, Cost]


class DayExperiment:
    """Plays a day.

    Args:
        scene: Prepared for this day.
        world: What happens.
        hours: The hours at whose end everything is checked.
        titles: Whether the checks go by title, too.
    """

    def __init__(
        self, scene: Scene, world: World, hours: Collection[int], *, titles: bool = True
    ) -> None:
        self._scene = scene
        self._world = world
        self._checked = hours
        self._titles = titles
        self._cited: list[CitedPassage] = []
        self._hours: dict[int, Hour] = {}
        self._costs = {way: Cost() for way in WAYS}
        self._follower = Follower(scene.agent, scene.agent.latest_sequence())

    def play(self) -> Day:
        """Plays it.

        Raises:
            DisagreementError: A way of checking by id told something else than the truth.
        """
        agenda = Agenda(self._scene)
        agenda.put_saves(self._world)
        for question in self._world.questions:
            agenda.put(question.at, partial(self._answer, question))
        for hour in self._checked:
            agenda.put(hour * HOUR, partial(self._check, hour))
        agenda.play()
        return Day(self._hours, self._costs)

    def _answer(self, question: Question) -> None:
        self._cited += self._scene.agent.answer(question).citations

    def _check(self, hour: int) -> None:
        cited, truth = self._cited, self._scene.truth
        verdicts = {one: truth.verdict(one) for one in cited}
        caught = self._missing(cited) if self._titles else set()
        self._compare(verdicts)
        stale = [one for one in cited if verdicts[one] != "current"]
        self._hours[hour] = Hour(
            hour,
            Count.of(cited),
            Count.of(stale),
            Count.of([one for one in stale if one in caught]),
            Count.of([one for one in stale if verdicts[one] == "intact"]),
            Count.of([one for one in stale if verdicts[one] == "gone"]),
            answers=len({one.answer for one in cited}),
            stale_answers=len({one.answer for one in stale}),
        )

    def _missing(self, cited: Collection[CitedPassage]) -> set[CitedPassage]:
        """What the titles tell, which must be a change of title, and all of them."""
        found = checking.missing_titles(self._scene.agent, cited, self._costs[TITLES])
        moved = {one for one in cited if not self._scene.truth.title_stands(one)}
        if found != moved:
            raise DisagreementError(f"titles: {len(found)} missing, in truth {len(moved)}")
        return found

    def _compare(self, truth: Verdicts) -> None:
        """Checks in every way that goes by id, and holds it against the truth."""
        agent, costs, cited = self._scene.agent, self._costs, self._cited
        stamps = {
            one: verdict if verdict == "current" else "stale" for one, verdict in truth.items()
        }
        _agree(READING, checking.reread(agent, cited, costs[READING]), truth)
        _agree(STAMPS, checking.asked_for_stamps(agent, cited, costs[STAMPS]), stamps)
        _agree(PASSAGES, checking.asked_for_passages(agent, cited, costs[PASSAGES]), truth)
        polling = Cost()
        _agree(POLLING, self._follower.poll(cited, polling), stamps)
        for way in (POLLING, POLLING_AND_READING, POLLING_AND_ASKING):
            costs[way] += polling
        reread = self._follower.reread(cited, costs[POLLING_AND_READING])
        asked = self._follower.ask(cited, costs[POLLING_AND_ASKING])
        _agree(POLLING_AND_READING, reread, truth)
        _agree(POLLING_AND_ASKING, asked, truth)


def _agree(way: str, verdicts: Verdicts, truth: Verdicts) -> None:
    wrong = [one for one in truth if verdicts[one] != truth[one]]
    if wrong:
        one = wrong[0]
        raise DisagreementError(
            f"{way}: {len(wrong)} of {len(truth)} verdicts differ from the truth; the first says "
            f"{verdicts[one]} instead of {truth[one]}, on {one}"
        )
