"""Where a server writes what its operator may want to know: standard error."""

import logging
import sys


def log_to_stderr() -> None:
    """Sends the product's and its libraries' warnings to standard error.

    Nothing else may go to standard output while it carries a protocol.
    """
    logging.basicConfig(
        level=logging.WARNING,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
