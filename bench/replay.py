"""Replays of real histories, held against git: `python -m bench.replay FOLDER`.

The folder holds git repositories or bundles of them, or is one. Each is replayed on the product,
and every finding is held against what git tells by brute force. Prints the tables and, last, one
line of JSON. Ends with 1 if a finding was wrong, if no publication took more than one page to
poll, or if 5,000 changes took more than a minute of CPU.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.following import Repository
from bench.timelines import repositories
from pincite.sim.history.git import History
from pincite.sim.history.replay import Sampling
from pincite.sim.history.results import ReplayResults
from pincite.sim.history.run import open_replay
from pincite.sim.tables import shown

CHANGES, LONGEST = 5_000, 60.0
LANGUAGES = ("en", "es", "zh", "fr", "de", "ja", "ko", "pt", "ru")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.replay", description="See the module.")
    parser.add_argument("data", type=Path, help="folder of git repositories or bundles")
    parser.add_argument("--reads", type=int, default=500, help="random reads of each weighting")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        parser.error(f"{options.data} is no folder")
    told: dict[str, object] = {}
    wanting: list[str] = []
    for path in repositories(options.data):
        results, agreed, speed = replay(path, Sampling(options.reads, options.seed))
        print_results(results, agreed, speed)
        figures = dict(results.figures)
        told[results.name] = {"figures": figures, "agreed": agreed, "seconds a change": speed}
        wanting += [f"{results.name}: {fault}" for fault in faults(results, agreed, speed)]
    print("\n".join(["", *(wanting or ["All findings agree with git."])]))
    print(json.dumps(told))
    return 1 if wanting or not told else 0


def replay(path: Path, sampling: Sampling) -> tuple[ReplayResults, Counter[str], float]:
    """The results, how the findings compare with git's, and seconds of CPU for a saved change."""
    language = next((one for one in LANGUAGES if path.stem.endswith(f"-{one}")), "en")
    with (
        History(path) as history,
        open_replay(history, sampling, language=language) as prepared,
    ):
        results = prepared.play(bar(prepared.changes))
        repository = Repository(history.place)
        agreed: Counter[str] = Counter()
        for finding in results.findings:
            verdict = repository.verdict(finding)
            if verdict == "several" and finding.verdict in ("intact", "changed"):
                agreed["quotes that repeat"] += 1
            elif verdict == finding.verdict:
                agreed[verdict] += 1
            else:
                agreed[f"{finding.verdict}, by git {verdict}"] += 1
        repository.close()
    saved = results.meter.costs["publications are saved"]
    return results, agreed, saved.processor / 10**9 / saved.calls


def faults(results: ReplayResults, agreed: Counter[str], speed: float) -> list[str]:
    found = [f"{count} {name}" for name, count in agreed.items() if "by git" in name]
    if speed * CHANGES > LONGEST:
        found.append(f"{CHANGES:,} changes take {speed * CHANGES:.0f} s")
    if results.tally.largest > 100 and results.pages < 2:
        found.append("the largest publication was polled in one page")
    return found


def bar(total: int) -> Callable[[int], None]:
    done = 0

    def advance(changes: int) -> None:
        nonlocal done
        done += changes
        if sys.stderr.isatty():
            print(f"\r{done} of {total} changes", end="", file=sys.stderr)

    return advance


def print_results(results: ReplayResults, agreed: Counter[str], speed: float) -> None:
    print(f"\n{results.name}")
    for table in results.tables():
        print(f"\n{table.title}\n")
        for row in [table.columns, *table.rows]:
            first, *rest = map(shown, row)
            widths = [max(len(column), 9) for column in table.columns[1:]]
            cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths, strict=True))
            print(f"  {first:<56}  " + "  ".join(cells))
    print("\nFindings that git confirms\n")
    for name, count in sorted(agreed.items()):
        print(f"  {name:<58}{count:>12}")
    print(f"\n5,000 changes are saved in {speed * CHANGES:.1f} s of CPU.")


if __name__ == "__main__":
    sys.exit(main())
