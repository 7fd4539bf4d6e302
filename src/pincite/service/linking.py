"""Tells where the links in an article lead; the text is never touched."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from pincite.domain.articles import State
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.ports import ReadView
from pincite.service.access import Access
from pincite.service.environment import Environment

_ENDING = re.compile(r"\.(?:md|mdx|markdown|mdown|mkd|html?)$", re.IGNORECASE)
_FRONTS = ("", "index", "README", "readme", "_index")
"""What a link to a folder may mean in it."""


class Linking:
    """Resolves links between articles."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._store = environment.store
        self._access = access

    def resolve(
        self,
        credential: Credential,
        kb: KnowledgeBaseId,
        article_id: ArticleId,
        targets: Iterable[str],
    ) -> Mapping[str, ArticleId]:
        """The articles that relative links mean, by target; what leads to none is left out.

        A link is read as the path from one imported file to another, with or without its
        ending; where nothing was imported, ids are the paths. Only what the caller may see
        is found.

        Args:
            credential: Who looks.
            kb: Where.
            article_id: The article that holds the links.
            targets: The links, as they are written.
        """
        local = {target: path for target in targets if (path := _local_path(target))}
        if not local:
            return {}
        with self._store.view() as view:
            caller, _ = self._access.knowledge_base(view, credential, kb, Grant.READ, "read")
            editor = self._access.may(caller, kb, Grant.EDIT)
            records = view.list_imports(kb)
            ids = {_plain(record.path): record.article_id for record in records}
            paths = {record.article_id: record.path for record in records}
            here = paths.get(article_id, str(article_id))
            found = {
                target: _find(view, kb, ids, _candidates(here, path), editor=editor)
                for target, path in local.items()
            }
        return {target: one for target, one in found.items() if one}


def _find(
    view: ReadView,
    kb: KnowledgeBaseId,
    ids: Mapping[str, ArticleId],
    candidates: Iterable[str],
    *,
    editor: bool,
) -> ArticleId | None:
    for path in candidates:
        article_id = ids.get(path, ArticleId(path))
        article = view.find_article(kb, article_id)
        if article and (article.state is State.PUBLISHED or editor):
            return article_id
    return None


def _local_path(target: str) -> str | None:
    """The path of a link to another file; None for any other link."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else unquote(parts.path) or None


def _candidates(here: str, path: str) -> Iterator[str]:
    folder = "" if path.startswith("/") else posixpath.dirname(here)
    place = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    for front in _FRONTS:
        yield _plain(posixpath.normpath(posixpath.join(place, front)))


def _plain(path: str) -> str:
    return _ENDING.sub("", path)
