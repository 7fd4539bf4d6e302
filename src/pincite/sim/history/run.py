"""Opens a database, and replays a history in it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time_ns
from typing import Final

from pincite.app.build import create_service
from pincite.domain.grants import LocalUser
from pincite.domain.ids import KnowledgeBaseId
from pincite.errors import InvalidInputError
from pincite.service.knowledge_base import Service
from pincite.sim.clock import SimulatedClock
from pincite.sim.history.editors import Editors
from pincite.sim.history.git import History
from pincite.sim.history.lineage import Steps, lineage
from pincite.sim.history.replay import Replay, Sampling
from pincite.sim.history.results import ReplayResults
from pincite.sim.settings import settings_for
from pincite.sim.tools import Meter

KNOWLEDGE_BASE: Final = KnowledgeBaseId("replay")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A history that is ready to be replayed, once.

    Attributes:
        name: What people call it.
        changes: How many changes of files it holds.
    """

    name: str
    history: History
    steps: Sequence[Steps]
    sampling: Sampling
    service: Service
    clock: SimulatedClock

    @property
    def changes(self) -> int:
        """How many changes of files the history holds."""
        return sum(len(one.steps) for one in self.steps)

    def play(self, advance: Callable[[int], None]) -> ReplayResults:
        """Replays it.

        Args:
            advance: Called after each publication with how many changes it had.

        Raises:
            DisagreementError: The log told of other events than were written.
        """
        began, meter = process_time_ns(), Meter()
        editors = Editors(self.service, KNOWLEDGE_BASE, self.history.text)
        replay = Replay(self.service, self.clock, editors, self.steps, self.sampling, meter)
        for changes in replay.play():
            advance(changes)
        return ReplayResults(
            self.name,
            self.sampling,
            editors.tally,
            replay.findings,
            replay.pages,
            replay.without_passage,
            meter,
            process_time_ns() - began,
        )


@contextmanager
def open_replay(
    history: History, sampling: Sampling, *, language: str = "en", db: str | None = None
) -> Iterator[Prepared]:
    """Reads a history, and opens a database for it.

    Args:
        history: Open.
        sampling: How much is read.
        language: Of the articles, for search.
        db: A path or a URL, where nothing was replayed yet; None for memory.

    Raises:
        InvalidInputError: The history holds no Markdown, or the database a replay.
    """
    steps = list(lineage(history.publications()))
    if not steps:
        raise InvalidInputError(
            "There is no Markdown in this history.", field="repository", limit="Markdown files"
        )
    clock = SimulatedClock()
    with create_service(settings_for(db or ":memory:"), clock) as opened:
        credential, title = LocalUser(), f"The history of {history.name}"
        service = opened.service
        if not service.create_knowledge_base(credential, KNOWLEDGE_BASE, title, language):
            raise InvalidInputError(
                f"This database holds a knowledge base {KNOWLEDGE_BASE} already; take another.",
                field="db",
                limit="a database in which nothing was replayed",
            )
        yield Prepared(history.name, history, steps, sampling, service, clock)
