"""Stores on PostgreSQL that are broken in one way each; the suite must tell them apart."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from pincite.domain.articles import Article
from pincite.domain.decide import Decision
from pincite.domain.edits import Request
from pincite.domain.stamps import Stamp
from pincite.ports import Committed, Outcome, Stale, Store
from pincite.storage import create_store
from pincite.storage.copies import back_up
from pincite.storage.index.follower import Follower
from pincite.storage.index.host_file import HostFile
from pincite.storage.index.source import Source
from pincite.storage.postgres.commits import Commit
from pincite.storage.postgres.connections import Connection, Connections
from pincite.storage.postgres.finding import Finder
from pincite.storage.postgres.snapshot import Snapshot, Values
from pincite.storage.postgres.store import PostgresStore
from pincite.storage.postgres.view import PostgresView
from pincite.storage.rows import Row
from pincite.storage.sqlite.connections import Place
from pincite.storage.sqlite.store import SqliteStore
from tests.mutants import keys
from tests.mutants.stores import a_moment
from tests.storage.backends import Home, Opener, PostgresHome

Result = TypeVar("Result")


class Edited:
    """A connection that changes what it is asked."""

    def __init__(self, connection: Connection, edit: Callable[[str], str]) -> None:
        self._connection = connection
        self._edit = edit

    def execute(self, query: str, values: Any = None) -> Any:
        return self._connection.execute(self._edit(query), values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class Sound(PostgresStore):
    """Not broken: what shows that the others fail for what they break."""

    def commit_with(
        self, edit: Callable[[str], str], decision: Decision, request: Request, at: Stamp
    ) -> Outcome:
        """Commits by statements that were changed."""
        commit = Commit.of(decision, request, at)
        return self._writer.run(
            lambda connection: commit.save(cast("Connection", Edited(connection, edit)))
        )


class ComparedInTheSnapshot(Sound):
    """Compares the version as it was when the statement began, and locks nothing."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        def edit(query: str) -> str:
            unlocked = query.replace("FOR NO KEY UPDATE", "")
            return unlocked.replace("SELECT FROM found", "SELECT FROM found, pg_sleep(0.02)")

        return self.commit_with(edit, decision, request, at)


class ComparedBefore(Sound):
    """Compares the version in a transaction of its own."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        article = decision.article
        absent = Article.absent(article.knowledge_base_id, article.article_id)
        with self.view() as view:
            present = view.find_article(article.knowledge_base_id, article.article_id) or absent
        if present.version != decision.expected:
            return Stale()
        for _ in range(5):  # long enough for another to have looked as well
            a_moment()
        outcome: Outcome = Stale()
        for _ in range(20):  # it overwrites whatever is there by now
            with self.view() as view:
                present = view.find_article(article.knowledge_base_id, article.article_id) or absent
            overwriting = replace(decision, expected=present.version)
            outcome = super().commit(overwriting, request, at)
            if outcome != Stale():
                break
        return outcome


class NumberedBefore(Sound):
    """Takes an event's number ahead of the write, as from a sequence of the database."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        if decision.event is None:
            return super().commit(decision, request, at)
        log = decision.article.knowledge_base_id
        number: int = self._writer.run(
            lambda connection: connection.execute(
                "UPDATE log SET latest = latest + 1 WHERE id = %s RETURNING latest", (log,)
            ).fetchall()[0][0]
        )
        a_moment()

        def edit(query: str) -> str:
            taken = f"SELECT {number}::bigint AS latest, articles + 1 AS articles FROM log WHERE"
            query = re.sub(r"UPDATE log SET latest.*?WHERE", taken, query, flags=re.DOTALL)
            return re.sub(r"RETURNING CASE.*?articles\n", "\n", query, flags=re.DOTALL)

        return self.commit_with(edit, decision, request, at)


