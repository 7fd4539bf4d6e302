"""Serves agents and people."""

import click

from pincite.cli.terminal import Terminal, command


class _Address(click.ParamType[tuple[str, int]]):
    """HOST:PORT, with an IPv6 host in brackets."""

    name = "HOST:PORT"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        host, _, port = value.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
            self.fail(f"{value} is no HOST:PORT, such as 127.0.0.1:8420.", param, ctx)
        return host, int(port)


@command(
    "serve",
    examples=(
        "--db /srv/pincite/team.db serve --stdio",
        "serve --http 127.0.0.1:8420",
        "serve --http 127.0.0.1:0        # any free port; the line that it prints names it",
    ),
)
@click.option("--stdio", is_flag=True, help="MCP on standard input and output, for one client.")
@click.option("--http", type=_Address(), help="MCP at /mcp and the web app at /.")
@click.option("--token", help="Serve stdio with this token's grants only; else PINCITE_TOKEN.")
def serve(terminal: Terminal, stdio: bool, http: tuple[str, int] | None, token: str | None) -> None:
    """Serve a database to agents over MCP and to people as pages.

    With --stdio the client is the local user, who holds every grant, unless a token narrows
    them. With --http each client needs a token of its own (pincite token create); one line
    on standard output tells when the server is ready and where to open it.
    """
    if stdio == (http is not None):
        raise click.UsageError("Say how to serve: either --stdio or --http HOST:PORT.")
    settings = terminal.settings(token=token)
    if http is None:
        from pincite.app.build import serve_stdio

        serve_stdio(settings)
        return
    from pincite.app.build import serve_http
    from pincite.app.system import RandomIds

    secret = RandomIds().new_secret()

    def tell(address: str) -> None:
        click.echo(f"Open {address}/start?token={secret}")  # click flushes each line

    serve_http(settings, *http, tell, start=secret)
