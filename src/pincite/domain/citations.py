"""Citations and their verdicts: how an answer's sources fare now.

The verdict is the first that applies::

    unfounded   no such knowledge base, article or stamp ever, or not granted
    gone        withdrawn, deleted, erased
    unfounded   a quote does not stand in the version cited (left out if that is not kept)
    current     the stamp has not moved
    changed     no quotes; a quote stands no more, or cannot be singled out
    intact      all quotes still stand

Judging is pure: the caller brings the version cited and the present state, from one snapshot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias, assert_never

from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import (
    Anchor,
    Folded,
    Nearest,
    Quote,
    bare_anchor,
    find_anchor,
    find_nearest,
    places,
    sentences_of,
    stands,
    surroundings,
)
from pincite.domain.stamps import Stamp


@dataclass(frozen=True, slots=True)
class Citation:
    """A version of an article and, optionally, the words in it that an answer rests on."""

    knowledge_base_id: KnowledgeBaseId
    article_id: ArticleId
    updated_at: Stamp
    quotes: tuple[Quote, ...] = ()


class Verdict(StrEnum):
    """How a citation fares now."""

    CURRENT = "current"
    INTACT = "intact"
    CHANGED = "changed"
    GONE = "gone"
    UNFOUNDED = "unfounded"


class Reason(StrEnum):
    """Why a quote makes its citation ``changed``."""

    ABSENT = "absent"
    """It stands no more."""
    AMBIGUOUS = "ambiguous"
    """It stands, or stood, more than once, and its context singles no place out."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """There never was such a knowledge base, article or stamp, or it is not granted."""


@dataclass(frozen=True, slots=True)
class NotKept:
    """The version was published once; its text is not kept any more."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The article was withdrawn, deleted or erased."""


@dataclass(frozen=True, slots=True)
class Published:
    """The article is published, with this text under this stamp."""

    text: Folded
    updated_at: Stamp


CitedVersion: TypeAlias = Folded | NotKept | Unknown
PresentState: TypeAlias = Published | Gone | Unknown


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with what explains it.

    Attributes:
        reason: Why a quote makes the citation ``changed``; None otherwise.
        updated_at: The present stamp, if the article is published and known to the caller.
        version_kept: Whether the version cited could be looked at; None if nobody had to.
        context_changed: Of an ``intact`` citation: whether headings above, the rest of its own
            passages or those beside them changed. None if the version cited is not kept and
            the quotes' own context still fits.
        present: The nearest present text of the first quote that stands no more.
    """

    verdict: Verdict
    reason: Reason | None = None
    updated_at: Stamp | None = None
    version_kept: bool | None = None
    context_changed: bool | None = None
    present: Nearest | None = None


def judge(
    citation: Citation, cited: CitedVersion, present: PresentState, *, explain: bool = True
) -> Judgement:
    """The verdict on one citation.

    Args:
        citation: What was cited.
        cited: The version under the citation's stamp.
        present: The article now.
        explain: Whether to look for the nearest text of a quote that stands no more, by far
            the dearest part.
    """
    if isinstance(cited, Unknown) or isinstance(present, Unknown):
        return Judgement(Verdict.UNFOUNDED)
    if isinstance(present, Gone):
        return Judgement(Verdict.GONE)
    kept = isinstance(cited, Folded)
    if present.updated_at == citation.updated_at:
        founded = not isinstance(cited, Folded) or all(stands(q, cited) for q in citation.quotes)
        verdict = Verdict.CURRENT if founded else Verdict.UNFOUNDED
        return Judgement(verdict, updated_at=present.updated_at, version_kept=kept)
    anchors = anchored(citation.quotes, cited)
    if anchors is None:
        return Judgement(Verdict.UNFOUNDED, updated_at=present.updated_at, version_kept=kept)
    judgement = judge_moved(anchors, present, version_kept=kept)
    if not explain or judgement.reason is not Reason.ABSENT:
        return judgement
    gone = next(anchor for anchor in anchors if not places(anchor, present.text))
    within = sentences_of(gone, cited) if isinstance(cited, Folded) else ""
    return replace(judgement, present=find_nearest(gone.exact, present.text, within))


def anchored(quotes: Sequence[Quote], cited: Folded | NotKept) -> tuple[Anchor, ...] | None:
    """Where the quotes stood in the version cited; None if one of them did not.

    A client that keeps these can judge later without the version cited.
    """
    match cited:
        case NotKept():
            return tuple(bare_anchor(quote) for quote in quotes)
        case Folded():
            found: list[Anchor] = []
            for quote in quotes:
                anchor = find_anchor(quote, cited)
                if anchor is None:
                    return None
                found.append(anchor)
            return tuple(found)
        case _:
            assert_never(cited)


def judge_moved(anchors: Sequence[Anchor], present: Published, *, version_kept: bool) -> Judgement:
    """The verdict on founded quotes whose article has moved on: ``changed`` or ``intact``."""
    standing = [places(anchor, present.text) for anchor in anchors]
    if not all(standing):
        return Judgement(Verdict.CHANGED, Reason.ABSENT, present.updated_at, version_kept)
    if any(len(found) > 1 for found in standing):
        return Judgement(Verdict.CHANGED, Reason.AMBIGUOUS, present.updated_at, version_kept)
    if not anchors:
        return Judgement(Verdict.CHANGED, None, present.updated_at, version_kept)
    contexts = [
        _context_changed(anchor, found[0], present.text)
        for anchor, found in zip(anchors, standing, strict=True)
    ]
    return Judgement(
        Verdict.INTACT,
        None,
        present.updated_at,
        version_kept,
        context_changed=None if None in contexts and True not in contexts else True in contexts,
    )


def _context_changed(anchor: Anchor, place: int, present: Folded) -> bool | None:
    if anchor.surroundings:
        return surroundings(present, place, anchor.exact) != anchor.surroundings
    fits = present.text.startswith(anchor.around, max(0, place - anchor.offset))
    return None if fits else True
