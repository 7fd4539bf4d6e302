import subprocess
import sys
from pathlib import Path

from pincite import __version__
from pincite.cli.main import pincite
from tests.cli.conftest import Run

COMMANDS = [
    *("init", "serve", "connect", "import", "export", "article", "search", "poll", "token"),
    *("backup", "restore", "doctor", "store", "simulate", "replay"),
]


def test_the_version_is_the_packages(run: Run) -> None:
    assert run("--version").out == f"pincite {__version__}\n"


def test_the_commands_have_the_names_that_scripts_rely_on(run: Run) -> None:
    assert set(COMMANDS) <= set(pincite.commands)
    shown = run("--help")
    assert shown.code == 0
    for name in pincite.commands:
        assert f"  {name} " in shown.out
        assert run(name, "--help").code == 0


def test_no_list_of_commands_cuts_a_summary_short(run: Run) -> None:
    groups = [[], *([name] for name in ("article", "ledger", "token", "store"))]
    for group in groups:
        commands = run(*group, "--help").out.partition("Commands:\n")[2]
        assert commands
        assert "..." not in commands


def test_wrong_usage_exits_with_2_and_says_how_it_is_called(run: Run) -> None:
    for arguments in (["nope"], ["search", "kb"], ["serve"], ["import", "."], ["--nope"], []):
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "Usage: pincite" in ran.err


def test_wrong_usage_is_told_to_programs_as_json(run: Run) -> None:
    ran = run("search", "kb", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.error == {
        "code": "wrong_usage",
        "message": "Missing argument 'QUERY'.",
        "retryable": False,
        "details": {},
    }


def test_a_refusal_is_one_sentence_on_standard_error_and_exits_with_1(run: Run) -> None:
    ran = run("search", "kb", "words")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "Error: There is no database at pincite.db. Make one with: pincite init --db pincite.db\n"
    )


def test_a_refusal_is_told_to_programs_as_the_tools_tell_it(kb: Run) -> None:
    ran = kb("search", "kb", "x", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.error == {
        "code": "invalid_input",
        "message": "query must have 2–200 characters; it has 1.",
        "retryable": False,
        "details": {"field": "query", "limit": "2–200 characters"},
    }


def test_what_nobody_foresaw_is_told_without_a_traceback(run: Run) -> None:
    ran = run("--db", "a\x00b", "doctor")
    assert ran.code == 1
    assert ran.err.startswith("Error: ")
    assert "Traceback" not in ran.err


def test_the_database_may_be_named_before_and_behind_the_command_and_outside(
    run: Run, tmp_path: Path
) -> None:
    assert run("--db", "one.db", "init").code == 0
    assert run("init", "--db", "two.db").code == 0
    assert (
        run("--db", "one.db", "doctor", "--db", "two.db", "--json")
        .json["store"]["place"]
        .endswith("two.db")
    )
    assert (tmp_path / "one.db").exists()


def test_a_reader_that_has_seen_enough_makes_no_noise(tmp_path: Path) -> None:
    command = f"{sys.executable} -m pincite --help | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.stderr == b""


def test_starting_imports_only_what_the_command_needs(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pincite.cli.main import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n"
        "    print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'apsw', 'mcp', 'psycopg', 'rich', 'markdown_it', 'ruamel', 'starlette', 'pydantic'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1:] == ["[]"]
