"""Decides what a write does to an article: the one place where versions are compared.

``decide`` is pure. The store compares once more, inside the write, that the article is
still in the state that was decided on (:class:`~pincite.domain.articles.Version`), so a
decision that others overtook is never saved but made anew.
"""

from dataclasses import dataclass, replace

from pincite.domain.articles import Article, Draft, State, Version
from pincite.domain.edits import (
    Create,
    Delete,
    DiscardDraft,
    Edit,
    Patch,
    Publish,
    Replacement,
    SaveDraft,
    Status,
    Transition,
    Withdraw,
    Write,
)
from pincite.domain.events import ArticleEventType, Part
from pincite.domain.stamps import Stamp, next_stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, InvalidInputError, NotFoundError, VersionConflictError


@dataclass(frozen=True, slots=True)
class Decision:
    """A write that may be saved, if the article is still as ``expected``.

    Attributes:
        expected: The version that the decision was made on.
        article: The article after the write. Its ``sequence`` is the old one; the store
            puts the event's number there.
        status: What the receipt says.
        event: What the log says; None if agents see no change.
        changed: The parts that an update changed.
    """

    expected: Version
    article: Article
    status: Status
    event: ArticleEventType | None = None
    changed: tuple[Part, ...] = ()

    @property
    def publishes(self) -> bool:
        """Whether the write makes a revision: a text under a new stamp that agents can cite."""
        return self.event in (ArticleEventType.PUBLISHED, ArticleEventType.UPDATED)


def decide(article: Article, write: Write, now: Stamp) -> Decision:
    """Judges a write on the article as it stands.

    Args:
        article: The present state; ``Article.absent`` if there is none.
        write: What is wanted.
        now: The time of the write. Stamps given out are this or later.

    Raises:
        NotFoundError: There is no such article, as far as the write may know.
        GoneError: It was published and no longer is.
        VersionConflictError: Another version is the present one.
        InvalidInputError: The write does not fit the article's state or text.
    """
    match write:
        case Edit():
            return _edit(article, write, now)
        case Patch():
            return _patch(article, write, now)
        case Create():
            return _create(article, write, now)
        case SaveDraft():
            return _save_draft(article, write, now)
        case DiscardDraft():
            return _discard_draft(article, write)
        case Publish() | Withdraw() | Delete():
            return _move(article, write, now)


def patched(content: str, replacements: tuple[Replacement, ...]) -> str:
    """Applies exact replacements one after another.

    Raises:
        InvalidInputError: An ``old_text`` does not stand exactly once.
    """
    for number, one in enumerate(replacements):
        first = content.find(one.old_text)
        if first < 0 or content.find(one.old_text, first + 1) >= 0:
            found = "nowhere" if first < 0 else "more than once"
            raise InvalidInputError(
                f"edits[{number}].old_text must stand exactly once; it stands {found}.",
                field=f"edits[{number}].old_text",
                limit="stands exactly once",
            )
        content = content[:first] + one.new_text + content[first + len(one.old_text) :]
    return content


def _edit(article: Article, write: Edit, now: Stamp) -> Decision:
    present = _published_text(article)
    _compare(write.expected, article.updated_at)
    title = present.title if write.title is None else write.title
    return _update(article, present, Text(title, write.content), now)


def _patch(article: Article, write: Patch, now: Stamp) -> Decision:
    present = _published_text(article)
    _compare(write.expected, article.updated_at)
    content = patched(present.content, write.replacements)
    if not content:
        raise InvalidInputError(
            "edits must not leave the article empty.",
            field="edits",
            limit="at least 1 character left",
        )
    return _update(article, present, Text(present.title, content), now)


def _create(article: Article, write: Create, now: Stamp) -> Decision:
    if article.state is not State.ABSENT:
        raise InvalidInputError(
            f"article_id {article.article_id} was used before; ids are never used again.",
            field="article_id",
            limit="an id that was never used",
        )
    stamp = _next_stamp(article, now)
    if write.publish:
        after = replace(article, state=State.PUBLISHED, text=write.text, updated_at=stamp)
        return Decision(article.version, after, Status.SAVED, ArticleEventType.PUBLISHED)
    draft = Draft(write.text, stamp, base=None)
    after = replace(article, state=State.DRAFT, draft=draft, drafted_at=stamp)
    return Decision(article.version, after, Status.DRAFT)


def _save_draft(article: Article, write: SaveDraft, now: Stamp) -> Decision:
    _refuse_missing(article)
    before = article.draft
    _compare(write.expected, before.updated_at if before else None, what="draft")
    if before and before.text == write.text and before.base == write.base:
        return Decision(article.version, article, Status.UNCHANGED)
    stamp = _next_stamp(article, now)
    after = replace(article, draft=Draft(write.text, stamp, write.base), drafted_at=stamp)
    return Decision(article.version, after, Status.DRAFT)


