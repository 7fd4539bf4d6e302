"""Ranking: when the one section that answers lifts its article, and when it does not."""

import apsw
import pytest

from pincite.domain.passages import cut
from pincite.storage.index.entries import prepare
from pincite.storage.index.fts import Put, SearchIndex

QUESTION = "quokka zebra giraffe"
PLAIN = ("Plants", f"Quokka quokka. {'grass ' * 8}")
IN_A_SECTION = ("Trees", f"# Leaves\n\n{'leaf ' * 12}\n\n# Animals\n\nQuokka quokka.")
ANSWER = ("Quokka zebra giraffe", "Quokka zebra giraffe quokka zebra giraffe.")
OTHER = ("Other", "Stone.")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([OTHER, PLAIN, IN_A_SECTION, OTHER, OTHER], [2, 1]),
        ([ANSWER, PLAIN, IN_A_SECTION, OTHER, OTHER], [0, 1, 2]),
    ],
    ids=["near the best", "far behind it"],
)
def test_a_section_lifts_its_article_unless_that_is_far_behind_the_best(
    texts: list[tuple[str, str]], expected: list[int]
) -> None:
    index = SearchIndex(apsw.Connection(":memory:"))
    index.create()
    index.apply(
        [
            Put(7, number, 1, prepare(title, content, cut(content), "en"))
            for number, (title, content) in enumerate(texts)
        ]
    )
    hits = index.search(7, QUESTION, "en", 5)
    assert [hit.article_number for hit in hits] == expected
