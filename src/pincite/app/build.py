"""Builds the running product out of settings."""

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pincite.app.settings import Settings
from pincite.app.system import RandomIds, SystemClock
from pincite.domain.ids import KnowledgeBaseId
from pincite.ports import Clock, Store
from pincite.service.knowledge_base import Service


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database: its store, and the service on it."""

    store: Store
    service: Service


@contextmanager
def open_service(settings: Settings) -> Iterator[Opened]:
    """Opens the database that is there, for as long as the context lasts.

    Raises:
        InvalidInputError: The address names no engine.
        StoreUnavailableError: There is no database, or it cannot be opened.
    """
    from pincite.storage import open_store

    store = open_store(
        settings.db, index_folder=_index_folder(settings), read_url=settings.read_url
    )
    with _served(store, settings) as opened:
        yield opened


@contextmanager
def create_service(settings: Settings, clock: Clock | None = None) -> Iterator[Opened]:
    """The same, but makes an empty database first where there is none.

    Args:
        settings: Where, and with which limits.
        clock: Tells the time; None for the machine's.
    """
    from pincite.storage import create_store

    store = create_store(settings.db, index_folder=_index_folder(settings))
    with _served(store, settings, clock) as opened:
        yield opened


def restore(settings: Settings, backup: Path, *, revoke_tokens: bool = False) -> None:
    """Makes the database of a backup; there must be none yet.

    Tokens that were revoked since the backup hold again, unless all of them end now.

    Raises:
        InvalidInputError: There is one already.
        StoreUnavailableError: The backup cannot be read, or is none.
    """
    from pincite.storage import restore_store

    restore_store(
        settings.db,
        backup,
        SystemClock().now(),
        revoke_tokens=revoke_tokens,
        index_folder=_index_folder(settings),
    )


def replace_by_backup(settings: Settings, backup: Path, *, revoke_tokens: bool = False) -> Path:
    """Restores a backup in the place of the database, which is renamed; tells its new name.

    Tokens that were revoked since the backup hold again, unless all of them end now.

    Raises:
        StoreBusyError: Somebody has the database open.
        StoreUnavailableError: There is none to replace, or the backup is none.
    """
    from pincite.storage import replace_store

    now = SystemClock().now()
    return replace_store(settings.db, backup, now, revoke_tokens=revoke_tokens)


def list_valid_tokens(settings: Settings) -> list[str]:
    """The names of the tokens that hold in a database."""
    with open_service(settings) as opened, opened.store.view() as view:
        now = SystemClock().now()
        return [token.name for token in view.list_tokens() if token.holds(now)]


def copy_knowledge_base(
    settings: Settings, target: str, knowledge_base_id: KnowledgeBaseId
) -> None:
    """Copies a knowledge base to another database and seals it here.

    Args:
        settings: The database that holds it.
        target: The address of the one that shall; made if it is not there.
        knowledge_base_id: Which one.

    Raises:
        InvalidInputError: The target has it already, or an address names no engine.
        NotFoundError: There is no such knowledge base.
        StoreUnavailableError: Either database is lost. The same call again finishes it.
    """
    from pincite.storage import move_knowledge_base

    folder = _index_folder(settings)
    move_knowledge_base(settings.db, target, knowledge_base_id, index_folder=folder)


def serve_stdio(settings: Settings) -> None:
    """Serves one MCP client on standard input and output, until the input ends.

    Each process is a session of its own.
    """
    # What the imports make stays: to look for garbage in it costs a sixth of the start, which a
    # client waits for.
    gc.disable()
    import anyio

    from pincite.app.journal import log_to_stderr
    from pincite.app.keeping import LedgerKeeper
    from pincite.app.offer import options_of
    from pincite.mcp_server.callers import always
    from pincite.mcp_server.server import build_endpoint
    from pincite.mcp_server.stdio import serve_stdio as serve

    log_to_stderr()
    if threading.current_thread() is threading.main_thread():
        # A thread waits for input and cannot be woken; whatever was acknowledged is durable.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with open_service(settings) as opened:
        identify = always(settings.credential, RandomIds().new_id())
        endpoint = build_endpoint(opened.service, opened.store, identify, options_of(settings))
        gc.freeze()
        gc.enable()
        with LedgerKeeper(opened.service, opened.store), closing(endpoint):
            anyio.run(serve, endpoint)


def serve_http(
    settings: Settings,
    host: str,
    port: int,
    ready: Callable[[str], None] | None = None,
    *,
    start: str | None = None,
) -> None:
    """Serves HTTP until a signal asks to stop; requests under way are answered first.

    Args:
        settings: What to serve.
        host: The address to listen at.
        port: 0 for one that is free.
        ready: Is told the server's own address, once it takes requests.
        start: A secret that opens ``/start?token=…``, once, for who started the server.
    """
    from pincite.app.http import build_app, run_app
    from pincite.app.journal import log_to_stderr
    from pincite.app.keeping import LedgerKeeper

    log_to_stderr()
    with open_service(settings) as opened, LedgerKeeper(opened.service, opened.store):
        run_app(build_app(opened.service, opened.store, settings, start=start), host, port, ready)


def _index_folder(settings: Settings) -> Path | None:
    return Path(settings.index_folder) if settings.index_folder else None


@contextmanager
def _served(store: Store, settings: Settings, clock: Clock | None = None) -> Iterator[Opened]:
    try:
        clock = clock or SystemClock()
        yield Opened(store, Service(store, clock, RandomIds(), settings.limits))
    finally:
        store.close()
