"""A replay of a small history, held against git alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from bench.following import Repository as Followed
from bench.following import compared
from pincite.domain.events import EventPage
from pincite.errors import InvalidInputError
from pincite.service.knowledge_base import Service
from pincite.sim.clock import DAY, HOUR
from pincite.sim.errors import DisagreementError
from pincite.sim.history.editors import readable
from pincite.sim.history.git import History
from pincite.sim.history.replay import Sampling, Weighting
from pincite.sim.history.results import ReplayResults, elapsed
from pincite.sim.history.run import open_replay
from tests.sim.repositories import Repository

BEGIN = 1_700_000_000
SENTENCE = "The {} paragraph says enough to be cited, for it is longer than sixty characters."


def page(*words: str, title: str = "A page") -> str:
    front = f"---\ntitle: {title}\nreviewed: never\n---\n"
    return front + "\n\n".join(SENTENCE.format(word) for word in words) + "\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Forty days: one page changes, one only seems to, one moves, one goes and comes back."""
    made = Repository(tmp_path_factory.mktemp("history") / "handbook")
    words = [f"p{number}" for number in range(8)]
    for name in ("busy", "quiet", "moving", "passing"):
        made.write(f"{name}.md", page(*words, title=name))
    made.commit(BEGIN)
    for day in range(1, 41):
        at = BEGIN + day * 86_400
        words[day % 8] = f"day{day}"
        made.write("busy.md", page(*words, title="busy"))
        made.write("quiet.md", page(*[f"p{n}" for n in range(8)]).replace("never", str(day)))
        if day == 10:
            made.git("mv", "moving.md", "moved.md")
        if day == 20:
            made.git("rm", "--quiet", "passing.md")
        if day == 30:
            made.write("passing.md", page("new", *[f"p{n}" for n in range(1, 8)], title="passing"))
        made.commit(at, "Ada" if day % 2 else "Bo")
        if day == 5:
            made.write("busy.md", page("by Cy", *words[1:], title="busy"))
            made.commit(at + 1800, "Cy")
    return made


def replayed(repository: Path, reads: int = 60, **more: str) -> ReplayResults:
    with (
        History(repository) as history,
        open_replay(history, Sampling(reads, seed=3), **more) as prepared,
    ):
        return prepared.play(lambda _: None)


@pytest.fixture(scope="module")
def results(repository: Repository) -> ReplayResults:
    return replayed(repository.folder)


def test_a_history_comes_to_what_its_commits_say(results: ReplayResults) -> None:
    tally = results.tally
    assert (tally.publications, tally.created) == (42, 4)
    # Forty days of busy and quiet, one more of busy, and what happened to the other two.
    assert tally.changes == 4 + 80 + 1 + 1 + 2
    assert (tally.saved, tally.withdrawn, tally.republished) == (42, 1, 1)
    assert tally.front_matter_only == 39 + 1
    assert tally.events == 4 + 42 + 2
    assert (tally.meetings, tally.largest, results.pages) == (1, 4, 1)


def test_every_finding_is_what_git_tells(repository: Repository, results: ReplayResults) -> None:
    followed = Followed(repository.folder)
    verdicts = [(one.verdict.value, followed.verdict(one)) for one in results.findings]
    followed.close()
    assert {ours for ours, _ in verdicts} == {"current", "intact", "changed", "gone"}
    assert [pair for pair in verdicts if pair[0] != pair[1]] == []


def test_only_what_moved_was_edited_late_and_other_passages_merge(results: ReplayResults) -> None:
    for one in results.findings:
        assert (one.merged is not None) == (one.verdict in ("intact", "changed"))
    moved = [one for one in results.findings if one.merged is not None]
    assert {one.merged for one in moved if one.verdict == "changed"} == {False}
    assert any(one.merged for one in moved if one.verdict == "intact")


def test_findings_end_where_the_history_ends(results: ReplayResults) -> None:
    uniform = {key[1]: fate for key, fate in results.fates.items() if key[0] is Weighting.UNIFORM}
    assert uniform[HOUR].looked_at >= uniform[30 * DAY].looked_at > 0
    assert uniform[90 * DAY].looked_at == 0
    assert sum(fate.unfounded for fate in results.fates.values()) == 0


def test_what_is_edited_more_is_read_more(results: ReplayResults) -> None:
    def reads(weighting: Weighting) -> list[str]:
        found = {one.reading.number: one.reading for one in results.findings}
        return [one.path for one in found.values() if one.weighting is weighting]

    seldom = {"moving.md", "moved.md", "passing.md"}
    uniform, by_edits = (sum(path in seldom for path in reads(each)) for each in Weighting)
    assert uniform > 20
    assert by_edits <= 5


def test_a_seed_gives_the_same_figures_every_time(
    repository: Repository, results: ReplayResults
) -> None:
    assert replayed(repository.folder).figures == results.figures


def test_a_publication_of_more_than_a_page_is_polled_page_by_page(tmp_path: Path) -> None:
    made = Repository(tmp_path / "large")
    for number in range(250):
        made.write(f"{number}.md", f"# Page {number}\n")
    made.commit(BEGIN)
    results = replayed(made.folder, reads=1)
    assert (results.tally.largest, results.pages) == (250, 3)
    assert results.without_passage == 2


class Forgetful:
    """A service whose pages of the log lose their first event."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Any:
        return getattr(self._service, name)

    def poll(self, *asked: Any) -> EventPage:
        page = self._service.poll(*asked)
        return replace(page, events=page.events[1:])


def test_a_log_that_loses_an_event_ends_the_replay(repository: Repository) -> None:
    with History(repository.folder) as history, open_replay(history, Sampling(1)) as prepared:
        forgetful = replace(prepared, service=cast(Service, Forgetful(prepared.service)))
        with pytest.raises(DisagreementError, match="a page after 0 holds"):
            forgetful.play(lambda _: None)


def test_a_database_with_a_replay_and_a_history_without_markdown_are_refused(
    repository: Repository, tmp_path: Path
) -> None:
    replayed(repository.folder, 1, db=str(tmp_path / "replay.db"))
    with pytest.raises(InvalidInputError, match="holds a knowledge base replay already"):
        replayed(repository.folder, 1, db=str(tmp_path / "replay.db"))
    code = Repository(tmp_path / "code")
    code.write("a.py", "a")
    code.commit(BEGIN)
    with pytest.raises(InvalidInputError, match="no Markdown"):
        replayed(code.folder)


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"---\ntitle: Named\n---\n# Heading\n", "Named"),
        (b"text\n\n# Heading\n", "Heading"),
        (b"text\n", "name"),
        (b"", None),
        (b"\xff\xfe", None),
        (b"a\0b", None),
    ],
)
def test_a_text_is_titled_by_front_matter_heading_or_name(data: bytes, title: str | None) -> None:
    text = readable("folder/name.md", data)
    assert (text.title if text else None) == title


def test_a_time_is_told_in_hours_or_days() -> None:
    assert [elapsed(one) for one in (HOUR, DAY, 30 * DAY)] == ["1 h", "1 d", "30 d"]


def test_the_second_opinion_cuts_no_word_and_counts_what_repeats() -> None:
    assert compared("one two", "zero one\n two three") == "intact"
    assert compared("one two", "one twos") == "changed"
    assert compared("one two", "one two, one two") == "several"
