"""From the start of a process to its first answer, and what an idle server holds."""

import time
from collections.abc import Sequence

from bench.database import database
from bench.material import Material
from bench.rows import Row, Times
from bench.servers import NO_OP, PINCITE, listening, request, resident_mib, stdio

DISCOVER = request("server/discover")


def measure(scale: float) -> Sequence[Row]:
    """Starts each server several times; then lets one stand idle."""
    with database() as opened:
        opened.fill(Material().articles(400))
        serve = [*PINCITE, "--db", str(opened.path), "serve"]
        ours, theirs = [], []
        for _ in range(int(max(3, 7 * scale))):
            ours.append(_first_answer([*serve, "--stdio"]))
            theirs.append(_first_answer([*NO_OP, "stdio"]))
        times, base = Times(sorted(ours)), Times(sorted(theirs))
        with stdio([*serve, "--stdio"]) as client:
            client.ask(DISCOVER)
            idle_stdio = resident_mib(client.process.pid)
        with listening([*serve, "--http", "127.0.0.1:0"]) as (_, pid):
            idle_http = resident_mib(pid)
    ratio = times.median / base.median
    return [
        Row("start to first answer, stdio", times.median, "s", max(times.seconds), ratio,
            "the SDK's no-op server", "≤ 1 s", times.median <= 1),
        Row("idle server, stdio", idle_stdio, "MiB", target="≤ 120 MiB", met=idle_stdio <= 120),
        Row("idle server, HTTP", idle_http, "MiB", target="≤ 120 MiB", met=idle_http <= 120),
    ]  # fmt: skip


def _first_answer(command: list[str]) -> float:
    begin = time.perf_counter()
    with stdio(command) as client:
        answer = client.ask(DISCOVER)
        elapsed = time.perf_counter() - begin
    if b'"result"' not in answer:
        raise RuntimeError(f"No answer: {answer.decode()[:300]}")
    return elapsed
