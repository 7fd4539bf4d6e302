"""The views of a database and of one knowledge base."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pincite.domain.articles import State
from pincite.domain.citations import Citation
from pincite.domain.events import Event, Resource
from pincite.domain.ids import parse_article_id
from pincite.domain.quotes import Quote
from pincite.errors import CursorExpiredError, InvalidInputError
from pincite.ports import SearchHit
from pincite.web.addresses import citation_at
from pincite.web.desk import Asked, Desk
from pincite.web.pages import (
    AnswersPage,
    ArticlesPage,
    CheckPage,
    EventsPage,
    Hit,
    HomePage,
    Row,
    SearchPage,
    Shelf,
)
from pincite.wire.answer_tools import CHECK
from pincite.wire.calls import CheckCall, parse_call
from pincite.wire.citations import SOURCE_SCHEME, parse_source

_ROWS = 50
_RECENT = 8
_HITS = 20
_EVENTS = 50
_ANSWERS = 20


def home(desk: Desk, _: Asked) -> HomePage:
    """The knowledge bases."""
    return HomePage(desk.shelves())


def articles(desk: Desk, asked: Asked) -> ArticlesPage:
    """A knowledge base's articles."""
    shelf = desk.shelf(asked.kb)
    state = _state(asked, shelf)
    after = parse_article_id(asked.text("after"), "after") if asked.text("after") else None
    found = desk.service.list_articles(
        desk.credential, shelf.id, state=state, after=after, limit=_ROWS + 1
    )
    rows = [
        Row(
            one.article_id,
            one.title,
            one.state,
            one.updated_at,
            one.has_draft and one.state is not State.DRAFT,
        )
        for one in found[:_ROWS]
    ]
    return ArticlesPage(shelf, state, after, rows, len(found) > _ROWS, _recent(desk, shelf))


def search(desk: Desk, asked: Asked) -> SearchPage:
    """What a query finds."""
    shelf, query = desk.shelf(asked.kb), asked.text("q")
    if not query:
        return SearchPage(shelf, query, ())
    try:
        found = desk.service.search(desk.credential, shelf.id, query, _HITS)
    except InvalidInputError as error:
        return SearchPage(shelf, query, (), error.message)
    hits = [
        Hit(
            hit.article_id,
            hit.title,
            hit.updated_at,
            hit.passage.heading_path if hit.passage else (),
            hit.passage.id if hit.passage else None,
            _turns(hit),
        )
        for hit in found.hits
    ]
    return SearchPage(shelf, query, hits)


def events(desk: Desk, asked: Asked) -> EventsPage:
    """A run of a knowledge base's log."""
    shelf, after = desk.shelf(asked.kb), asked.number("after")
    page = desk.service.poll(desk.credential, Resource.of(shelf.id), after, _EVENTS)
    return EventsPage(shelf, after, page.events, page.next_sequence, page.latest_sequence, page.gap)


def answers(desk: Desk, asked: Asked) -> AnswersPage:
    """Answers that went stale."""
    shelf, after = desk.shelf(asked.kb), asked.text("after") or None
    page = desk.service.answers.list_stale(desk.credential, shelf.id, after, _ANSWERS)
    return AnswersPage(shelf, after, page.answers, page.next)


def check(desk: Desk, asked: Asked) -> CheckPage:
    """How pasted citations fare."""
    pasted, quote = asked.text("citation"), asked.text("quote")
    if not pasted.strip():
        return CheckPage(pasted, quote)
    try:
        citations = [_with(citation, quote) for citation in _citations(pasted)]
        checked = desk.service.check_citations(desk.credential, citations)
    except InvalidInputError as error:
        return CheckPage(pasted, quote, (), error.message)
    return CheckPage(pasted, quote, checked.judgements)


def _state(asked: Asked, shelf: Shelf) -> State | None:
    """Which articles to list: all, for those who may see all."""
    told = asked.text("state")
    if not told:
        return None if shelf.editor else State.PUBLISHED
    if told == "all":
        return None
    states = [state for state in State if state is not State.ABSENT]
    if told not in states:
        limit = ", ".join(["all", *states])
        raise InvalidInputError(f"state must be one of {limit}.", field="state", limit=limit)
    return State(told)


def _recent(desk: Desk, shelf: Shelf) -> Sequence[Event]:
    latest = shelf.knowledge_base.latest_sequence
    try:
        page = desk.service.poll(
            desk.credential, Resource.of(shelf.id), max(0, latest - _RECENT), _RECENT
        )
    except CursorExpiredError:
        return ()  # A restore left a gap there, or they were compacted; the log itself says so.
    return page.events[::-1]


def _turns(hit: SearchHit) -> Sequence[tuple[str, bool]]:
    """A snippet's text, cut where words that matched begin and end; whether each piece did."""
    edges = [0, *(edge for span in hit.matches for edge in span), len(hit.snippet)]
    pieces = (hit.snippet[begin:end] for begin, end in pairwise(edges))
    return [(text, bool(index % 2)) for index, text in enumerate(pieces) if text]


def _citations(pasted: str) -> Sequence[Citation]:
    """Citations as JSON (one, a list, or what a tool takes or gives), a source or an address."""
    text = pasted.strip()
    if text.startswith(SOURCE_SCHEME):
        return [parse_source(text, "citation")]
    if not text.startswith(("{", "[")):
        return [citation_at(text)]
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        limit = "JSON"
        raise InvalidInputError(
            "citation is no complete JSON.", field="citation", limit=limit
        ) from None
    if isinstance(told, Mapping):
        told = told.get("citations", told.get("citation", told))
    call = parse_call(CHECK, {"citations": told if isinstance(told, list) else [told]})
    return call.citations if isinstance(call, CheckCall) else ()


def _with(citation: Citation, quote: str) -> Citation:
    if not quote.strip():
        return citation
    return replace(citation, quotes=(*citation.quotes, Quote(quote)))
