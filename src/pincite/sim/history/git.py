"""A git repository of Markdown, read as what its readers saw published, step by step.

The first-parent line of a branch is what was live: a merge publishes all that its branch holds
at once, at the time of the merge, and what happened on the branch before was a draft. Nothing
of the reader's own git configuration counts.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import IO, Final

from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

ENDINGS: Final = (".md", ".mdx", ".markdown", ".mdown", ".mkd")
_QUIET: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_HEADER: Final = "\x01publication\x01"
_FILE: Final = "100"
"""How the modes of regular files begin; links and submodules are no articles."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a publication did to one file.

    Attributes:
        path: Where the file stands now or, if it is gone, stood last.
        before: Where it stood before a rename; None if it was not renamed.
        blob: The id of its text; None if the file is gone.
    """

    path: str
    before: str | None
    blob: str | None


@dataclass(frozen=True, slots=True)
class Publication:
    """A commit on the published line.

    Attributes:
        at: When it was committed; never before the one that it follows.
        author: Whose name it carries.
    """

    commit: str
    at: Stamp
    author: str
    changes: Sequence[FileChange]


class History:
    """A repository's published line; a context, for git stays open to hand out texts.

    Attributes:
        name: What people call the repository.
        place: Where it stands; of a bundle, its clone.
    """

    def __init__(self, repository: Path, revision: str = "HEAD", folder: str = "") -> None:
        """Opens it.

        Args:
            repository: A working copy, a bare repository, or a bundle.
            revision: The branch or commit that was live last.
            folder: Only what stands below it counts.

        Raises:
            InvalidInputError: It is no git repository, has no such revision, or git is missing.
        """
        self._git = shutil.which("git") or ""
        self.place = repository
        if not self._git:
            raise InvalidInputError("git is not installed.", field="repository", limit="git")
        if revision.startswith("-"):
            raise InvalidInputError("No revision begins with -.", field="revision", limit="a name")
        self.name = repository.resolve().stem
        self._revision, self._folder = revision, folder
        self._texts: subprocess.Popen[bytes] | None = None
        self._clone: TemporaryDirectory[str] | None = None

    def __enter__(self) -> "History":
        if self.place.is_file():
            self._clone = TemporaryDirectory(prefix="pincite-history-")
            self._run("clone", "--quiet", "--bare", str(self.place), self._clone.name)
            self.place = Path(self._clone.name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._texts:
            self._texts.communicate()
            self._texts = None
        if self._clone:
            self._clone.cleanup()

    def publications(self) -> list[Publication]:
        """The commits that changed a Markdown file, oldest first."""
        return list(_publications(self._log()))

    def text(self, blob: str) -> bytes:
        """The bytes of a file's text.

        Raises:
            InvalidInputError: The repository does not hold it (a partial clone).
        """
        reader, writer = self._pipes()
        writer.write(f"{blob}\n".encode())
        writer.flush()
        kind, _, size = reader.readline().decode().partition(" blob ")
        if kind != blob or not size:
            raise InvalidInputError(
                f"git has no text {blob}.", field="repository", limit="a full clone"
            )
        data = reader.read(int(size))
        reader.read(1)
        return data

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._texts is None:
            self._texts = subprocess.Popen(  # noqa: S603 - git, by its own path
                [self._git, "-C", str(self.place), "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | _QUIET,
            )
        if self._texts.stdout is None or self._texts.stdin is None:
            raise AssertionError("both were asked for")
        return self._texts.stdout, self._texts.stdin

    def _log(self) -> bytes:
        options = [
            *("--first-parent", "--diff-merges=first-parent", "--reverse", "--no-show-signature"),
            *("--raw", "-z", "--no-abbrev", "--find-renames", "-l0", "--no-ext-diff"),
            "--format=%x01publication%x01%H%x00%ct%x00%aN <%aE>%x00",
        ]
        below = f"{self._folder.strip('/')}/" if self._folder.strip("/") else ""
        paths = [f":(top,icase,glob){below}**/*{ending}" for ending in ENDINGS]
        place = ("-C", str(self.place))
        return self._run(*place, "log", *options, self._revision, "--", *paths)

    def _run(self, *arguments: str) -> bytes:
        ran = subprocess.run(  # noqa: S603 - git, by its own path
            [self._git, *arguments], capture_output=True, check=False, env=os.environ | _QUIET
        )
        if ran.returncode:
            reason = ran.stderr.decode(errors="replace").strip()
            raise InvalidInputError(
                f"git cannot read {self.place}: {reason}",
                field="repository",
                limit="a git repository with commits",
            )
        return ran.stdout


def _publications(log: bytes) -> Iterator[Publication]:
    latest = Stamp(0)
    for record in log.decode("utf-8", "surrogateescape").split(_HEADER)[1:]:
        commit, seconds, author, *rest = record.split("\0")
        latest = max(latest, Stamp(int(seconds) * 1000))
        yield Publication(commit, latest, author, tuple(_changes([one for one in rest if one])))


def _changes(fields: Sequence[str]) -> Iterator[FileChange]:
    """Reads git's raw format: a line of modes, ids and a letter, and behind it one path or two."""
    at = 0
    while at < len(fields):
        _, mode, _, blob, letter = fields[at].strip().lstrip(":").split(" ")
        before, path = fields[at + 1], fields[at + 1]
        at += 2
        renamed = letter[0] == "R"
        if renamed:
            path = fields[at]
            at += 1
        kept = mode.startswith(_FILE) and PurePosixPath(path).suffix.lower() in ENDINGS
        yield FileChange(path, before if renamed else None, blob if kept else None)
