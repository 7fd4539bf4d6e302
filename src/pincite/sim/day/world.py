"""The support day as it will happen: who asks and who saves what, and when, from a seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from pincite.domain.texts import Text
from pincite.errors import InvalidInputError
from pincite.sim.chance import Chance
from pincite.sim.clock import HOUR, MINUTE, SECOND
from pincite.sim.day import wording

_WEIGHT: Final = 10**12
_PERCENT: Final = 100


class Spread(StrEnum):
    """Which articles people save."""

    POPULAR = "popular"
    """The ones that are asked for."""
    EVEN = "even"
    """Each as likely: the control."""


class Change(StrEnum):
    """What a person's save does."""

    CONTENT = "content"
    TITLE = "title"
    """Content and title."""
    WITHDRAWAL = "withdrawal"


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the day; the defaults are the published study's.

    Attributes:
        exponent: Of Zipf's law, by which questions and saves fall on articles.
        retitled: Percent of saves that change title and content.
        withdrawn: Percent of saves that withdraw.
        passages: Paragraphs of an article; a save and a question touch one.
        delays: How long an agent may wait before it edits what it cited, in milliseconds.
    """

    articles: int = 400
    topics: int = 18
    questions: int = 120
    saves: int = 300
    hours: int = 8
    exponent: float = 0.9
    retitled: int = 10
    withdrawn: int = 5
    passages: int = 6
    delays: tuple[int, ...] = (20 * SECOND, 15 * MINUTE, HOUR, 4 * HOUR)

    def __post_init__(self) -> None:
        if self.retitled + self.withdrawn > _PERCENT:
            limit = f"at most {_PERCENT} together"
            raise InvalidInputError(
                f"retitled and withdrawn must be {limit}.", field="withdrawn", limit=limit
            )


@dataclass(frozen=True, slots=True)
class Question:
    """Somebody asks.

    Attributes:
        at: Milliseconds since the day began.
        passages: Which paragraph the answer takes from the first article that it cites, and
            which from the second.
        delay: How long after it the agent edits the first.
        edited: The paragraph that it edits.
    """

    number: int
    at: int
    text: str
    passages: tuple[int, int]
    delay: int
    edited: int


@dataclass(frozen=True, slots=True)
class Save:
    """A person saves.

    Attributes:
        at: Milliseconds since the day began.
        article: The article's place by popularity, from 0.
        passage: Which paragraph changes.
    """

    number: int
    at: int
    article: int
    change: Change
    passage: int


@dataclass(frozen=True, slots=True)
class World:
    """One seed's day.

    Attributes:
        saves: By time.
        questions: By time.
    """

    shape: Shape
    seed: int
    saves: Sequence[Save]
    questions: Sequence[Question]

    @property
    def articles(self) -> Sequence[Text]:
        """What there is on the first morning, most popular first."""
        shape = self.shape
        return [
            wording.written(number + 1, topic_of(number, shape), shape.passages)
            for number in range(shape.articles)
        ]


def world_of(shape: Shape, seed: int, spread: Spread = Spread.POPULAR) -> World:
    """Draws a day. With another spread only the articles that are saved differ."""
    popularity = popularity_of(shape.articles, shape.exponent)
    return World(
        shape,
        seed,
        tuple(_saves(shape, seed, spread, popularity)),
        tuple(_questions(shape, seed, popularity)),
    )


def popularity_of(articles: int, exponent: float) -> Sequence[int]:
    """Running sums of Zipf's weights, ``rank ** -exponent``, as whole numbers.

    Rounded, because the last digit of a power is not the same on every machine.
    """
    return tuple(accumulate(round(_WEIGHT * rank**-exponent) for rank in range(1, articles + 1)))


def topic_of(article: int, shape: Shape) -> int:
    """Topics take turns by popularity, so that each has its own favourites."""
    return article % shape.topics


def _saves(shape: Shape, seed: int, spread: Spread, popularity: Sequence[int]) -> Iterator[Save]:
    change, passage = Chance(seed, "change"), Chance(seed, "changed passage")
    article = Chance(seed, "saved article", spread)
    for number, at in enumerate(_times(shape.saves, shape, Chance(seed, "save"))):
        even = spread is Spread.EVEN
        yield Save(
            number,
            at,
            article.below(shape.articles) if even else article.weighted(popularity),
            _change(change.below(_PERCENT), shape),
            passage.below(shape.passages),
        )


def _questions(shape: Shape, seed: int, popularity: Sequence[int]) -> Iterator[Question]:
    article, passage = Chance(seed, "asked article"), Chance(seed, "used passage")
    edited = Chance(seed, "edited passage")
    each = -(-shape.questions // len(shape.delays))
    delays = Chance(seed, "delay").shuffled(shape.delays * each)
    for number, at in enumerate(_times(shape.questions, shape, Chance(seed, "question"))):
        wanted = article.weighted(popularity)
        yield Question(
            number,
            at,
            wording.asked(wanted + 1, topic_of(wanted, shape)),
            (passage.below(shape.passages), passage.below(shape.passages)),
            delays[number],
            edited.below(shape.passages),
        )


def _times(count: int, shape: Shape, chance: Chance) -> list[int]:
    return sorted(chance.below(shape.hours * HOUR) for _ in range(count))


def _change(percent: int, shape: Shape) -> Change:
    if percent < shape.withdrawn:
        return Change.WITHDRAWAL
    return Change.TITLE if percent < shape.withdrawn + shape.retitled else Change.CONTENT
