"""Connections: real servers over pipes and HTTP; what goes wrong is raised as it is."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.client import aio, sync
from pincite.client.calls import edit, follow, read, search
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import (
    NotFoundError,
    PinciteError,
    StoreUnavailableError,
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


def test_a_server_that_is_not_there_and_a_wrong_token_are_told_in_a_sentence(url: str) -> None:
    with (
        pytest.raises(StoreUnavailableError, match="No MCP server could be reached: "),
        sync.connect("http://127.0.0.1:1/mcp"),
    ):
        pass
    with (
        pytest.raises(StoreUnavailableError, match="No MCP server could be reached"),
        sync.connect(url, "made-up"),
    ):
        pass
    with (
        pytest.raises(PinciteError, match=r"does not answer this call: .*Is the token right\?"),
        sync.connect(url) as client,
    ):
        client.run(read(KB, ArticleId("a")))
