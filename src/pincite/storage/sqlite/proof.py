"""Proves that a store agrees with itself, in one snapshot."""

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw

from pincite.storage.sqlite.indexing import index_disagreements

_MOST = 20
"""How many findings of one kind are named."""

_PROOFS: Sequence[tuple[str, str]] = (
    (
        "Log {}/{} ends at {} and should hold {} events after {}; it holds {}.",
        """
        WITH kept AS (
            SELECT log.*, latest - compacted_through - coalesce((
                SELECT sum(next - 1 - after) FROM gap
                WHERE gap.log = no AND after >= compacted_through), 0) AS due,
                (SELECT count(*) FROM event
                 WHERE event.log = no AND sequence > compacted_through AND sequence <= latest
                 AND NOT EXISTS (SELECT 1 FROM gap WHERE gap.log = no
                                 AND sequence > after AND sequence < next)) AS found,
                (SELECT count(*) FROM event WHERE event.log = no) AS held
            FROM log)
        SELECT type, id, latest, due, compacted_through, held FROM kept
        WHERE found <> due OR held <> due
        """,
    ),
    (
        "Knowledge base {} counts {} published articles; it has {}.",
        """
        SELECT log.id, kb.published, count(a.id) FROM knowledge_base AS kb
        JOIN log ON log.no = kb.log
        LEFT JOIN article AS a ON a.log = kb.log AND a.state = 'published'
        GROUP BY kb.log HAVING kb.published <> count(a.id)
        """,
    ),
    (
        "Article {}/{} is {} and {} text.",
        """
        SELECT log.id, a.id, a.state, iif(r.content IS NULL, 'has no', 'has a')
        FROM article AS a JOIN log ON log.no = a.log
        LEFT JOIN revision AS r
            ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
        WHERE (r.content IS NOT NULL) <> (a.state IN ('published', 'withdrawn'))
        """,
    ),
    (
        "Article {}/{} is published, but its text is the one of another stamp.",
        """
        SELECT log.id, a.id FROM article AS a JOIN log ON log.no = a.log
        WHERE a.state = 'published' AND a.revision IS NOT a.updated_at
        """,
    ),
    (
        "Article {}/{} is {} and {} draft.",
        """
        SELECT log.id, a.id, a.state, iif(d.log IS NULL, 'has no', 'has a')
        FROM article AS a JOIN log ON log.no = a.log
        LEFT JOIN draft AS d ON d.log = a.log AND d.article = a.id
        WHERE (a.state = 'draft' AND d.log IS NULL) OR (a.state = 'deleted' AND d.log IS NOT NULL)
        """,
    ),
    (
        "Article {}/{} has a draft that is not the last one it had.",
        """
        SELECT log.id, a.id FROM article AS a JOIN log ON log.no = a.log
        JOIN draft AS d ON d.log = a.log AND d.article = a.id
        WHERE d.updated_at IS NOT a.drafted_at
        """,
    ),
    (
        "Article {}/{} does not agree with its event {}.",
        """
        SELECT log.id, a.id, a.sequence FROM article AS a JOIN log ON log.no = a.log
        LEFT JOIN event AS e
            ON e.log = a.log AND e.sequence = a.sequence AND e.article = a.id
            AND e.at = a.updated_at
            AND (e.type IN ('article.published', 'article.updated')) = (a.state = 'published')
        WHERE a.sequence > log.compacted_through AND e.log IS NULL
        """,
    ),
    (
        "Article {}/{} has {}, and no number of an event.",
        """
        SELECT log.id, a.id, a.updated_at FROM article AS a JOIN log ON log.no = a.log
        WHERE (a.updated_at IS NULL) <> (a.sequence IS NULL)
        """,
    ),
    (
        "Event {} of {} is the latest of article {}, which does not know it.",
        """
        SELECT max(e.sequence), log.id, e.article FROM event AS e JOIN log ON log.no = e.log
        LEFT JOIN article AS a ON a.log = e.log AND a.id = e.article
        WHERE e.article IS NOT NULL
        GROUP BY e.log, e.article HAVING max(e.sequence) IS NOT a.sequence
        """,
    ),
    (
        "Revision {}/{} at {} does not agree with its event {}.",
        """
        SELECT log.id, r.article, r.updated_at, r.sequence
        FROM revision AS r JOIN log ON log.no = r.log
        LEFT JOIN event AS e
            ON e.log = r.log AND e.sequence = r.sequence AND e.article = r.article
            AND e.at = r.updated_at AND e.type IN ('article.published', 'article.updated')
        WHERE r.sequence > log.compacted_through AND e.log IS NULL
        """,
    ),
    (
        "Event {} of {} tells of a text of {} that was never there.",
        """
        SELECT e.sequence, log.id, e.article FROM event AS e JOIN log ON log.no = e.log
        LEFT JOIN revision AS r
            ON r.log = e.log AND r.article = e.article AND r.updated_at = e.at
        WHERE e.type IN ('article.published', 'article.updated') AND r.log IS NULL
        """,
    ),
    (
        "Event {} of {} has a stamp of {} that is not later than the one before.",
        """
        SELECT sequence, id, article FROM (
            SELECT sequence, log.id, article, at,
                lag(at) OVER (PARTITION BY e.log, article ORDER BY sequence) AS before
            FROM event AS e JOIN log ON log.no = e.log WHERE article IS NOT NULL)
        WHERE at <= before
        """,
    ),
    (
        "Receipt {} of {} in {}/{} does not agree with event {}.",
        """
        SELECT c.key, c.principal, log.type, log.id, c.sequence
        FROM receipt AS c JOIN log ON log.no = c.log
        LEFT JOIN event AS e ON e.log = c.log AND e.sequence = c.sequence
            AND coalesce(e.article, '') = c.article
            AND (e.article IS NULL OR e.at = c.updated_at)
        WHERE c.sequence > log.compacted_through AND c.status <> 'recorded' AND e.log IS NULL
        """,
    ),
)


def disagreements(connection: apsw.Connection) -> list[str]:
    """What does not agree; or nothing."""
    return [
        *_damage(connection),
        *_contradictions(connection),
        *islice(index_disagreements(connection), _MOST),
    ]


def _damage(connection: apsw.Connection) -> Iterator[str]:
    """What SQLite itself finds wrong with the file."""
    for (finding,) in connection.execute(f"PRAGMA integrity_check({_MOST})").fetchall():
        if finding != "ok":
            yield f"The file is damaged: {finding}."
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall()[:_MOST]:
        yield f"A row of {table} points at a row of {parent} that is not there."


def _contradictions(connection: apsw.Connection) -> Iterator[str]:
    for sentence, sql in _PROOFS:
        for row in connection.execute(f"{sql} LIMIT {_MOST}").fetchall():
            yield sentence.format(*row)
