"""Whose a session is, and how many are remembered."""

import pytest
from starlette.types import Message

from pincite.domain.ids import Principal
from pincite.mcp_server.owners import SessionOwners

pytestmark = pytest.mark.anyio

ANNA, BEN = Principal("token/anna"), Principal("token/ben")


async def opened(owners: SessionOwners, session: str, principal: Principal | None) -> list[Message]:
    """What goes out where a session is opened."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"mcp-session-id", session.encode())]
    answer = {"type": "http.response.start", "status": 200, "headers": headers}
    await owners.noting(send, principal)(answer)
    return sent


async def test_a_session_admits_its_owner_alone() -> None:
    owners = SessionOwners(10)
    [answer] = await opened(owners, "s", ANNA)
    assert answer["status"] == 200
    assert owners.admits("s", ANNA)
    assert not owners.admits("s", BEN)
    assert not owners.admits("s", None)
    assert not owners.admits("t", ANNA)
    owners.forget("s")
    assert not owners.admits("s", ANNA)


async def test_beyond_the_limit_the_session_not_used_for_longest_serves_nobody() -> None:
    owners = SessionOwners(2)
    await opened(owners, "a", ANNA)
    await opened(owners, "b", BEN)
    assert owners.admits("a", ANNA)
    await opened(owners, "c", None)
    assert [owners.admits("a", ANNA), owners.admits("b", BEN)] == [True, False]
    assert owners.admits("c", None)
