"""Runs the command as the shell does, in this process."""

import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pincite.cli.main import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its result, for programs."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """Its refusal, for programs."""
        return json.loads(self.err)["error"]


Run: TypeAlias = Callable[..., Ran]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Runs ``pincite`` with arguments in a folder of its own; ``typed`` is piped into it."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PINCITE_"):
            monkeypatch.delenv(name)

    def command(*arguments: str | Path, typed: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, out.decode(), err.decode())

    return command


@pytest.fixture
def kb(run: Run) -> Run:
    """The same, where ``pincite.db`` holds the empty knowledge base ``kb``."""
    assert run("init", "--kb", "kb").code == 0
    return run


def write(folder: Path, files: dict[str, str]) -> Path:
    """Fills a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder
