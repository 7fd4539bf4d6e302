"""Explains a refused write: what changed meanwhile and, where both fit together, the merge."""

from pincite.domain.articles import Article
from pincite.domain.decide import patched
from pincite.domain.differences import unified_diff
from pincite.domain.edits import Edit, Patch, Publish, Write
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
    expected = _started_from(article, write)
    if expected is not None and article.text is not None:
        base = view.find_revision(article.knowledge_base_id, article.article_id, expected)
        details |= _meanwhile(base.text if base else None, article, write)
    return VersionConflictError(error.message, **details)


def _started_from(article: Article, write: Write) -> Stamp | None:
    """The published version that a text was made from, where a write carries a text."""
    match write:
        case Edit(expected) | Patch(expected):
            return expected
        case Publish():
            return article.draft.base if article.draft else None
        case _:
            return None


def _meanwhile(base: Text | None, article: Article, write: Write) -> dict[str, object]:
    theirs = article.text
    if base is None or theirs is None:
        return {"changed": [], "diff": None, "merged": None}
    changed = [part.value for part in Part if getattr(base, part) != getattr(theirs, part)]
    merged = _merged(base, theirs, _wanted(base, article, write))
    return {
        "changed": changed,
        "diff": unified_diff(base.content, theirs.content, DIFF_LIMIT),
        "merged": merged.content if merged else None,
        "merged_title": merged.title if merged else None,
    }


def _wanted(base: Text, article: Article, write: Write) -> Text | None:
    """The text that the write would have left, had the article stood still."""
    match write:
        case Edit(_, content, title):
            return Text(base.title if title is None else title, content)
        case Patch(_, replacements):
            try:
                return Text(base.title, patched(base.content, replacements))
            except InvalidInputError:
                return None  # It does not fit the version that it names, either.
        case _:
            return article.draft.text if article.draft else None


def _merged(base: Text, theirs: Text, mine: Text | None) -> Text | None:
    if mine is None:
        return None
    title = merge(base.title, theirs.title, mine.title)
    content = merge(base.content, theirs.content, mine.content)
    return Text(title, content) if title and content else None
