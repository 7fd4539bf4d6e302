"""Numbered migrations: SQL files beside each engine's schema.

A new store is made from ``schema.sql`` and has the version of the newest migration; an old
one gets the migrations that it lacks. A test replays all of them against the schema.
"""

from dataclasses import dataclass
from importlib.resources import files
from operator import attrgetter

from pincite.errors import StoreUnavailableError


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from the version before ``number`` to ``number``."""

    number: int
    sql: str


@dataclass(frozen=True, slots=True)
class Schema:
    """What a store of one engine looks like.

    Attributes:
        sql: Makes an empty store.
        migrations: By number, from 1 without a gap.
    """

    sql: str
    migrations: tuple[Migration, ...]

    @classmethod
    def of(cls, package: str) -> "Schema":
        """Reads ``schema.sql`` and ``migrations/NNNN_name.sql`` of an engine's package."""
        folder = files(package)
        steps = [
            Migration(int(file.name[:4]), file.read_text("utf-8"))
            for file in (folder / "migrations").iterdir()
            if file.name.endswith(".sql")
        ]
        steps.sort(key=attrgetter("number"))
        return cls((folder / "schema.sql").read_text("utf-8"), tuple(steps))

    @property
    def version(self) -> int:
        """The version that ``sql`` makes."""
        return self.migrations[-1].number

    def lacking(self, version: int) -> tuple[Migration, ...]:
        """What a store of a version still needs, in order.

        Raises:
            StoreUnavailableError: The store is of a newer version.
        """
        if version > self.version:
            raise StoreUnavailableError(
                f"This database has version {version}; this Pincite knows versions up to "
                f"{self.version}. A newer Pincite wrote it: install that one."
            )
        return self.migrations[version:]