def _discard_draft(article: Article, write: DiscardDraft) -> Decision:
    _refuse_missing(article)
    if article.state is State.DRAFT:
        raise InvalidInputError(
            "This article is only a draft; delete it instead.",
            field="article_id",
            limit="a published article",
        )
    _compare(write.expected, article.draft.updated_at if article.draft else None, what="draft")
    return Decision(article.version, replace(article, draft=None), Status.DRAFT)


def _move(article: Article, write: Transition, now: Stamp) -> Decision:
    match write:
        case Publish():
            return _publish(article, write, now)
        case Withdraw():
            return _withdraw(article, write, now)
        case Delete():
            return _delete(article, write, now)


def _publish(article: Article, write: Publish, now: Stamp) -> Decision:
    _refuse_missing(article)
    draft = article.draft
    _compare(write.expected, article.updated_at)
    _compare(write.draft, draft.updated_at if draft else None, what="draft")
    if draft and draft.base != article.updated_at:
        _compare(draft.base, article.updated_at)
    text = draft.text if draft else article.text
    if text is None:
        raise NotFoundError("There is nothing to publish.")
    if article.state is State.PUBLISHED and article.text is not None:
        decision = _update(replace(article, draft=None), article.text, text, now)
        return replace(decision, expected=article.version)
    stamp = _next_stamp(article, now)
    after = replace(article, state=State.PUBLISHED, text=text, updated_at=stamp, draft=None)
    return Decision(article.version, after, Status.SAVED, ArticleEventType.PUBLISHED)


def _withdraw(article: Article, write: Withdraw, now: Stamp) -> Decision:
    _published_text(article)
    _compare(write.expected, article.updated_at)
    stamp = _next_stamp(article, now)
    after = replace(
        article, state=State.WITHDRAWN, updated_at=stamp, draft=_rebased(article, stamp)
    )
    return Decision(article.version, after, Status.SAVED, ArticleEventType.UNPUBLISHED)


def _delete(article: Article, write: Delete, now: Stamp) -> Decision:
    _refuse_missing(article)
    _compare(write.expected, article.updated_at)
    after = replace(article, state=State.DELETED, text=None, draft=None)
    if article.state is not State.PUBLISHED:
        # Agents saw nothing of it before, and see nothing now.
        return Decision(article.version, after, Status.SAVED)
    after = replace(after, updated_at=_next_stamp(article, now))
    return Decision(article.version, after, Status.SAVED, ArticleEventType.DELETED)


def _update(article: Article, present: Text, wanted: Text, now: Stamp) -> Decision:
    """A new text of a published article, or the finding that it is the old one."""
    if wanted == present:
        return Decision(article.version, article, Status.UNCHANGED)
    changed = tuple(
        part
        for part, differs in (
            (Part.TITLE, wanted.title != present.title),
            (Part.CONTENT, wanted.content != present.content),
        )
        if differs
    )
    stamp = _next_stamp(article, now)
    after = replace(article, text=wanted, updated_at=stamp)
    return Decision(article.version, after, Status.SAVED, ArticleEventType.UPDATED, changed)


def _next_stamp(article: Article, now: Stamp) -> Stamp:
    """Later than all that the article ever had: texts and drafts share one order of stamps."""
    return next_stamp(now, article.updated_at, article.drafted_at)


def _rebased(article: Article, stamp: Stamp) -> Draft | None:
    """The draft after a withdrawal: it still starts from the text that was withdrawn."""
    draft = article.draft
    if draft and draft.base == article.updated_at:
        return replace(draft, base=stamp)
    return draft


def _published_text(article: Article) -> Text:
    if article.updated_at is None:
        raise _not_found()
    if article.state is not State.PUBLISHED or article.text is None:
        raise _gone(article.updated_at, article.sequence)
    return article.text


def _refuse_missing(article: Article) -> None:
    if article.state is State.ABSENT or (article.state is State.DELETED and not article.updated_at):
        raise _not_found()
    if article.state is State.DELETED and article.updated_at:
        raise _gone(article.updated_at, article.sequence)


def _compare(expected: Stamp | None, current: Stamp | None, what: str = "article") -> None:
    if expected == current:
        return
    raise VersionConflictError(
        f"This {what} is not at the version that the write names.",
        expected=None if expected is None else str(expected),
        current=None if current is None else str(current),
    )


def _not_found() -> NotFoundError:
    return NotFoundError("There is no such article.")


def _gone(withdrawn_at: Stamp, sequence: int | None) -> GoneError:
    return GoneError(
        "This article is no longer published.", withdrawn_at=str(withdrawn_at), sequence=sequence
    )
