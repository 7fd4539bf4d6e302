import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run

OLD, MINE = "one\n\ntwo\n\nthree\n", "one\n\ntwo\n\nthree, says mine\n"
THEIRS, BOTH = "one, says theirs\n\ntwo\n\nthree\n", "one, says theirs\n\ntwo\n\nthree, says mine\n"


@pytest.fixture
def stamp(kb: Run) -> str:
    """The stamp of the article ``a``, published with the text ``OLD``."""
    made = kb(
        "article", "new", "kb", "a", "--title", "T", "--publish", "--json", typed=OLD.encode()
    )
    assert made.json["status"] == "saved"
    return str(made.json["updated_at"])


def shown(kb: Run, *more: str) -> dict[str, object]:
    return dict(kb("article", "show", "kb", "a", "--json", *more).json)


def edit(kb: Run, stamp: str, content: str, *more: str) -> Ran:
    command = ("article", "edit", "kb", "a", "-", "--expected-version", stamp, *more)
    return kb(*command, typed=content.encode())


@pytest.mark.spec("TEXT-1")
def test_content_comes_from_a_file_or_a_pipe_and_goes_out_byte_for_byte(
    kb: Run, tmp_path: Path
) -> None:
    text = "\ufeffline  \r\n\r\n🙂 no end"
    (tmp_path / "in.md").write_bytes(text.encode())
    kb("article", "new", "kb", "file", "in.md")
    kb("article", "new", "kb", "dash", "-", typed=text.encode())
    kb("article", "new", "kb", "pipe", typed=text.encode())
    for article in ("file", "dash", "pipe"):
        assert kb("article", "show", "kb", article).out == text


@pytest.mark.parametrize(
    ("arguments", "typed", "title"),
    [
        (["--title", "Given"], b"# Heading\n", "Given"),
        ([], b"# Heading\n", "Heading"),
        ([], b"text", "annual"),
    ],
)
def test_a_new_article_is_called_as_told_or_by_its_heading_or_its_id(
    kb: Run, arguments: list[str], typed: bytes, title: str
) -> None:
    assert kb("article", "new", "kb", "leave/annual", *arguments, typed=typed).out == (
        "leave/annual: draft\n"
    )
    listed = kb("article", "list", "kb", "--json").json["articles"]
    assert listed == [
        {
            "article_id": "leave/annual",
            "title": title,
            "state": "draft",
            "updated_at": None,
            "has_draft": True,
        }
    ]


def test_an_id_is_never_used_twice(kb: Run, stamp: str) -> None:
    ran = kb("article", "new", "kb", "a", "--json", typed=b"again")
    assert ran.error["code"] == "invalid_input"
    assert shown(kb)["content"] == OLD


def test_an_edit_is_saved_under_the_version_that_it_names(kb: Run, stamp: str) -> None:
    ran = edit(kb, stamp, MINE, "--title", "New", "--note", "because", "--json")
    assert ran.json["sequence"] == 2
    assert (shown(kb)["title"], shown(kb)["content"]) == ("New", MINE)
    assert shown(kb, "--version", stamp)["content"] == OLD
    versions = kb("article", "history", "kb", "a", "--json").json["versions"]
    assert [(one["note"], one["by"], one["title"]) for one in versions] == [
        ("because", "local/local", "New"),
        (None, "local/local", "T"),
    ]
    assert versions[1]["updated_at"] == stamp


@pytest.mark.spec("CAS-5")
def test_an_edit_takes_the_version_that_it_was_made_from(kb: Run, stamp: str) -> None:
    assert kb("article", "edit", "kb", "a", "-", typed=b"x").code == 2
    for wrong, told in (("yesterday", "--expected-version must be"), ("2020-01-01T00:00:00Z", "")):
        ran = edit(kb, wrong, "x")
        assert ran.code == 1
        assert told in ran.err
    assert shown(kb)["content"] == OLD


@pytest.mark.spec("CAS-5")
def test_a_conflict_shows_what_changed_and_how_to_save_the_merge(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS)
    ran = edit(kb, stamp, MINE)
    assert (ran.code, ran.out) == (1, "")
    present = str(shown(kb)["updated_at"])
    assert f"You name the version {stamp}; the present one is {present}.\n" in ran.err
    assert "-one\n+one, says theirs\n" in ran.err
    assert ran.err.endswith(
        "The two changes do not touch: run it again with --merge to save both.\n"
    )
    assert shown(kb)["content"] == THEIRS
    told = edit(kb, stamp, MINE, "--json").error
    assert told["code"] == "version_conflict"
    assert told["details"]["merged"] == BOTH
    assert edit(kb, stamp, MINE, "--merge").code == 0
    assert shown(kb)["content"] == BOTH


