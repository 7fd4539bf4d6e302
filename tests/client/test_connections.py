"""Connections: real servers over pipes and HTTP; what goes wrong is raised as it is."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pincite.client import aio, sync
from pincite.client.calls import edit, follow, read, search
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import (
    InvalidInputError,
    NotFoundError,
    PinciteError,
    StoreUnavailableError,
    UnauthenticatedError,
    VersionConflictError,
)

KB = KnowledgeBaseId("kb")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "p.db"
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.md").write_text("# Refunds\n\nThirty days.\n")
    for arguments in (
        ["init", "--kb", "kb", "--title", "KB"],
        ["import", str(folder), "--kb", "kb", "--publish"],
    ):
        subprocess.run([*pincite(path), *arguments], check=True, capture_output=True)
    return path


def pincite(path: Path) -> list[str]:
    return [sys.executable, "-m", "pincite", "--db", str(path)]


@pytest.fixture
def url(database: Path) -> Iterator[str]:
    command = [*pincite(database), "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        line = server.stdout.readline()
        yield "http://" + line.split("//")[1].split("/")[0].strip() + "/mcp"
        server.terminate()


def assert_walk(client: sync.SyncClient) -> None:
    """Searches, reads, edits, follows, and meets a conflict."""
    (hit,) = client.run(search(KB, "refunds"))
    article = client.run(read(KB, hit.citation.article_id))
    assert article.citation == hit.citation
    saved = client.run(edit(article.citation, "Forty days.\n", "k"))
    assert saved.status == "saved"
    again = client.run(edit(article.citation, "Forty days.\n", "k"))
    assert (again.citation, again.replayed) == (saved.citation, True)
    followed = client.run(follow(KB, article.latest_sequence or 0))
    assert [(one.type, one.article_id) for one in followed.changes] == [("article.updated", "a")]
    with pytest.raises(VersionConflictError) as refusal:
        client.run(edit(article.citation, "Sixty days.\n", "k2"))
    assert saved.citation
    assert refusal.value.details["current"] == str(saved.citation.updated_at)


def test_a_server_on_pipes_is_searched_read_edited_and_followed(database: Path) -> None:
    with sync.start([*pincite(database), "serve", "--stdio"]) as client:
        assert "check_citations" in client.tools
        assert_walk(client)


def test_a_server_over_http_is_searched_read_edited_and_followed(database: Path, url: str) -> None:
    command = [*pincite(database), "token", "create", "agent", "--grant", "kb:edit"]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    token = max(made.split(), key=len)
    with sync.connect(url, token) as client:
        assert_walk(client)


def test_a_refusal_leaves_the_connection_as_the_error_that_it_is(database: Path) -> None:
    with (
        pytest.raises(NotFoundError, match="no such article"),
        sync.start([*pincite(database), "serve", "--stdio"]) as client,
    ):
        client.run(read(KB, ArticleId("none")))


@pytest.mark.anyio
async def test_async_code_meets_the_same_errors(database: Path) -> None:
    with pytest.raises(NotFoundError, match="no such article"):
        async with aio.start([*pincite(database), "serve", "--stdio"]) as client:
            await client.run(read(KB, ArticleId("none")))


def test_a_server_that_is_not_there_may_be_there_later() -> None:
    with (
        pytest.raises(StoreUnavailableError, match="No MCP server could be reached: ") as refusal,
        sync.connect("http://127.0.0.1:1/mcp"),
    ):
        pass
    assert refusal.value.retryable


def test_a_wrong_token_is_unauthenticated_when_it_connects_and_none_when_it_calls(url: str) -> None:
    with (
        pytest.raises(UnauthenticatedError, match="status 401") as refusal,
        sync.connect(url, "made-up"),
    ):
        pass
    assert (refusal.value.code, refusal.value.retryable) == ("unauthenticated", False)
    with sync.connect(url) as client, pytest.raises(UnauthenticatedError, match="status 401"):
        client.run(read(KB, ArticleId("a")))


@pytest.mark.anyio
async def test_async_code_is_told_of_a_wrong_token_alike(url: str) -> None:
    with pytest.raises(UnauthenticatedError, match="status 401"):
        async with aio.connect(url, "made-up"):
            pass


def test_a_wrong_path_is_told_as_one_and_is_no_outage(url: str) -> None:
    with (
        pytest.raises(InvalidInputError, match="status 404: there is no MCP at") as refusal,
        sync.connect(f"{url.removesuffix('/mcp')}/elsewhere"),
    ):
        pass
    assert (refusal.value.details["field"], refusal.value.retryable) == ("url", False)


class Refusing(BaseHTTPRequestHandler):
    """Answers everything with the status that its path names."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(int(self.path.strip("/")))
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: what it was asked is what the test asked."""


@pytest.fixture
def refusing() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "kind", "cause"),
    [
        (400, InvalidInputError, "does not take what MCP clients send"),
        (403, InvalidInputError, "lets nobody in from here"),
        (405, InvalidInputError, "no MCP at this path"),
        (421, InvalidInputError, "PINCITE_ALLOWED_HOSTS"),
        (429, StoreUnavailableError, "cannot answer now"),
        (503, StoreUnavailableError, "cannot answer now"),
    ],
)
def test_a_refused_connection_tells_the_status_and_its_likely_cause(
    refusing: str, status: int, kind: type[PinciteError], cause: str
) -> None:
    with pytest.raises(kind, match=cause) as refusal, sync.connect(f"{refusing}/{status}"):
        pass
    assert f"HTTP status {status}" in refusal.value.message
