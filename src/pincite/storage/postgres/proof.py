"""Proves that a store agrees with itself, in one snapshot."""

from collections.abc import Sequence

from pincite.storage.postgres.connections import Connection

_MOST = 20
"""How many findings of one kind are named."""

_PROOFS: Sequence[tuple[str, str]] = (
    (
        "Log {} ends at {} and should hold {} events after {}; it holds {}.",
        """
        WITH kept AS (
            SELECT id, latest, compacted_through,
                latest - compacted_through - coalesce((
                    SELECT sum(next - 1 - after) FROM gap
                    WHERE gap.log = id AND after >= compacted_through), 0) AS due,
                (SELECT count(*) FROM event
                 WHERE event.log = id AND sequence > compacted_through AND sequence <= latest
                 AND NOT EXISTS (SELECT FROM gap WHERE gap.log = id
                                 AND sequence > after AND sequence < next)) AS found,
                (SELECT count(*) FROM event WHERE event.log = id) AS held
            FROM log)
        SELECT id, latest, due, compacted_through, held FROM kept
        WHERE found <> due OR held <> due
        """,
    ),
    (
        "Knowledge base {} counts {} published articles; it has {}.",
        """
        SELECT log.id, log.published, count(a.id) FROM log
        LEFT JOIN article AS a ON a.log = log.id AND a.state = 'published'
        GROUP BY log.id HAVING log.published <> count(a.id)
        """,
    ),
    (
        "{} of {} belong to a log that is not there.",
        """
        SELECT kind, log FROM (
            SELECT 'Articles' AS kind, log FROM article UNION SELECT 'Revisions', log FROM revision
            UNION SELECT 'Events', log FROM event UNION SELECT 'Receipts', log FROM receipt
            UNION SELECT 'Gaps', log FROM gap UNION SELECT 'Imports', log FROM imported
            UNION SELECT 'Titles', log FROM knowledge_base) AS every
        WHERE NOT EXISTS (SELECT FROM log WHERE log.id = every.log)
        """,
    ),
    (
        "Revision {}/{} belongs to an article that is not there.",
        """
        SELECT log, article FROM revision AS r
        WHERE NOT EXISTS (SELECT FROM article AS a WHERE a.log = r.log AND a.id = r.article)
        """,
    ),
    (
        "Article {}/{} is {} and {} text.",
        """
        SELECT a.log, a.id, a.state, CASE WHEN r.content IS NULL THEN 'has no' ELSE 'has a' END
        FROM article AS a LEFT JOIN revision AS r
            ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
        WHERE (r.content IS NOT NULL) <> (a.state IN ('published', 'withdrawn'))
        """,
    ),
    (
        "Article {}/{} is published, but its text is the one of another stamp.",
        """
        SELECT log, id FROM article
        WHERE state = 'published' AND revision IS DISTINCT FROM updated_at
        """,
    ),
    (
        "Article {}/{} is {} and {} draft.",
        """
        SELECT log, id, state,
            CASE WHEN draft_updated_at IS NULL THEN 'has no' ELSE 'has a' END
        FROM article
        WHERE (state = 'draft' AND draft_updated_at IS NULL)
        OR (state = 'deleted' AND draft_updated_at IS NOT NULL)
        OR (draft_updated_at IS NULL) <> (draft_content IS NULL)
        """,
    ),
    (
        "Article {}/{} has a draft that is not the last one it had.",
        """
        SELECT log, id FROM article
        WHERE draft_updated_at IS NOT NULL AND draft_updated_at IS DISTINCT FROM drafted_at
        """,
    ),
    (
        "Article {}/{} does not agree with its event {}.",
        """
        SELECT a.log, a.id, a.sequence FROM article AS a JOIN log ON log.id = a.log
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
        SELECT log, id, updated_at FROM article
        WHERE (updated_at IS NULL) <> (sequence IS NULL)
        """,
    ),
    (
        "Event {} of {} is the latest of article {}, which does not know it.",
        """
        SELECT max(e.sequence), e.log, e.article FROM event AS e
        LEFT JOIN article AS a ON a.log = e.log AND a.id = e.article
        WHERE e.article IS NOT NULL
        GROUP BY e.log, e.article, a.sequence
        HAVING max(e.sequence) IS DISTINCT FROM a.sequence
        """,
    ),
    (
        "Revision {}/{} at {} does not agree with its event {}.",
        """
        SELECT r.log, r.article, r.updated_at, r.sequence
        FROM revision AS r JOIN log ON log.id = r.log
        LEFT JOIN event AS e
            ON e.log = r.log AND e.sequence = r.sequence AND e.article = r.article
            AND e.at = r.updated_at AND e.type IN ('article.published', 'article.updated')
        WHERE r.sequence > log.compacted_through AND e.log IS NULL
        """,
    ),
    (
        "Event {} of {} tells of a text of {} that was never there.",
        """
        SELECT e.sequence, e.log, e.article FROM event AS e
        LEFT JOIN revision AS r
            ON r.log = e.log AND r.article = e.article AND r.updated_at = e.at
        WHERE e.type IN ('article.published', 'article.updated') AND r.log IS NULL
        """,
    ),
    (
        "Event {} of {} has a stamp of {} that is not later than the one before.",
        """
        SELECT sequence, log, article FROM (
            SELECT sequence, log, article, at,
                lag(at) OVER (PARTITION BY log, article ORDER BY sequence) AS before
            FROM event WHERE article IS NOT NULL) AS stamped
        WHERE at <= before
        """,
    ),
    (
        "Receipt {} of {} in {} does not agree with event {}.",
        """
        SELECT c.key, c.principal, c.log, c.sequence
        FROM receipt AS c JOIN log ON log.id = c.log
        LEFT JOIN event AS e ON e.log = c.log AND e.sequence = c.sequence
            AND coalesce(e.article, '') = c.article
            AND (e.article IS NULL OR e.at = c.updated_at)
        WHERE c.sequence > log.compacted_through AND c.status <> 'recorded' AND e.log IS NULL
        """,
    ),
)


def contradictions(connection: Connection) -> list[str]:
    """What does not agree between the rows; or nothing."""
    found = []
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for sentence, query in _PROOFS:
            contradicting = connection.execute(f"{query} LIMIT {_MOST}").fetchall()
            found += [sentence.format(*row) for row in contradicting]
    return found
