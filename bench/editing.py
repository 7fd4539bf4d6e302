"""Durable edits by 1, 8 and 64 clients, with and without shared transactions."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apsw

from bench.database import KB, OWNER, Database, database
from bench.material import Material
from bench.rows import Row, Times
from pincite.domain.edits import Context, Edit
from pincite.domain.ids import ArticleId
from pincite.storage.sqlite import writer

CLIENTS = (1, 8, 64)
SLOW_SYNC = 0.005
_SHARED = writer.BATCH_LARGEST


def measure(scale: float) -> Sequence[Row]:
    """Edits per second, as the disk is and with a sync that takes 5 ms longer."""
    rows = []
    for clients in CLIENTS:
        rows += _rows(clients, int(max(4, 600 * scale / clients)), "")
    with slow_sync():
        rows += _rows(64, int(max(4, 300 * scale / 64)), ", sync slowed by 5 ms")
    return rows


def _rows(clients: int, each: int, where: str) -> list[Row]:
    shared, alone = [], []
    for _ in range(3):  # in turn, so that a machine that slows down slows both
        shared.append(_run(clients, each, _SHARED))
        alone.append(_run(clients, each, 1))
    rate, times = sorted(shared, key=lambda run: run[0])[1]
    base, _ = sorted(alone, key=lambda run: run[0])[1]
    wanted = {64: 10.0 if where else 2.5}.get(clients)
    met = None if wanted is None else rate / base >= wanted
    if met is not None and not where:
        met = met and times.p99 <= 0.1
    target = "" if wanted is None else f"≥ {wanted:g}×" + ("" if where else ", p99 ≤ 100 ms")
    return [
        Row(f"edits, {clients} clients{where}", rate, "/s", None, rate / base,
            "one transaction each", target, met),
        Row(f"… one of them takes{where}", times.median * 1e3, "ms", times.p99 * 1e3),
    ]  # fmt: skip


def _run(clients: int, each: int, largest: int) -> tuple[float, Times]:
    """Edits per second, and how long each took."""
    writer.BATCH_LARGEST = largest
    with database() as opened:
        opened.fill(Material().articles(clients))
        seconds: list[float] = []
        barrier = threading.Barrier(clients + 1)
        threads = [
            threading.Thread(target=_edit, args=(opened, number, each, barrier, seconds))
            for number in range(clients)
        ]
        for thread in threads:
            thread.start()
        barrier.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        elapsed = time.perf_counter() - begin
    writer.BATCH_LARGEST = _SHARED
    return clients * each / elapsed, Times(sorted(seconds))


def _edit(
    opened: Database, number: int, each: int, barrier: threading.Barrier, seconds: list[float]
) -> None:
    material = Material(number)
    article = ArticleId(f"article-{number}")
    stamp = opened.service.read(OWNER, KB, article).updated_at
    contents = [material.article(number)[1].content for _ in range(each)]
    barrier.wait()
    for place, content in enumerate(contents):
        begin = time.perf_counter()
        context = Context(f"{number}-{place}")
        saved = opened.service.write(OWNER, KB, article, Edit(stamp, content), context)
        seconds.append(time.perf_counter() - begin)
        stamp = saved.receipt.updated_at or stamp


@contextmanager
def slow_sync() -> Iterator[None]:
    """Makes each commit hold its lock 5 ms longer, as a slow disk does."""

    def slow(connection: apsw.Connection) -> None:
        connection.set_commit_hook(wait)

    def wait() -> bool:
        time.sleep(SLOW_SYNC)  # noqa: TID251 - what a slow disk does
        return False

    apsw.connection_hooks.append(slow)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(slow)
