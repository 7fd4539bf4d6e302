"""Differences between versions, and what a change would do to recorded answers."""

from pathlib import Path

from pincite.domain.citations import Citation
from pincite.domain.edits import Context
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.service.answering import Answered
from pincite.service.knowledge_base import Service
from pincite.storage import open_store
from tests.cli.conftest import Run
from tests.service.world import CountedIds, TurnedClock

KB, A = KnowledgeBaseId("kb"), ArticleId("a")


def new(kb: Run, content: str) -> str:
    command = ("article", "new", "kb", "a", "--title", "T", "--publish", "--json")
    return str(kb(*command, typed=content.encode()).json["updated_at"])


def edited(kb: Run, stamp: str, content: str, *more: str) -> str:
    command = ("article", "edit", "kb", "a", "-", "--expected-version", stamp, "--json", *more)
    return str(kb(*command, typed=content.encode()).json["updated_at"])


def test_a_difference_is_between_any_two_versions_or_to_the_present_one(kb: Run) -> None:
    first = new(kb, "One.\n")
    second = edited(kb, first, "Two.\n")
    edited(kb, second, "Three.\n", "--title", "Other")
    between = kb("article", "diff", "kb", "a", first, second).out
    assert between == "--- expected\n+++ current\n@@ -1 +1 @@\n-One.\n+Two.\n"
    told = kb("article", "diff", "kb", "a", first, "--json").json
    assert told["diff"] == "--- expected\n+++ current\n@@ -1 +1 @@\n-One.\n+Three.\n"
    assert told["titles"] == ["T", "Other"]
    assert kb("article", "diff", "kb", "a", first, first).out == "The content is the same.\n"


def test_a_version_that_never_was_is_refused(kb: Run) -> None:
    new(kb, "One.\n")
    ran = kb("article", "diff", "kb", "a", "2026-01-01T00:00:00Z")
    assert ran.code == 1
    assert "no version 2026-01-01T00:00:00.000Z" in ran.err


def test_the_impact_of_a_change_names_the_passages_and_counts_the_answers(
    kb: Run, tmp_path: Path
) -> None:
    stamp = new(kb, "Thirty days.\n\nNo reason.\n")
    store = open_store(str(tmp_path / "pincite.db"))
    service = Service(store, TurnedClock(), CountedIds())
    for number in range(2):
        cited = Citation(KB, A, Stamp.parse(stamp), (Quote("Thirty days."),))
        answered = Answered("Q?", "A.", (cited,))
        service.answers.record(LocalUser(), KB, answered, Context(f"{number}"))
    store.close()
    told = kb("article", "impact", "kb", "a", "--json", typed=b"Forty days.\n\nNo reason.\n").json
    quote = {"exact": "Thirty days."}
    assert told == {
        "answers": 2,
        "broken": [{"updated_at": stamp, "quote": quote, "answers": 2}],
    }
    spared = kb("article", "impact", "kb", "a", typed=b"Thirty days.\n\nA reason.\n")
    assert spared.out == "This would change 0 cited passages of 0 answers.\n"
