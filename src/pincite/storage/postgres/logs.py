"""One resource's log: what is told in it, and what keys earned there."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from pincite.domain.decide import Decision
from pincite.domain.edits import Receipt, Request, Status
from pincite.domain.events import RESTORE_GAP, Occurrence, Resource
from pincite.domain.grants import scope_of
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp
from pincite.errors import DeniedError, NotFoundError
from pincite.ports import Replayed, Reused
from pincite.storage import rows
from pincite.storage.postgres.connections import Connection

Values: TypeAlias = Mapping[str, str | int | bool | None]
"""What the parameters of a statement stand for."""

# Parts of the statement that saves a write: what it tells in the log, and the receipt that it
# keeps. Each takes its rows from `counted`, which is empty if nothing is to be saved.
TOLD = """
told AS (
    INSERT INTO event (log, sequence, type, at, article, changed, data)
    SELECT %(log)s, latest, %(type)s, %(event_at)s, %(event_article)s, %(changed)s, %(data)s
    FROM counted
)"""

KEPT = """
kept AS (
    INSERT INTO receipt (log, principal, key, fingerprint, status, article, updated_at,
        sequence, proposal, at)
    SELECT %(log)s, %(principal)s, %(key)s, %(fingerprint)s, %(status)s, %(receipt_article)s,
        %(receipt_updated_at)s, coalesce(latest, %(receipt_sequence)s), NULL, %(at)s FROM counted
)"""

FIRST_OF_NEW_LOG = f"""
(SELECT CASE WHEN stamp_floor IS NULL THEN 1 ELSE greatest(stamp_floor, {RESTORE_GAP}) END
 FROM store)
"""
"""The number of a new log's first event; see :func:`~pincite.domain.events.gap_of_new_log`."""

# Only a log that this very statement began has this very epoch.
_BEGUN_OR_COUNTED = f"""
counted AS (
    INSERT INTO log (id, epoch, latest) VALUES (%(log)s, %(epoch)s, {FIRST_OF_NEW_LOG})
    ON CONFLICT (id) DO UPDATE SET latest = log.latest + 1 RETURNING latest, epoch
),
gapped AS (
    INSERT INTO gap (log, after, next)
    SELECT %(log)s, 0, latest FROM counted WHERE epoch = %(epoch)s AND latest > 1
)"""

_UNCOUNTED = "counted AS (SELECT NULL::bigint AS latest)"

_EARLIER = """
SELECT log.sealed, fingerprint, status, article, updated_at, sequence, proposal
FROM log LEFT JOIN receipt ON receipt.log = log.id AND principal = %s AND key = %s
WHERE log.id = %s FOR KEY SHARE OF log
"""


def new_epoch() -> str:
    """A name that no log had before."""
    return secrets.token_hex(8)


def append(
    connection: Connection,
    resource: Resource,
    occurrence: Occurrence,
    request: Request,
    at: Stamp,
) -> Receipt:
    """Tells what a host says in a log, which begins with its first event."""
    receipt = Receipt(Status.APPENDED, ArticleId(""))
    values: Values = {
        "log": scope_of(resource),
        "epoch": new_epoch(),
        "type": occurrence.type,
        "event_at": at.milliseconds,
        "event_article": None,
        "changed": None,
        "data": occurrence.data,
        **request_values(request, receipt, at),
    }
    parts = [_BEGUN_OR_COUNTED, TOLD]
    if request.key is not None:
        parts.append(KEPT)
    (sequence,) = connection.execute(statement(parts), values).fetchall()[0]
    return replace(receipt, sequence=sequence)


def earlier(connection: Connection, log: str, request: Request) -> Replayed | Reused | None:
    """What a request's key earned before, which comes before anything else (IDEM-6).

    Raises:
        NotFoundError: There is no such knowledge base.
        DeniedError: It moved to another store.
    """
    found = connection.execute(_EARLIER, (request.principal, request.key, log)).fetchone()
    if found is None:
        raise NotFoundError("There is no such knowledge base.")
    sealed, *receipt = found
    if receipt[0] is not None:
        kept = rows.kept_receipt_from(receipt)
        return Replayed(kept.receipt) if kept.fingerprint == request.fingerprint else Reused()
    if sealed:
        raise DeniedError(rows.MOVED, action="write")
    return None


def keep_receipt(
    connection: Connection, log: str, request: Request, receipt: Receipt, at: Stamp
) -> None:
    """Keeps what a request earned, if it has a key to ask for it again."""
    if request.key is not None:
        values = {"log": log, **request_values(request, receipt, at)}
        connection.execute(statement([_UNCOUNTED, KEPT]), values)


def statement(parts: Sequence[str]) -> str:
    """One statement of all parts; it answers with the number that it counted, or with nothing."""
    return f"WITH {','.join(parts)} SELECT latest FROM counted"


def event_values(decision: Decision) -> Values:
    """For ``TOLD``."""
    return {
        "type": decision.event,
        "event_at": rows.milliseconds(decision.article.updated_at),
        "event_article": decision.article.article_id,
        "changed": rows.changed_to_text(decision.changed),
        "data": None,
    }


def request_values(request: Request, receipt: Receipt, at: Stamp) -> Values:
    """For ``KEPT``, and for the revision."""
    return {
        "principal": request.principal,
        "client": request.client,
        "note": request.note,
        "key": request.key,
        "fingerprint": request.fingerprint,
        "status": receipt.status,
        "receipt_article": receipt.article_id,
        "receipt_updated_at": rows.milliseconds(receipt.updated_at),
        "receipt_sequence": receipt.sequence,
        "at": at.milliseconds,
    }
