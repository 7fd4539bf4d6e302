"""Each error, whatever raises it, reaches an MCP client with its code and details."""

from contextlib import AbstractContextManager
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from pincite.app.system import RandomIds, SystemClock
from pincite.domain.grants import LocalUser
from pincite.errors import PinciteError, StoreError, UnauthenticatedError
from pincite.mcp_server.callers import always
from pincite.mcp_server.server import Options, build_endpoint
from pincite.ports import ReadView
from pincite.service.knowledge_base import Service
from pincite.wire.errors import error_of
from tests.wire.test_errors import ERRORS

pytestmark = pytest.mark.anyio

# code: (retryable, names in details), as the contract lists them.
TABLE = {
    "invalid_input": (False, {"field", "limit"}),
    "not_found": (False, set()),
    "gone": (False, {"withdrawn_at", "sequence"}),
    "denied": (False, {"action"}),
    "version_conflict": (
        False,
        {"expected", "current", "changed", "diff", "merged", "merged_title", "latest_sequence"},
    ),
    "idempotency_key_reused": (False, set()),
    "cursor_ahead": (False, {"latest_sequence"}),
    "cursor_expired": (False, {"oldest_sequence", "latest_sequence"}),
    "declined": (False, {"by", "reason"}),
    "too_large": (False, {"limit"}),
    "rate_limited": (True, {"retry_after"}),
    "store_busy": (True, {"retry_after"}),
    "store_unavailable": (True, {"retry_after"}),
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class RefusingStore:
    """A store that answers every question with one error."""

    def __init__(self, error: PinciteError) -> None:
        self._error = error

    def view(self) -> AbstractContextManager[ReadView]:
        raise self._error


def refusing(error: PinciteError) -> Any:
    store: Any = RefusingStore(error)
    service = Service(store, SystemClock(), RandomIds())
    endpoint = build_endpoint(service, store, always(LocalUser()), Options(log_reads=False))
    return endpoint.server


TOLD = [error for error in ERRORS if not isinstance(error, UnauthenticatedError)]


def every_class(parent: type[PinciteError] = PinciteError) -> set[type[PinciteError]]:
    return {parent, *(one for child in parent.__subclasses__() for one in every_class(child))}


def test_every_error_of_the_tree_is_in_the_table_or_never_leaves_as_itself() -> None:
    raised = every_class() - {PinciteError, StoreError, UnauthenticatedError}
    assert {one.code for one in raised} == set(TABLE)
    assert {type(error) for error in TOLD} == raised
    assert {one.code: one.retryable for one in raised} == {
        code: retryable for code, (retryable, _) in TABLE.items()
    }


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("error", TOLD, ids=lambda error: error.code)
async def test_a_tools_refusal_carries_the_error_whole(error: PinciteError, mode: Any) -> None:
    async with Client(refusing(error), mode=mode) as client:
        result = await client.call_tool("list_knowledge_bases", {})
    assert result.is_error is True
    told = result.structured_content["error"]
    assert sorted(told) == ["code", "details", "message", "retryable"]
    assert (told["code"], told["message"]) == (error.code, error.message)
    retryable, names = TABLE[error.code]
    assert told["retryable"] is retryable
    assert set(told["details"]) <= names
    assert told["details"] == dict(error.details)
    back = error_of(result.structured_content)
    assert (type(back), dict(back.details)) == (type(error), dict(error.details))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
async def test_where_there_is_no_result_to_carry_it_a_protocol_error_does(
    error: PinciteError, mode: Any
) -> None:
    async with Client(refusing(error), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.list_resources()
    assert caught.value.error.data["code"] == error.code
    assert caught.value.error.data["details"] == dict(error.details)
    assert caught.value.error.code in {-32600, -32602, -32603, -32002}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_by_nobody_is_no_result(mode: Any) -> None:
    async with Client(refusing(UnauthenticatedError()), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("list_knowledge_bases", {})
    assert caught.value.error.data["code"] == "unauthenticated"
    assert caught.value.error.code == -32600


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_defect_inside_tells_nothing_of_the_inside(
    mode: Any, caplog: pytest.LogCaptureFixture
) -> None:
    defect: Any = ZeroDivisionError("secret words")
    async with Client(refusing(defect), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("list_knowledge_bases", {})
        assert caught.value.error.code == -32603
        assert caught.value.error.message == "Internal error"
        assert caught.value.error.data is None
        assert [tool.name for tool in (await client.list_tools()).tools][:1] == [
            "search_knowledge_base"
        ]
    assert "secret words" in caplog.text
