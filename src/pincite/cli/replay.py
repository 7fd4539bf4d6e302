"""Replays a real history."""

from pathlib import Path
from typing import Any

import click

from pincite.cli.outputs import Outputs, output_options
from pincite.cli.terminal import Terminal, command, progress


@command(
    "replay",
    examples=(
        "replay ~/src/handbook",
        "replay docs.bundle --folder content --report replay.html",
        "replay . --reads 5000 --json replay.json --csv replay.csv",
    ),
)
@click.argument("repository", type=click.Path(path_type=Path, exists=True))
@click.option("--folder", default="", help="Take only the Markdown below this folder.")
@click.option("--revision", default="HEAD", help="Branch or commit that is published; else HEAD.")
@click.option("--language", default="en", metavar="CODE", help="Of the articles; else en.")
@click.option("--reads", type=click.IntRange(1, 1_000_000), default=1000, help="Else 1000.")
@click.option("--seed", type=click.IntRange(0), default=1, help="Of the random reads; else 1.")
@output_options
def replay(
    terminal: Terminal,
    repository: Path,
    folder: str,
    revision: str,
    language: str,
    **more: Any,  # noqa: ANN401 - what the other options say, by name
) -> None:
    """Replay a git history of Markdown, and measure how citations age.

    Each commit on the published line is saved at its own time; a file that moves stays the
    same article, one that is removed is withdrawn. Random passages are cited at random times
    and looked at again after 1 hour to 365 days. REPOSITORY may be a bundle. Without --db
    everything happens in memory.
    """
    from pincite.sim.history.git import History
    from pincite.sim.history.page import replay_report
    from pincite.sim.history.replay import Sampling
    from pincite.sim.history.run import open_replay

    if terminal.db:
        terminal.refuse_token("A replay in a database")
    sampling = Sampling(more.pop("reads"), more.pop("seed"))
    with (
        History(repository, revision, folder) as history,
        open_replay(history, sampling, language=language, db=terminal.db) as prepared,
        progress("Replaying", prepared.changes) as advance,
    ):
        results = prepared.play(advance)
    Outputs(**more).write(terminal, results, lambda: replay_report(results))
