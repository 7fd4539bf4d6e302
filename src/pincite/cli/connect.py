"""Tells how to connect an agent's client."""

import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import click

from pincite.cli.terminal import Terminal, command
from pincite.errors import InvalidInputError

_CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode")
_NAME = "pincite"
_NO_TOKEN = "TOKEN"  # noqa: S105 - stands for a token that a person puts in
_NO_PASSWORD = "PASSWORD"  # noqa: S105 - stands for one that a person puts in


@dataclass(frozen=True, slots=True)
class Connection:
    """What to do in a client.

    Attributes:
        file: The file to put ``content`` into; None if ``content`` is a line for the shell.
        content: The line, or what the file is to hold.
    """

    file: str | None
    content: str


@command(
    "connect",
    examples=(
        "--db /srv/pincite/team.db connect claude-code",
        "connect cursor --http http://127.0.0.1:8420/mcp --token SECRET",
    ),
)
@click.argument("client", type=click.Choice(_CLIENTS))
@click.option("--http", "url", metavar="URL", help="The server's address; without a path, /mcp.")
@click.option("--token", help="The token to call with; make one with pincite token create.")
def connect(terminal: Terminal, client: str, url: str | None, token: str | None) -> None:
    """Tell how to connect CLIENT to this database.

    Prints the line to run or what to put into which file. Without --http the client starts a
    server of its own on this machine, over standard input and output. Several clients may do
    so on one database.
    """
    secret = False
    if url is None:
        settings = terminal.settings()
        secret = settings.place != settings.db
        arguments = ["--db", _absolute(settings.place), "serve", "--stdio"]
        made = over_stdio(client, [*_program(), *arguments], token, secret=secret)
    else:
        made = over_http(client, mcp_address(url), token or _NO_TOKEN)
    heading = "Run" if made.file is None else f"Put into {made.file}"
    if url is None and secret:
        heading += f", with the database's password in the place of {_NO_PASSWORD}"
    if url is not None and not token:
        heading += f", with a token (pincite token create) in the place of {_NO_TOKEN}"
    terminal.tell(
        {"client": client, "file": made.file, "content": made.content},
        f"{heading}:\n\n{made.content}",
    )


def over_stdio(
    client: str, program: list[str], token: str | None, *, secret: bool = False
) -> Connection:
    """Connects a client that starts the server itself.

    Args:
        client: Which one.
        program: The command and its arguments.
        token: Narrows what the client may do; None leaves it every grant.
        secret: Whether the database wants a password, which is not printed.
    """
    environment = {"PINCITE_TOKEN": token} if token else {}
    environment |= {"PGPASSWORD": _NO_PASSWORD} if secret else {}
    if client == "claude-code":
        given = [f"--env={name}={value}" for name, value in environment.items()]
        line = ["claude", "mcp", "add", _NAME, *given, "--", *program]
        return Connection(None, shlex.join(line))
    server: dict[str, object] = {"command": program[0], "args": program[1:]}
    if environment:
        server["env"] = environment
    return _file(client, server)


def mcp_address(url: str) -> str:
    """Where a server at an address speaks MCP: there, or at ``/mcp`` if it has no path.

    Raises:
        InvalidInputError: It is no address of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInputError(
            f"{url} is no address of a server.", field="http", limit="http://HOST:PORT/mcp"
        )
    return urlunsplit(parts._replace(path="/mcp")) if parts.path in ("", "/") else url


def over_http(client: str, url: str, token: str) -> Connection:
    """Connects a client to a server that runs."""
    bearer = f"Bearer {token}"
    if client == "claude-code":
        header = f"Authorization: {bearer}"
        line = ["claude", "mcp", "add", "--transport", "http", _NAME, url, "--header", header]
        return Connection(None, shlex.join(line))
    if client == "claude-desktop":
        # Its file starts programs only; this one, from npm, carries calls over to HTTP. The
        # header comes out of the environment, because some versions cut arguments at spaces.
        arguments = ["-y", "mcp-remote", url, "--header", "Authorization:${PINCITE_BEARER}"]
        server = {"command": "npx", "args": arguments, "env": {"PINCITE_BEARER": bearer}}
        return _file(client, server)
    server = {"url": url, "headers": {"Authorization": bearer}}
    return _file(client, {"type": "http", **server} if client == "vscode" else server)


def _file(client: str, server: Mapping[str, object]) -> Connection:
    files = {
        "claude-desktop": "claude_desktop_config.json (Settings > Developer > Edit Config)",
        "cursor": "~/.cursor/mcp.json",
        "vscode": ".vscode/mcp.json",
    }
    key = "servers" if client == "vscode" else "mcpServers"
    content = json.dumps({key: {_NAME: server}}, indent=2, ensure_ascii=False)
    return Connection(files[client], content)


def _program() -> list[str]:
    """How to start this very Pincite, whatever folder and PATH the client has."""
    script = Path(sys.argv[0]).absolute()
    if script.name == "pincite" and script.is_file():
        return [str(script)]
    return [sys.executable, "-m", "pincite"]


def _absolute(db: str) -> str:
    """The database as it is called from any folder."""
    if "://" not in db:
        return str(Path(db).absolute())
    scheme, _, path = db.partition(":///")
    return f"{scheme}:///{Path(path).absolute()}" if scheme == "sqlite" else db
