"""The example agent, on a real database and over a real connection."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIRST = "Write to us within 30 days of the delivery."
QUESTION = "how long can I send it back"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def pincite(database: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run("-m", "pincite", "--db", database, *arguments)


def test_the_agent_answers_with_a_passage_and_later_says_that_it_changed(tmp_path: Path) -> None:
    database, ledger, folder = tmp_path / "p.db", tmp_path / "ledger.db", tmp_path / "texts"
    folder.mkdir()
    (folder / "returns.md").write_text(f"# Send it back\n\nGladly.\n\n{FIRST}\n")
    pincite(database, "init", "--kb", "acorn", "--title", "Acornby support")
    assert pincite(database, "import", folder, "--kb", "acorn", "--publish").returncode == 0
    agent = ROOT / "examples/agent.py"
    assert run(agent, database, QUESTION, ledger).stdout == f"{FIRST}\n"
    fresh = pincite(database, "ledger", "check", ledger)
    assert (fresh.returncode, fresh.stdout) == (
        0,
        "1 answer, 1 different citation; 0 with a new verdict.\n",
    )
    (folder / "returns.md").write_text(f"# Send it back\n\nWith pleasure.\n\n{FIRST}\n")
    pincite(database, "import", folder, "--kb", "acorn", "--publish")
    elsewhere = pincite(database, "ledger", "check", ledger)
    assert (elsewhere.returncode, "intact" in elsewhere.stdout) == (0, True)
    (folder / "returns.md").write_text("# Send it back\n\nGladly.\n\nWrite within 45 days.\n")
    pincite(database, "import", folder, "--kb", "acorn", "--publish")
    checked = pincite(database, "ledger", "check", ledger, "--json")
    assert checked.returncode == 1
    told = json.loads(checked.stdout)
    assert [one["after"] for one in told["moved"]] == ["changed"]
    assert [(one["question"], one["verdict"]) for one in told["stale"]] == [(QUESTION, "changed")]
    again = run(agent, database, QUESTION, ledger).stdout.splitlines()
    assert again == [f"No longer certain (changed): {QUESTION}", "Write within 45 days."]


def test_the_demonstration_runs_to_its_end() -> None:
    shown = run(ROOT / "examples/demo.py", "--once")
    assert shown.returncode == 0, shown.stderr
    for line in (
        "44: article.updated returns/refund-policy",
        "changed: “You have 30 days",
        "intact: “The refund is made",
        "version_conflict:",
        "replayed True",
        "both edits stand: True",
        "claude mcp add",
    ):
        assert line in shown.stdout
    assert shown.stdout.count("Open http://127.0.0.1:") == 1
