"""What the Markdown of a git repository said at any time: one timeline for each article."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pincite.domain.ids import ArticleId
from pincite.importers import front_matter
from pincite.sim.history.git import History
from pincite.sim.history.lineage import lineage


@dataclass(frozen=True)
class Version:
    """What an article said from a time, in milliseconds; no content where it was withdrawn."""

    at: int
    content: str | None


class Timelines:
    """The timelines of one repository.

    Attributes:
        articles: The ids of its articles.
        first: The time of the first publication, in milliseconds.
        last: The time of the last one.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._blobs: dict[ArticleId, list[tuple[int, str | None]]] = defaultdict(list)
        for published in lineage(history.publications()):
            at = published.publication.at.milliseconds
            for step in published.steps:
                self._blobs[step.article_id].append((at, step.blob))
        self.articles = sorted(self._blobs)
        self.first = min(blobs[0][0] for blobs in self._blobs.values())
        self.last = max(blobs[-1][0] for blobs in self._blobs.values())

    def lives_at(self, article: ArticleId, at: int) -> bool:
        """Whether an article was there at a time."""
        blobs = self._blobs[article]
        index = bisect_right(blobs, at, key=lambda blob: blob[0]) - 1
        return index >= 0 and blobs[index][1] is not None

    def versions(self, article: ArticleId) -> list[Version]:
        """The versions of an article, each different from the one before it.

        Front matter is left aside, as an import does: a change of it alone is no version.
        """
        read = [
            Version(at, None if blob is None else self._content(blob))
            for at, blob in self._blobs[article]
        ]
        moved = [after for before, after in pairwise(read) if before.content != after.content]
        return read[:1] + moved

    def _content(self, blob: str) -> str:
        return front_matter.split(self._history.text(blob).decode("utf-8", "replace"))[1]


def repositories(data: Path) -> Iterator[Path]:
    """The bundles and repositories in a folder, or the repository that it is."""
    for path in [data, *sorted(data.iterdir())]:
        if path.suffix == ".bundle" or (path / ".git").exists() or (path / "objects").is_dir():
            yield path
