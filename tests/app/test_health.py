"""Alive, ready, and how it fares: for what watches over a server."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette

from pincite.app.build import open_service
from pincite.app.health import Health
from pincite.app.http import build_app
from pincite.app.metrics import Metrics
from pincite.app.settings import Settings
from pincite.domain.stamps import Stamp
from pincite.storage.sqlite.store import MemoryStore
from tests.app.calling import SEARCH, serving
from tests.app.conftest import Database, make_database
from tests.app.serving import http_server
from tests.service.world import TurnedClock

pytestmark = pytest.mark.anyio


def asked(app: Starlette) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=app)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1")


async def test_a_server_without_its_store_is_alive_but_not_ready(database: Database) -> None:
    settings = Settings(db=str(database.path))
    with open_service(settings) as opened:
        app = build_app(opened.service, opened.store, settings)
    async with asked(app) as http:
        alive, ready = await http.get("/healthz"), await http.get("/readyz")
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert ready.status_code == 503
    assert ready.json()["error"]["code"] == "store_unavailable"
    async with serving(database) as caller:
        ready = await caller.http.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})


async def test_a_server_whose_databases_folder_is_deleted_is_not_ready_from_then_on(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    database = make_database(folder)
    with http_server(database.path) as server:
        assert httpx2.get(f"{server.url}/readyz").status_code == 200
        shutil.rmtree(folder)
        told = [httpx2.get(f"{server.url}/{path}").status_code for path in ("readyz", "healthz")]
        folder.mkdir()
        told.append(httpx2.get(f"{server.url}/readyz").status_code)
    assert told == [503, 200, 503]


@dataclass
class TimedStore(MemoryStore):
    """A store whose clock a test sets, as a database elsewhere has one of its own."""

    at: int

    def __post_init__(self) -> None:
        super().__init__()

    def find_clock(self) -> Stamp | None:
        return Stamp(self.at)


@pytest.mark.spec("STAMP-2")
@pytest.mark.parametrize(
    ("ours", "status"), [(10_000, 200), (15_000, 200), (5_000, 200), (15_001, 503), (4_999, 503)]
)
async def test_a_server_more_than_five_seconds_off_the_stores_clock_is_not_ready(
    ours: int, status: int
) -> None:
    store = TimedStore(10_000)
    health = Health(store, TurnedClock(ours), Metrics(store))
    async with asked(Starlette(routes=health.routes)) as http:
        ready = await http.get("/readyz")
    store.close()
    assert ready.status_code == status
    off = {"status": "clock", "milliseconds_off": ours - 10_000, "limit": 5000}
    assert ready.json() == ({"status": "ready"} if status == 200 else off)


async def test_metrics_count_calls_by_tool_and_outcome_and_name_nothing_stored(
    database: Database,
) -> None:
    async with serving(database) as caller:
        await caller.newer("tools/call", database.agent, **SEARCH)
        bad = {"name": SEARCH["name"], "arguments": {**SEARCH["arguments"], "query": "x"}}
        await caller.newer("tools/call", database.agent, **bad)
        await caller.newer("tools/call", database.agent, name="no_such_tool", arguments={})
        told = (await caller.http.get("/metrics")).text
    lines = [line for line in told.splitlines() if line.startswith("pincite_tool_calls_total")]
    tool = "search_knowledge_base"
    assert lines == [
        f'pincite_tool_calls_total{{outcome="ok",tool="{tool}"}} 1.0',
        f'pincite_tool_calls_total{{outcome="invalid_input",tool="{tool}"}} 1.0',
    ]
    assert f'pincite_tool_seconds_count{{tool="{tool}"}} 2.0' in told
    assert "process_resident_memory_bytes" in told
    assert str(SEARCH["arguments"]["knowledge_base_id"]) not in told.replace("knowledge_base", "")
