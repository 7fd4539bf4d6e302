"""How the ledger comes to verdicts on what may have moved: it asks, or reads and judges itself.

Asking takes a verdict for each citation, 200 to a call; reading takes a call for each article,
however much is cited of it. Both come to the same verdicts, so that each article is looked at
in the way that costs less.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pincite.client.calls import Steps, ToolCall, read
from pincite.client.records import Kept
from pincite.domain.answers import CITATION_LIMIT
from pincite.domain.citations import (
    Citation,
    Gone,
    PresentState,
    Published,
    Unknown,
    Verdict,
    judge_moved,
)
from pincite.domain.ids import ArticleId
from pincite.domain.quotes import Folded
from pincite.errors import GoneError, NotFoundError
from pincite.wire.answer_tools import CHECK
from pincite.wire.citations import citation_object

Settled: TypeAlias = tuple[Kept, Verdict]

# Measured with articles of 6.3 KB (bench/ledgers.py): a citation is sent and comes back with its
# verdict in about 370 bytes and twice its quotes. To read an article takes its bytes and, for
# the call and for cutting the text, the time in which the server judges 8 citations of 60
# characters. So an article of that size is read for the 21st citation and not before.
VERDICT_BYTES: Final = 370
READ_BYTES: Final = 8 * (VERDICT_BYTES + 2 * 60)


def by_either(kept: Sequence[Kept], *, followed: bool) -> Steps[Sequence[Settled]]:
    """Judges in the way that costs less for each article, where both can be taken.

    Args:
        kept: What to judge, of one knowledge base.
        followed: Whether every event since the last check is known. If not, a restore may have
            lost versions cited, and only the server can tell.
    """
    asking: list[Kept] = []
    reading: list[Kept] = []
    for cited in _by_article(kept):
        able = [one for one in cited if followed and _can_judge(one)]
        if _is_cheaper_read(able):
            reading += able
            asking += [one for one in cited if not _can_judge(one)]
        else:
            asking += cited
    settled, forgotten = yield from _by_asking(asking)
    return [*settled, *(yield from by_reading([*reading, *forgotten]))]


def by_reading(kept: Iterable[Kept]) -> Steps[Sequence[Settled]]:
    """Reads each article once and judges by what the ledger keeps of the versions cited."""
    present: dict[ArticleId, PresentState] = {}
    settled: list[Settled] = []
    for one in kept:
        name = one.citation.article_id
        if name not in present:
            present[name] = yield from _present(one.citation)
        settled.append((one, _verdict(one, present[name])))
    return settled


def _by_asking(kept: Sequence[Kept]) -> Steps[tuple[Sequence[Settled], Sequence[Kept]]]:
    """The server's verdicts; also what the ledger knows more of, since it keeps the quotes' places.

    That is what is cited of a version that the server keeps no more: which of the two ways was
    taken must not show in the verdict.
    """
    settled: list[Settled] = []
    forgotten: list[Kept] = []
    for begin in range(0, len(kept), CITATION_LIMIT):
        some = kept[begin : begin + CITATION_LIMIT]
        citations = [citation_object(one.citation) for one in some]
        reply = yield ToolCall(CHECK.name, {"citations": citations})
        results: Sequence[Mapping[str, Any]] = reply["results"]
        for one, result in zip(some, results, strict=True):
            if result.get("version_kept") is False and one.size is not None:
                forgotten.append(one)
            else:
                settled.append((one, Verdict(result["verdict"])))
    return settled, forgotten


def _by_article(kept: Iterable[Kept]) -> Iterable[Sequence[Kept]]:
    articles: dict[ArticleId, list[Kept]] = {}
    for one in kept:
        articles.setdefault(one.citation.article_id, []).append(one)
    return articles.values()


def _can_judge(kept: Kept) -> bool:
    """Whether the version cited was seen whole, and no event passed before it was recorded."""
    return kept.size is not None and kept.verdict is not None


def _is_cheaper_read(kept: Sequence[Kept]) -> bool:
    quoted = sum(len(quote.exact) for one in kept for quote in one.citation.quotes)
    asking = VERDICT_BYTES * len(kept) + 2 * quoted
    return asking > READ_BYTES + max((one.size or 0 for one in kept), default=0)


def _present(citation: Citation) -> Steps[PresentState]:
    try:
        found = yield from read(citation.knowledge_base_id, citation.article_id)
    except GoneError:
        return Gone()
    except NotFoundError:
        return Unknown()
    return Published(Folded.of(found.content), found.citation.updated_at)


def _verdict(kept: Kept, present: PresentState) -> Verdict:
    """The same order of verdicts as the server's, on what the ledger keeps of the version cited."""
    match present:
        case Unknown():
            return Verdict.UNFOUNDED
        case Gone():
            return Verdict.GONE
        case Published(_, updated_at):
            if kept.anchors is None:
                return Verdict.UNFOUNDED
            if updated_at == kept.citation.updated_at:
                return Verdict.CURRENT
            return judge_moved(kept.anchors, present, version_kept=True).verdict
