"""Watches a ledger: checks it again and again, and tells what went stale."""

from collections.abc import AsyncIterator, Sequence

from pincite.client.aio import AsyncClient
from pincite.client.ledger import Change, Ledger


async def watch(
    client: AsyncClient, ledger: Ledger, seconds: float = 60
) -> AsyncIterator[Sequence[Change]]:
    """Yields the verdicts that moved, whenever any did, until the caller stops asking.

    Args:
        client: An open connection.
        ledger: What to check.
        seconds: From one check to the next. A check of nothing new is one small call for
            each knowledge base.
    """
    import anyio

    while True:
        changes = await client.run(ledger.check(client.tools))
        if changes:
            yield changes
        await anyio.sleep(seconds)
