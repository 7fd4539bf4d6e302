"""The tools that only look, from the shell."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pincite.cli.terminal import Terminal, command, say, table

if TYPE_CHECKING:
    from pincite.ports import SearchHit

_WIDTH = 80


@command("search", examples=('search handbook "annual leave"', "search handbook vpn --limit 20"))
@click.argument("kb")
@click.argument("query")
@click.option("--limit", type=int, default=5, show_default=True, help="1–20 hits.")
def search(terminal: Terminal, kb: str, query: str, limit: int) -> None:
    """Search the published articles of KB, as an agent does.

    No character of QUERY is syntax.
    """
    from pincite.domain.ids import parse_knowledge_base_id
    from pincite.wire.results import Results

    knowledge_base_id = parse_knowledge_base_id(kb)
    with terminal.opened() as (service, credential):
        found = service.search(credential, knowledge_base_id, query, limit)
    data = Results().search(knowledge_base_id, found.hits, found.latest_sequence)
    terminal.tell(data, lambda: _print_hits(found.hits))


@command(
    "poll",
    examples=("poll knowledge_base handbook", "poll knowledge_base handbook --after 120 --json"),
)
@click.argument("type_", metavar="TYPE")
@click.argument("id_", metavar="ID")
@click.option("--after", type=int, default=0, show_default=True, help="The sequence last seen.")
@click.option("--limit", type=int, default=100, show_default=True, help="1–100 events.")
def poll(terminal: Terminal, type_: str, id_: str, after: int, limit: int) -> None:
    """List a resource's events after a sequence, as an agent does.

    TYPE is channel, note, knowledge_base, record or session.
    """
    from pincite.domain.events import Resource, ResourceType
    from pincite.domain.ids import parse_id
    from pincite.wire.results import page

    if type_ not in list(ResourceType):
        raise click.BadParameter(
            f"{type_} is none of {', '.join(ResourceType)}.", param_hint="TYPE"
        )
    resource = Resource(ResourceType(type_), parse_id(id_, "ID"))
    with terminal.opened() as (service, credential):
        events = service.poll(credential, resource, after, limit)
    data = page(events)
    rows = [
        (
            str(event["sequence"]),
            event["type"],
            event.get("article_id") or json.dumps(event["data"], ensure_ascii=False),
            event.get("updated_at") or event["at"],
            ", ".join(event.get("changed", ())),
        )
        for event in data["events"]
    ]
    terminal.tell(data, lambda: table(("sequence", "type", "what", "at", "changed"), rows))


def _print_hits(hits: "Sequence[SearchHit]") -> None:
    """A paragraph a hit to people, a line a hit into a pipe."""
    if not sys.stdout.isatty():
        table((), [(hit.article_id, hit.title, str(hit.updated_at), hit.snippet) for hit in hits])
        return
    for hit in hits:
        say(f"\n{hit.title}", bold=True)
        say(f"{hit.article_id} at {hit.updated_at}")
        if hit.snippet:
            say(click.wrap_text(hit.snippet, _WIDTH))
    if not hits:
        say("Nothing found.")
