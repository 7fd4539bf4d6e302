"""A knowledge server that is not Pincite: the four core tools, and nothing else alike.

Its results stand in the text only, in shapes of its own, and its refusals carry their code as
plain words. It keeps its articles in memory and its log as long as a test lets it.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from pincite.client.calls import Reply, Steps, T, ToolCall, advance
from pincite.client.replies import reply_of
from pincite.errors import PinciteError


@dataclass
class PlainServer:
    """Articles by id, and a log.

    Attributes:
        calls: Every call, by the tool's name.
        dropped: How many events from the beginning are no longer kept.
    """

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    log: list[tuple[str, str, str]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    dropped: int = 0

    def save(self, article_id: str, content: str) -> None:
        """Publishes a text."""
        kind = "article.updated" if article_id in self.texts else "article.published"
        stamp = self._stamp()
        self.texts[article_id] = (content, stamp)
        self.log.append((kind, article_id, stamp))

    def withdraw(self, article_id: str) -> None:
        """Takes it back."""
        del self.texts[article_id]
        self.log.append(
            ("article.unpublished", article_id, f"2026-11-08T10:00:{len(self.log):02d}Z")
        )

    def run(self, steps: Steps[T]) -> T:
        """Makes the calls of some steps."""
        call = advance(steps)
        while isinstance(call, ToolCall):
            try:
                reply: Reply | PinciteError = self._ask(call)
            except PinciteError as error:
                reply = error
            call = advance(steps, reply)
        return call.value

    def _stamp(self) -> str:
        return f"2026-11-08T10:00:00.{len(self.log):03d}Z"

    def _ask(self, call: ToolCall) -> Reply:
        self.calls.append(call.name)
        given = call.arguments
        match call.name:
            case "read_knowledge_article":
                if given["article_id"] not in self.texts:
                    return reply_of(None, ["Sorry: gone"], is_error=True)
                content, stamp = self.texts[given["article_id"]]
                body = {"page": {"body": {"content": content}, "meta": {"updated_at": stamp}}}
                return reply_of(None, [json.dumps(body)], is_error=False)
            case "poll_resource_events":
                return self._poll(given["after_sequence"], given["limit"])
            case _:
                raise AssertionError(call.name)

    def _poll(self, after: int, limit: int) -> Reply:
        if after > len(self.log):
            return reply_of(None, ["Error cursor_ahead"], is_error=True)
        if after < self.dropped:
            end = {"error": "cursor_expired", "latest_sequence": len(self.log)}
            return reply_of(None, [json.dumps(end)], is_error=True)
        page: list[dict[str, Any]] = [
            {"sequence": after + place, "type": kind, "subject": {"article_id": article}}
            for place, (kind, article, _) in enumerate(self.log[after : after + limit], 1)
        ]
        return reply_of(None, [json.dumps(page)], is_error=False)
