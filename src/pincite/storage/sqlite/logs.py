"""One resource's log, as a write sees it within the transaction of the writer."""

import secrets
from dataclasses import dataclass

import apsw

from pincite.domain.decide import Decision
from pincite.domain.edits import Receipt, Request
from pincite.domain.events import Occurrence, Resource, gap_of_new_log
from pincite.domain.stamps import Stamp
from pincite.errors import DeniedError
from pincite.ports import Replayed, Reused
from pincite.storage import rows


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was begun.

    Attributes:
        no: What leads the keys of all that belongs to the resource.
    """

    connection: apsw.Connection
    no: int

    @classmethod
    def find(cls, connection: apsw.Connection, resource: Resource) -> "Log | None":
        """A resource's log; None before its first event."""
        row = connection.execute(
            "SELECT no FROM log WHERE type = ? AND id = ?", (resource.type, resource.id)
        ).fetchone()
        return None if row is None else cls(connection, row[0])

    @classmethod
    def of(cls, connection: apsw.Connection, resource: Resource) -> "Log":
        """A resource's log, begun now if it was not."""
        found = cls.find(connection, resource)
        if found is not None:
            return found
        floor = rows.stamp_from(connection.execute("SELECT stamp_floor FROM store").get)
        gap = gap_of_new_log(floor)
        connection.execute(
            "INSERT INTO log (type, id, epoch, latest) VALUES (?, ?, ?, ?)",
            (resource.type, resource.id, new_epoch(), gap.next - 1 if gap else 0),
        )
        begun = cls(connection, connection.last_insert_rowid())
        if gap is not None:
            connection.execute("INSERT INTO gap VALUES (?, ?, ?)", (begun.no, gap.after, gap.next))
        return begun

    def find_earlier(self, request: Request) -> Replayed | Reused | None:
        """What the request's key earned before; None if it is free."""
        if request.key is None:
            return None
        row = self.connection.execute(
            "SELECT fingerprint, status, article, updated_at, sequence, proposal FROM receipt"
            " WHERE log = ? AND principal = ? AND key = ?",
            (self.no, request.principal, request.key),
        ).fetchone()
        if row is None:
            return None
        kept = rows.kept_receipt_from(row)
        return Replayed(kept.receipt) if kept.fingerprint == request.fingerprint else Reused()

    def refuse_if_sealed(self) -> None:
        """Keeps writes out of a knowledge base that moved, asked within the write.

        Raises:
            DeniedError: It did.
        """
        sealed: int | None = self.connection.execute(
            "SELECT sealed FROM knowledge_base WHERE log = ?", (self.no,)
        ).get
        if sealed:
            raise DeniedError(rows.MOVED, action="write")

    def keep_receipt(self, request: Request, receipt: Receipt, at: Stamp) -> None:
        """Keeps what a request earned, if it has a key to ask for it again."""
        if request.key is None:
            return
        self.connection.execute(
            "INSERT INTO receipt (log, principal, key, fingerprint, status, article, updated_at,"
            " sequence, proposal, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.no,
                request.principal,
                request.key,
                request.fingerprint,
                receipt.status,
                receipt.article_id,
                rows.milliseconds(receipt.updated_at),
                receipt.sequence,
                receipt.proposal_id,
                at.milliseconds,
            ),
        )

    def append_change(self, decision: Decision) -> int | None:
        """Tells what agents see change; returns the event's number, None if they see nothing."""
        if decision.event is None:
            return None
        sequence = self._next_sequence()
        self.connection.execute(
            "INSERT INTO event (log, sequence, type, at, article, changed)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                self.no,
                sequence,
                decision.event,
                rows.milliseconds(decision.article.updated_at),
                decision.article.article_id,
                rows.changed_to_text(decision.changed),
            ),
        )
        return sequence

    def append(self, occurrence: Occurrence, at: Stamp) -> int:
        """Tells what a host says; returns the event's number."""
        sequence = self._next_sequence()
        self.connection.execute(
            "INSERT INTO event (log, sequence, type, at, data) VALUES (?, ?, ?, ?, ?)",
            (self.no, sequence, occurrence.type, at.milliseconds, occurrence.data),
        )
        return sequence

    def compact(self, through: int) -> int:
        """Drops events; a cursor is refused only if something behind it was dropped."""
        last: int | None = self.connection.execute(
            "SELECT max(sequence) FROM event WHERE log = ? AND sequence <= ?", (self.no, through)
        ).get
        if last is None:
            return 0
        self.connection.execute(
            "DELETE FROM event WHERE log = ? AND sequence <= ?", (self.no, last)
        )
        dropped = self.connection.changes()
        self.connection.execute(
            "UPDATE log SET compacted_through = ? WHERE no = ?", (last, self.no)
        )
        return dropped

    def _next_sequence(self) -> int:
        """Takes a number under the writer's lock: the order of numbers is the order of commits."""
        latest: int = self.connection.execute(
            "UPDATE log SET latest = latest + 1 WHERE no = ? RETURNING latest", (self.no,)
        ).get
        return latest


def new_epoch() -> str:
    """A name that no log had before."""
    return secrets.token_hex(8)
