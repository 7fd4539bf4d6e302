"""Tool calls over stdio and HTTP, beside the SDK's own server with a tool that does nothing."""

import contextlib
import json
import subprocess
from collections.abc import Sequence

from bench.database import KB, Database, database
from bench.material import Material
from bench.rows import Row, Times, in_turn
from bench.servers import NO_OP, PINCITE, HttpClient, listening, stdio, tool_call

READ = tool_call("read_knowledge_article", knowledge_base_id=KB, article_id="article-7")
SEARCH = tool_call("search_knowledge_base", knowledge_base_id=KB, query="kalomi terran")
POLL = tool_call(
    "poll_resource_events", resource_type="knowledge_base", resource_id=KB, after_sequence=399
)
NOTHING = tool_call("no_op")
NAMES = ("read", "search", "poll, 1 event")


def measure(scale: float) -> Sequence[Row]:
    """Each core tool that reads, as a multiple of the call that does nothing."""
    with database() as opened:
        opened.fill(Material().articles(400))
        return [*_over_stdio(opened, scale), *_over_http(opened, scale)]


def _over_stdio(opened: Database, scale: float) -> list[Row]:
    serve = [*PINCITE, "--db", str(opened.path), "serve", "--stdio"]
    with stdio(serve) as ours, stdio([*NO_OP, "stdio"]) as theirs:
        for client, body in ((ours, READ), (theirs, NOTHING)):
            _check(client.ask(body))
        times = in_turn(
            [
                lambda: theirs.ask(NOTHING),
                lambda: ours.ask(READ),
                lambda: ours.ask(SEARCH),
                lambda: ours.ask(POLL),
            ],
            int(1000 * scale),
        )
    return _rows("stdio", times)


def _over_http(opened: Database, scale: float) -> list[Row]:
    token = _token(opened)
    serve = [*PINCITE, "--db", str(opened.path), "serve", "--http", "127.0.0.1:0"]
    with contextlib.ExitStack() as stack:
        ours_at, _ = stack.enter_context(listening(serve))
        theirs_at, _ = stack.enter_context(listening([*NO_OP, "http"]))
        ours, theirs = HttpClient(ours_at, token), HttpClient(theirs_at)
        _check(ours.ask(READ, "tools/call", "read_knowledge_article"))
        _check(theirs.ask(NOTHING, "tools/call", "no_op"))
        times = in_turn(
            [
                lambda: theirs.ask(NOTHING, "tools/call", "no_op"),
                lambda: ours.ask(READ, "tools/call", "read_knowledge_article"),
                lambda: ours.ask(SEARCH, "tools/call", "search_knowledge_base"),
                lambda: ours.ask(POLL, "tools/call", "poll_resource_events"),
            ],
            int(1000 * scale),
        )
    return _rows("HTTP", times)


def _rows(transport: str, times: Sequence[Times]) -> list[Row]:
    base = times[0]
    rows = [Row(f"nothing, over {transport}", base.median * 1e3, "ms", base.p99 * 1e3)]
    for name, one in zip(NAMES, times[1:], strict=True):
        ratio = one.median / base.median
        aimed = name == "read"
        rows.append(
            Row(
                f"{name}, over {transport}",
                one.median * 1e3,
                "ms",
                one.p99 * 1e3,
                ratio,
                "nothing",
                "≤ 1.3×" if aimed else "",
                ratio <= 1.3 if aimed else None,
            )
        )
    return rows


def _token(opened: Database) -> str:
    command = [*PINCITE, "--db", str(opened.path), "token", "create", "bench", "--json"]
    done = subprocess.run([*command, "--grant", f"{KB}:read"], capture_output=True, check=True)
    return str(json.loads(done.stdout)["token"])


def _check(answer: bytes) -> None:
    """A figure of refused calls would say nothing."""
    if b'"result"' not in answer or b'"isError":true' in answer:
        raise RuntimeError(f"The call failed: {answer.decode()[:500]}")