@pytest.mark.spec("CAS-5")
def test_changes_that_touch_are_not_merged_even_when_asked(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS)
    ran = edit(kb, stamp, "one, says mine\n\ntwo\n\nthree\n", "--merge")
    assert ran.code == 1
    assert "--merge" not in ran.err
    assert shown(kb)["content"] == THEIRS


def test_a_draft_is_saved_beside_the_published_text_and_published(kb: Run, stamp: str) -> None:
    assert edit(kb, stamp, MINE, "--draft").out == "a: draft\n"
    assert shown(kb)["content"] == OLD
    draft = shown(kb, "--draft")
    assert (draft["state"], draft["content"], draft["title"]) == ("draft", MINE, "T")
    assert "a\tT\tpublished, draft ahead\t" in kb("article", "list", "kb").out
    assert edit(kb, stamp, "later", "--draft").code == 1
    assert edit(kb, str(draft["updated_at"]), "later", "--draft").code == 0
    assert kb("article", "publish", "kb", "a", "--note", "done").code == 0
    assert (shown(kb)["content"], shown(kb)["state"]) == ("later", "published")
    assert kb("article", "show", "kb", "a", "--draft").err == (
        "Error: This article has no draft: it is published.\n"
    )


def test_a_draft_starts_from_the_version_that_is_published_now(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS)
    ran = edit(kb, stamp, MINE, "--draft", "--json")
    assert ran.error["code"] == "version_conflict"
    assert ran.error["details"]["expected"] == stamp


def conflict_of(named: str, present: str) -> str:
    """What a person reads under the refusal of ``MINE``, where ``THEIRS`` was saved first."""
    return (
        f"You name the version {named}; the present one is {present}.\n"
        "What changed since the version that you name:\n"
        "--- expected\n+++ current\n@@ -1,4 +1,4 @@\n-one\n+one, says theirs\n \n two\n \n\n"
        "The two changes do not touch: run it again with --merge to save both.\n"
    )


@pytest.mark.spec("CAS-4")
def test_a_draft_of_an_older_version_shows_what_was_published_since(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS)
    present = str(shown(kb)["updated_at"])
    assert edit(kb, stamp, MINE, "--draft").err == (
        "Error: This article is not at the version that the draft starts from.\n"
        + conflict_of(stamp, present)
    )
    assert edit(kb, stamp, MINE, "--draft", "--merge").out == "a: draft\n"
    assert shown(kb, "--draft")["content"] == BOTH
    assert kb("article", "publish", "kb", "a").code == 0
    assert shown(kb)["content"] == BOTH


@pytest.mark.spec("CAS-4")
def test_a_draft_beside_another_shows_what_the_other_changed(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS, "--draft")
    present = str(shown(kb, "--draft")["updated_at"])
    assert edit(kb, stamp, MINE, "--draft").err == (
        "Error: This draft is not at the version that the write names.\n"
        + conflict_of(stamp, present)
    )
    assert shown(kb, "--draft")["content"] == THEIRS
    assert edit(kb, stamp, MINE, "--draft", "--merge", "--json").json["status"] == "draft"
    assert shown(kb, "--draft")["content"] == BOTH
    # The draft that this names was replaced, and earlier drafts are not kept.
    assert edit(kb, present, MINE, "--draft", "--merge").err.splitlines() == [
        "Error: This draft is not at the version that the write names.",
        f"You name the version {present}; the present one is {shown(kb, '--draft')['updated_at']}.",
    ]
    assert shown(kb, "--draft")["content"] == BOTH


@pytest.mark.spec("CAS-4")
def test_drafts_that_touch_are_not_merged_even_when_asked(kb: Run, stamp: str) -> None:
    edit(kb, stamp, THEIRS, "--draft")
    ran = edit(kb, stamp, "one, says mine\n\ntwo\n\nthree\n", "--draft", "--merge")
    assert (ran.code, "--merge" in ran.err) == (1, False)
    assert shown(kb, "--draft")["content"] == THEIRS


def test_a_draft_that_was_never_published_is_edited_with_draft_only(kb: Run) -> None:
    kb("article", "new", "kb", "a", typed=b"text")
    stamp = str(shown(kb)["updated_at"])
    ran = edit(kb, stamp, "new text")
    assert ran.err == "Error: This article is still a draft: edit it with --draft.\n"
    assert edit(kb, stamp, "new text", "--draft").code == 0
    assert shown(kb)["content"] == "new text"


