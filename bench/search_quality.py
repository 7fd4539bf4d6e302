"""Scores judged searches: ``python -m bench.search_quality FOLDER [--json FILE]``.

The folder is one judged set or holds several. A set is a folder of four files:

``docs.jsonl``
    An article a line: ``{"id", "title", "text"}``.
``queries.jsonl``
    A question a line: ``{"id", "text"}``.
``qrels.tsv``
    A judgement a line: question, article and grade, separated by tabs; 0 is not relevant.
``meta.json``
    At least ``{"lang"}``: the BCP 47 tag that articles and questions are analysed with.

Articles pass through the product's own passages, index and search; nothing is tuned by set.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log2
from pathlib import Path
from typing import TypeAlias

import apsw
from rich.console import Console
from rich.table import Table

from pincite.domain.passages import cut
from pincite.storage.index.entries import prepare
from pincite.storage.index.fts import Put, SearchIndex

DEEPEST = 20
Grades: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Articles as (id, title, text), questions as (id, text), grades by question."""

    name: str
    language: str
    articles: Sequence[tuple[str, str, str]]
    questions: Sequence[tuple[str, str]]
    grades: Mapping[str, Grades]


@dataclass(frozen=True, slots=True)
class Score:
    """Means over a set's judged questions; ``empty`` is the share that found nothing at all."""

    name: str
    articles: int
    questions: int
    ndcg_at_10: float
    recall_at_20: float
    empty: float


def ndcg(ranked: Sequence[str], grades: Grades, depth: int = 10) -> float:
    """Discounted gain against the ideal order's (Järvelin and Kekäläinen; gain 2^grade - 1)."""
    ideal = _gain(sorted(grades.values(), reverse=True)[:depth])
    return _gain([grades.get(article, 0) for article in ranked[:depth]]) / ideal if ideal else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / log2(place + 2) for place, grade in enumerate(grades))


def recall(ranked: Sequence[str], grades: Grades, depth: int = DEEPEST) -> float:
    """The share of the relevant articles that is among the first ``depth``."""
    relevant = {article for article, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:depth])) / len(relevant)


def read_set(folder: Path) -> JudgedSet:
    """Reads a judged set; questions without a relevant article are left out."""
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        question, article, grade = line.split("\t")
        grades.setdefault(question, {})[article] = int(grade)
    articles = [(str(d["id"]), d["title"], d["text"]) for d in _lines(folder / "docs.jsonl")]
    questions = [(str(q["id"]), q["text"]) for q in _lines(folder / "queries.jsonl")]
    return JudgedSet(
        folder.name,
        json.loads((folder / "meta.json").read_text("utf-8"))["lang"],
        articles,
        [q for q in questions if any(grade > 0 for grade in grades.get(q[0], {}).values())],
        grades,
    )


def _lines(path: Path) -> Iterator[dict[str, str]]:
    # Not splitlines(): a text may hold the other line ends that it knows.
    yield from (json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip())


def score(judged: JudgedSet) -> Score:
    """Indexes a set's articles as one knowledge base and asks its questions."""
    connection = apsw.Connection(":memory:")
    index = SearchIndex(connection)
    with connection:
        index.create()
        index.apply(
            [
                Put(1, number, 1, prepare(title, text, cut(text), judged.language))
                for number, (_, title, text) in enumerate(judged.articles)
            ]
        )
    ndcgs, recalls, empty = [], [], 0
    for question, text in judged.questions:
        hits = index.search(1, text, judged.language, DEEPEST)
        ranked = [judged.articles[hit.article_number][0] for hit in hits]
        ndcgs.append(ndcg(ranked, judged.grades[question]))
        recalls.append(recall(ranked, judged.grades[question]))
        empty += not hits
    asked = len(judged.questions)
    return Score(
        judged.name,
        len(judged.articles),
        asked,
        round(sum(ndcgs) / asked, 4),
        round(sum(recalls) / asked, 4),
        round(empty / asked, 4),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table; writes the same as JSON if asked to."""
    parser = argparse.ArgumentParser(
        prog="bench.search_quality", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="a judged set, or a folder of them")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    given = parser.parse_args(arguments)
    folders = sorted(path.parent for path in given.folder.rglob("qrels.tsv"))
    if not folders:
        print(
            f"No judged set in {given.folder}: none of its folders holds qrels.tsv.",
            file=sys.stderr,
        )
        return 2
    table = Table("set", "articles", "questions", "nDCG@10", "recall@20", "no result")
    scores = []
    for folder in folders:
        found = score(read_set(folder))
        scores.append(found)
        table.add_row(
            found.name,
            str(found.articles),
            str(found.questions),
            f"{found.ndcg_at_10:.3f}",
            f"{found.recall_at_20:.3f}",
            f"{found.empty:.1%}",
        )
    Console().print(table)
    if given.json:
        given.json.write_text(json.dumps([asdict(one) for one in scores], indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
