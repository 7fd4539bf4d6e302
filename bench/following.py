"""What became of a citation by git alone: a second opinion on what a replay finds.

Nothing here knows of stamps, events or verdicts. Git lists the published line; the file of a
citation is followed along it, commit by commit; and at the end the two texts are compared.
"""

import subprocess
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from pincite.domain.texts import Text
from pincite.sim.history.editors import readable
from pincite.sim.history.replay import Finding


@dataclass(frozen=True)
class Commit:
    """What one commit did to files, by git's letters."""

    name: str
    at: int
    touched: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)


class Repository:
    """A repository's published line."""

    def __init__(self, path: Path) -> None:
        self._git = ["git", "-C", str(path), "-c", "core.quotePath=false"]
        self._commits: list[Commit] = []
        self._times: list[int] = []
        for line in self._log():
            self._note(line)
        self._places = {commit.name: place for place, commit in enumerate(self._commits)}
        self._texts: dict[tuple[str, str], Text | None] = {}
        self._reader = subprocess.Popen(
            [*self._git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        self._reader.communicate()

    def verdict(self, finding: Finding) -> str:
        """``current``, ``gone``, ``intact`` or ``changed``; ``several`` where a quote repeats."""
        reading = finding.reading
        path, moved = reading.path, False
        text = before = self._text(reading.commit, path)
        until = bisect_right(self._times, (reading.at + finding.horizon) // 1000)
        for commit in self._commits[self._places[reading.commit] + 1 : until]:
            if text is None and path in commit.renamed.values():
                return "gone"  # for good: another file took its place
            if path in commit.renamed:
                path = commit.renamed[path]
            elif path not in commit.touched:
                continue
            kept = commit.touched.get(path) not in {"D", "T"}
            text, before = (self._text(commit.name, path) if kept else None), text
            moved = moved or text != before
        if text is None:
            return "gone"
        return compared(reading.quote.exact, text.content) if moved else "current"

    def _log(self) -> list[str]:
        options = ["--first-parent", "-m", "--reverse", "--name-status", "-M", "-l0"]
        form = "--format=commit\t%H\t%ct"
        paths = [f":(icase)*{ending}" for ending in (".md", ".mdx", ".markdown", ".mdown", ".mkd")]
        told = subprocess.run(
            [*self._git, "log", *options, form, "--", *paths], check=True, capture_output=True
        )
        return told.stdout.decode().splitlines()

    def _note(self, line: str) -> None:
        letter, *fields = line.split("\t")
        if letter == "commit":
            self._commits.append(Commit(fields[0], int(fields[1])))
            self._times.append(max([*self._times[-1:], int(fields[1])]))
        elif letter.startswith("R"):
            self._commits[-1].renamed[fields[0]] = fields[1]
        elif letter:
            self._commits[-1].touched[fields[0]] = letter

    def _text(self, commit: str, path: str) -> Text | None:
        key = commit, path
        if key not in self._texts:
            assert self._reader.stdin
            assert self._reader.stdout
            self._reader.stdin.write(f"{commit}:{path}\n".encode())
            self._reader.stdin.flush()
            size = int(self._reader.stdout.readline().split()[2])
            self._texts[key] = readable(path, self._reader.stdout.read(size + 1)[:-1])
        return self._texts[key]


def compared(quote: str, content: str) -> str:
    """Whether a quote still stands, white space folded, no word of it cut."""
    wanted, whole = (f" {' '.join(text.split())} " for text in (quote, content))
    found, at = 0, whole.find(wanted.strip())
    while at >= 0:
        end = at + len(wanted) - 2
        cut = _joined(whole[at - 1 : at + 1]) or _joined(whole[end - 1 : end + 1])
        found += not cut
        at = whole.find(wanted.strip(), at + 1)
    return ("changed", "intact")[found] if found < 2 else "several"


def _joined(pair: str) -> bool:
    return len(pair) == 2 and all(one.isalnum() and ord(one) < 0x2E80 for one in pair)
