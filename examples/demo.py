"""Walks through Pincite's main job on a real server, with a real MCP client.

Run it with ``make demo``; ``make demo ONCE=1`` ends by itself. Everything that it shows is
done with the ``pincite`` command, as a person would, and over MCP, as an agent would.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

KB = "acorn"
ARTICLE = "returns/refund-policy"
QUESTION = "how many days to send an item back for a full refund"
QUOTE = "You have 30 days from the day of delivery to send an item back for a full refund."
LONGER = ("30 days from the day of delivery", "45 days from the day of delivery")
SOONER = ("within 5 working days after", "within 3 working days after")

ROOT = Path(__file__).resolve().parent.parent
HOST, PORT = "127.0.0.1", 8420
FOLDER = tempfile.TemporaryDirectory(prefix="pincite-demo-")  # this run's own, gone at its end
DATABASE = Path(FOLDER.name) / "pincite.db"


def main() -> None:
    """Sets up, walks through, and serves until Ctrl-C (or ends, with ``--once``)."""
    once = "--once" in sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server ends with us
    with FOLDER:
        if not once:
            refuse_a_busy_port()
        show(once=once)


def refuse_a_busy_port() -> None:
    """Ends, before anything is done, if something listens where the server shall."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, PORT))
        except OSError as error:
            raise SystemExit(
                f"The demo cannot serve at {HOST}:{PORT} ({error.strerror}): another demo or "
                "server runs there. End it first, or run: make demo ONCE=1"
            ) from None


def show(*, once: bool) -> None:
    """The whole demo, in the order in which a newcomer meets things."""
    step("A knowledge base from a folder of Markdown")
    pincite("init", "--kb", KB, "--title", "Acornby support", "--language", "en")
    told(pincite("import", "examples/acorn-support", "--kb", KB, "--publish"))
    token = pincite_json("token", "create", "demo-agent", "--grant", f"{KB}:edit")["token"]
    with serving(f"{HOST}:{0 if once else PORT}") as start:
        url = start.split("/start", maxsplit=1)[0] + "/mcp"
        asyncio.run(walk(url, str(token)))
        connect(url, str(token), start)
        if not once:
            wait_for_the_end()
    step("Done")


async def walk(url: str, token: str) -> None:
    """An agent cites, a person edits, the agent notices, is refused, merges and retries."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        agent = Agent(client)
        citation, cursor = await search_and_cite(agent)
        await edit_and_notice(agent, citation, cursor)
        await refuse_and_merge(agent, citation)


class Agent:
    """An agent's hands: calls tools and keeps what the model would see."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> dict[str, object]:
        """Calls a tool and returns its structured result, a refusal's included."""
        shown = ", ".join(f"{name}={brief(value)}" for name, value in arguments.items())
        click.echo(click.style(f"  agent → {tool}({shown})", fg="cyan"))
        result = await self._client.call_tool(tool, arguments)
        return dict(result.structured_content or {})


async def search_and_cite(agent: Agent) -> tuple[dict[str, object], int]:
    """Answers a question; returns the citation and the cursor to watch from."""
    step("An agent searches, reads and cites")
    found = await agent.call("search_knowledge_base", knowledge_base_id=KB, query=QUESTION, limit=3)
    for hit in listed(found, "results"):
        click.echo(f"    {hit['article_id']}: {brief(hit['snippet'])}")
    read = await agent.call("read_knowledge_article", knowledge_base_id=KB, article_id=ARTICLE)
    citation = {**mapped(read, "citation"), "quotes": [{"exact": QUOTE}]}
    click.echo("    the citation is a version stamp:")
    click.echo(f"    {json.dumps(read['citation'])}")
    return citation, int(str(read["latest_sequence"]))


async def edit_and_notice(agent: Agent, citation: dict[str, object], cursor: int) -> None:
    """A person edits; one poll says that something moved, one check says what it means."""
    step("A person edits the article; the agent's next check notices")
    edit_as_a_person(LONGER)
    page = await agent.call(
        "poll_resource_events",
        resource_type="knowledge_base",
        resource_id=KB,
        after_sequence=cursor,
    )
    for event in listed(page, "events"):
        click.echo(f"    {event['sequence']}: {event['type']} {event['article_id']}")
    intact = "The refund is made within 5 working days"
    for quote in (QUOTE, intact):
        cited = {**citation, "quotes": [{"exact": quote}]}
        checked = await agent.call("check_citations", citations=[cited])
        if verdicts := listed(checked, "results"):
            click.echo(f"    {verdicts[0]['verdict']}: “{quote}”")


