"""The support day over again in forty lines, with neither store nor search: the tests' oracle.

A search finds the article that was asked for and, behind it, the oldest of its topic. Whatever
the product is made to do, these are the counts that must come out.
"""

import re
from collections import Counter

from pincite.sim.clock import HOUR
from pincite.sim.day.world import Change, Shape, Spread, World, world_of


class Model:
    """What stands where, in numbers: versions, titles, and what is still published."""

    def __init__(self, world: World) -> None:
        self.world, shape = world, world.shape
        self.version, self.title = [0] * shape.articles, [0] * shape.articles
        self.published = [True] * shape.articles
        self.found: Counter[str] = Counter()

    def save(self, article: int, change: Change = Change.CONTENT) -> None:
        if self.published[article]:
            self.version[article] += 1
            self.title[article] += change is Change.TITLE
            self.published[article] = change is not Change.WITHDRAWAL

    def hits(self, text: str) -> list[int]:
        topics = self.world.shape.topics
        wanted = int(re.search(r"KX(\d+)", text).group(1)) - 1  # type: ignore[union-attr]
        mates = range(wanted % topics, self.world.shape.articles, topics)
        return [
            one
            for one in [wanted, *(mate for mate in mates if mate != wanted)]
            if self.published[one]
        ][:2]


def counts_of_day(world: World) -> Counter[str]:
    """What the checks of a day count, under the figures' names."""
    model, shape = Model(world), world.shape
    cited: list[tuple[int, int, int, int]] = []  # answer, article, version, title
    agenda = [(save.at, 0, save.number) for save in world.saves]
    agenda += [(one.at, 1, one.number) for one in world.questions]
    agenda += [(hour * HOUR, 2, hour) for hour in range(1, shape.hours + 1)]
    for _, kind, number in sorted(agenda):
        if kind == 0:
            model.save(world.saves[number].article, world.saves[number].change)
        elif kind == 1:
            cited += [
                (number, article, model.version[article], model.title[article])
                for article in model.hits(world.questions[number].text)
            ]
        else:
            _check(model, cited, f"hour {number}")
    return model.found


def _check(model: Model, cited: list[tuple[int, int, int, int]], hour: str) -> None:
    stale = [c for c in cited if not model.published[c[1]] or model.version[c[1]] != c[2]]
    caught = [c for c in stale if not model.published[c[1]] or model.title[c[1]] != c[3]]
    model.found.update(
        {
            f"{hour}: citations so far": len(cited),
            f"{hour}: versions cited so far": len({c[1:3] for c in cited}),
            f"{hour}: answers so far": len({c[0] for c in cited}),
            f"{hour}: stale": len({c[1:3] for c in stale}),
            f"{hour}: stale, each citation counted": len(stale),
            f"{hour}: title-only caught": len({c[1:3] for c in caught}),
            f"{hour}: title-only caught, each citation counted": len(caught),
            f"{hour}: answers with a stale citation": len({c[0] for c in stale}),
            "search: calls": len({(c[1], c[3]) for c in cited}),
            "read: calls": len({c[1] for c in cited}),
            "poll: calls": 1,
        }
    )


def counts_of_edits(world: World, names: dict[int, str]) -> Counter[str]:
    """How the agent's edits fare, under the figures' names; ``names`` spells the delays."""
    model, found = Model(world), Counter[str]()
    agenda = [(save.at, 0, save.number, 0) for save in world.saves]
    agenda += [(one.at, 1, one.number, 0) for one in world.questions]
    read: dict[int, tuple[int, int]] = {}
    agenda += [(one.at + one.delay, 2, one.number, one.delay) for one in world.questions]
    for _, kind, number, delay in sorted(agenda):
        if kind == 0:
            model.save(world.saves[number].article, world.saves[number].change)
        elif kind == 1:
            first = model.hits(world.questions[number].text)[0]
            read[number] = first, model.version[first]
        else:
            article, version = read[number]
            name = f"edit after {names[delay]}: "
            if not model.published[article]:
                found[f"{name}rejected, unpublished"] += 1
                continue
            if model.version[article] != version:
                found[f"{name}rejected, moved"] += 1
                found[f"{name}retries saved"] += 1
            else:
                found[f"{name}saved at once"] += 1
            model.save(article)
    return found


def counts_of_seed(seed: int) -> Counter[str]:
    """All that is compared with the published study, of one seed of its shape."""
    shape = Shape()
    names = spelled_delays(shape)
    day = counts_of_day(world_of(shape, seed))
    even = counts_of_day(world_of(shape, seed, Spread.EVEN))
    edits = counts_of_edits(world_of(shape, seed), names)
    whats = ("saved at once", "rejected, moved", "rejected, unpublished", "retries saved")
    found = Counter({f"edit after {one}: {what}": 0 for one in names.values() for what in whats})
    found.update(day | edits)
    for told, counted in (
        ("control: stale", "stale"),
        ("control: stale, each citation counted", "stale, each citation counted"),
        ("control: answers with a stale citation", "answers with a stale citation"),
    ):
        found[told] = even[f"hour 8: {counted}"]
    found["edits rejected as unpublished, all delays"] = sum(
        edits[f"edit after {one}: rejected, unpublished"] for one in names.values()
    )
    found["idempotent replays"] = sum(
        edits[f"edit after {one}: saved at once"] for one in names.values()
    )
    return found


def spelled_delays(shape: Shape) -> dict[int, str]:
    words = {20_000: "20 s", 900_000: "15 min", 3_600_000: "1 h", 14_400_000: "4 h"}
    return {delay: words[delay] for delay in shape.delays}
