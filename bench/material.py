"""Made-up articles, the same each time: words of a Zipf distribution under a few headings."""

import random
from collections.abc import Iterator
from itertools import accumulate

from pincite.domain.ids import ArticleId
from pincite.domain.texts import Text

WORDS = 20_000
# Any will do; they make some thousands of words that no stemmer knows.
_ONSETS, _RIMES = "bcdfgklmnprstv", ("a", "e", "i", "o", "u", "an", "er", "ol", "ix")


class Material:
    """Articles and queries from a seed."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._words = [self._word() for _ in range(WORDS)]
        self._weights = list(accumulate(1 / (place + 10) for place in range(WORDS)))

    def article(self, number: int, paragraphs: int = 6) -> tuple[ArticleId, Text]:
        """An article of about 240 words in three sections."""
        parts = []
        for place in range(paragraphs):
            if place % 2 == 0:
                parts.append(f"## {self._sentence(4)}")
            parts.append(self._sentence(40) + ".")
        text = Text(self._sentence(5).title(), "\n\n".join(parts) + "\n")
        return ArticleId(f"article-{number}"), text

    def articles(self, count: int) -> Iterator[tuple[ArticleId, Text]]:
        """Several."""
        return (self.article(number) for number in range(count))

    def query(self, words: int = 4) -> str:
        """A question in words that are neither the most common nor the rarest."""
        return " ".join(self._words[self._chance.randint(20, 2000)] for _ in range(words))

    def _sentence(self, words: int) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=words))

    def _word(self) -> str:
        return "".join(
            self._chance.choice(_ONSETS) + self._chance.choice(_RIMES)
            for _ in range(self._chance.randint(2, 4))
        )
