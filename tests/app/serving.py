"""Servers in processes of their own, as a client starts or meets them."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STDIO = """
import os, sys
from pincite.app.build import serve_stdio
from pincite.app.settings import Settings
serve_stdio(Settings.load(os.environ, db=sys.argv[1]))
"""
_HTTP = """
import os, sys
from pincite.app.build import serve_http
from pincite.app.settings import Settings
def ready(url):
    print(url, flush=True)
serve_http(Settings.load(os.environ, db=sys.argv[1]), "127.0.0.1", 0, ready)
"""


@dataclass(frozen=True)
class Server:
    """A running server; ``address`` is where it speaks MCP."""

    url: str
    process: "subprocess.Popen[str]"

    @property
    def address(self) -> str:
        return f"{self.url}/mcp"

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal and waits; returns the exit code."""
        self.process.send_signal(how)
        return self.process.wait(timeout=30)


def stdio_command(db: Path) -> list[str]:
    """The command that serves a database on standard input and output."""
    return [sys.executable, "-c", _STDIO, str(db)]


@contextlib.contextmanager
def http_server(db: Path | str, script: str = _HTTP, **environment: str) -> Iterator[Server]:
    """A server on a free port, which is stopped in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(db)],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        yield Server(url, process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)
        process.stdout.close()
