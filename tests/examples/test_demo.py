"""The demo shows what it promises, and two of them leave each other alone."""

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Starts a demo that keeps what it makes below ``folder``."""
    return subprocess.Popen(
        [sys.executable, str(DEMO), *arguments],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_demos_at_once_both_reach_their_end_and_leave_nothing(tmp_path: Path) -> None:
    demos = [start(tmp_path, "--once") for _ in range(2)]
    for demo in demos:
        out, err = demo.communicate()
        assert demo.returncode == 0, err
        assert "both edits stand: True" in out
    assert list(tmp_path.iterdir()) == []


def test_a_demo_whose_port_is_taken_says_so_before_it_does_anything(tmp_path: Path) -> None:
    with socket.socket() as taken:
        with contextlib.suppress(OSError):  # taken by somebody else is as good
            taken.bind(("127.0.0.1", 8420))
            taken.listen()
        out, err = start(tmp_path).communicate()
    assert out == ""
    assert err.startswith("The demo cannot serve at 127.0.0.1:8420 (Address already in use): ")
    assert list(tmp_path.iterdir()) == []
