"""No message makes the server answer with a defect or stop."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.from_thread
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.app.http import build_app
from pincite.app.settings import Settings
from pincite.storage import open_store
from pincite.wire.tools import TOOLS
from tests.service.world import OWNER, World

STAMP = "1970-01-01T00:00:01.000Z"
BOTH = "application/json, text/event-stream"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
# Each method with the parameters that it takes.
METHODS = {
    "tools/list": ["cursor"],
    "tools/call": ["name", "arguments"],
    "resources/list": ["cursor"],
    "resources/read": ["uri"],
    "resources/templates/list": ["cursor"],
    "resources/subscribe": ["uri"],
    "resources/unsubscribe": ["uri"],
    "prompts/list": ["cursor"],
    "prompts/get": ["name", "arguments"],
    "completion/complete": ["ref", "argument", "context"],
    "server/discover": [],
    "initialize": ["protocolVersion", "capabilities", "clientInfo"],
    "ping": [],
    "logging/setLevel": ["level"],
    "notifications/cancelled": ["requestId"],
    "sampling/createMessage": ["messages"],
    "": ["name"],
}
# What a parameter or an argument may be called, with values that lead further in.
KNOWN: dict[str, list[Any]] = {
    "name": [*(tool.name for tool in TOOLS), "answer_with_citations"],
    "arguments": [{}, {"question": "Why?"}, None],
    "uri": ["pincite:///kb/a", "pincite:///kb/%00", "pincite:///", "pincite:///other/a"],
    "cursor": ["WyJrYiIsICJhIl0=", "", "x", "bnVsbA==", "WzEsMl0="],
    "ref": [
        {"type": "ref/prompt", "name": "answer_with_citations"},
        {"type": "ref/resource", "uri": "pincite:///{knowledge_base_id}/{+article_id}"},
    ],
    "argument": [{"name": "article_id", "value": "a"}, {"name": "knowledge_base_id", "value": ""}],
    "context": [{"arguments": {"knowledge_base_id": "kb"}}],
    "_meta": [{"pincite/session": "s"}, {"progressToken": 1}, {VERSION_KEY: "2026-07-28"}],
    "requestId": [1],
    "protocolVersion": ["2025-06-18"],
    "capabilities": [{}],
    "clientInfo": [{"name": "test", "version": "1"}],
    "level": ["debug"],
    "messages": [[]],
}
ARGUMENTS: dict[str, list[Any]] = {
    "knowledge_base_id": ["kb", "other", "none"],
    "article_id": ["a", "b", "none"],
    "query": ["refunds", '"; DROP TABLE article; --', "* OR NEAR(a b)", "\x00\x00", "😀😀"],
    "content": ["New.", "# New\n"],
    "expected_version": [STAMP, "1970-01-01t00:00:01z", "now"],
    "idempotency_key": ["k", "k2"],
    "resource_type": ["knowledge_base", "session", "note"],
    "resource_id": ["kb", "s"],
    "after_sequence": [0, 1, 10**30, -1],
    "limit": [1, 20, 10**30],
    "edits": [[{"old_text": "T", "new_text": "t"}], []],
    "citations": [[{"knowledge_base_id": "kb", "article_id": "a", "updated_at": STAMP}]],
    "question": ["Why?"],
    "answer": ["Because."],
    "max_characters": [1, 10**30],
    "first_passage": ["p"],
    "outline": [True],
    "title": ["New"],
    "session_id": ["s"],
    "after": ["id-1"],
}

TEXT = st.text(st.characters(codec=None, categories=None), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def chosen(known: dict[str, list[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the known names, each with a value that fits or any other; now and then one more."""
    fields = {name: st.sampled_from(values) | JSON for name, values in known.items()}
    some = st.fixed_dictionaries({}, optional=fields)
    return some | st.builds(lambda one, more: {**more, **one}, some, st.dictionaries(TEXT, JSON))


CALLS = st.builds(
    lambda name, arguments: {"name": name, "arguments": arguments},
    st.sampled_from([tool.name for tool in TOOLS]),
    chosen(ARGUMENTS),
)


def message(*parts: Any) -> dict[str, Any]:
    """A message of a version, an id, a method and its parameters."""
    return dict(zip(("jsonrpc", "id", "method", "params"), parts, strict=True))


@st.composite
def likely(draw: st.DrawFn) -> dict[str, Any]:
    """A message whose method takes the parameters that it has, more or less."""
    method = draw(st.sampled_from(sorted(METHODS)))
    fitting = {name: KNOWN[name] for name in [*METHODS[method], "_meta"]}
    return message("2.0", 1, method, draw(chosen(fitting)))


