"""Writes that are no decisions on articles, within the transaction of the writer."""

from collections.abc import Sequence

import apsw

from pincite.domain.articles import ImportRecord
from pincite.domain.edits import Receipt, Request, Status
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.grants import Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError, NotFoundError
from pincite.ports import Committed, Outcome
from pincite.storage import rows
from pincite.storage.sqlite.logs import Log


def create_knowledge_base(
    connection: apsw.Connection, knowledge_base_id: KnowledgeBaseId, title: str, language: str
) -> bool:
    """Makes a knowledge base with an empty log; False if it is there already."""
    resource = Resource.of(knowledge_base_id)
    if Log.find(connection, resource) is not None:
        return False
    connection.execute(
        "INSERT INTO knowledge_base (log, title, language) VALUES (?, ?, ?)",
        (Log.of(connection, resource).no, title, language),
    )
    return True


def rename_knowledge_base(
    connection: apsw.Connection, knowledge_base_id: KnowledgeBaseId, title: str
) -> bool:
    """Gives a knowledge base another title; False if there is none of that id.

    Raises:
        DeniedError: It moved to another store.
    """
    log = Log.find(connection, Resource.of(knowledge_base_id))
    if log is None:
        return False
    log.refuse_if_sealed()
    connection.execute("UPDATE knowledge_base SET title = ? WHERE log = ?", (title, log.no))
    return True


def append(
    connection: apsw.Connection,
    resource: Resource,
    occurrence: Occurrence,
    request: Request,
    *,
    at: Stamp,
) -> Outcome:
    """Appends to a resource's log, which begins with its first event."""
    if resource.type is ResourceType.KNOWLEDGE_BASE:
        raise InvalidInputError(
            "A knowledge base writes its log itself.",
            field="resource_type",
            limit="channel, note, record or session",
        )
    log = Log.of(connection, resource)
    earlier = log.find_earlier(request)
    if earlier is not None:
        return earlier
    sequence = log.append(occurrence, at)
    receipt = Receipt(Status.APPENDED, ArticleId(""), sequence=sequence)
    log.keep_receipt(request, receipt, at)
    return Committed(receipt)


def save_token(connection: apsw.Connection, token: Token) -> bool:
    """Keeps a token; False if its name is taken by one that still holds."""
    taken = connection.execute(
        "SELECT 1 FROM token WHERE name = ? AND revoked_at IS NULL"
        " AND (expires_at IS NULL OR expires_at > ?)",
        (token.name, token.created_at.milliseconds),
    ).fetchone()
    if taken:
        return False
    connection.execute("INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?)", rows.token_to_row(token))
    return True


def revoke_token(connection: apsw.Connection, name: str, at: Stamp) -> bool:
    """Ends a token; False if none of that name holds."""
    connection.execute(
        "UPDATE token SET revoked_at = ?1 WHERE name = ?2 AND revoked_at IS NULL"
        " AND (expires_at IS NULL OR expires_at > ?1)",
        (at.milliseconds, name),
    )
    return connection.changes() > 0


def save_imports(
    connection: apsw.Connection,
    knowledge_base_id: KnowledgeBaseId,
    records: Sequence[ImportRecord],
) -> None:
    """Replaces what importers remember of these paths.

    Raises:
        NotFoundError: There is no such knowledge base.
        DeniedError: It moved to another store.
    """
    log = Log.find(connection, Resource.of(knowledge_base_id))
    if log is None:
        raise NotFoundError("There is no such knowledge base.")
    log.refuse_if_sealed()
    connection.executemany(
        "INSERT OR REPLACE INTO imported"
        " (log, path, article, front_matter, updated_at, title, details)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(log.no, *rows.import_to_row(record)) for record in records],
    )
