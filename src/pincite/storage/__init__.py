"""Remembers everything. ``open_store`` is the only door; other rooms import nothing behind it."""

from pathlib import Path

from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.ports import Store

_MEMORY = ":memory:"


def open_store(url: str) -> Store:
    """Opens a store that is there.

    Args:
        url: A path, ``sqlite:///PATH``, or ``:memory:`` for a new one that is gone when
            it is closed.

    Raises:
        InvalidInputError: The address names no engine.
        StoreUnavailableError: There is no store, or it cannot be opened.
    """
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.store import MemoryStore, SqliteStore

    _check_engine(url)
    return MemoryStore() if url == _MEMORY else SqliteStore(Place.parse(url))


def create_store(url: str) -> Store:
    """Opens a store, and makes an empty one first where there is none.

    Raises:
        InvalidInputError: The address names no engine.
        StoreUnavailableError: Something else is there, or nothing can be.
    """
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.files import make_file

    _check_engine(url)
    if url != _MEMORY:
        make_file(Place.parse(url))
    return open_store(url)


def restore_store(url: str, backup: Path, now: Stamp) -> None:
    """Makes a store of a backup; its logs go on beyond a gap, under a new epoch (EV-6).

    Args:
        url: Where; there must be nothing yet.
        backup: What ``Upkeep.backup`` wrote.
        now: The time; no stamp given out later is earlier.

    Raises:
        InvalidInputError: The address names no engine, or there is something already.
        StoreUnavailableError: The backup cannot be read, or is none.
    """
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.files import restore_file

    _check_engine(url)
    restore_file(Place(backup), Place.parse(url), now)


def replace_store(url: str, backup: Path, now: Stamp) -> Path:
    """Restores a backup in the place of a store, which is renamed; tells its new name.

    Args:
        url: Where the store is; it may be broken.
        backup: What ``Upkeep.backup`` wrote.
        now: The time; no stamp given out later is earlier.

    Raises:
        InvalidInputError: The address names no engine.
        StoreBusyError: Somebody has the store open.
        StoreUnavailableError: There is no store to replace, or the backup is none.
    """
    from pincite.storage.sqlite.connections import Place
    from pincite.storage.sqlite.replacing import replace_file

    _check_engine(url)
    return replace_file(Place(backup), Place.parse(url), now)


def _check_engine(url: str) -> None:
    engine, colon, _ = url.partition("://")
    if colon and engine != "sqlite":
        raise InvalidInputError(
            f"There is no engine {engine!r}.", field="db", limit="a path or sqlite:///PATH"
        )
