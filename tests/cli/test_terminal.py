import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Run, write

ESCAPE = "\x1b]0;owned\x07"


def at_a_terminal(folder: Path, *arguments: str, columns: int = 60) -> str:
    """What a person sees at a terminal of so many columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    running = subprocess.Popen(
        [sys.executable, "-m", "pincite", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 65536):
            seen += data
    except OSError:
        pass  # The other end is closed: all is read.
    running.wait()
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def test_a_person_sees_a_table_with_a_heading_and_whole_ids(kb: Run, tmp_path: Path) -> None:
    article_id = "a-very-long-id-" * 6
    kb("article", "new", "kb", article_id, "--title", "T", typed=b"text")
    seen = at_a_terminal(tmp_path, "article", "list", "kb")
    assert "article" in seen.splitlines()[1]
    cells = [line.split() for line in seen.splitlines()[3:]]
    assert "".join(cell[0] for cell in cells if cell) == article_id


def test_a_stamp_stays_on_one_line_to_be_copied(kb: Run, tmp_path: Path) -> None:
    title = "A title that is long enough to want the whole width of the terminal for itself"
    kb("article", "new", "kb", "a", "--publish", "--title", title, typed=b"text")
    (version,) = kb("article", "history", "kb", "a", "--json").json["versions"]
    for command in (["history", "kb", "a"], ["list", "kb"]):
        seen = at_a_terminal(tmp_path, "article", *command)
        assert any(version["updated_at"] in line for line in seen.splitlines())


def test_a_person_sees_a_hit_as_a_paragraph(kb: Run, tmp_path: Path) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"# Leave\n\nAnnual leave.\n")
    seen = at_a_terminal(tmp_path, "search", "kb", "annual")
    lines = seen.split("\n")
    assert lines[1] == "Leave"
    assert lines[2].startswith("a at 20")
    assert lines[3:] == ["Annual leave.", ""]
    assert at_a_terminal(tmp_path, "search", "kb", "nothing") == "Nothing found.\n"


def test_no_text_of_others_reaches_the_terminal_as_control(kb: Run, tmp_path: Path) -> None:
    kb(
        "article",
        "new",
        "kb",
        "a",
        "--publish",
        typed=f"# T{ESCAPE}\n\nAnnual{ESCAPE}\r\n".encode(),
    )
    write(tmp_path / "docs", {f"b{ESCAPE}.png": ""})
    for command in (
        ("article", "list", "kb"),
        ("article", "show", "kb", "a"),
        ("article", "history", "kb", "a"),
        ("search", "kb", "annual"),
        ("import", "docs", "--kb", "kb"),
        ("import", f"no{ESCAPE}", "--kb", "kb"),
    ):
        seen = at_a_terminal(tmp_path, *command, columns=200)
        assert "\ufffd]0;owned\ufffd" in seen.replace("\n", "")
        assert ESCAPE not in seen
    assert ESCAPE not in kb("article", "list", "kb").out


def test_a_question_is_asked_before_what_cannot_be_undone(kb: Run, tmp_path: Path) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"text")
    for command, question in (
        (["article", "delete", "kb", "a"], "Delete a? Its id is never used again. [y/N]: "),
        (["store", "erase", "kb", "a"], "Erase every text of a? This cannot be undone. [y/N]: "),
    ):
        for answer, code in ((b"n\n", 130), (b"", 130)):
            ours, theirs = pty.openpty()
            os.write(ours, answer or b"\x04")
            done = subprocess.run(
                [sys.executable, "-m", "pincite", *command],
                cwd=tmp_path,
                stdin=theirs,
                capture_output=True,
                text=True,
                check=False,
            )
            os.close(ours)
            os.close(theirs)
            assert done.returncode == code
            assert question in done.stderr
    assert kb("article", "show", "kb", "a").out == "text"
    assert kb("article", "delete", "kb", "a", "--yes").code == 0
