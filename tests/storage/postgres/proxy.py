"""A way to a server that can lose its answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Proxy:
    """Passes on what clients and the server say to each other, over Unix sockets.

    Attributes:
        lost: How many answers were lost.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self.lost = 0
        self._telling: bytes | None = None
        self._server = str(server / ".s.PGSQL.5432")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answer_to(self, telling: str) -> None:
        """Lets the server do what the next message with these words asks, and not say so."""
        self._telling = telling.encode()

    def close(self) -> None:
        # Unlike close alone, this wakes the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                told = threading.Event()
                for work in (self._ask, self._answer):
                    threading.Thread(target=work, args=(client, server, told), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, told: threading.Event) -> None:
        with suppress(OSError):
            while said := client.recv(1 << 20):
                if self._telling is not None and self._telling in said:
                    self._telling = None
                    told.set()
                server.sendall(said)
        end(client, server)

    def _answer(self, client: socket.socket, server: socket.socket, told: threading.Event) -> None:
        with suppress(OSError):
            while said := server.recv(1 << 20):
                if told.is_set():
                    self.lost += 1
                    break
                client.sendall(said)
        end(client, server)


def end(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@contextmanager
def proxied(folder: Path, server: Path) -> Iterator[Proxy]:
    """A proxy for as long as the block lasts, in a folder whose name is short."""
    proxy = Proxy(folder, server)
    try:
        yield proxy
    finally:
        proxy.close()
