"""Published articles as MCP resources: listed, read, and named by one template.

A resource's address is ``pincite:///KNOWLEDGE_BASE/ARTICLE``: in the knowledge base's id a
``/`` is escaped, so that the first one ends it; in the article's it may stand (RFC 6570
section 3.2.3, reserved expansion).
"""

import base64
import json
from collections.abc import Iterator
from functools import partial
from urllib.parse import quote, unquote

import mcp_types as types

from pincite.domain.grants import Credential
from pincite.domain.ids import (
    ArticleId,
    KnowledgeBaseId,
    parse_article_id,
    parse_knowledge_base_id,
)
from pincite.errors import InvalidInputError, NotFoundError
from pincite.mcp_server.callers import Context, Identify
from pincite.mcp_server.errors import invalid_params
from pincite.mcp_server.workers import Workers
from pincite.ports import ArticleSummary
from pincite.service.knowledge_base import Service
from pincite.wire.results import citation

MIME_TYPE = "text/markdown"
CITATION_META_KEY = "pincite/citation"
PAGE_LIMIT = 100
TEMPLATE = "pincite:///{knowledge_base_id}/{+article_id}"

_SCHEME = "pincite:///"
_BEGINNING = (KnowledgeBaseId(""), None)


def uri_of(kb: KnowledgeBaseId, article_id: ArticleId) -> str:
    """An article's address."""
    return f"{_SCHEME}{quote(kb, safe='')}/{quote(article_id, safe='/')}"


def parse_uri(uri: str) -> tuple[KnowledgeBaseId, ArticleId]:
    """The article that an address names.

    Raises:
        NotFoundError: No article can have this address.
    """
    kb, slash, article_id = uri.removeprefix(_SCHEME).partition("/")
    if not uri.startswith(_SCHEME) or not slash:
        raise NotFoundError(f"There is no such resource; articles are at {TEMPLATE}.")
    try:
        return parse_knowledge_base_id(unquote(kb)), parse_article_id(unquote(article_id))
    except InvalidInputError:
        raise NotFoundError("There is no such article.") from None


class Resources:
    """The articles that a caller may read."""

    def __init__(self, service: Service, identify: Identify, workers: Workers) -> None:
        self._service = service
        self._identify = identify
        self._workers = workers

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answers ``resources/list``, a page at a time, by knowledge base and article id."""
        credential = self._identify(context).credential
        place = _parse_cursor(params.cursor) if params and params.cursor else _BEGINNING
        page = await self._workers.do(partial(self._page, credential, place))
        cursor = _cursor(*page[-1]) if len(page) == PAGE_LIMIT else None
        return types.ListResourcesResult(
            resources=[_resource(kb, article) for kb, article in page], next_cursor=cursor
        )

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answers ``resources/templates/list``."""
        template = types.ResourceTemplate(
            name="article",
            title="Article",
            uri_template=TEMPLATE,
            description="The present published text of an article.",
            mime_type=MIME_TYPE,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answers ``resources/read`` with the content, and the citation beside it."""
        kb, article_id = parse_uri(params.uri)
        credential = self._identify(context).credential
        article = await self._workers.look(partial(self._service.read, credential, kb, article_id))
        contents = types.TextResourceContents(
            uri=params.uri,
            mime_type=MIME_TYPE,
            text=article.text.content,
            _meta={CITATION_META_KEY: citation(kb, article_id, article.updated_at)},
        )
        return types.ReadResourceResult(contents=[contents])

    def _page(
        self, credential: Credential, place: tuple[KnowledgeBaseId, ArticleId | None]
    ) -> list[tuple[KnowledgeBaseId, ArticleSummary]]:
        page: list[tuple[KnowledgeBaseId, ArticleSummary]] = []
        for kb, after in self._places(credential, place):
            left = PAGE_LIMIT - len(page)
            try:
                found = self._service.list_articles(credential, kb, after=after, limit=left)
            except NotFoundError:
                continue  # No longer granted.
            page += [(kb, article) for article in found]
            if len(page) == PAGE_LIMIT:
                break
        return page

    def _places(
        self, credential: Credential, place: tuple[KnowledgeBaseId, ArticleId | None]
    ) -> Iterator[tuple[KnowledgeBaseId, ArticleId | None]]:
        """The knowledge bases from a place on, each with the article behind which to begin."""
        first, after = place
        for one in self._service.list_knowledge_bases(credential):
            kb = one.knowledge_base.knowledge_base_id
            if kb >= first and one.knowledge_base.article_count:
                yield kb, after if kb == first else None


def _resource(kb: KnowledgeBaseId, article: ArticleSummary) -> types.Resource:
    return types.Resource(
        uri=uri_of(kb, article.article_id),
        name=article.article_id,
        title=article.title,
        mime_type=MIME_TYPE,
        annotations=types.Annotations(last_modified=str(article.updated_at)),
    )


def _cursor(kb: KnowledgeBaseId, article: ArticleSummary) -> str:
    return base64.urlsafe_b64encode(json.dumps([kb, article.article_id]).encode()).decode()


def _parse_cursor(cursor: str) -> tuple[KnowledgeBaseId, ArticleId]:
    try:
        kb, article_id = json.loads(base64.b64decode(cursor.encode(), b"-_", validate=True))
        return parse_knowledge_base_id(kb), parse_article_id(article_id)
    except (ValueError, TypeError, RecursionError, InvalidInputError):
        raise invalid_params("There is no such cursor.") from None
