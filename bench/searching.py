"""Searches at several sizes, beside the very queries that they put to the engine."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import apsw

from bench.database import KB, OWNER, Database, database
from bench.material import Material
from bench.rows import Row, in_turn
from pincite.domain.ids import KnowledgeBaseId
from pincite.storage.index.fts import SearchIndex

LARGE = KnowledgeBaseId("large")
SIZES = (400, 10_000)


def measure(scale: float) -> Sequence[Row]:
    """Four-word questions: one knowledge base of 400 and of 10⁴, then one of 30k among 10⁵."""
    rows = []
    for size in SIZES:
        with database() as opened:
            opened.fill(Material().articles(size))
            rows += _rows(f"{size:,} articles", opened, KB, scale)
    with database() as opened:
        opened.fill(Material(2).articles(int(70_000 * min(scale, 1))), LARGE)
        opened.fill(Material().articles(int(30_000 * min(scale, 1))))
        found = _rows("30,000 of 100,000 articles", opened, KB, scale)
        rows += [_aimed(found[0]), *found[1:]]
    return rows


def _rows(name: str, opened: Database, kb: KnowledgeBaseId, scale: float) -> list[Row]:
    material = Material()
    queries = [material.query() for _ in range(100)]
    asked, raw = cycle(queries), cycle(_engine_queries(opened, kb, queries))

    def ask_the_engine() -> None:
        next(raw)()

    search, engine = in_turn(
        [lambda: opened.service.search(OWNER, kb, next(asked)), ask_the_engine],
        int(300 * scale),
    )
    ratio = search.median / engine.median
    return [
        Row(
            f"search, {name}",
            search.median * 1e3,
            "ms",
            search.p99 * 1e3,
            ratio,
            "the engine's queries alone",
            "≤ 1.3×",
            ratio <= 1.3,
        ),
        Row(f"the engine's queries alone, {name}", engine.median * 1e3, "ms", engine.p99 * 1e3),
    ]


def _aimed(row: Row) -> Row:
    return Row(
        row.name, row.value, row.unit, row.p99, row.ratio, row.against,
        "p50 ≤ 15 ms, ≤ 1.3×", bool(row.met) and row.value <= 15,
    )  # fmt: skip


def _engine_queries(
    opened: Database, kb: KnowledgeBaseId, queries: Sequence[str]
) -> list[Callable[[], None]]:
    """For each question a call that puts to the engine what the index puts to it."""
    connection = apsw.Connection(str(opened.path), flags=apsw.SQLITE_OPEN_READONLY)
    index = SearchIndex(connection)
    number = connection.execute("SELECT no FROM log WHERE id = ?", (kb,)).get
    seen: list[tuple[str, Any]] = []

    def trace(_: object, sql: str, bindings: object) -> bool:
        seen.append((sql, bindings))
        return True

    calls = []
    for query in queries:
        seen.clear()
        connection.exec_trace = trace
        index.search(number, query, "en", 5)
        connection.exec_trace = None
        calls.append(_replay(connection, list(seen)))
    return calls


def _replay(connection: apsw.Connection, seen: list[tuple[str, Any]]) -> Callable[[], None]:
    def call() -> None:
        for sql, bindings in seen:
            connection.execute(sql, bindings).fetchall()

    return call
