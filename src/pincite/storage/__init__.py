"""Remembers everything. ``open_store`` is the only door; other rooms import nothing behind it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.ports import Store

if TYPE_CHECKING:
    from pincite.storage.postgres.store import PostgresStore
    from pincite.storage.sqlite.store import SqliteStore

_MEMORY = ":memory:"


def open_store(url: str, *, index_folder: Path | None = None, read_url: str | None = None) -> Store:
    """Opens a store that is there.

    Args:
        url: A path, ``sqlite:///PATH``, ``postgresql://…`` as libpq reads it, or
            ``:memory:`` for a new one that is gone when it is closed.
        index_folder: Where this host keeps the search indexes of stores on PostgreSQL; they
            can be made anew at any time. By default the user's cache folder.
        read_url: Where a replica of the database is, which may lag; long pages of events are
            read there.

    Raises:
        InvalidInputError: The address names no engine.
        StoreUnavailableError: There is no store, or it cannot be opened.
    """
    if _engine(url) == "postgresql":
        return _open_postgres(url, index_folder, read_url=read_url)
    return _open_sqlite(url)


def create_store(url: str, *, index_folder: Path | None = None) -> Store:
    """Opens a store, and makes an empty one first where there is none.

    Raises:
        InvalidInputError: The address names no engine.
        StoreUnavailableError: Something else is there, or nothing can be.
    """
    if _engine(url) == "postgresql":
        return _open_postgres(url, index_folder, new=True)
    return _open_sqlite(url, new=True)


def restore_store(
    url: str,
    backup: Path,
    now: Stamp,
    *,
    revoke_tokens: bool = False,
    index_folder: Path | None = None,
) -> None:
    """Makes a store of a backup; its logs go on beyond a gap, under a new epoch (EV-6).

    Args:
        url: Where; there must be nothing yet.
        backup: What ``Upkeep.backup`` wrote.
        now: The time; no stamp given out later is earlier.
        revoke_tokens: Whether the tokens that it holds end now. Those that were revoked since
            the backup hold again otherwise.
        index_folder: As ``open_store`` takes it.

    Raises:
        InvalidInputError: The address names no engine, or there is something already.
        StoreUnavailableError: The backup cannot be read, or is none.
    """
    from pincite.storage.sqlite.connections import Place

    if _engine(url) == "postgresql":
        from pincite.storage.copies import restore

        store = _open_postgres(url, index_folder, new=True)
        try:
            restore(Place(backup), store.transfer, now, revoke_tokens=revoke_tokens)
        finally:
            store.close()
    else:
        from pincite.storage.sqlite.files import restore_file

        restore_file(Place(backup), Place.parse(url), now, revoke_tokens=revoke_tokens)


def replace_store(url: str, backup: Path, now: Stamp, *, revoke_tokens: bool = False) -> Path:
    """Restores a backup in the place of a store, which is renamed; tells its new name.

    Args:
        url: Where the store is; it may be broken.
        backup: What ``Upkeep.backup`` wrote.
        now: The time; no stamp given out later is earlier.
        revoke_tokens: Whether the tokens that it holds end now. Those that were revoked since
            the backup hold again otherwise.

    Raises:
        InvalidInputError: The address names no engine, or one whose stores have no file.
        StoreBusyError: Somebody has the store open.
        StoreUnavailableError: There is no store to replace, or the backup is none.
    """
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.replacing import replace_file

    if _engine(url) == "postgresql":
        raise InvalidInputError(
            "A database on PostgreSQL is not replaced: restore the backup to another one.",
            field="db",
            limit="a path, or an empty database",
        )
    return replace_file(Place(backup), Place.parse(url), now, revoke_tokens=revoke_tokens)


def move_knowledge_base(
    source: str,
    target: str,
    knowledge_base_id: KnowledgeBaseId,
    *,
    index_folder: Path | None = None,
) -> None:
    """Moves a knowledge base from one store to another, of whichever engine.

    The target has all of it: texts, history, events, receipts, answers. Sequences, stamps and
    epoch stay what they are, so cursors and citations stay good. The source keeps what it has
    and takes no more writes.

    Args:
        source: The address of the store that holds it.
        target: The address of the store that shall; it is made if there is none.
        knowledge_base_id: What to move.
        index_folder: As ``open_store`` takes it, for both.

    Raises:
        InvalidInputError: The target has it already, or an address names no engine.
        NotFoundError: The source has no such knowledge base.
        StoreUnavailableError: Either store is lost. The same move again finishes it.
    """
    from pincite.storage.copies import move

    stores = [_open(source, index_folder), _open(target, index_folder, new=True)]
    try:
        move(stores[0].transfer, stores[1].transfer, knowledge_base_id)
    finally:
        for store in stores:
            store.close()


def _open(
    url: str, index_folder: Path | None, *, new: bool = False
) -> "PostgresStore | SqliteStore":
    if _engine(url) == "postgresql":
        return _open_postgres(url, index_folder, new=new)
    return _open_sqlite(url, new=new)


def _open_postgres(
    url: str, index_folder: Path | None, *, read_url: str | None = None, new: bool = False
) -> "PostgresStore":
    from pincite.storage.copies import back_up
    from pincite.storage.postgres.place import make_store
    from pincite.storage.postgres.store import PostgresStore

    if new:
        make_store(url)
    return PostgresStore(url, index_folder or _cache_folder(), back_up, read_url=read_url)


def _open_sqlite(url: str, *, new: bool = False) -> "SqliteStore":
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.files import make_file
    from pincite.storage.sqlite.store import MemoryStore, SqliteStore

    if url == _MEMORY:
        return MemoryStore()
    if new:
        make_file(Place.parse(url))
    return SqliteStore(Place.parse(url))


def _cache_folder() -> Path:
    """Where programs of this user may keep what they can make anew (XDG Base Directory)."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if given.startswith("/") else Path.home() / ".cache") / "pincite"


def _engine(url: str) -> str:
    scheme, colon, _ = url.partition("://")
    if not colon:
        return "sqlite"
    engine = {"sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql"}.get(scheme)
    if engine is None:
        raise InvalidInputError(
            f"There is no engine {scheme!r}.",
            field="db",
            limit="a path, sqlite:///PATH or postgresql://HOST/DATABASE",
        )
    return engine
