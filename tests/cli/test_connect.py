import json
import shlex
import sys
from pathlib import Path

import pytest

from pincite.cli.connect import mcp_address, over_http, over_stdio
from tests.cli.conftest import Run

URL = "http://127.0.0.1:8420/mcp"


def test_claude_code_takes_a_line_that_starts_this_pincite_on_this_database(
    run: Run, tmp_path: Path
) -> None:
    told = run("--db", "team kb.db", "connect", "claude-code", "--json").json
    line = shlex.split(told["content"])
    assert told["file"] is None
    assert line[:5] == ["claude", "mcp", "add", "pincite", "--"]
    assert line[-4:] == ["--db", str(tmp_path / "team kb.db"), "serve", "--stdio"]
    assert line[5:-4] == [sys.executable, "-m", "pincite"]
    assert run("connect", "claude-code").out.startswith("Run:\n\nclaude mcp add pincite -- ")


@pytest.mark.parametrize(
    ("client", "file", "key"),
    [
        (
            "claude-desktop",
            "claude_desktop_config.json (Settings > Developer > Edit Config)",
            "mcpServers",
        ),
        ("cursor", "~/.cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
    ],
)
def test_other_clients_take_a_file(client: str, file: str, key: str) -> None:
    made = over_stdio(client, ["pincite", "--db", "/d/p.db", "serve", "--stdio"], None)
    assert made.file == file
    assert json.loads(made.content) == {
        key: {"pincite": {"command": "pincite", "args": ["--db", "/d/p.db", "serve", "--stdio"]}}
    }


def test_a_token_reaches_a_server_on_stdio_by_its_environment() -> None:
    made = over_stdio("cursor", ["pincite", "serve", "--stdio"], "SECRET")
    server = json.loads(made.content)["mcpServers"]["pincite"]
    assert server["env"] == {"PINCITE_TOKEN": "SECRET"}
    line = over_stdio("claude-code", ["pincite"], "SECRET").content
    assert line == "claude mcp add pincite --env=PINCITE_TOKEN=SECRET -- pincite"


def test_over_http_the_token_is_a_bearer() -> None:
    assert over_http("claude-code", URL, "SECRET").content == (
        f"claude mcp add --transport http pincite {URL} --header 'Authorization: Bearer SECRET'"
    )
    headers = {"Authorization": "Bearer SECRET"}
    assert json.loads(over_http("cursor", URL, "SECRET").content) == {
        "mcpServers": {"pincite": {"url": URL, "headers": headers}}
    }
    assert json.loads(over_http("vscode", URL, "SECRET").content) == {
        "servers": {"pincite": {"type": "http", "url": URL, "headers": headers}}
    }
    desktop = json.loads(over_http("claude-desktop", URL, "SECRET").content)
    assert desktop["mcpServers"]["pincite"] == {
        "command": "npx",
        "args": ["-y", "mcp-remote", URL, "--header", "Authorization:${PINCITE_BEARER}"],
        "env": {"PINCITE_BEARER": "Bearer SECRET"},
    }


@pytest.mark.parametrize("url", ["http://127.0.0.1:8420", "http://127.0.0.1:8420/", URL])
def test_an_address_without_a_path_is_the_servers_at_mcp(run: Run, url: str) -> None:
    made = run("connect", "cursor", "--http", url, "--json").json["content"]
    assert json.loads(made)["mcpServers"]["pincite"]["url"] == URL


def test_a_path_of_ones_own_is_kept() -> None:
    assert mcp_address("https://kb.example/team/mcp") == "https://kb.example/team/mcp"


@pytest.mark.parametrize("url", ["127.0.0.1:8420", "localhost:8420/mcp", "http://", "ftp://h/mcp"])
def test_what_is_no_address_of_a_server_is_refused(run: Run, url: str) -> None:
    ran = run("connect", "cursor", "--http", url)
    assert ran.code != 0
    assert f"{url} is no address of a server." in ran.err


def test_a_client_that_is_not_known_is_wrong_usage(run: Run) -> None:
    ran = run("connect", "netscape")
    assert ran.code == 2
    assert "claude-code" in ran.err


def test_without_a_token_its_place_is_shown_and_how_to_make_one(run: Run) -> None:
    shown = run("connect", "vscode", "--http", URL).out
    assert shown.startswith("Put into .vscode/mcp.json, with a token (pincite token create) in ")
    assert "Bearer TOKEN" in shown


def test_a_databases_password_is_left_to_be_put_in(run: Run) -> None:
    ran = run("--db", "postgresql://u:s3cret@h/d", "connect", "claude-code")
    assert ran.out.startswith("Run, with the database's password in the place of PASSWORD:\n")
    assert " --env=PGPASSWORD=PASSWORD -- " in ran.out
    assert ran.out.endswith(" --db postgresql://u@h/d serve --stdio\n")