def test_an_article_goes_through_its_life(kb: Run, stamp: str) -> None:
    for wrong in ("publish", "withdraw", "delete"):
        ran = kb("article", wrong, "kb", "a", "--expected-version", "2020-01-01T00:00:00Z")
        assert ran.code == 1
    assert kb("article", "withdraw", "kb", "a", "--json").json["sequence"] == 2
    assert shown(kb)["state"] == "withdrawn"
    assert kb("search", "kb", "one", "--json").json["results"] == []
    assert kb("article", "withdraw", "kb", "a", "--json").error["code"] == "gone"
    assert kb("article", "publish", "kb", "a", "--json").json["sequence"] == 3
    assert kb("article", "delete", "kb", "a").out.startswith("a: deleted at ")
    assert kb("article", "show", "kb", "a").err == (
        "Error: This article has no text: it is deleted.\n"
    )
    assert (
        kb("article", "list", "kb", "--state", "deleted", "--json").json["articles"][0][
            "article_id"
        ]
        == "a"
    )
    assert kb("article", "list", "kb", "--state", "published").out == ""


def test_what_is_not_there_is_not_found(kb: Run) -> None:
    for command in ("show", "publish", "withdraw", "delete", "history"):
        assert kb("article", command, "kb", "none", "--json").error["code"] == "not_found"
        assert kb("article", command, "none", "a", "--json").error["code"] == "not_found"


def test_bad_content_is_refused_by_name_and_limit(kb: Run, tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "empty.md").touch()
    for file, typed, told in (
        ("latin.md", b"", "latin.md is not UTF-8: byte 3 is 0xe9."),
        ("none.md", b"", "none.md cannot be read: No such file or directory."),
        (".", b"", ". cannot be read: Is a directory."),
        ("-", b"\xff", "standard input is not UTF-8: byte 0 is 0xff."),
        ("-", b"", "There is no content on standard input. Name a FILE, or pipe the content in."),
        ("empty.md", b"", "content must not be empty."),
        ("-", b"a\x00", "content must not hold NUL or a lone surrogate."),
        ("-", b"x" * (1024 * 1024 + 1), "content has 1048577 bytes; the limit is 1048576."),
    ):
        ran = kb("article", "new", "kb", "a", file, typed=typed)
        assert (ran.code, ran.err) == (1, f"Error: {told}\n")
    assert kb("article", "list", "kb").out == ""


def test_content_that_is_missing_is_asked_for_with_all_ways_to_give_it(kb: Run, stamp: str) -> None:
    for command in (("new", "kb", "b"), ("edit", "kb", "a", "--expected-version", stamp)):
        assert kb("article", *command).err == (
            "Error: There is no content on standard input. Name a FILE, pipe the content in, "
            "or call this at a terminal: it opens your editor.\n"
        )
    assert shown(kb)["content"] == OLD


def test_a_token_narrows_what_the_command_may_do(
    kb: Run, stamp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = kb("token", "create", "reader", "--grant", "kb:read", "--json").json["token"]
    monkeypatch.setenv("PINCITE_TOKEN", secret)
    assert kb("article", "show", "kb", "a").out == OLD
    assert kb("article", "show", "kb", "a", "--draft", "--json").error["code"] == "denied"
    assert edit(kb, stamp, "x", "--json").error["code"] == "denied"
    monkeypatch.setenv("PINCITE_TOKEN", "guessed")
    assert kb("article", "show", "kb", "a", "--json").error["code"] == "unauthenticated"


def at_a_terminal(arguments: list[str], folder: Path, editor: str) -> tuple[int, str]:
    """Runs the command with a terminal for its input; returns its exit code and its errors."""
    script = folder / "editor.py"
    script.write_text(editor)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    done = subprocess.run(
        [sys.executable, "-m", "pincite", *arguments],
        stdin=theirs,
        capture_output=True,
        cwd=folder,
        env=environment,
        text=True,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    return done.returncode, done.stderr


APPEND = "import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
APPEND += "path.write_bytes(path.read_bytes() + b'four')\n"


def test_an_editor_begins_with_the_version_named_and_saves_its_bytes(
    kb: Run, stamp: str, tmp_path: Path
) -> None:
    command = ["article", "edit", "kb", "a", "--expected-version", stamp]
    assert at_a_terminal(command, tmp_path, APPEND) == (0, "")
    assert shown(kb)["content"] == OLD + "four"


def test_a_refusal_loses_nothing_that_was_typed(kb: Run, stamp: str, tmp_path: Path) -> None:
    edit(kb, stamp, "one\n\ntwo\n\nthree, says theirs\n")
    command = ["article", "edit", "kb", "a", "--expected-version", stamp]
    code, told = at_a_terminal(command, tmp_path, APPEND)
    assert code == 1
    kept = Path(told.partition("Your text is kept in ")[2].partition(".md")[0] + ".md")
    assert kept.read_text() == OLD + "four"
    kept.unlink()
