import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pincite.errors import InvalidInputError
from pincite.sim.day.results import Results
from pincite.sim.day.simulate import Simulation, play, scene_of
from pincite.sim.day.world import Shape, Spread, world_of
from pincite.sim.errors import DisagreementError
from pincite.sim.stages import Over, open_stage
from pincite.sim.tools import Json, Meter, Reply, Tools, reply_of
from tests.postgres_cluster import Cluster
from tests.sim.conftest import SMALL, played
from tests.sim.model import counts_of_day, counts_of_edits, spelled_delays


def test_a_seed_gives_the_same_figures_whatever_was_played_before(small: Results) -> None:
    assert played(SMALL, 1, 2).figures == small.figures
    alone = played(SMALL, 2).counts[0]
    behind = small.counts[1]
    assert {name: count for name, count in alone.items() if "KiB" not in name} == {
        name: count for name, count in behind.items() if "KiB" not in name
    }


def test_the_product_counts_what_a_model_of_the_day_counts() -> None:
    shape = Shape(hours=4, questions=40, saves=120)
    results = played(shape, 7)
    day = counts_of_day(world_of(shape, 7))
    even = counts_of_day(world_of(shape, 7, Spread.EVEN))
    edits = counts_of_edits(world_of(shape, 7), spelled_delays(shape))
    (counts,) = results.counts
    assert {name: counts[name] for name in day} == day
    assert {name: counts[name] for name in edits} == edits
    assert counts["control: stale"] == even["hour 4: stale"]
    assert (
        counts["control: stale, each citation counted"]
        == (even["hour 4: stale, each citation counted"])
    )
    assert (
        counts["control: answers with a stale citation"]
        == (even["hour 4: answers with a stale citation"])
    )
    assert edits["edit after 1 h: rejected, moved"] > 0


@pytest.mark.parametrize("over", [Over.STDIO, Over.HTTP])
def test_over_a_real_connection_a_day_gives_the_same_figures(
    over: Over, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_TOKEN", "somebody's, who may not edit here")
    tiny = replace(SMALL, articles=8, questions=6, saves=12)
    assert played(tiny, over=over).figures == played(tiny).figures


def test_on_postgresql_a_day_gives_the_same_figures(postgres: Cluster) -> None:
    tiny = replace(SMALL, articles=8, questions=6, saves=12)
    there = Simulation(tiny, [1], db=postgres.new_place()).run(lambda: None)
    assert there.figures == played(tiny).figures


def test_every_retry_is_saved_and_every_repetition_is_a_replay(small: Results) -> None:
    for delay in ("20 s", "15 min", "1 h"):
        name = f"edit after {delay}"
        figures = small.figures
        assert figures[f"{name}: retries saved"] == figures[f"{name}: rejected, moved"]
        assert figures[f"{name}: idempotent replays"] == figures[f"{name}: saved at once"]
        assert figures[f"{name}: sent"] == sum(
            figures[f"{name}: {what}"]
            for what in ("saved at once", "rejected, moved", "rejected, unpublished")
        )


def test_the_title_alone_tells_of_no_change_of_content() -> None:
    figures = played(replace(SMALL, retitled=0, withdrawn=0)).figures
    assert figures["hour 2: stale"] > 0
    assert figures["hour 2: title-only caught"] == 0


def test_a_day_in_which_everything_is_withdrawn_is_played_to_its_end() -> None:
    figures = played(replace(SMALL, retitled=0, withdrawn=100, saves=600, articles=12)).figures
    assert figures["hour 2: stale, gone"] == figures["hour 2: stale"] > 0
    assert figures["hour 2: citations so far"] < 2 * 15 * 5


def test_an_hour_with_more_saves_than_a_page_holds_is_followed_to_its_end() -> None:
    busy = replace(SMALL, saves=700, retitled=0, withdrawn=0)
    assert played(busy).figures["poll: calls"] == 5 * (4 + 4)


def test_more_changes_than_there_are_saves_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="at most 100 together"):
        Shape(retitled=60, withdrawn=41)


def test_a_database_in_which_days_were_played_is_refused(tmp_path_factory: Any) -> None:
    database = str(tmp_path_factory.mktemp("days") / "days.db")
    Simulation(SMALL, [1], db=database).run(lambda: None)
    with pytest.raises(InvalidInputError, match="holds a knowledge base support-day already"):
        Simulation(SMALL, [1], db=database).run(lambda: None)


@dataclass
class Falsified:
    """Tools whose results somebody changes on the way."""

    tools: Tools
    name: str
    change: Callable[[dict[str, Any]], None]

    def call(self, name: str, arguments: Json) -> Reply:
        reply = self.tools.call(name, arguments)
        content = json.loads(json.dumps(reply.content))
        if name == self.name and "error" not in content:
            self.change(content)
        return reply_of(content)


def drop_events(page: dict[str, Any]) -> None:
    page["events"].clear()


def call_all_current(checked: dict[str, Any]) -> None:
    for result in checked["results"]:
        result["verdict"] = "current"


def call_all_intact(checked: dict[str, Any]) -> None:
    for result in checked["results"]:
        if result["verdict"] == "changed":
            result["verdict"] = "intact"


def forget_the_stamp(read: dict[str, Any]) -> None:
    read["updated_at"] = "2026-01-01T00:00:00.000Z"


def forget_the_replay(saved: dict[str, Any]) -> None:
    saved["replayed"] = False


@pytest.mark.parametrize(
    ("tool", "change", "told"),
    [
        ("poll_resource_events", drop_events, "polling: "),
        ("check_citations", call_all_current, "check_citations, stamps: "),
        ("check_citations", call_all_intact, "check_citations, passages: "),
        ("read_knowledge_article", forget_the_stamp, "re-reading: "),
        ("edit_knowledge_article", forget_the_replay, "no replay"),
    ],
)
def test_a_server_that_tells_less_than_the_truth_is_found_out(
    tool: str, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    with open_stage(Over.PROCESS) as stage:
        falsified = replace(stage, tools=Falsified(stage.tools, tool, change))
        scene = scene_of(falsified, Meter())
        with pytest.raises(DisagreementError, match=told):
            list(play(scene, SMALL, [1], lambda: None))
