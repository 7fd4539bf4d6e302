"""Explains a refused write: what changed meanwhile and, where both fit together, the merge."""

from pincite.domain.articles import Article
from pincite.domain.edits import Edit, Patch, Write
from pincite.domain.events import Part
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import VersionConflictError
from pincite.ports import ReadView


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
    if isinstance(write, Edit | Patch):
        details |= _meanwhile(view, article, write)
    return VersionConflictError(error.message, **details)


def _meanwhile(view: ReadView, article: Article, write: Edit | Patch) -> dict[str, object]:
    base = _text_at(view, article, write.expected)
    if base is None or article.text is None:
        return {"changed": [], "diff": None, "merged": None}
    theirs = article.text
    changed = [part for part in Part if getattr(base, part) != getattr(theirs, part)]
    return {"changed": changed, "diff": None, "merged": None}


def _text_at(view: ReadView, article: Article, updated_at: Stamp) -> Text | None:
    revision = view.find_revision(article.knowledge_base_id, article.article_id, updated_at)
    return revision.text if revision else None
