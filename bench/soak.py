"""``make soak``: many processes on one store at full size, and ``kill -9`` in the middle of it.

Each trial runs on a file of its own; ``tests/faults`` runs the same ones small.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click
from rich.console import Console
from rich.table import Table

from bench.load import KB, LOG, Acknowledged, Effort, Tailed, digest_of, text_of
from pincite.domain.edits import Receipt, Status
from pincite.domain.events import ArticleEvent
from pincite.domain.ids import ArticleId, Principal
from pincite.domain.stamps import Stamp
from pincite.ports import Store
from pincite.storage import create_store, open_store
from tests.postgres_cluster import own_clusters

THREADS = 4
"""In each writing process."""

MOST_BEFORE_A_KILL = 200
"""A writer is killed after 1 to so many acknowledged saves."""


@dataclass(frozen=True, slots=True)
class Tailing:
    """What readers saw while writers wrote, each a process.

    Attributes:
        missed: Events that a reader did not see, of all readers together.
        out_of_turn: Events that a reader saw twice, or before an earlier one.
        differing: Readers that saw other events than the log holds.
        slowest: The longest that one write took, in seconds.
        refusals: Answers that were neither a save nor that another was first.
        disagreements: What the proof says in the end.
    """

    writers: int
    readers: int
    events: int
    missed: int
    out_of_turn: int
    differing: int
    edits_per_second: float
    slowest: float
    refusals: int
    disagreements: Sequence[str]


@dataclass(frozen=True, slots=True)
class Killing:
    """What was left after writers were killed.

    Attributes:
        lost: Acknowledged saves of which text, event or receipt is not there, whole.
        unasked: Saves beyond the acknowledged ones and those that were under way at a kill,
            of which each thread has at most one.
    """

    kills: int
    acknowledged: int
    lost: Sequence[Acknowledged]
    unasked: int
    disagreements: Sequence[str]


Report: TypeAlias = Tailing | Killing


def tailing(url: str | Path, writers: int, readers: int, events: int) -> Tailing:
    """Writers write and readers tail, all at once; ``url`` is where there is no store yet."""
    each = events // writers // THREADS
    total = each * THREADS * writers
    store = new_store(url)
    with ExitStack() as stack:
        writing = [
            stack.enter_context(
                loading("write", url, "--quiet", f"--edits={each}", f"--principal=writer/{n}")
            )
            for n in range(writers)
        ]
        begin = time.monotonic()
        reading = [
            stack.enter_context(loading("tail", url, f"--until={total}")) for _ in range(readers)
        ]
        efforts = [Effort(**last_words(process)) for process in writing]
        elapsed = time.monotonic() - begin
        seen = [Tailed(**last_words(process)) for process in reading]
    log = whole_log(store)
    digest = digest_of(log)
    found = store.upkeep.check()
    store.close()
    return Tailing(
        writers=writers,
        readers=readers,
        events=len(log),
        missed=sum(total - one.events for one in seen),
        out_of_turn=sum(one.out_of_turn for one in seen),
        differing=sum(one.digest != digest for one in seen),
        edits_per_second=total / elapsed,
        slowest=max(effort.slowest for effort in efforts),
        refusals=sum(refused(effort) for effort in efforts),
        disagreements=found,
    )


def killing(url: str | Path, kills: int, seed: int = 1) -> Killing:
    """Writers are killed at random moments, one after another, half of them all alone."""
    moments = random.Random(seed)
    store = new_store(url)
    acknowledged: list[Acknowledged] = []
    lost: set[Acknowledged] = set()
    for kill in range(kills):
        if kill % 2:
            store.close()  # the next to open the file is the first to meet what was left
        saves = killed_after(url, f"writer/{kill}", moments.randint(1, MOST_BEFORE_A_KILL))
        if kill % 2:
            store = open_store(str(url))
        lost.update(save for save in saves if not is_whole(store, save))
        acknowledged += saves
    lost.update(save for save in acknowledged if not is_whole(store, save))
    unasked = len(whole_log(store)) - len(acknowledged) - kills * THREADS
    found = store.upkeep.check()
    store.close()
    return Killing(kills, len(acknowledged), list(lost), max(0, unasked), found)


def killed_after(url: str | Path, principal: str, saves: int) -> list[Acknowledged]:
    """All that a writer was told is durable; it is killed once it has told of some of it."""
    acknowledged: list[Acknowledged] = []
    with loading("write", url, f"--principal={principal}") as process:
        for line in lines(process):
            acknowledged.append(Acknowledged(**json.loads(line)))
            if len(acknowledged) == saves:
                process.kill()
    return acknowledged


def is_whole(store: Store, save: Acknowledged) -> bool:
    """Whether text, event and receipt of a save are there and agree."""
    article_id, stamp = ArticleId(save.article_id), Stamp(save.updated_at)
    with store.view() as view:
        revision = view.find_revision(KB, article_id, stamp)
        kept = view.find_receipt(LOG, Principal(save.principal), save.key)
        told = view.list_events(LOG, save.sequence - 1, 1).events
    receipt = Receipt(Status.SAVED, article_id, stamp, save.sequence)
    event = told[0] if told else None
    return (
        revision is not None
        and revision.text.content == text_of(save.key).content
        and kept is not None
        and kept.receipt == receipt
        and isinstance(event, ArticleEvent)
        and (event.article_id, event.updated_at) == (article_id, stamp)
    )


def refused(effort: Effort) -> int:
    """How often a writer was refused for another reason than that somebody was first."""
    ordinary = {"Stale", "InvalidInputError"}  # the latter: of two who create, one is second
    return sum(number for name, number in effort.refusals.items() if name not in ordinary)


def new_store(url: str | Path) -> Store:
    """An empty store with the knowledge base that the load goes to."""
    store = create_store(str(url))
    store.create_knowledge_base(KB, "Load", "en")
    return store


def whole_log(store: Store) -> list[ArticleEvent]:
    """Every event of the load."""
    found: list[ArticleEvent] = []
    with store.view() as view:
        more = True
        while more:
            page = view.list_events(LOG, len(found), 1000)
            found += [event for event in page.events if isinstance(event, ArticleEvent)]
            more = page.has_more
    return found


@contextmanager
def loading(command: str, url: str | Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A process of :mod:`bench.load`; it is over when the block is."""
    call = [sys.executable, "-m", "bench.load", command, str(url), *options]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lines(process: "subprocess.Popen[str]") -> Iterator[str]:
    """What a process says, until it is over."""
    if process.stdout is None:
        raise ValueError("The process was started without a pipe.")
    yield from process.stdout


