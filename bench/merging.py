"""Merges held against ``git merge-file``, a real process for each."""

import random
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pincite.domain.merge import merge


@dataclass(frozen=True)
class Triple:
    """A base with two changes of it."""

    base: str
    theirs: str
    mine: str


def git_merge(triple: Triple, folder: Path) -> str | None:
    """What git makes of a triple; None for a conflict."""
    names = ("mine", "base", "theirs")
    for name in names:
        (folder / name).write_bytes(getattr(triple, name).encode("utf-8", "surrogatepass"))
    done = subprocess.run(
        ["git", "merge-file", "-p", "-q", *names], cwd=folder, capture_output=True, check=False
    )
    if done.returncode >= 128:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode("utf-8", "surrogatepass") if done.returncode == 0 else None


def loses_lines(triple: Triple, merged: str) -> bool:
    """Whether a line that a side added, or that both kept, is missing."""
    base, theirs, mine, result = (
        Counter(text.split("\n")) for text in (triple.base, triple.theirs, triple.mine, merged)
    )
    if triple.base in (triple.theirs, triple.mine):
        return merged not in (triple.theirs, triple.mine)
    kept = theirs.keys() & mine.keys()
    added = (theirs.keys() | mine.keys()) - base.keys()
    return any(result[line] == 0 for line in kept | added)


def compare(triples: list[Triple], folder: Path) -> Counter[str]:
    """How the product and git merge the same triples.

    Returns:
        Counts under ``triples``, ``clean``, ``git clean``, ``both clean``, ``same``, ``lost``
        (clean here, and a line is missing) and ``git lost``.
    """
    counts: Counter[str] = Counter()
    for triple in triples:
        ours = merge(triple.base, triple.theirs, triple.mine)
        git = git_merge(triple, folder)
        counts["triples"] += 1
        counts["clean"] += ours is not None
        counts["git clean"] += git is not None
        counts["both clean"] += ours is not None and git is not None
        counts["same"] += ours is not None and ours == git
        counts["lost"] += ours is not None and loses_lines(triple, ours)
        counts["git lost"] += git is not None and loses_lines(triple, git)
    return counts


def random_triples(seed: int, count: int) -> list[Triple]:
    """Small texts with many equal lines, each side with a few random edits."""
    source = random.Random(seed)
    lines = ["- a\n", "- b\n", "\n", "c\n", "d\n", "# e\n"]

    def edited(base: list[str]) -> str:
        side = list(base)
        for _ in range(source.randint(0, 3)):
            at = source.randint(0, len(side))
            end = min(len(side), at + source.randint(0, 2))
            side[at:end] = source.choices([*lines, "new\n", "more\n"], k=source.randint(0, 2))
        return "".join(side)

    bases = [source.choices(lines, k=source.randint(0, 12)) for _ in range(count)]
    return [Triple("".join(base), edited(base), edited(base)) for base in bases]
