"""Connections to PostgreSQL: pooled, checked when made, and replaced when lost.

A call that meets a lost connection, a deadlock or a serialization failure is made again, on
another connection if need be, until its patience ends; so a failover shorter than that goes
unnoticed. A write made again is safe because it compares versions and keys once more.
"""

import re
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, NoReturn, TypeAlias, TypeVar

import psycopg
from psycopg import conninfo, errors
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from pincite.errors import StoreBusyError, StoreUnavailableError

Connection: TypeAlias = psycopg.Connection[TupleRow]
Result = TypeVar("Result")

PATIENCE = 5.0
"""Seconds that one call may take to find a server that answers."""

_GLANCE = 0.25
"""Seconds between two looks at a server that does not answer."""

# What a URL does not say itself. A host that vanishes without a word is noticed within
# some ten seconds; of several hosts in the URL, the one that takes writes is used.
_DEFAULTS: Mapping[str, str] = {
    "client_encoding": "utf8",
    "application_name": "pincite",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}

_TRY_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
_BUSY = (errors.LockNotAvailable, errors.QueryCanceled, errors.TooManyConnections)
# The server is going, coming, or no longer the one that takes writes.
_MOVED = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ReadOnlySqlTransaction,
    errors.IdleInTransactionSessionTimeout,
)


def connection_settings(url: str, **more: str) -> str:
    """The URL with what Pincite sets, unless the URL sets it otherwise.

    Raises:
        StoreUnavailableError: The URL is none that libpq understands.
    """
    try:
        given = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        # What libpq quotes may be the password.
        told = re.sub('".*"', "…", one_line(error), flags=re.DOTALL)
        raise StoreUnavailableError(f"This is no PostgreSQL URL: {told}") from None
    return conninfo.make_conninfo("", **{**_DEFAULTS, **more, **given})


def connect(settings: str) -> Connection:
    """One connection outside any pool, each statement its own transaction.

    Raises:
        StoreUnavailableError: No server answers there.
    """
    try:
        return psycopg.connect(settings, autocommit=True)
    except psycopg.OperationalError as error:
        raise StoreUnavailableError(f"PostgreSQL does not answer: {one_line(error)}") from None


class Connections:
    """A pool that outlives the server's restarts and failovers."""

    def __init__(
        self,
        settings: str,
        configure: Callable[[Connection], None],
        *,
        size: int,
        patience: float = PATIENCE,
    ) -> None:
        """Opens a pool; a connection is made when one is first wanted.

        Args:
            settings: Where to connect, as libpq reads it.
            configure: Run on each new connection; its error refuses the connection.
            size: The most connections at once.
            patience: Seconds that one call may wait.
        """
        self._patience = patience
        # Each call that waits has one more connection tried, so a failed try is not
        # repeated in the background, where it would back off for minutes.
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            settings,
            kwargs={"autocommit": True, "prepare_threshold": 1},
            configure=configure,
            min_size=0,
            max_size=size,
            reconnect_timeout=0,
            num_workers=2,
            open=True,
        )

    def run(self, work: Callable[[Connection], Result], *, resend: bool = True) -> Result:
        """Works on a connection, and again on another if that one is lost.

        Args:
            work: What to do; may be done twice, the first time without a known end.
            resend: Whether that is harmless.

        Raises:
            StoreBusyError: Every connection is in use, or a lock is held, for too long.
            StoreUnavailableError: No server answered in time.
        """
        connection, result = self.hold(work, resend=resend)
        self.release(connection)
        return result

    def hold(
        self, work: Callable[[Connection], Result], *, resend: bool = True
    ) -> tuple[Connection, Result]:
        """As ``run``, but the connection stays with the caller, who must ``release`` it."""
        deadline = monotonic() + self._patience
        while True:
            connection = self._take(deadline)
            done = False
            try:
                result = work(connection)
                done = True
                return connection, result
            except psycopg.Error as error:
                again = self._may_try_again(error, connection, resend=resend)
                if not again or monotonic() > deadline:
                    raise refusal(error) from error
            finally:
                if not done:
                    self.release(connection)

    def release(self, connection: Connection) -> None:
        """Gives a connection back."""
        if connection.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            connection.close()
        self._pool.putconn(connection)

    def end(self, connection: Connection) -> None:
        """Ends a transaction that only read, and gives its connection back."""
        try:
            connection.execute("COMMIT")
        except psycopg.Error:
            connection.close()  # what it answered before was answered
        self.release(connection)

    def figures(self) -> Mapping[str, int]:
        """How the pool fares, for metrics: its size, what is free, who waits, what was lost."""
        return self._pool.get_stats()

    def close(self) -> None:
        """Closes every connection that is not in use, and the others when they come back."""
        self._pool.close()

    def _take(self, deadline: float) -> Connection:
        while True:
            try:
                return self._pool.getconn(timeout=_GLANCE)
            except PoolTimeout:
                if monotonic() > deadline:
                    self._give_up()
            except PoolClosed:
                raise StoreUnavailableError("The store is closed.") from None

    def _give_up(self) -> NoReturn:
        figures: Mapping[str, Any] = self._pool.get_stats()
        if figures["pool_size"] >= figures["pool_max"]:
            raise StoreBusyError("Every connection to PostgreSQL is in use.")
        raise StoreUnavailableError("PostgreSQL does not answer.")

    def _may_try_again(self, error: psycopg.Error, connection: Connection, *, resend: bool) -> bool:
        if isinstance(error, _TRY_AGAIN):
            return True  # the server undid all of it
        if isinstance(error, _MOVED) or connection.closed:
            # The other connections lead to the same server, and are likely lost as well.
            self._pool.check()
            return resend
        return False


def one_line(error: psycopg.Error) -> str:
    """What libpq says in several lines, each a sentence, in one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join([*(re.sub(r"(?<![.?!:;,])$", ".", line) for line in lines[:-1]), *lines[-1:]])


def refusal(error: psycopg.Error) -> Exception:
    """What a caller is told of an error of PostgreSQL; a bug stays what it is."""
    if isinstance(error, (*_TRY_AGAIN, *_BUSY)):
        return StoreBusyError(f"PostgreSQL is busy: {one_line(error)}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | errors.InternalError_):
        return StoreUnavailableError(f"PostgreSQL cannot answer: {one_line(error)}")
    if isinstance(error, _MOVED):
        return StoreUnavailableError(f"PostgreSQL cannot write: {one_line(error)}")
    return error
