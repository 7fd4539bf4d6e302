import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.domain.events import Resource
from pincite.domain.ids import KnowledgeBaseId
from pincite.storage import open_store
from tests.cli.conftest import Run, write

LOG = Resource.of(KnowledgeBaseId("kb"))

OLD, FILE = "one\n\ntwo\n\nthree\n", "one\n\ntwo\n\nthree, says the file\n"


def edit(kb: Run, article: str, content: str) -> None:
    stamp = kb("article", "show", "kb", article, "--json").json["updated_at"]
    command = ("article", "edit", "kb", article, "-", "--expected-version", stamp)
    assert kb(*command, typed=content.encode()).code == 0


def test_the_report_names_all_that_people_should_look_at(kb: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": OLD, "clash.md": OLD, "gone.md": "x", "b.md": "b"})
    assert kb("import", folder, "--kb", "kb", "--publish").out == "Done: 4 new.\n"
    edit(kb, "a", "one, says a person\n\ntwo\n\nthree\n")
    edit(kb, "clash", "one\n\ntwo\n\nthree, says a person\n")
    (folder / "gone.md").unlink()
    write(folder, {"a.md": FILE, "clash.md": FILE, "img.png": "", "bad.md": "---\nt: a: b\n---\nx"})
    write(folder, {"b.md": "[x](nowhere.md)"})
    told = (
        "conflict clash.md: the article was changed here and in the file, in the same places\n"
        "merged a.md\n"
        "removed gone.md: the file is gone, the article stays\n"
        "skipped img.png: not a Markdown file; left out for now\n"
        "repaired bad.md: front matter is no valid YAML (line 2: mapping values are not allowed "
        "here); its lines were read one by one\n"
        "unresolved link in b.md: nowhere.md\n"
    )
    counted = (
        "1 changed, 1 conflict, 1 merged, 1 new, 1 removed, 1 skipped, 1 repaired, "
        "1 unresolved link.\n"
    )
    dry = kb("import", folder, "--kb", "kb", "--publish", "--dry-run")
    assert (dry.code, dry.out) == (1, f"{told}Would be (nothing was written): {counted}")
    assert kb("article", "show", "kb", "bad").code == 1
    done = kb("import", folder, "--kb", "kb", "--publish")
    assert (done.code, done.out) == (1, f"{told}Done: {counted}")


def test_the_report_for_programs_holds_every_path_once(kb: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": "[x](y.md)", "empty.md": "", "b/c.md": "c"})
    report = kb("import", folder, "--kb", "kb", "--publish", "--json").json
    assert report == {
        "dry_run": False,
        "counts": {"new": 2},
        "articles": [
            {"path": "a.md", "article_id": "a", "status": "new", "message": ""},
            {"path": "b/c.md", "article_id": "b/c", "status": "new", "message": ""},
        ],
        "skipped": [{"path": "empty.md", "message": "content must not be empty."}],
        "repaired": [],
        "unresolved_links": [{"path": "a.md", "message": "y.md"}],
    }


def test_a_repaired_file_and_a_skipped_one_do_not_fail_the_command(kb: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"bad.md": "---\nt: a: b\n---\nx", "x.png": "", "e.md": ""})
    assert kb("import", folder, "--kb", "kb").code == 0


def test_an_empty_folder_imports_nothing(kb: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    assert kb("import", "docs", "--kb", "kb").out == "Done: nothing to import.\n"


def test_a_folder_or_a_knowledge_base_that_is_not_there_is_refused_by_name(
    kb: Run, tmp_path: Path
) -> None:
    ran = kb("import", "none", "--kb", "kb")
    assert ran.err == "Error: none cannot be read as a folder: No such file or directory.\n"
    (tmp_path / "docs").mkdir()
    ran = kb("import", "docs", "--kb", "other")
    assert ran.err == (
        "Error: There is no knowledge base other. Make it with: pincite init --kb other\n"
    )
    assert (ran.code, kb("import", "docs", "--kb", "").code) == (1, 1)


@pytest.mark.spec("TEXT-1")
def test_a_folder_comes_back_byte_for_byte(kb: Run, tmp_path: Path) -> None:
    files = {"a.md": "---\r\ntitle: T\r\n---\r\nx  \r\n", "s/b c.md": "\ufeff# B", "d.mdx": "<T/>"}
    folder = write(tmp_path / "docs", files)
    kb("import", folder, "--kb", "kb", "--publish")
    assert kb("export", "out", "--kb", "kb").out == "3 files written to out.\n"
    for name, text in files.items():
        assert (tmp_path / "out" / name).read_bytes() == text.encode()
    assert kb("export", "out", "--kb", "kb").out == "0 files written to out, 3 unchanged.\n"


def test_an_export_says_what_it_leaves_out_and_what_it_does_not_write_over(
    kb: Run, tmp_path: Path
) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"# A\n")
    kb("article", "new", "kb", "b", typed=b"# B\n")
    write(tmp_path / "out", {"a.md": "mine"})
    ran = kb("export", "out", "--kb", "kb")
    assert (ran.code, ran.out) == (
        1,
        (
            "not written a.md: there is another file of this name; --replace writes over it\n"
            "0 files written to out, 1 draft left out (--drafts exports them).\n"
        ),
    )
    ran = kb("export", "out", "--kb", "kb", "--drafts", "--replace", "--json")
    assert ran.json == {
        "written": ["a.md", "b.md"],
        "unchanged": [],
        "refused": [],
        "drafts_left_out": [],
    }
    assert (tmp_path / "out/b.md").read_bytes() == b"# B\n"


@pytest.mark.spec("FT-1", "CAS-5")
def test_an_import_that_is_killed_and_run_again_ends_as_if_it_had_not_been(
    kb: Run, tmp_path: Path
) -> None:
    files = {f"{number:03}.md": f"# Article {number}\n\n{'word ' * 200}\n" for number in range(400)}
    folder = write(tmp_path / "docs", files)
    arguments = ["import", str(folder), "--kb", "kb", "--publish"]
    store = open_store(str(tmp_path / "pincite.db"))
    for enough in (1, 100):
        importing = subprocess.Popen(
            [sys.executable, "-m", "pincite", *arguments], stdout=subprocess.PIPE
        )
        while importing.poll() is None and store.head(LOG) < enough:
            pass
        os.kill(importing.pid, signal.SIGKILL)
        importing.communicate()
        assert importing.returncode == -signal.SIGKILL
    store.close()
    assert kb("doctor").code == 0
    written = kb("poll", "knowledge_base", "kb", "--json").json["latest_sequence"]
    assert 100 <= written < 400
    counts = kb(*arguments, "--json").json["counts"]
    assert counts == {"new": 400 - written, "unchanged": written}
    assert kb(*arguments, "--json").json["counts"] == {"unchanged": 400}
    page = kb("poll", "knowledge_base", "kb", "--json").json
    assert page["latest_sequence"] == 400
    assert kb("export", "out", "--kb", "kb").code == 0
    for name, text in files.items():
        assert (tmp_path / "out" / name).read_text() == text