WILD = st.builds(
    message,
    st.just("2.0") | JSON,
    st.integers(0, 9) | JSON,
    st.sampled_from(sorted(METHODS)) | TEXT,
    chosen(KNOWN) | CALLS | JSON,
)
TOOL_CALLS = st.builds(message, st.just("2.0"), st.just(1), st.just("tools/call"), CALLS)


class Sender:
    """Posts to an application that runs on an event loop of its own."""

    def __init__(self, portal: anyio.from_thread.BlockingPortal, http: httpx2.AsyncClient) -> None:
        self._portal = portal
        self._http = http
        self._older = {"accept": BOTH, "content-type": "application/json"}
        opening = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
        answer = self._post(json.dumps(first), self._older)
        self._older |= {
            "mcp-session-id": answer.headers["mcp-session-id"],
            "mcp-protocol-version": "2025-11-25",
        }
        self._post('{"jsonrpc": "2.0", "method": "notifications/initialized"}', self._older)

    def newer(self, sent: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers to a message with the newer era's envelope, where it has room for one."""
        params = sent["params"]
        if isinstance(params, dict):
            meta = params.get("_meta")
            envelope = {
                VERSION_KEY: "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
                **(meta if isinstance(meta, dict) else {}),
            }
            sent = {**sent, "params": {**params, "_meta": envelope}}
        headers = {
            "accept": BOTH,
            "content-type": "application/json",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": header(sent["method"]),
        }
        for named in ("name", "uri"):
            if isinstance(params, dict) and isinstance(params.get(named), str):
                headers["mcp-name"] = header(params[named])
        return answers(self._post(json.dumps(sent), headers))

    def older(self, sent: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers to a message in a session of the older era."""
        return answers(self._post(json.dumps(sent), self._older))

    def _post(self, body: str, headers: dict[str, str]) -> httpx2.Response:
        async def post() -> httpx2.Response:
            with anyio.fail_after(30):
                return await self._http.post("/mcp", content=body.encode(), headers=headers)

        return self._portal.call(post)


def header(text: str) -> str:
    """A header's value: what cannot stand there is left out."""
    return "".join(one for one in text if " " <= one <= "~").strip()


def answers(response: httpx2.Response) -> list[dict[str, Any]]:
    """The messages in a response, which must blame nobody but the client."""
    assert response.status_code < 500, response.text
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        lines = [line[6:] for line in response.text.split("\n") if line.startswith("data: {")]
        return [json.loads(line) for line in lines]
    return [response.json()] if response.content.startswith(b"{") else []


@contextmanager
def running() -> Iterator[Sender]:
    store = open_store(":memory:")
    world = World(store)
    world.publish("Text.")
    world.publish("Text.", "b")
    app = build_app(world.service, store, Settings(), OWNER)
    http = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8000"
    )
    with anyio.from_thread.start_blocking_portal() as portal:
        with portal.wrap_async_context_manager(app.router.lifespan_context(app)):
            yield Sender(portal, http)
        portal.call(http.aclose)
    store.close()


@pytest.fixture(scope="module")
def sender() -> Iterator[Sender]:
    with running() as found:
        yield found


class Watch(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.logged: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.logged.append(record.getMessage())


def is_defect(answer: dict[str, Any]) -> bool:
    """Whether an answer says that something inside went wrong."""
    return answer.get("error", {}).get("code") in {0, -32603}


@pytest.mark.spec("FT-3")
@settings(max_examples=300)
@given(sent=likely() | WILD)
def test_any_message_is_answered_and_the_next_is_too(sender: Sender, sent: dict[str, Any]) -> None:
    watch = Watch(logging.ERROR)
    logging.getLogger().addHandler(watch)
    try:
        found = [*sender.newer(sent), *sender.older(sent)]
    finally:
        logging.getLogger().removeHandler(watch)
    assert [answer for answer in found if is_defect(answer)] == []
    assert watch.logged == []
    following = message("2.0", 7, "tools/list", {})
    for [answer] in (sender.newer(following), sender.older(following)):
        assert len(answer["result"]["tools"]) == len(TOOLS)


@pytest.mark.spec("FT-3")
@settings(max_examples=300)
@given(sent=TOOL_CALLS)
def test_any_call_is_a_result_or_a_refusal(sender: Sender, sent: dict[str, Any]) -> None:
    for [answer] in (sender.newer(sent), sender.older(sent)):
        content = answer["result"]["structuredContent"]
        assert json.loads(answer["result"]["content"][0]["text"]) == content
        assert answer["result"]["isError"] is ("error" in content)