def last_words(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """The last line that a process says, of one that ends well."""
    *_, line = lines(process)
    if process.wait():
        raise RuntimeError(f"A process ended with {process.returncode}.")
    return dict(json.loads(line))


def as_table(title: str, report: Report) -> Table:
    """A trial's figures, one a line."""
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    for name, value in asdict(report).items():
        table.add_row(name.replace("_", " "), told(value))
    return table


def told(value: object) -> str:
    """A figure, or what a list of findings holds."""
    if isinstance(value, int | float):
        return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
    return str(value) if value else "none"


@click.command()
@click.option("--scale", default=1.0, show_default=True, help="A part of the full size.")
@click.option("--only", default="", help="The trials whose titles hold this, such as PostgreSQL.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the stores are made.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Also write JSON there.")
def main(scale: float, only: str, folder: Path | None, file: Path | None) -> None:
    """Runs the trials, prints a table, and exits 1 if anything was lost."""
    console = Console()
    console.print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, scale {scale:g}")
    reports: dict[str, Report] = {}
    with (
        tempfile.TemporaryDirectory(dir=folder) as made,
        own_clusters(Path(made)) as clusters,
    ):
        place = Path(made)
        postgres = clusters.new()
        postgres.initialise(fsync="on")
        postgres.start()
        events, kills = int(100_000 * scale), max(1, int(200 * scale))
        trials: dict[str, Callable[[], Report]] = {
            f"8 writers, 2 readers, {events:,} events": lambda: tailing(
                place / "tailing.db", 8, 2, events
            ),
            f"{kills} kills": lambda: killing(place / "killing.db", kills),
            "2 processes on one file": lambda: tailing(place / "two.db", 2, 0, events // 5),
            "4 processes on one file": lambda: tailing(place / "four.db", 4, 0, events // 5),
            f"PostgreSQL, 2 servers, 8 writers, 2 readers, {events:,} events": lambda: tailing(
                postgres.new_database(), 2, 2, events
            ),
            f"PostgreSQL, {kills} kills": lambda: killing(postgres.new_database(), kills),
        }
        chosen = {title: trial for title, trial in trials.items() if only in title}
        if not chosen:
            raise click.BadParameter(f"The trials are: {'; '.join(trials)}.", param_hint="--only")
        for title, trial in chosen.items():
            reports[title] = trial()
            console.print(as_table(title, reports[title]))
    if file:
        figures = {title: asdict(report) for title, report in reports.items()}
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if not all(map(is_well, reports.values())):
        raise SystemExit(1)


def is_well(report: Report) -> bool:
    """Whether a trial ended as promised."""
    if isinstance(report, Killing):
        return not (report.lost or report.unasked or report.disagreements)
    wrong = (report.missed, report.out_of_turn, report.differing, report.refusals)
    return not (any(wrong) or report.disagreements) and report.slowest < 5


if __name__ == "__main__":
    main()
