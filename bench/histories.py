"""Verdicts and merges on real histories: `python -m bench.histories FOLDER`.

The folder holds git repositories or bundles of them, or is one. Citations of random passages at
random times are judged after 1, 7, 30, 90 and 365 days, and every verdict is held against brute
force; edits made from the stale version are merged, and some are held against git. Prints tables
and, last, one line of JSON. Ends with 1 if a verdict was wrong or a merge lost a line.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.citing import PERIODS, Results, draw, judge_article
from bench.merging import compare, random_triples
from bench.timelines import Timelines, repositories
from pincite.domain.merge import merge
from pincite.sim.history.git import History

FAULTS = ("disagreements", "false intact", "look-alikes")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.histories", description="See the module.")
    parser.add_argument("data", type=Path, help="folder of git repositories or bundles")
    parser.add_argument("--cases", type=int, default=100_000, help="verdicts to judge in all")
    parser.add_argument("--git", type=int, default=300, help="merges a period to hold against git")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        parser.error(f"{options.data} is no folder")
    started = time.perf_counter()
    results = Results()
    found = list(repositories(options.data))
    if not found:
        parser.error(f"{options.data} holds no git repository and no bundle")
    for left, path in zip(range(len(found), 0, -1), found, strict=True):
        share = (options.cases - results.cases.total()) / left
        with History(path) as history:
            judge_history(Timelines(history), int(share), options.seed, results)
    with tempfile.TemporaryDirectory() as folder:
        merges = merge_figures(results, options.git, Path(folder))
        merges["random edits"] = compare(random_triples(options.seed, options.git), Path(folder))
    print_cases(results)
    print_table(results)
    print_merges(merges)
    print(f"\n{time.perf_counter() - started:.0f} s")
    print(json.dumps(as_json(results, merges)))
    lost = sum(counts["lost"] for counts in merges.values())
    return 1 if results.faults.total() or lost else 0


def judge_history(timelines: Timelines, cases: int, seed: int, results: Results) -> None:
    """Judges at least so many cases; a citation is up to five of them."""
    wanted = results.cases.total() + cases
    while results.cases.total() < wanted:
        citations = max(1, (wanted - results.cases.total()) // len(PERIODS))
        for article, times in sorted(draw(timelines, citations, seed).items()):
            judge_article(timelines, article, times, results)
            if sys.stderr.isatty():
                print(f"\r{results.cases.total()} cases", end="", file=sys.stderr)
        seed += 1


def merge_figures(results: Results, most: int, folder: Path) -> dict[str, Counter[str]]:
    """By period: how many stale edits merge, and how a sample of them merges in git."""
    figures = {}
    for days in PERIODS:
        triples = results.triples[days]
        sample = triples[:: max(1, len(triples) // most)][:most] if most else []
        counts = compare(sample, folder)
        counts["edits"] = len(triples)
        counts["merged"] = sum(
            merge(each.base, each.theirs, each.mine) is not None for each in triples
        )
        figures[f"{days} days"] = counts
    return figures


def print_cases(results: Results) -> None:
    print("\nVerdicts held against brute force\n")
    for kind, count in sorted(results.cases.items()):
        print(f"  {kind:<24}{count:>9}")
    print(f"  {'in all':<24}{results.cases.total():>9}\n")
    for verdict, count in sorted(results.verdicts.items()):
        print(f"  {verdict:<24}{count:>9}")
    print(f"  {'intact among twins':<24}{results.twins:>9}")
    for fault in FAULTS:
        print(f"  {fault:<24}{results.faults[fault]:>9}")
    for example in results.examples[:5]:
        print(f"    {example[:2000]}")


def print_table(results: Results) -> None:
    print("\nWhole passages cited, by days since; removed: false alarms among changed articles\n")
    print("  days citations  current   intact  changed     gone  context  removed  paragraphs")
    for days in PERIODS:
        table = results.tables[days]
        counts = [table[name] for name in ("current", "intact", "changed", "gone")]
        shares = "".join(f"{percent(count, table['citations']):>9}" for count in counts)
        context = percent(table["context changed"], table["intact"])
        print(
            f"  {days:>4} {table['citations']:>9}{shares}{context:>9}"
            f"{percent(*removed(table)):>9}{percent(*removed(table, 'long ')):>12}"
        )


def print_merges(merges: dict[str, Counter[str]]) -> None:
    print("\nEdits of the passage cited, from the stale version: clean merges\n")
    print("                edits    clean   sample     here      git  both clean  same  lost")
    for name, counts in merges.items():
        clean = percent(counts["merged"], counts["edits"]) if counts["edits"] else ""
        print(
            f"  {name:<14}{counts['edits'] or '':>5}{clean:>9}{counts['triples']:>9}"
            f"{percent(counts['clean'], counts['triples']):>9}"
            f"{percent(counts['git clean'], counts['triples']):>9}"
            f"{counts['both clean']:>12}{counts['same']:>6}{counts['lost']:>6}"
        )


def removed(table: Counter[str], prefix: str = "") -> tuple[int, int]:
    """Passages still intact, of those in changed articles."""
    intact = table[f"{prefix}intact"]
    return intact, intact + table[f"{prefix}changed"]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def as_json(results: Results, merges: dict[str, Counter[str]]) -> dict[str, object]:
    return {
        "cases": results.cases.total(),
        "verdicts": dict(results.verdicts),
        "twins": results.twins,
        **{fault: results.faults[fault] for fault in FAULTS},
        "passages": {str(days): dict(results.tables[days]) for days in PERIODS},
        "merges": {name: dict(counts) for name, counts in merges.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
