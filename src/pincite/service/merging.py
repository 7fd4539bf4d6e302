"""Explains a refused write: what changed meanwhile and, where both fit together, the merge."""

from pincite.domain.articles import Article
from pincite.domain.decide import patched
from pincite.domain.differences import unified_diff
from pincite.domain.edits import Edit, Patch, Publish, SaveDraft, Write
from pincite.domain.events import Part
from pincite.domain.merge import merge
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import InvalidInputError, VersionConflictError
from pincite.ports import ReadView

DIFF_LIMIT = 20_000
"""The longest difference in a conflict reply, in characters."""


def explained(
    error: VersionConflictError, view: ReadView, article: Article, write: Write
) -> VersionConflictError:
    """The conflict with all that the caller needs to go on.

    Args:
        error: As the domain raised it, with the expected and the present stamp.
        view: The snapshot in which it was raised.
        article: The article in it.
        write: The write that was refused.
    """
    found = view.find_knowledge_base(article.knowledge_base_id)
    details = {**error.details, "latest_sequence": found.latest_sequence if found else 0}
    expected, theirs = _started_from(article, write), _present(article, write)
    if expected is not None and theirs is not None:
        base = view.find_revision(article.knowledge_base_id, article.article_id, expected)
        text = base.text if base else None
        details |= meanwhile(text, theirs, _wanted(text, article, write))
        if base is None and isinstance(write, Edit | Patch):
            return VersionConflictError(_about_lost(view, article, expected, error), **details)
    return VersionConflictError(error.message, **details)


def _about_lost(
    view: ReadView, article: Article, expected: Stamp, error: VersionConflictError
) -> str:
    """What is said of a version whose text is not there: it is not kept, or it never was."""
    if view.had_stamp(article.knowledge_base_id, article.article_id, expected):
        return error.message
    return (
        "No text of this article was ever published under the version that the write names; "
        "read the article and name its updated_at."
    )


def meanwhile(base: Text | None, theirs: Text, mine: Text | None) -> dict[str, object]:
    """What others made of a text, and what a merge with one's own makes of both.

    Args:
        base: The text that both started from; None if it is not kept.
        theirs: The present text.
        mine: The text that was refused; None if there is none.

    Returns:
        ``changed``, ``diff``, ``merged`` and ``merged_title``, as a refusal's details hold them.
    """
    if base is None:
        return {"changed": [], "diff": None, "merged": None}
    changed = [part.value for part in Part if getattr(base, part) != getattr(theirs, part)]
    merged = _merged(base, theirs, mine)
    return {
        "changed": changed,
        "diff": unified_diff(base.content, theirs.content, DIFF_LIMIT),
        "merged": merged.content if merged else None,
        "merged_title": merged.title if merged else None,
    }


def _started_from(article: Article, write: Write) -> Stamp | None:
    """The published version that a text was made from, where a write carries a text."""
    match write:
        case Edit(expected) | Patch(expected):
            return expected
        case SaveDraft(expected, base):
            return expected or base  # An earlier draft is not kept; a published version is.
        case Publish():
            return article.draft.base if article.draft else None
        case _:
            return None


def _present(article: Article, write: Write) -> Text | None:
    """The text that stands where the write would have put its own."""
    if isinstance(write, SaveDraft):
        return article.draft.text if article.draft else None
    return article.text


def _wanted(base: Text | None, article: Article, write: Write) -> Text | None:
    """The text that the write would have left, had the article stood still."""
    if base is None:
        return None
    match write:
        case Edit(_, content, title):
            return Text(base.title if title is None else title, content)
        case Patch(_, replacements):
            try:
                return Text(base.title, patched(base.content, replacements))
            except InvalidInputError:
                return None  # It does not fit the version that it names, either.
        case SaveDraft(_, _, text):
            return text
        case _:
            return article.draft.text if article.draft else None


def _merged(base: Text, theirs: Text, mine: Text | None) -> Text | None:
    if mine is None:
        return None
    title = merge(base.title, theirs.title, mine.title)
    content = merge(base.content, theirs.content, mine.content)
    return Text(title, content) if title and content else None
