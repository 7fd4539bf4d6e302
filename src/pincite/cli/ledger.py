"""An agent's ledger, from the shell."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.cli.terminal import Group, Terminal, command, plural, table

if TYPE_CHECKING:
    from pincite.client.ledger import Change, Ledger
    from pincite.client.sync import SyncClient


@click.group("ledger", cls=Group)
def ledger() -> None:
    """What an agent answered, and whether that still stands."""


@command(
    "check",
    examples=(
        "ledger check answers.db",
        "ledger check answers.db --url http://127.0.0.1:8420/mcp",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--url", help="The server's MCP address; without one, the database's own server.")
@click.option("--token", envvar="PINCITE_TOKEN", help="What the server knows you by.")
def check(terminal: Terminal, file: Path, url: str | None, token: str | None) -> None:
    """Check the ledger in FILE, and list the answers that went stale.

    Any server will do that offers the four core tools. Exits 1 if the words that an answer
    rests on have changed or are gone, or never stood there. Where only other parts of an
    article changed (intact) the answer is listed, and is no alarm.
    """
    from pincite.client.ledger import Ledger

    with Ledger(file) as opened, _connected(terminal, url, token) as client:
        changes = client.run(opened.check(client.tools))
        _tell(terminal, opened, changes)
        verdicts = {one.verdict for answer in opened.list_stale() for one in answer.citations}
        if verdicts & {"changed", "gone", "unfounded"}:
            sys.exit(1)


ledger.add_command(check)


@contextmanager
def _connected(terminal: Terminal, url: str | None, token: str | None) -> Iterator["SyncClient"]:
    from pincite.client import sync

    if url is not None:
        with sync.connect(url, token) as client:
            yield client
        return
    db = terminal.settings().db
    serve = [sys.executable, "-m", "pincite", "--db", db, "serve", "--stdio"]
    with sync.start(serve, dict(os.environ)) as client:
        yield client


def _tell(terminal: Terminal, opened: "Ledger", changes: Sequence["Change"]) -> None:
    from pincite.wire.citations import citation_object

    answers, citations = opened.count()
    stale = [
        (str(answer.number), answer.question, one.verdict or "", one.citation)
        for answer in opened.list_stale()
        for one in answer.citations
        if one.verdict != "current"
    ]
    data = {
        "answers": answers,
        "citations": citations,
        "moved": [
            {
                "citation": citation_object(one.citation),
                "before": one.before,
                "after": one.after,
            }
            for one in changes
        ],
        "stale": [
            {
                "answer": int(number),
                "question": question,
                "verdict": verdict,
                "citation": citation_object(citation),
            }
            for number, question, verdict, citation in stale
        ],
    }
    rows = [
        (number, question, verdict, citation.article_id, str(citation.updated_at))
        for number, question, verdict, citation in stale
    ]

    def tell() -> None:
        counted = f"{plural(answers, 'answer')}, {plural(citations, 'different citation')}"
        click.echo(f"{counted}; {len(changes)} with a new verdict.")
        if rows:
            table(("answer", "question", "verdict", "article", "updated_at"), rows)

    terminal.tell(data, tell)
