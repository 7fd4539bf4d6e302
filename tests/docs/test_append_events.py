from pathlib import Path

import pytest

from pincite.cli.main import pincite
from tests.house.documents import code_blocks

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs/howto/append-events.md"


def test_the_example_appends_once_and_the_log_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pincite(["init"], standalone_mode=False)
    capsys.readouterr()
    [example] = [text for page, _, text in code_blocks(REPOSITORY, "python") if page == PAGE]
    for _ in range(2):
        exec(compile(example, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == "1 False\n1 True\n"
    pincite(["poll", "channel", "announcements", "--after", "0"], standalone_mode=False)
    told = capsys.readouterr().out
    assert "message.posted" in told
    assert "We close at four today." in told
