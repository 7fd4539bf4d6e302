"""What it costs to know which answers went stale: on the agent's side and on the server's."""

import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.database import KB, OWNER, Database, database
from bench.material import Material
from bench.rows import Row, timed
from pincite.client.calls import ArticleRead, Reply, Steps, T, ToolCall, advance, read
from pincite.client.ledger import Ledger
from pincite.client.records import Records
from pincite.domain.citations import Citation, anchored
from pincite.domain.edits import Context, Edit
from pincite.domain.ids import ArticleId
from pincite.domain.passages import cut
from pincite.domain.quotes import Anchor, Folded, Quote
from pincite.domain.texts import Text
from pincite.errors import PinciteError
from pincite.mcp_server.callers import Asker
from pincite.mcp_server.dispatch import Dispatch
from pincite.service.answering import Answered
from pincite.wire import citations
from pincite.wire.calls import parse_call
from pincite.wire.results import Results
from pincite.wire.tools import TOOLS

ARTICLES, PARAGRAPHS, CHANGES, ANSWERS, QUOTED = 1000, 26, 100, 10_000, 60
SIZES = (100, 10_000, 1_000_000)
CHECKING = frozenset({"check_citations"})


class Counted:
    """The server's tools in process; counts the calls and the bytes of what they answer."""

    def __init__(self, opened: Database) -> None:
        self._dispatch = Dispatch(opened.service, Results())
        self._tools = {tool.name: tool for tool in TOOLS}
        self.calls = self.bytes = 0

    def run(self, steps: Steps[T]) -> T:
        """Makes the calls of some steps."""
        call = advance(steps)
        while isinstance(call, ToolCall):
            call = advance(steps, self._ask(call))
        return call.value

    def _ask(self, call: ToolCall) -> Reply | PinciteError:
        self.calls += 1
        asked = parse_call(self._tools[call.name], call.arguments)
        try:
            reply = self._dispatch.answer(Asker(OWNER, None, None), asked)
        except PinciteError as error:
            return error
        self.bytes += len(json.dumps(reply).encode())
        return reply


def measure(scale: float) -> Sequence[Row]:
    """The agent's ledger with 10², 10⁴ and 10⁶ citations; the server's with 10⁴ answers."""
    rows: list[Row] = []
    for size in SIZES:
        rows += _agent_side(int(size * min(scale, 1)))
    return [*rows, *_server_side(int(ANSWERS * min(scale, 1)))]


def _agent_side(size: int) -> list[Row]:
    chance = random.Random(size)
    with database() as opened, tempfile.TemporaryDirectory() as folder:
        opened.fill(_articles())
        found = [Counted(opened).run(read(KB, _name(number))) for number in range(ARTICLES)]
        files = [Path(folder) / "reading.db", Path(folder) / "checking.db"]
        _record(files, found, size)
        _change(opened, chance)
        rows = []
        again = Counted(opened)
        begin = time.perf_counter()
        for number in range(min(size, ARTICLES)):
            again.run(read(KB, _name(number)))
        rows.append(_row(f"{size:,} citations: reading all again", again, begin, None))
        for name, file, tools in (
            ("poll, read what moved", files[0], frozenset[str]()),
            ("poll, check_citations of what moved", files[1], CHECKING),
        ):
            counted = Counted(opened)
            with Ledger(file) as ledger:
                begin = time.perf_counter()
                counted.run(ledger.check(tools))
            rows.append(_row(f"{size:,} citations: {name}", counted, begin, again.bytes))
    return rows


def _row(name: str, counted: Counted, begin: float, all_bytes: int | None) -> Row:
    told = f"{name} ({counted.calls:,} calls, {counted.bytes / 1024:,.0f} KiB)"
    ratio = None if all_bytes is None else counted.bytes / all_bytes
    against = "" if all_bytes is None else "its bytes to those of reading all"
    return Row(told, time.perf_counter() - begin, "s", None, ratio, against)


def _record(files: Sequence[Path], found: Sequence[ArticleRead], size: int) -> None:
    """Fills ledgers with the same citations, a hundred an answer, no two alike.

    As ``Ledger.record`` does, but each article is folded once and not once an answer.
    """
    texts = [Folded.of(one.content) for one in found]
    rests = [
        _rest(found[place % ARTICLES], texts[place % ARTICLES], place) for place in range(size)
    ]
    for file in files:
        records = Records(file)
        records.begin(KB, found[0].latest_sequence)
        for begin in range(0, size, 100):
            records.add("Q?", "A.", rests[begin : begin + 100])
        records.close()


def _rest(one: ArticleRead, text: Folded, place: int) -> tuple[Citation, Sequence[Anchor] | None]:
    begin = 7 * (place // ARTICLES) % (len(one.content) - QUOTED)
    quote = Quote(one.content[begin : begin + QUOTED])
    return replace(one.citation, quotes=(quote,)), anchored((quote,), text)


def _change(opened: Database, chance: random.Random) -> None:
    """One passage changes in each of a hundred articles."""
    material = Material(9)
    for number in chance.sample(range(ARTICLES), CHANGES):
        article = opened.service.read(OWNER, KB, _name(number))
        passages = cut(article.text.content)
        one = chance.choice(passages)
        new = material.article(0)[1].title
        content = article.text.content[: one.start] + new + article.text.content[one.end :]
        opened.service.write(OWNER, KB, _name(number), Edit(article.updated_at, content))


def _server_side(answers: int) -> list[Row]:
    chance = random.Random(1)
    with database() as opened:
        opened.fill(_articles())
        cited = []
        for number in range(ARTICLES):
            article = opened.service.read(OWNER, KB, _name(number))
            passage = chance.choice(cut(article.text.content))
            quote = Quote(article.text.content[passage.start : passage.end][:200])
            cited.append(Citation(KB, _name(number), article.updated_at, (quote,)))
        for number in range(answers):
            two = (cited[number % ARTICLES], chance.choice(cited))
            answered = Answered(f"Question {number}?", "An answer.", two)
            opened.service.answers.record(OWNER, KB, answered, Context(f"{number}"))
        _change(opened, chance)
        begin = time.perf_counter()
        page = opened.service.answers.list_stale(OWNER, KB, None, 10)
        first = time.perf_counter() - begin
        size = len(json.dumps(citations.stale(page)).encode()) / 1024
        again = timed(lambda: opened.service.answers.list_stale(OWNER, KB, None, 10), 50)
    return [
        Row(f"stale among {answers:,} answers, first page after {CHANGES} changes", first, "s",
            target="≤ 1 s", met=first <= 1),
        Row("… its size", size, "KiB", target="≤ 10 KiB", met=size <= 10),
        Row("… the page again", again.median * 1e3, "ms", again.p99 * 1e3),
    ]  # fmt: skip


def _articles() -> Iterator[tuple[ArticleId, Text]]:
    """As long as a public handbook's are on average: 6.4 KB."""
    material = Material()
    return (material.article(number, PARAGRAPHS) for number in range(ARTICLES))


def _name(number: int) -> ArticleId:
    return ArticleId(f"article-{number}")
