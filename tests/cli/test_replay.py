import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.sim.repositories import Repository

SENTENCE = "A sentence of more than sixty characters, which is what a citation takes to rest on.\n"


def test_a_replay_writes_figures_tables_and_a_page(run: Run, tmp_path: Path) -> None:
    made = Repository(tmp_path / "handbook")
    for day in range(3):
        made.write("docs/page.md", f"# A page\n\n{SENTENCE}\nDay {day}.\n")
        made.write("other/page.md", f"# Not this one, on day {day}\n")
        made.commit(1_700_000_000 + day * 86_400)
    paths = [tmp_path / name for name in ("replay.json", "replay.csv", "replay.html")]
    options = zip(("--json", "--csv", "--report"), map(str, paths), strict=True)
    ran = run(
        *("replay", str(made.folder), "--folder", "docs", "--reads", "20", "--seed", "4"),
        *(word for pair in options for word in pair),
    )
    assert ran.code == 0, ran.err
    figures = json.loads(paths[0].read_text())["figures"]
    assert (figures["publications"], figures["articles"], figures["texts saved"]) == (3, 1, 2)
    assert figures["uniform, after 1 d: intact"] == figures["uniform, after 1 d: looked at"] > 0
    assert "What became of a citation: every article read as often" in paths[1].read_text()
    assert "<h1>A real history replayed: handbook</h1>" in paths[2].read_text()
    assert "\npublications\t3\t" in ran.out


def test_what_is_no_repository_is_refused(run: Run, tmp_path: Path) -> None:
    ran = run("replay", str(tmp_path))
    assert ran.code == 1
    assert "not a git repository" in ran.err
    assert run("replay", str(tmp_path / "nowhere")).code == 2
