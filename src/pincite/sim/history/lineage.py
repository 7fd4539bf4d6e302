"""Which file of a history is which article: a file that moves stays the article that it was."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.domain.ids import ArticleId
from pincite.sim.history.git import Publication


@dataclass(frozen=True, slots=True)
class Step:
    """One file's new state.

    Attributes:
        path: Where the file stands now or, if it is gone, stood last.
        blob: The id of its text; None if the file is gone.
    """

    article_id: ArticleId
    path: str
    blob: str | None


@dataclass(frozen=True, slots=True)
class Steps:
    """What one publication does to articles."""

    publication: Publication
    steps: Sequence[Step]


def lineage(publications: Iterable[Publication]) -> Iterator[Steps]:
    """Follows every file through its renames.

    A file that comes back under the path of one that is gone is that article again; ids are
    given in the order in which articles appear.
    """
    known: dict[str, ArticleId] = {}
    count = 0
    for publication in publications:
        steps = []
        for change in publication.changes:
            # Git names as a rename only what leaves one path and appears under a new one.
            article_id = known.pop(change.before or change.path, None)
            if article_id is None:
                count += 1
                article_id = ArticleId(f"article-{count}")
            known[change.path] = article_id
            steps.append(Step(article_id, change.path, change.blob))
        yield Steps(publication, steps)


def saves_of(history: Iterable[Steps]) -> Mapping[ArticleId, int]:
    """How often each article was saved in the whole of a history."""
    return Counter(step.article_id for one in history for step in one.steps if step.blob)
