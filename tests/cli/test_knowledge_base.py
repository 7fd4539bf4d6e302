import pytest

from tests.cli.conftest import Run


def test_knowledge_bases_are_listed_with_what_they_hold(kb: Run) -> None:
    kb("init", "--kb", "handbook", "--title", "Our handbook", "--language", "de")
    kb("article", "new", "handbook", "a", "--publish", typed=b"text")
    kb("article", "new", "handbook", "b", typed=b"draft")
    assert kb("kb", "list").out == (
        "handbook\tOur handbook\tde\t1\t1\topen\nkb\tkb\ten\t0\t0\topen\n"
    )
    grants = ["read", "propose", "edit", "publish", "admin"]
    assert kb("kb", "list", "--json").json == {
        "knowledge_bases": [
            {
                "knowledge_base_id": "handbook",
                "title": "Our handbook",
                "language": "de",
                "grants": grants,
                "article_count": 1,
                "latest_sequence": 1,
                "sealed": False,
            },
            {
                "knowledge_base_id": "kb",
                "title": "kb",
                "language": "en",
                "grants": grants,
                "article_count": 0,
                "latest_sequence": 0,
                "sealed": False,
            },
        ]
    }


def test_a_token_lists_what_it_is_granted_and_renames_nothing(
    kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb("init", "--kb", "handbook")
    secret = kb("token", "create", "agent", "--grant", "handbook:edit", "--json").json["token"]
    monkeypatch.setenv("PINCITE_TOKEN", secret)
    assert kb("kb", "list").out == "handbook\thandbook\ten\t0\t0\topen\n"
    assert kb("kb", "rename", "handbook", "Mine", "--json").error["code"] == "denied"
    assert kb("kb", "rename", "kb", "Mine", "--json").error["code"] == "not_found"


def test_a_knowledge_base_is_renamed_and_keeps_its_id(kb: Run) -> None:
    assert kb("kb", "rename", "kb", "Staff handbook").out == (
        "The knowledge base kb is called Staff handbook now.\n"
    )
    assert kb("kb", "list").out == "kb\tStaff handbook\ten\t0\t0\topen\n"
    ran = kb("kb", "rename", "kb", "Handbook", "--json")
    assert ran.json == {"knowledge_base_id": "kb", "title": "Handbook"}
    for title in ("", "x" * 301):
        assert kb("kb", "rename", "kb", title, "--json").error["details"]["field"] == "title"
    assert kb("kb", "rename", "none", "T", "--json").error["code"] == "not_found"
    assert kb("kb", "list").out == "kb\tHandbook\ten\t0\t0\topen\n"
    assert kb("doctor").code == 0


def test_one_that_was_moved_is_listed_as_sealed(kb: Run) -> None:
    assert kb("store", "copy", "there.db", "--kb", "kb").code == 0
    assert kb("kb", "list").out == "kb\tkb\ten\t0\t0\tsealed\n"
    [here] = kb("kb", "list", "--json").json["knowledge_bases"]
    [there] = kb("--db", "there.db", "kb", "list", "--json").json["knowledge_bases"]
    assert (here["sealed"], there["sealed"]) == (True, False)
