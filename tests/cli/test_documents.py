"""The pages about the command line are true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.cli.reference import page
from tests.cli.conftest import write

REPOSITORY = Path(__file__).parents[2]


def test_the_reference_is_what_the_commands_say() -> None:
    kept = (REPOSITORY / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert kept == page(), "run: python -m pincite.cli.reference > docs/reference/cli.md"


def ran_by_the_shell(lines: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs lines of a page one after another in a folder, until one fails."""
    python = f'python() {{ "{sys.executable}" "$@"; }}'
    script = "\n".join(["set -e", python, 'pincite() { python -m pincite "$@"; }', *lines])
    environment = {name: value for name, value in os.environ.items() if "PINCITE" not in name}
    return subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["import-markdown"])
def test_the_commands_of_a_guide_work_in_their_order(name: str, tmp_path: Path) -> None:
    guide = (REPOSITORY / f"docs/howto/{name}.md").read_text(encoding="utf-8")
    lines = re.findall(
        r"^pincite .+$", "\n".join(re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)), re.MULTILINE
    )
    assert len(lines) == 6
    write(tmp_path / "docs", {"a.md": "# A\n", "b/c d.md": "---\ndraft: true\n---\ntext"})
    done = ran_by_the_shell(lines, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "The knowledge base handbook in pincite.db is ready.",
        "Would be (nothing was written): 2 new.",
        "Done: 2 new.",
        "Done: 2 unchanged.",
        "0 files written to docs, 1 unchanged, 1 draft left out (--drafts exports them).",
        "0 files written to docs, 1 unchanged, 1 draft left out (--drafts exports them).",
    ]


def test_what_a_team_is_told_to_run_works_in_its_order(tmp_path: Path) -> None:
    for name in ("lib/pincite", "backups/pincite"):
        (tmp_path / name).mkdir(parents=True)
    guide = (REPOSITORY / "docs/howto/run-for-a-team.md").read_text(encoding="utf-8")
    here = guide.replace("/var/", f"{tmp_path}/")
    lines = re.findall(r"^\$ (.+)$", here, re.MULTILINE)
    nightly, weekly = re.findall(r"^\d+ \d+ \* \* [*\d] pincite (.+)$", here, re.MULTILINE)
    done = ran_by_the_shell([*lines, nightly.replace("\\%", "%"), weekly], tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stdout.replace(str(tmp_path), "")
    assert told.startswith("The knowledge base handbook in /lib/pincite/team.db is ready.\n")
    for line in (
        "support-bot\thandbook:read\tdirect\t",
        "The backup is in /backups/pincite/2026-01-31.db.\n",
        "The database /lib/pincite/trial.db is restored.\n",
        "All agrees.\nhandbook\tOur handbook\ten\t0\t",
        "the one before is kept as /lib/pincite/team.db.replaced-1.\n",
        "The database has the present form, ",
    ):
        assert line in told
    assert told.endswith("All agrees.\nDropped: 0 receipts.\n")
    assert len(list((tmp_path / "backups/pincite").iterdir())) == 3


def test_the_first_hour_goes_as_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    tutorial = (REPOSITORY / "docs/tutorial/first-hour.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ (.+)$", tutorial, re.MULTILINE)
    assert lines[:2] == ["make setup", 'export PATH="$PWD/.venv/bin:$PATH"']
    article = "acorn returns/refund-policy"
    edit = f"pincite article edit {article} --expected-version STAMP"
    typed = f"pincite article show {article} | sed 's/30 days/45 days/' | {edit}"
    check = "pincite ledger check ledger.db"
    assert {edit, check} < set(lines)
    told = {edit: typed, check: f"{check} || test $? = 1"}
    script = "\n".join([*(told.get(line, line) for line in lines[2:]), check])
    for name, which in (("STAMP", 1), ("NEW", 1), ("OLD", 2)):
        stamp = f"$(pincite article history {article} | cut -f1 | sed -n {which}p)"
        script = script.replace(name, stamp)
    done = ran_by_the_shell([script], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "The knowledge base acorn in pincite.db is ready.\nskipped images/"
    )
    parts = (
        "Done: 44 new, 1 skipped.\n",
        "returns/refund-policy\tRefund policy\t",
        "claude mcp add pincite -- ",
        "\nYou have 30 days from the day of delivery",
        " (event 44)\n1 answer, 1 different citation; 1 with a new verdict.\n",
        "\tchanged\treturns/refund-policy\t",
        "\n-You have 30 days from the day",
        " (event 45)\n",
        " (event 47)\n",
        "The backup is in acorn-backup.db.\n",
        "All agrees.\n1 answer, 1 different citation; 1 with a new verdict.\n",
        "\tintact\treturns/refund-policy\t",
    )
    place = 0
    for part in parts:
        place = done.stdout.find(part, place)
        assert place > 0, part
