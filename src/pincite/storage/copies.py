"""Copies between stores, of whichever engine: a move, a backup, a restore."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError, NotFoundError
from pincite.storage.sqlite.connections import Place
from pincite.storage.sqlite.files import check_file, make_file
from pincite.storage.sqlite.store import SqliteStore
from pincite.storage.transfer import Part, Restorable, Transfer


def move(source: Transfer, target: Transfer, knowledge_base_id: KnowledgeBaseId) -> None:
    """Moves a knowledge base: the target has all of it, the source takes no more writes of it.

    Sequences, stamps, receipts and epoch stay what they are, so cursors and citations stay good.

    Raises:
        NotFoundError: The source has no such knowledge base.
        InvalidInputError: The target has one.
    """
    was_sealed = source.seal(knowledge_base_id, sealed=True)
    if was_sealed is None:
        raise NotFoundError("There is no such knowledge base.")
    try:
        with source.reading(knowledge_base_id) as parts:
            target.write(map(_unsealed, parts))
    except InvalidInputError:
        # Nothing was written. After any other error that is not known, and the source stays
        # sealed: the same command again finishes the move, or finds it done.
        source.seal(knowledge_base_id, sealed=was_sealed)
        raise


def _unsealed(part: Part) -> Part:
    if part.table != "knowledge_base":
        return part
    return replace(part, rows=[(title, language, False) for title, language, _ in part.rows])


def _revoked(now: Stamp, part: Part) -> Part:
    if part.table != "token":
        return part
    ended = now.milliseconds
    return replace(
        part, rows=[(*token, ended if end is None else end) for *token, end in part.rows]
    )


def back_up(source: Transfer, target: Path) -> None:
    """Writes everything to a new SQLite file, from which a store of either engine is restored.

    Raises:
        InvalidInputError: There is something at ``target``.
    """
    if target.exists():
        raise InvalidInputError(f"{target} is there already.", field="target", limit="a new file")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    place = Place(part)
    make_file(place)
    store = SqliteStore(place)
    try:
        with source.reading(None) as parts:
            store.transfer.write(parts)
    finally:
        store.close()
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.rename(target)


def restore(backup: Place, target: Restorable, now: Stamp, *, revoke_tokens: bool = False) -> None:
    """Writes a backup to an empty store; its logs go on beyond a gap, under a new epoch (EV-6).

    Raises:
        InvalidInputError: The target is not empty.
        StoreUnavailableError: The backup is none.
    """
    check_file(backup)
    source = SqliteStore(backup)
    try:
        with source.transfer.reading(None) as parts:
            target.restore(map(partial(_revoked, now), parts) if revoke_tokens else parts, now)
    finally:
        source.close()
