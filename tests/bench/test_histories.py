"""The measurement on histories: it reads a repository, and it notices a wrong verdict."""

import json
from pathlib import Path

import pytest

from bench import citing, histories
from pincite.domain.citations import Citation, CitedVersion, Judgement, PresentState, Verdict
from tests.sim.repositories import Repository

DAY = 86_400
GUIDE = """\
---
title: Guide
---
# Guide

First do this, then do that, and never the other way round, whatever they say.

- Wait.
- Wait.

"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one repository: 24 edits in two years, a rename, a withdrawal."""
    repository = Repository(tmp_path / "data" / "handbook")
    repository.write("other.md", "# Other\n\nNothing here.\n")
    for number in range(24):
        steps = "".join(f"- Step {step}.\n" for step in range(number))
        name = "guide.md" if number < 12 else "manual.md"
        if number == 12:
            repository.git("mv", "guide.md", "manual.md")
        if number == 20:
            repository.git("rm", "-q", "other.md")
        repository.write(name, f"{GUIDE}{steps}\nEdited {number} times.\n")
        repository.commit(at=(1_000 + 30 * number) * DAY)
    return tmp_path / "data"


def test_verdicts_on_a_repository_agree_with_brute_force(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert histories.main([str(data), "--cases", "400", "--git", "5"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["cases"] >= 400
    assert (figures["disagreements"], figures["false intact"], figures["look-alikes"]) == (0, 0, 0)
    assert figures["passages"]["30"]["intact"] > 0
    assert figures["merges"]["30 days"]["lost"] == 0


def test_a_judge_that_calls_everything_intact_is_found_out(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lenient(citation: Citation, cited: CitedVersion, present: PresentState) -> Judgement:
        return Judgement(Verdict.INTACT)

    monkeypatch.setattr(citing, "judge", lenient)
    monkeypatch.setattr(citing, "check_twins", lambda *_: None)
    assert histories.main([str(data), "--cases", "400", "--git", "0"]) == 1
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["disagreements"] == figures["cases"]
    assert 0 < figures["false intact"] < figures["cases"]


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refusal:
        histories.main([str(tmp_path)])
    assert refusal.value.code == 2
