"""Completes ids of knowledge bases and articles: only those that the caller may read."""

from functools import partial

import mcp_types as types

from pincite.domain.grants import Credential
from pincite.domain.ids import parse_article_id, parse_knowledge_base_id
from pincite.errors import InvalidInputError, NotFoundError
from pincite.mcp_server.callers import Context, Identify
from pincite.mcp_server.workers import Workers
from pincite.service.knowledge_base import Service

LIMIT = 100
"""The most values of one answer (MCP specification, server/utilities/completion)."""


class Completer:
    """Answers ``completion/complete``."""

    def __init__(self, service: Service, identify: Identify, workers: Workers) -> None:
        self._service = service
        self._identify = identify
        self._workers = workers

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """The ids that begin with what was typed."""
        credential = self._identify(context).credential
        given = (params.context.arguments if params.context else None) or {}
        typed = params.argument.value
        match params.argument.name:
            case "knowledge_base_id":
                work = partial(self._knowledge_bases, credential, typed)
            case "article_id":
                kb = given.get("knowledge_base_id", "")
                work = partial(self._articles, credential, kb, typed)
            case _:
                return types.CompleteResult(completion=types.Completion(values=[]))
        found = await self._workers.do(work)
        completion = types.Completion(values=found[:LIMIT], has_more=len(found) > LIMIT)
        return types.CompleteResult(completion=completion)

    def _knowledge_bases(self, credential: Credential, typed: str) -> list[str]:
        seen = self._service.list_knowledge_bases(credential)
        ids = (one.knowledge_base.knowledge_base_id for one in seen)
        return [kb for kb in ids if kb.startswith(typed)]

    def _articles(self, credential: Credential, kb: str, typed: str) -> list[str]:
        """Ids come in order, so those with a prefix follow it; the prefix itself is no news."""
        try:
            found = self._service.list_articles(
                credential,
                parse_knowledge_base_id(kb),
                after=parse_article_id(typed) if typed else None,
                limit=LIMIT + 1,
            )
        except (InvalidInputError, NotFoundError):
            return []
        return [one.article_id for one in found if one.article_id.startswith(typed)]
