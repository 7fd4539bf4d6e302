"""Where a support day is played: in this process, or against a real server over MCP."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pincite.app.build import create_service
from pincite.client import sync
from pincite.client.calls import Steps, ToolCall
from pincite.domain.grants import EVERYWHERE, Grant, LocalUser
from pincite.errors import PinciteError, StoreUnavailableError
from pincite.service.knowledge_base import Service
from pincite.sim.clock import SimulatedClock
from pincite.sim.in_process import InProcess
from pincite.sim.settings import INDEX_FOLDER, settings_for
from pincite.sim.tools import Json, Reply, Tools, reply_of
from pincite.wire.errors import error_object

_SERVE: Final = (sys.executable, "-m", "pincite", "serve")
_ADDRESS: Final = re.compile(r"Open (http://[^/\s]+)")


class Over(StrEnum):
    """How an agent's calls reach the tools."""

    PROCESS = "process"
    STDIO = "stdio"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a day needs.

    Attributes:
        service: What people write with, always in this process.
        tools: What the agent calls.
    """

    service: Service
    clock: SimulatedClock
    tools: Tools


@contextmanager
def open_stage(over: Over, db: str | None = None) -> Iterator[Stage]:
    """Opens a database, and connects an agent to it.

    Args:
        over: How the agent is connected. Over stdio and HTTP a server of its own process
            serves the same database.
        db: A path or a URL, where no support day was played yet; None for a database that
            is gone afterwards: in memory if nobody else has to open it.
    """
    with TemporaryDirectory(prefix="pincite-simulate-") as folder:
        gone = ":memory:" if over is Over.PROCESS else str(Path(folder) / "day.db")
        settings, clock = settings_for(db or gone), SimulatedClock()
        with create_service(settings, clock) as opened:
            if over is Over.PROCESS:
                yield Stage(opened.service, clock, InProcess(opened.service))
                return
            connected = _over_stdio if over is Over.STDIO else _over_http
            with connected(opened.service, settings.db) as client:
                yield Stage(opened.service, clock, Connected(client))


class Connected:
    """An agent at the other end of an MCP connection."""

    def __init__(self, client: sync.SyncClient) -> None:
        self._client = client

    def call(self, name: str, arguments: Json) -> Reply:
        """Calls one tool."""
        try:
            return reply_of(self._client.run(_asked(ToolCall(name, arguments))))
        except PinciteError as error:
            return reply_of(error_object(error))


def _asked(call: ToolCall) -> Steps[Mapping[str, object]]:
    return (yield call)


@contextmanager
def _over_stdio(_: Service, db: str) -> Iterator[sync.SyncClient]:
    command = (*_SERVE, "--stdio")
    with sync.start(command, _environment(db)) as client:
        yield client


@contextmanager
def _over_http(service: Service, db: str) -> Iterator[sync.SyncClient]:
    grants = {EVERYWHERE: Grant.EDIT}
    token = service.create_token(LocalUser(), f"simulate-{os.getpid()}", grants).secret
    server = subprocess.Popen(  # noqa: S603 - this program, by its own path
        [*_SERVE, "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=_environment(db),
    )
    try:
        ready = _ADDRESS.match(server.stdout.readline() if server.stdout else "")
        if ready is None:
            raise StoreUnavailableError("The server did not start; try: pincite serve --http.")
        with sync.connect(f"{ready[1]}/mcp", token) as client:
            yield client
    finally:
        server.terminate()
        server.communicate()


def _environment(db: str) -> dict[str, str]:
    """The process's variables, without any setting of Pincite but where its data are."""
    others = {
        name: text
        for name, text in os.environ.items()
        if name == INDEX_FOLDER or not name.startswith("PINCITE_")
    }
    return others | {"PINCITE_DB": db}
