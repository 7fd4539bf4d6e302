"""Reads and polls, in process."""

from collections.abc import Sequence

from bench.database import KB, OWNER, database
from bench.material import Material
from bench.rows import Row, in_turn
from pincite.domain.edits import Edit
from pincite.domain.events import Resource
from pincite.domain.ids import ArticleId


def measure(scale: float) -> Sequence[Row]:
    """A point read in the store and through the service; a poll of nothing and of 100 events."""
    with database() as opened:
        opened.fill(Material().articles(400))
        article = ArticleId("article-200")
        log = Resource.of(KB)
        stamp = opened.service.read(OWNER, KB, article).updated_at
        for number in range(100):
            saved = opened.service.write(OWNER, KB, article, Edit(stamp, f"Number {number}.\n"))
            stamp = saved.receipt.updated_at or stamp
        head = opened.store.head(log)
        with opened.store.view() as view:
            found, read, nothing, hundred = in_turn(
                [
                    lambda: view.find_article(KB, article),
                    lambda: opened.service.read(OWNER, KB, article),
                    lambda: opened.service.poll(OWNER, log, head),
                    lambda: opened.service.poll(OWNER, log, head - 100),
                ],
                int(5000 * scale),
            )
    base = found.median
    return [
        Row("article by id, in an open snapshot", base * 1e6, "µs", found.p99 * 1e6),
        _row("read through the service", read.median, read.p99, base),
        _row("poll, nothing new", nothing.median, nothing.p99, base),
        _row("poll, 100 events", hundred.median, hundred.p99, base),
    ]


def _row(name: str, median: float, p99: float, base: float) -> Row:
    return Row(name, median * 1e6, "µs", p99 * 1e6, median / base, "article by id")
