"""What it costs to know which answers went stale: on the agent's side and on the server's."""

import json
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.database import KB, OWNER, Database, database
from bench.material import Material
from bench.rows import Row, timed
from pincite.client.calls import ArticleRead, Reply, Steps, T, ToolCall, advance, read
from pincite.client.ledger import Ledger
from pincite.client.records import Pinned, Records
from pincite.domain.citations import Citation, anchored
from pincite.domain.edits import Context, Edit
from pincite.domain.ids import ArticleId
from pincite.domain.passages import cut
from pincite.domain.quotes import Folded, Quote
from pincite.domain.texts import Text
from pincite.errors import PinciteError
from pincite.mcp_server.callers import Asker
from pincite.mcp_server.dispatch import Dispatch
from pincite.service.answering import Answered
from pincite.wire import citations
from pincite.wire.calls import parse_call
from pincite.wire.results import Results
from pincite.wire.tools import TOOLS

ARTICLES, PARAGRAPHS, CHANGES, ANSWERS, QUOTED = 1000, 18, 100, 10_000, 60
CITED_AT_ONCE = 1000
CHECKING = frozenset({"check_citations"})
TARGET = 0.05


@dataclass(frozen=True, slots=True)
class Case:
    """Citations, spread evenly over articles: quotes of 60 characters, no two alike.

    A hundred articles of those served change. Of a hundred thousand that are cited a thousand
    are served: what is neither changed nor read is never asked for, so that the others would
    only take time to publish.

    Attributes:
        articles: How many are cited.
        served: How many there are to change and to read.
        note: What is odd about it; there is no target then.
    """

    citations: int
    articles: int
    served: int = ARTICLES
    note: str = ""

    @property
    def each(self) -> int:
        """How many citations an article has."""
        return self.citations // self.articles


CASES = (
    Case(100, 100),
    Case(10_000, 1000),
    Case(1_000_000, 100_000),
    Case(100, 100, 100, "each of which changed"),
    Case(1_000_000, 1000, note="crowded"),
)


class Counted:
    """The server's tools in process; counts calls, and the bytes of arguments and results."""

    def __init__(self, opened: Database) -> None:
        self._dispatch = Dispatch(opened.service, Results())
        self._tools = {tool.name: tool for tool in TOOLS}
        self.calls = self.sent = self.bytes = 0

    def run(self, steps: Steps[T]) -> T:
        """Makes the calls of some steps."""
        call = advance(steps)
        while isinstance(call, ToolCall):
            call = advance(steps, self._ask(call))
        return call.value

    def _ask(self, call: ToolCall) -> Reply | PinciteError:
        self.calls += 1
        self.sent += _size(call.arguments)
        asked = parse_call(self._tools[call.name], call.arguments)
        try:
            reply = self._dispatch.answer(Asker(OWNER, None, None), asked)
        except PinciteError as error:
            return error
        self.bytes += _size(reply)
        return reply


def _size(told: object) -> int:
    """As the protocol carries it: compact JSON, in UTF-8."""
    return len(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode())


def measure(scale: float) -> Sequence[Row]:
    """The agent's ledger with 10², 10⁴ and 10⁶ citations; the server's with 10⁴ answers."""
    rows: list[Row] = []
    for case in CASES:
        few = max(1, int(case.each * min(scale, 1)))
        rows += _agent_side(replace(case, citations=case.articles * few))
    return [*rows, *_server_side(int(ANSWERS * min(scale, 1)))]


def _agent_side(case: Case) -> list[Row]:
    with database() as opened, tempfile.TemporaryDirectory() as folder:
        opened.fill(_articles(case.served))
        found = [Counted(opened).run(read(KB, _name(number))) for number in range(case.served)]
        files = [Path(folder) / "reading.db", Path(folder) / "checking.db"]
        _record(files[0], found, case)
        shutil.copy(files[0], files[1])
        _change(opened, random.Random(case.citations), case.served)
        title = f"{case.citations:,} citations of {case.articles:,} articles"
        title += f", {case.note}" if case.note else ""
        again = Counted(opened)
        begin = time.perf_counter()
        read_again = min(case.articles, case.served)
        for number in range(read_again):
            again.run(read(KB, _name(number)))
        times = case.articles // read_again
        from_few = "" if times == 1 else f", {times} times what {read_again:,} take"
        took = (time.perf_counter() - begin) * times
        told = _told(again, times)
        rows = [Row(f"{title}: reading all again{from_few} ({told})", took, "s")]
        for name, file, tools in (
            ("poll, read what changed", files[0], frozenset[str]()),
            ("poll, check_citations or read", files[1], CHECKING),
        ):
            counted = Counted(opened)
            with Ledger(file) as ledger:
                begin = time.perf_counter()
                counted.run(ledger.check(tools))
            took = time.perf_counter() - begin
            ratio = counted.bytes / again.bytes / times
            against = "its bytes to those of reading all"
            row = Row(f"… {name} ({_told(counted)})", took, "s", None, ratio, against)
            if tools and not case.note:
                row = replace(row, target=f"≤ {TARGET:.0%}", met=ratio <= TARGET)
            rows.append(row)
    return rows


def _told(counted: Counted, times: int = 1) -> str:
    sent, got = (size * times / 1024 for size in (counted.sent, counted.bytes))
    return f"{counted.calls * times:,} calls, {got:,.0f} KiB for {sent:,.0f} KiB"


def _record(file: Path, found: Sequence[ArticleRead], case: Case) -> None:
    """Fills a ledger, a thousand citations an answer.

    As ``Ledger.record`` does, but each article is folded once and not once an answer. Articles
    that are not served have the texts of those that are.
    """
    texts = [Folded.of(one.content) for one in found]
    seen: dict[tuple[int, int], Pinned] = {}

    def pinned(place: int) -> Pinned:
        article, nth = divmod(place, case.each)
        key = (article % case.served, nth)
        if key not in seen:
            one = found[key[0]]
            seen[key] = _pinned(one, texts[key[0]], nth * (len(one.content) - QUOTED) // case.each)
        citation = replace(seen[key].citation, article_id=_name(article))
        return replace(seen[key], citation=citation)

    records = Records(file)
    records.begin(KB, found[0].latest_sequence)
    for begin in range(0, case.citations, CITED_AT_ONCE):
        end = min(begin + CITED_AT_ONCE, case.citations)
        records.add("Q?", "A.", [pinned(place) for place in range(begin, end)])
    records.close()


def _pinned(one: ArticleRead, text: Folded, begin: int) -> Pinned:
    quote = Quote(one.content[begin : begin + QUOTED])
    citation = replace(one.citation, quotes=(quote,))
    return Pinned(citation, anchored((quote,), text), len(one.content.encode()))


def _change(opened: Database, chance: random.Random, served: int = ARTICLES) -> None:
    """One passage changes in each of a hundred articles."""
    material = Material(9)
    for number in chance.sample(range(served), CHANGES):
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


def _articles(count: int = ARTICLES) -> Iterator[tuple[ArticleId, Text]]:
    """As long as a public handbook's are on average: 6.3 KB."""
    material = Material()
    return (material.article(number, PARAGRAPHS) for number in range(count))


def _name(number: int) -> ArticleId:
    return ArticleId(f"article-{number}")
