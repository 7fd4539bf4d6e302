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


@pytest.mark.parametrize("name", ["import-markdown"])
def test_the_commands_of_a_guide_work_in_their_order(name: str, tmp_path: Path) -> None:
    guide = (REPOSITORY / f"docs/howto/{name}.md").read_text(encoding="utf-8")
    lines = re.findall(
        r"^pincite .+$", "\n".join(re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)), re.MULTILINE
    )
    assert len(lines) == 6
    write(tmp_path / "docs", {"a.md": "# A\n", "b/c d.md": "---\ndraft: true\n---\ntext"})
    script = "\n".join(["set -e", f'pincite() {{ "{sys.executable}" -m pincite "$@"; }}', *lines])
    environment = {name: value for name, value in os.environ.items() if "PINCITE" not in name}
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "The knowledge base handbook in pincite.db is ready.",
        "Would be (nothing was written): 2 new.",
        "Done: 2 new.",
        "Done: 2 unchanged.",
        "0 files written to docs, 1 unchanged, 1 draft left out (--drafts exports them).",
        "0 files written to docs, 1 unchanged, 1 draft left out (--drafts exports them).",
    ]
