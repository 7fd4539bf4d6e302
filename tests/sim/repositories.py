"""Small git repositories for tests, made commit by commit."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A working copy that commits whatever stands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, author: str = "Ada", at: int = 0) -> str:
        identity = {
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": f"{author.lower()}@example.invalid",
            "GIT_COMMITTER_NAME": "Committer",
            "GIT_COMMITTER_EMAIL": "committer@example.invalid",
            "GIT_AUTHOR_DATE": f"@{at} +0000",
            "GIT_COMMITTER_DATE": f"@{at} +0000",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        return subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | identity,
        ).stdout

    def write(self, path: str, text: str | bytes) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, at: int, author: str = "Ada") -> None:
        """Commits everything, ``at`` seconds after 1970 began."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=x", author=author, at=at)
