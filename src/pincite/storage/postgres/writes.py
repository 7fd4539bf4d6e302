"""The smaller writes: knowledge bases, host events, tokens, what importers remember."""

from collections.abc import Sequence

from psycopg import errors

from pincite.domain.articles import ImportRecord
from pincite.domain.edits import Request
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.grants import Token, scope_of
from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import DeniedError, InvalidInputError, NotFoundError
from pincite.ports import Committed, Outcome, Stale
from pincite.storage import rows
from pincite.storage.postgres import logs
from pincite.storage.postgres.connections import Connection

# The lock keeps a move from sealing it, and copying what was, in between; edits go on.
_KEPT_OPEN = """
SELECT sealed FROM log JOIN knowledge_base ON knowledge_base.log = log.id
WHERE log.id = %s FOR KEY SHARE OF log
"""

_REMEMBER = """
INSERT INTO imported (log, path, article, front_matter, updated_at, title, details)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (log, path) DO UPDATE SET
article = excluded.article, front_matter = excluded.front_matter,
updated_at = excluded.updated_at, title = excluded.title, details = excluded.details
"""


def append(
    connection: Connection,
    resource: Resource,
    occurrence: Occurrence,
    request: Request,
    at: Stamp,
) -> Outcome:
    """Appends to a resource's log, which begins with its first event."""
    if resource.type is ResourceType.KNOWLEDGE_BASE:
        raise InvalidInputError(
            "A knowledge base writes its log itself.",
            field="resource_type",
            limit="channel, note, record or session",
        )
    try:
        return Committed(logs.append(connection, resource, occurrence, request, at))
    except errors.UniqueViolation:
        return logs.earlier(connection, scope_of(resource), request) or Stale()


def create_knowledge_base(
    connection: Connection, knowledge_base_id: KnowledgeBaseId, title: str, language: str
) -> bool:
    """Makes a knowledge base with an empty log; False if it is there already."""
    made = connection.execute(
        "WITH begun AS (INSERT INTO log (id, epoch, latest)"
        f" VALUES (%s, %s, {logs.FIRST_OF_NEW_LOG} - 1) ON CONFLICT DO NOTHING"
        " RETURNING id, latest), gapped AS (INSERT INTO gap (log, after, next)"
        " SELECT id, 0, latest + 1 FROM begun WHERE latest > 0)"
        " INSERT INTO knowledge_base (log, title, language) SELECT id, %s, %s FROM begun",
        (knowledge_base_id, logs.new_epoch(), title, language),
    )
    return made.rowcount > 0


def rename_knowledge_base(
    connection: Connection, knowledge_base_id: KnowledgeBaseId, title: str
) -> bool:
    """Gives a knowledge base another title; False if there is none of that id.

    Raises:
        DeniedError: It moved to another store.
    """
    with connection.transaction():
        if not _is_kept_open(connection, knowledge_base_id):
            return False
        connection.execute(
            "UPDATE knowledge_base SET title = %s WHERE log = %s", (title, knowledge_base_id)
        )
        return True


def save_token(connection: Connection, token: Token) -> bool:
    """Keeps a token; False if its name is taken by one that still holds."""
    with connection.transaction():
        # Tokens are made by hand and seldom: one at a time.
        connection.execute("LOCK TABLE token IN SHARE ROW EXCLUSIVE MODE")
        saved = connection.execute(
            "INSERT INTO token SELECT %s, %s, %s, %s, %s, %s, %s WHERE NOT EXISTS"
            " (SELECT FROM token WHERE name = %s AND revoked_at IS NULL"
            " AND (expires_at IS NULL OR expires_at > %s))",
            (*rows.token_to_row(token), token.name, token.created_at.milliseconds),
        )
        return saved.rowcount > 0


def revoke_token(connection: Connection, name: str, at: Stamp) -> bool:
    """Ends a token; False if none of that name holds."""
    revoked = connection.execute(
        "UPDATE token SET revoked_at = %(at)s WHERE name = %(name)s AND revoked_at IS NULL"
        " AND (expires_at IS NULL OR expires_at > %(at)s)",
        {"at": at.milliseconds, "name": name},
    )
    return revoked.rowcount > 0


def save_imports(
    connection: Connection, knowledge_base_id: KnowledgeBaseId, records: Sequence[ImportRecord]
) -> None:
    """Replaces what importers remember of these paths.

    Raises:
        NotFoundError: There is no such knowledge base.
        DeniedError: It moved to another store.
    """
    with connection.transaction():
        if not _is_kept_open(connection, knowledge_base_id):
            raise NotFoundError("There is no such knowledge base.")
        connection.cursor().executemany(
            _REMEMBER, [(knowledge_base_id, *rows.import_to_row(record)) for record in records]
        )


def _is_kept_open(connection: Connection, knowledge_base_id: KnowledgeBaseId) -> bool:
    """Keeps a knowledge base open for writes until the transaction ends; False if there is none.

    Raises:
        DeniedError: It moved to another store.
    """
    found = connection.execute(_KEPT_OPEN, (knowledge_base_id,)).fetchone()
    if found is not None and found[0]:
        raise DeniedError(rows.MOVED, action="write")
    return found is not None
