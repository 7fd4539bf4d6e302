"""Judged searches: the measures, and the figures of a set small enough to reckon by hand."""

import json
from pathlib import Path

import pytest

from bench import search_quality


def test_ndcg_is_the_gain_found_against_the_best_order() -> None:
    grades = {"a": 2, "b": 1, "c": 0}
    assert search_quality.ndcg(["a", "b", "c"], grades) == 1.0
    assert search_quality.ndcg(["b", "a"], grades) == pytest.approx(0.7967, abs=1e-4)
    assert search_quality.ndcg(["c"], grades) == 0.0
    assert search_quality.ndcg(["c", "a"], grades, depth=1) == 0.0


def test_recall_is_the_share_of_relevant_articles_found() -> None:
    grades = {"a": 2, "b": 1, "c": 0}
    assert search_quality.recall(["c", "b"], grades) == 0.5
    assert search_quality.recall(["c", "b", "a"], grades, depth=2) == 0.5
    assert search_quality.recall(["b", "a"], grades) == 1.0


def make_set(folder: Path, language: str, titles: list[str], asked: list[tuple[str, int]]) -> None:
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"lang": language}), "utf-8")
    docs = [json.dumps({"id": t, "title": t, "text": "Of a kind.\u2028"}) for t in titles]
    (folder / "docs.jsonl").write_text("\n".join(docs) + "\n", "utf-8")
    queries = [json.dumps({"id": f"q{n}", "text": text}) for n, (text, _) in enumerate(asked)]
    (folder / "queries.jsonl").write_text("\n".join(queries), "utf-8")
    judged = [f"q{n}\t{titles[right]}\t1\n" for n, (_, right) in enumerate(asked)]
    (folder / "qrels.tsv").write_text("".join(judged), "utf-8")


def test_every_set_of_a_folder_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_set(
        tmp_path / "sets/two-en",
        "en",
        ["Refunds", "Refund invoices", "Access"],
        [("How do I get a refund?", 0), ("accessing", 2), ("refund", 1), ("nothing here", 0)],
    )
    make_set(tmp_path / "sets/one-ja", "ja", ["価格", "入場"], [("入場の", 1)])
    assert search_quality.main([str(tmp_path / "sets"), "--json", str(tmp_path / "out.json")]) == 0
    one, two = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert one == {
        "name": "one-ja",
        "articles": 2,
        "questions": 1,
        "ndcg_at_10": 1.0,
        "recall_at_20": 1.0,
        "empty": 0.0,
    }
    assert two == {
        "name": "two-en",
        "articles": 3,
        "questions": 4,
        "ndcg_at_10": 0.6577,
        "recall_at_20": 0.75,
        "empty": 0.25,
    }
    assert "two-en" in capsys.readouterr().out


def test_a_folder_without_judgements_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert search_quality.main([str(tmp_path)]) == 2
    assert "none of its folders holds qrels.tsv" in capsys.readouterr().err