class ToldAfterwards(Sound):
    """Tells of a save in a transaction of its own."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        def edit(query: str) -> str:
            return re.sub(r",\s*told AS \(.*?FROM counted\n\)", "", query, flags=re.DOTALL)

        outcome = self.commit_with(edit, decision, request, at)
        article = decision.article
        if isinstance(outcome, Committed) and decision.event is not None:
            a_moment()
            values = (
                article.knowledge_base_id,
                outcome.receipt.sequence,
                decision.event,
                article.updated_at and article.updated_at.milliseconds,
                article.article_id,
                ",".join(decision.changed) or None,
            )
            self._writer.run(
                lambda connection: connection.execute(
                    "INSERT INTO event VALUES (%s, %s, %s, %s, %s, %s, NULL)", values
                )
            )
        return outcome


class AnsweredEarly(Sound):
    """Acknowledges a write before its transaction is committed."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        commit = Commit.of(decision, request, at)
        answers: list[Outcome] = []
        answered = threading.Event()

        def work(connection: Connection) -> None:
            with connection.transaction():
                answers.append(commit.save(connection))
                answered.set()
                a_moment()

        threading.Thread(target=self._writer.run, args=(work,)).start()
        answered.wait()
        return answers[0]


class NoReplay(Sound):
    """Takes a repeated request for a new one."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.take_for_new(self, super().commit, decision, request, at)


class AnyFingerprint(Sound):
    """Answers a key with its receipt, whatever the request is."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.replay_anything(self, super().commit, decision, request, at)


class SharedKeys(Sound):
    """Keeps one space of keys for all principals."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.share_keys(super().commit, decision, request, at)


class KeySpentByRefusal(Sound):
    """Keeps a receipt for an edit that it refused."""

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        return keys.spend_by_refusal(super().commit, decision, request, at)


class ManyMoments(Sound):
    """Lets each question of a view see a moment of its own."""

    class Loose(Snapshot):
        def __init__(self, connections: Connections) -> None:
            super().__init__(connections)
            self._loose = connections

        def rows(self, query: str, values: Values = ()) -> list[Row]:
            return self._loose.run(lambda one: list(one.execute(query, values).fetchall()))

    @contextmanager
    def view(self) -> Iterator[PostgresView]:
        yield PostgresView(self.Loose(self._connections), self._around)


class NotCaughtUp(Sound):
    """Searches what the index happens to hold."""

    class Lazy(Follower):
        def _ask(self, source: Source, ask: Callable[[HostFile, int], Result]) -> Result:
            with self._file() as file:
                progress = file.find_progress(source.knowledge_base_id)
                if progress is not None:
                    return ask(file, progress.kb)
            return super()._ask(source, ask)

    def __init__(self, url: str, index_folder: Path, *more: Any) -> None:
        super().__init__(url, index_folder, *more)
        finder = Finder(self.Lazy(index_folder, "lazy"), self._connections, self._bell)
        self._around = replace(self._around, finder=finder)


class RestoredAsItWas(Sound):
    """Goes on after a restore as if nothing had been lost."""


KINDS: list[type[Sound]] = [
    Sound,
    ComparedInTheSnapshot,
    ComparedBefore,
    NumberedBefore,
    ToldAfterwards,
    AnsweredEarly,
    NoReplay,
    AnyFingerprint,
    SharedKeys,
    KeySpentByRefusal,
    ManyMoments,
    NotCaughtUp,
    RestoredAsItWas,
]


class MutantHome(PostgresHome):
    """A place whose store is of a broken kind."""

    kind: type[Sound] = Sound

    def open(self) -> Store:
        create_store(self._url, index_folder=self._folder).close()
        return self._keep(self.kind(self._url, self._folder, back_up))

    def restore(self, backup: Path, now: Stamp) -> Store:
        if self.kind is not RestoredAsItWas:
            return super().restore(backup, now)
        target = self._server.new_place()
        create_store(target, index_folder=self._folder).close()
        restored = self.kind(target, self._folder, back_up)
        source = SqliteStore(Place(backup))
        with source.transfer.reading(None) as parts:
            restored.transfer.write(parts)
        source.close()
        return self._keep(restored)


def opener(kind: type[Sound]) -> Opener:
    """The maker of homes for stores of a kind, as the suite takes it."""

    @contextmanager
    def open_home(request: pytest.FixtureRequest) -> Iterator[Home]:
        home = MutantHome(request.getfixturevalue("postgres"), request.getfixturevalue("tmp_path"))
        home.kind = kind
        yield home
        home.close()

    return open_home
