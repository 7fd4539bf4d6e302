"""A process that may not make its files larger for a while, as if the disk were full.

Run as ``python -m tests.faults.full_disk DATABASE``; prints what it saw as JSON.
"""

import json
import resource
import sys
from pathlib import Path

from pincite.errors import StoreError
from pincite.storage import open_store
from tests.storage.writing import LOG, Author, events

HARD = resource.getrlimit(resource.RLIMIT_FSIZE)[1]


def edit_until_refused(author: Author, most: int) -> list[str]:
    """Edits until one is refused; the refusals' codes."""
    for number in range(most):
        try:
            author.edit("leave", f"{number}\n" + "x" * 20_000)
        except StoreError as error:
            return [error.code]
    return []


def main(path: Path) -> None:
    store = open_store(str(path))
    author = Author(store)
    author.publish("leave")
    wal = path.with_name(path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (wal + 200_000, HARD))
    refusal = edit_until_refused(author, 1000)
    kept = store.head(LOG)
    text = author.find("leave").text
    last = text is not None and text.content.startswith(f"{kept - 2}\n")
    told = {
        "refusal": refusal,
        "saved before": kept > 1,
        "text is the last one saved": last,
        "events": len(events(store)) - kept,
        "disagreements": list(store.upkeep.check()),
    }
    resource.setrlimit(resource.RLIMIT_FSIZE, (HARD, HARD))
    told["refusal afterwards"] = edit_until_refused(author, 5)
    told["saved afterwards"] = store.head(LOG) - kept
    told["disagreements afterwards"] = list(store.upkeep.check())
    sys.stdout.write(json.dumps(told))
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
