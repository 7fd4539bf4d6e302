"""Stores that are broken in one way each, as others have been; the suite must tell them apart."""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from pincite.domain.articles import Article
from pincite.domain.decide import Decision
from pincite.domain.edits import Request, Status
from pincite.domain.events import EventPage, Resource
from pincite.domain.stamps import Stamp
from pincite.errors import CursorAheadError, CursorExpiredError, PinciteError
from pincite.ports import Committed, Outcome, Stale, Store
from pincite.storage import create_store
from pincite.storage.index.fts import Put
from pincite.storage.sqlite.commits import Commit, Prepared, _find_present
from pincite.storage.sqlite.connections import Place, connect, storage_errors
from pincite.storage.sqlite.logs import Log
from pincite.storage.sqlite.store import SqliteStore
from pincite.storage.sqlite.upkeep import SqliteUpkeep
from pincite.storage.sqlite.view import Snapshot, SqliteView
from pincite.storage.sqlite.writer import Result, Transaction, Writer
from tests.mutants import keys
from tests.storage.backends import FileHome, Home, Opener


def a_moment() -> None:
    """Leaves time for others, as a busy machine would."""
    threading.Event().wait(0.01)


class Faithful(SqliteStore):
    """Not broken: what shows that the others fail for what they break."""


class CheckThenWrite(SqliteStore):
    """Compares the version before the write and not inside it."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        article = decision.article
        with self.view() as view:
            present = view.find_article(article.knowledge_base_id, article.article_id)
        absent = Article.absent(article.knowledge_base_id, article.article_id)
        if (present or absent).version != decision.expected:
            return Stale()
        a_moment()

        def write(transaction: Transaction) -> Outcome:
            log = Log.find(transaction.connection, Resource.of(article.knowledge_base_id))
            assert log is not None
            found = _find_present(log, article.article_id)
            blind = replace(decision, expected=found.version)
            return Commit(blind, self._prepared(decision), request, at).save(transaction)

        return self._writer.run(write)


class NumbersBeforeTheLock(SqliteStore):
    """Takes an event's number ahead of the write, as from a database's sequence."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        log = Resource.of(decision.article.knowledge_base_id)
        commit = Commit(decision, self._prepared(decision), request, at)
        number: int = self._writer.run(
            lambda transaction: (
                transaction.connection.execute(
                    "UPDATE log SET latest = latest + 1 WHERE id = ? RETURNING latest", (log.id,)
                ).get
            )
        )
        a_moment()

        def write(transaction: Transaction) -> Outcome:
            connection = transaction.connection
            latest = connection.execute("SELECT latest FROM log WHERE id = ?", (log.id,)).get
            connection.execute("UPDATE log SET latest = ? WHERE id = ?", (number - 1, log.id))
            outcome = commit.save(transaction)
            connection.execute("UPDATE log SET latest = ? WHERE id = ?", (latest, log.id))
            return outcome

        return self._writer.run(write)


class NoQueue(SqliteStore):
    """Lets every thread write for itself, in a transaction that is begun for reading."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        commit = Commit(decision, self._prepared(decision), request, at)
        with storage_errors(self._place):
            connection = connect(self._place)
            connection.execute("BEGIN")
            transaction = Transaction(connection)
            outcome = commit.save(transaction)
            connection.execute("COMMIT")
            connection.close()
        return outcome


class NoReplay(SqliteStore):
    """Takes a repeated request for a new one."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.take_for_new(self, super().commit, decision, request, at)


class AnyFingerprint(SqliteStore):
    """Answers a key with its receipt, whatever the request is."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.replay_anything(self, super().commit, decision, request, at)


class SharedKeys(SqliteStore):
    """Keeps one space of keys for all principals."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.share_keys(super().commit, decision, request, at)


class KeySpentByRefusal(SqliteStore):
    """Keeps a receipt for an edit that it refused."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.spend_by_refusal(super().commit, decision, request, at)


class EventAfterwards(SqliteStore):
    """Tells of a save in a transaction of its own."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        if decision.event is None:
            return super().commit(decision, request, at)
        log = Resource.of(decision.article.knowledge_base_id)

        def save(transaction: Transaction) -> tuple[Outcome, Sequence[object]]:
            outcome = Commit(decision, self._prepared(decision), request, at).save(transaction)
            if not isinstance(outcome, Committed):
                return outcome, ()
            (event,) = transaction.connection.execute(
                "DELETE FROM event WHERE sequence = ? RETURNING *", (outcome.receipt.sequence,)
            ).fetchall()
            transaction.connection.execute(
                "UPDATE log SET latest = latest - 1 WHERE id = ?", (log.id,)
            )
            return outcome, event

        outcome, event = self._writer.run(save)
        a_moment()

        def tell(transaction: Transaction) -> None:
            transaction.connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", event)
            transaction.connection.execute(
                "UPDATE log SET latest = latest + 1 WHERE id = ?", (log.id,)
            )

        if event:
            self._writer.run(tell)
        return outcome


class IndexAfterwards(SqliteStore):
    """Indexes a save in a transaction of its own."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        late = Transaction(apsw.Connection(":memory:"))

        def save(transaction: Transaction) -> Outcome:
            outcome = Commit(decision, self._prepared(decision), request, at).save(transaction)
            late.changes.extend(transaction.changes)
            transaction.changes.clear()
            return outcome

        outcome = self._writer.run(save)
        a_moment()
        self._writer.run(lambda transaction: transaction.changes.extend(late.changes))
        return outcome


class NeverIndexed(SqliteStore):
    """Leaves what was withdrawn or deleted in the index."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        def save(transaction: Transaction) -> Outcome:
            outcome = Commit(decision, self._prepared(decision), request, at).save(transaction)
            puts = [change for change in transaction.changes if isinstance(change, Put)]
            transaction.changes[:] = puts
            return outcome

        return self._writer.run(save)


