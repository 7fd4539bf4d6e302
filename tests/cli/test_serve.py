import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.cli.conftest import Run


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, with the line that it prints when it is ready."""
    command = [sys.executable, "-m", "pincite", "serve", "--http", "127.0.0.1:0", *more]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server, server.stdout.readline()
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def test_how_to_serve_is_said_exactly_once(kb: Run) -> None:
    for arguments in ((), ("--stdio", "--http", "127.0.0.1:0")):
        ran = kb("serve", *arguments)
        assert ran.code == 2
        assert "either --stdio or --http HOST:PORT" in ran.err


@pytest.mark.parametrize("address", ["8420", "localhost", ":8420", "127.0.0.1:x", "h:65536", ""])
def test_an_address_that_is_none_is_wrong_usage(kb: Run, address: str) -> None:
    ran = kb("serve", "--http", address)
    assert ran.code == 2
    assert "is no HOST:PORT" in ran.err


def test_a_database_that_is_not_there_is_not_served(run: Run) -> None:
    for how in (("--stdio",), ("--http", "127.0.0.1:0")):
        ran = run("serve", *how)
        assert (ran.code, ran.out) == (1, "")
        assert "pincite init" in ran.err


def test_one_line_tells_where_the_person_who_started_it_may_look(kb: Run, tmp_path: Path) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"text")
    with serving(tmp_path) as (server, line):
        assert line.startswith("Open http://127.0.0.1:")
        url = line.removeprefix("Open ").rstrip("\n")
        address, _, secret = url.partition("/start?token=")
        assert len(secret) >= 22
        for wrong in ("/start", "/start?token=", "/start?token=guess", "/start?token=%ff"):
            refused = httpx2.get(address + wrong)
            assert refused.status_code == 403
            assert "kb" not in refused.text
        with httpx2.Client(follow_redirects=True) as browser:
            page = browser.get(url)
        assert page.status_code == 200
        assert page.url == f"{address}/"
        assert f"<code>{address}/mcp</code>" in page.text
        assert "1 published article" in page.text
        assert page.headers["cache-control"] == "no-store"
        assert httpx2.get(url).status_code == 403
        server.send_signal(signal.SIGTERM)
        assert server.stdout is not None
        assert server.stdout.read() == ""


def test_a_port_that_is_taken_is_told(kb: Run, tmp_path: Path) -> None:
    with serving(tmp_path) as (_, line):
        address = line.removeprefix("Open http://").partition("/")[0]
        command = [sys.executable, "-m", "pincite", "serve", "--http", address]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: Nothing can listen at {address}: Address already in use.\n"


def ask(folder: Path, environment: dict[str, str], *more: str) -> dict[str, object]:
    """Asks a server on stdio what a caller may see."""

    async def asked() -> dict[str, object]:
        arguments = ["-m", "pincite", "serve", "--stdio", *more]
        server = StdioServerParameters(
            command=sys.executable, args=arguments, cwd=folder, env={**os.environ, **environment}
        )
        async with Client(stdio_client(server)) as client:
            result = await client.call_tool("list_knowledge_bases", {})
            return dict(result.structured_content or {})

    return asyncio.run(asked())


def grants(told: dict[str, object]) -> object:
    return json.loads(json.dumps(told))["knowledge_bases"][0]["grants"]


def test_on_stdio_the_local_user_holds_every_grant_and_a_token_narrows_them(
    kb: Run, tmp_path: Path
) -> None:
    secret = kb("token", "create", "reader", "--grant", "kb:read", "--json").json["token"]
    assert grants(ask(tmp_path, {})) == ["read", "propose", "edit", "publish", "admin"]
    assert grants(ask(tmp_path, {"PINCITE_TOKEN": secret})) == ["read"]
    assert grants(ask(tmp_path, {}, "--token", secret)) == ["read"]