async def refuse_and_merge(agent: Agent, citation: dict[str, object]) -> None:
    """The agent edits from what it read: refused, with a merge; the merge is saved once."""
    step("The agent edits from the version it read: refused, merged, saved")
    stale = str(citation["updated_at"])
    mine = str(version(stale)["content"]).replace(*SOONER)
    edit = {"knowledge_base_id": KB, "article_id": ARTICLE}
    refused = await agent.call(
        "edit_knowledge_article",
        **edit,
        content=mine,
        expected_version=stale,
        idempotency_key="demo-1",
    )
    error = mapped(refused, "error")
    details = mapped(error, "details")
    click.echo(f"    {error['code']}: {error['message']}")
    click.echo(textwrap.indent(str(details["diff"]), "      "))
    again = {
        **edit,
        "content": details["merged"],
        "expected_version": details["current"],
        "idempotency_key": "demo-2",
    }
    for _ in range(2):  # The second time is a retry, as after a lost reply.
        saved = await agent.call("edit_knowledge_article", **again)
        click.echo(f"    {saved['status']} at {saved['updated_at']}, replayed {saved['replayed']}")
    now = str(mapped(await agent.call("read_knowledge_article", **edit), "citation")["updated_at"])
    text = str(version(now)["content"])
    click.echo(f"    both edits stand: {LONGER[1] in text and SOONER[1] in text}")


def edit_as_a_person(replacement: tuple[str, str]) -> None:
    """Saves one change of the article through the command line."""
    shown = pincite_json("article", "show", KB, ARTICLE)
    text = DATABASE.with_name("edited.md")
    text.write_text(str(shown["content"]).replace(*replacement), encoding="utf-8", newline="")
    stamp = str(shown["updated_at"])
    told(pincite("article", "edit", KB, ARTICLE, str(text), "--expected-version", stamp))


def version(stamp: str) -> dict[str, object]:
    """One version of the article, as the agent keeps it."""
    return pincite_json("article", "show", KB, ARTICLE, "--version", stamp)


def connect(url: str, token: str, start: str) -> None:
    """Prints how to go on."""
    step("Connect your own agent, or look around")
    told(pincite("connect", "claude-code", "--http", url, "--token", token))
    click.echo(f"\n  Open {start}")


@contextlib.contextmanager
def serving(address: str) -> Iterator[str]:
    """Runs the server; gives the address that it prints when it is ready."""
    step("The server, for agents and people")
    click.echo(click.style(f"  $ pincite serve --http {address}", fg="green"))
    command = [sys.executable, "-m", "pincite", "--db", str(DATABASE), "serve", "--http", address]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline().strip() if server.stdout else ""
        if not line.startswith("Open "):
            raise SystemExit(f"The server did not start: {line or server.wait()}")
        yield line.removeprefix("Open ")
    finally:
        server.terminate()
        server.wait()


def wait_for_the_end() -> None:
    """Leaves the server running until Ctrl-C."""
    click.echo("\nThe server is running. Ctrl-C ends it.")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(asyncio.Event().wait())


def pincite(*arguments: str) -> str:
    """Runs the command as a person would; returns what it prints."""
    shown = " ".join(brief(argument) for argument in arguments)
    click.echo(click.style(f"  $ pincite {shown}", fg="green"))
    command = [sys.executable, "-m", "pincite", "--db", str(DATABASE), *arguments]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"pincite {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def pincite_json(*arguments: str) -> dict[str, object]:
    """Runs the command with ``--json``."""
    return dict(json.loads(pincite(*arguments, "--json")))


def step(title: str) -> None:
    """Prints a heading."""
    click.echo("\n" + click.style(title, bold=True))


def told(text: str) -> None:
    """Prints what a command said, indented."""
    click.echo(textwrap.indent(text.rstrip(), "    "))


def brief(value: object) -> str:
    """A value on one short line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 70 else text[:69] + "…"


def listed(result: dict[str, object], name: str) -> list[dict[str, object]]:
    """A list of objects in a result; empty if it is not there."""
    value = result.get(name)
    return list(value) if isinstance(value, list) else []


def mapped(result: dict[str, object], name: str) -> dict[str, object]:
    """An object in a result."""
    value = result.get(name)
    return dict(value) if isinstance(value, dict) else {}


if __name__ == "__main__":
    main()