class DraftsAreFound(SqliteStore):
    """Indexes drafts like what is published."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        outcome = super().commit(decision, request, at)
        article = decision.article
        if isinstance(outcome, Committed) and article.draft is not None:
            entry = Prepared.of(article.draft.text, "en").entry

            def index(transaction: Transaction) -> None:
                number = transaction.connection.execute(
                    "SELECT no FROM article WHERE id = ?", (article.article_id,)
                ).get
                stamp = article.draft.updated_at.milliseconds if article.draft else 0
                transaction.changes.append(Put(1, number, stamp, entry))

            self._writer.run(index)
        return outcome


class UnchangedIsAnEvent(SqliteStore):
    """Publishes a text that is the present one again."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        outcome = super().commit(decision, request, at)
        if decision.status is Status.UNCHANGED and isinstance(outcome, Committed):
            self._writer.run(
                lambda transaction: transaction.connection.execute(
                    "UPDATE log SET latest = latest + 1 WHERE id = ?",
                    (decision.article.knowledge_base_id,),
                )
            )
        return outcome


class EarlyAnswer(SqliteStore):
    """Acknowledges a write before its transaction is committed."""

    class Hasty(Writer):
        def run(self, work: Callable[[Transaction], Result]) -> Result:
            answer: Future[Result] = Future()

            def answer_early(transaction: Transaction) -> None:
                try:
                    answer.set_result(work(transaction))
                except PinciteError as refusal:
                    answer.set_exception(refusal)
                    raise
                a_moment()

            def save() -> None:
                with suppress(PinciteError):
                    super(EarlyAnswer.Hasty, self).run(answer_early)

            threading.Thread(target=save).start()
            return answer.result()

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._writer = self.Hasty(place, self._watch.notify, self._let_go)


class NoSnapshot(SqliteStore):
    """Lets each question of a view see a moment of its own."""

    class Loose(Snapshot):
        def __enter__(self) -> SqliteView:
            view = super().__enter__()
            self._reader.connection.execute("COMMIT")
            return view

        def __exit__(self, *_: object) -> None:
            self._pool.give(self._reader)

    def view(self) -> Snapshot:
        return self.Loose(self._pool, self._place)


class LenientCursor(SqliteStore):
    """Answers a cursor that it cannot serve with an empty page."""

    class Lenient(SqliteView):
        def list_events(self, resource: Resource, after: int, limit: int) -> EventPage:
            try:
                return super().list_events(resource, after, limit)
            except (CursorAheadError, CursorExpiredError):
                return EventPage((), after, after)

    class Opened(Snapshot):
        def __enter__(self) -> SqliteView:
            super().__enter__()
            return LenientCursor.Lenient(self._reader)

    def view(self) -> Snapshot:
        return self.Opened(self._pool, self._place)


class HalfErased(SqliteStore):
    """Erases the text and leaves its words in the index's pages."""

    class Forgetful(SqliteUpkeep):
        def erase(self, *of: Any) -> bool:
            self._writer.run(lambda transaction: keep_words(transaction.connection))
            return super().erase(*of)

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.upkeep = self.Forgetful(place, self._writer)


def keep_words(connection: apsw.Connection) -> None:
    """What the index was before it forgot: its pages, in a table that nobody reads."""
    connection.execute("CREATE TABLE left_over AS SELECT block FROM search_text_data")


class MutantHome(FileHome):
    """A file whose store is of a broken kind."""

    def __init__(self, folder: Path, kind: type[SqliteStore]) -> None:
        super().__init__(folder)
        self._kind = kind

    def open(self) -> Store:
        path = self._folder / "store.db"
        create_store(str(path)).close()
        return self._keep(self._kind(Place(path)))


class CopyingHome(MutantHome):
    """Restores by copying the file."""

    def restore(self, backup: Path, _: Stamp) -> Store:
        target = self._folder / f"copied-{len(self._opened)}.db"
        shutil.copyfile(backup, target)
        return self._keep(self._kind(Place(target)))


class RestoreByCopy(SqliteStore):
    """Goes on after a restore as if nothing had been lost."""


KINDS: list[type[SqliteStore]] = [
    Faithful,
    CheckThenWrite,
    NumbersBeforeTheLock,
    NoQueue,
    NoReplay,
    AnyFingerprint,
    SharedKeys,
    KeySpentByRefusal,
    EventAfterwards,
    IndexAfterwards,
    NeverIndexed,
    DraftsAreFound,
    UnchangedIsAnEvent,
    EarlyAnswer,
    NoSnapshot,
    LenientCursor,
    HalfErased,
    RestoreByCopy,
]


def opener(kind: type[SqliteStore]) -> Opener:
    """The maker of homes for stores of a kind, as the suite takes it."""
    home_kind = CopyingHome if kind is RestoreByCopy else MutantHome

    @contextmanager
    def open_home(request: pytest.FixtureRequest) -> Iterator[Home]:
        home = home_kind(request.getfixturevalue("tmp_path"), kind)
        yield home
        home.close()

    return open_home
