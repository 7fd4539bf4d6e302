"""Citations drawn from a real history, judged by the product and by brute force."""

import random
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property

from bench import oracle
from bench.merging import Triple
from bench.timelines import Timelines, Version
from pincite.domain.citations import Citation, Gone, Judgement, Published, Verdict, judge
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import Passage, cut, normalise
from pincite.domain.quotes import Folded, Quote, find_anchor, places
from pincite.domain.stamps import Stamp

DAY = 86_400_000  # milliseconds
PERIODS = (1, 7, 30, 90, 365)
KINDS = ("passage", "passage in context", "stretch", "stretch in context", "across", "later")
_CONTEXT = 32
_LONG = 60  # characters; what the first measurements called a paragraph


@dataclass(eq=False)
class Reading:
    """A version as both judges read it."""

    version: Version
    stamp: Stamp

    @property
    def content(self) -> str:
        return self.version.content or ""

    @cached_property
    def passages(self) -> Sequence[Passage]:
        return cut(self.content)

    @cached_property
    def folded(self) -> Folded:
        return Folded.of(self.content, self.passages)

    @cached_property
    def chunks(self) -> oracle.Version:
        return oracle.Version.of(self.content, self.passages)


@dataclass
class Results:
    """What was counted.

    Attributes:
        cases: Judged cases, by kind of quote.
        verdicts: The same cases, by verdict.
        tables: By period in days: how whole passages fared.
        twins: Intact passages whose text stands more than once, followed by alignment.
        faults: Disagreements with brute force, false intacts among them, and look-alikes.
        examples: Each fault, to look into.
        triples: By period, edits made from a stale version.
    """

    cases: Counter[str] = field(default_factory=Counter)
    twins: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    tables: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    triples: dict[int, list[Triple]] = field(default_factory=lambda: defaultdict(list))


def draw(timelines: Timelines, count: int, seed: int) -> dict[ArticleId, list[int]]:
    """Times of citations for each article: a random time, and a random article living then."""
    source = random.Random(seed)
    times: dict[ArticleId, list[int]] = defaultdict(list)
    while count:
        at = source.randint(timelines.first, timelines.last - DAY)
        living = [each for each in timelines.articles if timelines.lives_at(each, at)]
        if living:
            times[source.choice(living)].append(at)
            count -= 1
    return times


def judge_article(
    timelines: Timelines, article: ArticleId, times: Sequence[int], results: Results
) -> None:
    """Judges a citation made at each time after each period that the history reaches."""
    versions = timelines.versions(article)
    readings = [
        Reading(version, Stamp(version.at + number)) for number, version in enumerate(versions)
    ]
    starts = [version.at for version in versions]
    for at in times:
        source = random.Random(f"{article} {at}")
        cited = readings[bisect_right(starts, at) - 1]
        if not cited.passages:
            continue
        kind = source.choice(KINDS)
        later = source.choice(readings)
        passage = source.choice(cited.passages)
        quote = quoted(kind, passage, cited, later, source)
        citation = Citation(KnowledgeBaseId("bench"), article, cited.stamp, (quote,))
        for days in PERIODS:
            if at + days * DAY <= timelines.last:
                present = readings[bisect_right(starts, at + days * DAY) - 1]
                found = check(citation, cited, present, results)
                results.cases[kind] += 1
                results.verdicts[found.verdict] += 1
                if kind.startswith("passage"):
                    where = (cited, passage, present)
                    tally(results, days, where, found)
                    if found.verdict is Verdict.INTACT:
                        check_twins(quote, where, results)
    oracle.every_place.cache_clear()


def quoted(
    kind: str, passage: Passage, cited: Reading, later: Reading, source: random.Random
) -> Quote:
    """A quote of the kind named, taken from the content as it is."""
    content, start, end = cited.content, passage.start, passage.end
    if kind == "later":
        if not later.passages:
            return Quote(content[start:end])
        other = source.choice(later.passages)
        return Quote(later.content[other.start : other.end])
    if kind == "across":
        following = next((each for each in cited.passages if each.start > start), passage)
        return Quote(content[start : following.end])
    if kind.startswith("stretch"):
        start = source.randrange(start, end)
        end = source.randint(start + 1, end)
    if kind.endswith("in context"):
        return Quote(
            content[start:end], content[max(0, start - _CONTEXT) : start], content[end:][:_CONTEXT]
        )
    return Quote(content[start:end])


def check(citation: Citation, cited: Reading, present: Reading, results: Results) -> Judgement:
    """The product's judgement; a disagreement with brute force is noted."""
    gone = present.version.content is None
    state = Gone() if gone else Published(present.folded, present.stamp)
    found = judge(citation, cited.folded, state)
    expected = oracle.answer(
        citation, cited.chunks, None if gone else present.chunks, present.stamp
    )
    if oracle.Answer(found.verdict, found.reason, found.context_changed) != expected:
        results.faults["disagreements"] += 1
        if found.verdict is Verdict.INTACT and expected.verdict != "intact":
            results.faults["false intact"] += 1
        results.examples.append(f"{citation} {found} {expected}")
    return found


def check_twins(quote: Quote, where: tuple[Reading, Passage, Reading], results: Results) -> None:
    """Follows an intact passage that has twins by aligning all passages of both versions.

    Alignment knows nothing of quotes and contexts. If it leads elsewhere than to where the quote
    was found, a look-alike was taken for it; unless a stretch was moved, which alignment does
    not follow: there the passage stands between the same two neighbours as before.
    """
    cited, passage, present = where
    anchor = find_anchor(quote, cited.folded)
    assert anchor is not None
    before, after = (
        [normalise(each.content[one.start : one.end]) for one in each.passages]
        for each in (cited, present)
    )
    if all(sum(anchor.exact in text for text in texts) <= 1 for texts in (before, after)):
        return
    results.twins += 1
    origin = cited.passages.index(passage)
    index = present.folded.passage_at(places(anchor, present.folded)[0])
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    follows = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    moved = before[max(0, origin - 1) : origin + 2] == after[max(0, index - 1) : index + 2]
    if follows.get(origin) != index and not moved:
        results.faults["look-alikes"] += 1
        results.examples.append(f"look-alike: {quote}")


def tally(
    results: Results, days: int, where: tuple[Reading, Passage, Reading], found: Judgement
) -> None:
    """Counts how a whole passage fared, and keeps the edit that a stale reader would make."""
    cited, passage, present = where
    table = results.tables[days]
    table["citations"] += 1
    table[found.verdict] += 1
    if found.reason:
        table[found.reason] += 1
    if found.context_changed:
        table["context changed"] += 1
    text = cited.content[passage.start : passage.end]
    if passage.kind == "paragraph" and len(normalise(text)) >= _LONG:
        table[f"long {found.verdict}"] += 1
    if found.verdict in {Verdict.INTACT, Verdict.CHANGED}:
        edited = f"{cited.content[: passage.end]} (edited){cited.content[passage.end :]}"
        results.triples[days].append(Triple(cited.content, present.content, edited))
