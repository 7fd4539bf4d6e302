"""Puts a restored store in the place of one that is there, which is kept beside."""

import itertools
from pathlib import Path

from pincite.domain.stamps import Stamp
from pincite.errors import StoreBusyError, StoreUnavailableError
from pincite.storage.sqlite.connections import Place, connect, storage_errors
from pincite.storage.sqlite.files import BESIDE, restore_file


def replace_file(backup: Place, place: Place, now: Stamp, *, revoke_tokens: bool = False) -> Path:
    """Restores a backup to a place that is taken, and renames what was there.

    What was there may be broken: it is moved all the same.

    Returns:
        Where the replaced file is kept.

    Raises:
        StoreBusyError: A server still has the store open.
        StoreUnavailableError: There is none at the place, or the backup is none.
    """
    if not place.path.exists():
        raise StoreUnavailableError(f"There is no database at {place.path} to replace.")
    restored = _free(place.path, "restored")
    restore_file(backup, Place(restored), now, revoke_tokens=revoke_tokens)
    try:
        _close_down(place)
    except StoreBusyError:
        restored.unlink()
        raise
    kept = _free(place.path, "replaced")
    for ending in ("", *BESIDE):
        part = place.path.with_name(place.path.name + ending)
        if part.exists():
            part.rename(kept.with_name(kept.name + ending))
    restored.rename(place.path)
    return kept


def _close_down(place: Place) -> None:
    """Brings a whole store into its one file; refuses while others have it open."""
    try:
        with storage_errors(place):
            connection = connect(place)
            try:
                # Leaving the log takes every other connection to be gone.
                connection.pragma("journal_mode", "delete")
            finally:
                connection.close()
    except StoreBusyError:
        raise StoreBusyError(
            f"{place.path} is in use. Stop its servers first, then restore."
        ) from None
    except StoreUnavailableError:
        return  # It is broken; that may be why it is replaced.


def _free(path: Path, word: str) -> Path:
    names = (path.with_name(f"{path.name}.{word}-{number}") for number in itertools.count(1))
    return next(one for one in names if not one.exists())
