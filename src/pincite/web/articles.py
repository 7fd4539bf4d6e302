"""The views of one article: as it stands, at a stamp, through its history."""

import json
from collections.abc import Sequence
from dataclasses import replace

from pincite.domain.articles import Article, Revision, State
from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId
from pincite.domain.passages import Passage, cut, normalise
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, NotFoundError
from pincite.web.addresses import address, article_address
from pincite.web.desk import Asked, Desk
from pincite.web.differences import difference
from pincite.web.markdown import Document, Links, heading_fragment
from pincite.web.pages import (
    ArticlePage,
    ChangesPage,
    Cited,
    HistoryPage,
    Shelf,
    Shown,
    Version,
    VersionPage,
)
from pincite.wire.citations import citation_object

_LONGEST_QUOTE = 2_000
_CONTEXT = 32


def article(desk: Desk, asked: Asked) -> ArticlePage | VersionPage:
    """An article as it stands or, where the address names a stamp, that version."""
    shelf = desk.shelf(asked.kb)
    stamp = asked.find_stamp("at")
    if stamp is not None:
        return _version(desk, asked, shelf, stamp)
    if not shelf.editor:
        read = desk.service.read(desk.credential, shelf.id, asked.article_id)
        shown = _shown(desk, asked, read.text, read.updated_at)
        return ArticlePage(
            shelf, asked.article_id, State.PUBLISHED, read.updated_at, shown, draft_ahead=False
        )
    found = desk.service.get_article(desk.credential, shelf.id, asked.article_id)
    return ArticlePage(
        shelf,
        asked.article_id,
        found.state,
        found.updated_at,
        _present_text(desk, asked, found),
        draft_ahead=found.draft is not None and found.text is not None,
    )


def history(desk: Desk, asked: Asked) -> HistoryPage:
    """An article's kept versions."""
    shelf = desk.shelf(asked.kb)
    revisions = desk.service.list_revisions(desk.credential, shelf.id, asked.article_id)
    present = _find_present(desk, shelf, asked.article_id)
    return HistoryPage(
        shelf,
        asked.article_id,
        present[1] if present else None,
        [_line(revision) for revision in revisions],
    )


def changes(desk: Desk, asked: Asked) -> ChangesPage:
    """What changed between two versions, whichever is named first."""
    shelf = desk.shelf(asked.kb)
    old, new = (
        desk.service.get_revision(desk.credential, shelf.id, asked.article_id, stamp)
        for stamp in sorted((asked.stamp("from"), asked.stamp("to")))
    )
    between = difference(old.text, new.text)
    return ChangesPage(shelf, asked.article_id, _line(old), _line(new), between)


def _version(desk: Desk, asked: Asked, shelf: Shelf, stamp: Stamp) -> VersionPage:
    revision = desk.service.get_revision(desk.credential, shelf.id, asked.article_id, stamp)
    present = _find_present(desk, shelf, asked.article_id)
    return VersionPage(
        shelf,
        asked.article_id,
        _shown(desk, asked, revision.text, revision.updated_at),
        present[1] if present else None,
        difference(revision.text, present[0]) if present else None,
    )


def _find_present(desk: Desk, shelf: Shelf, article_id: ArticleId) -> tuple[Text, Stamp] | None:
    """What is published now, with its stamp; None if nothing is."""
    try:
        read = desk.service.read(desk.credential, shelf.id, article_id)
    except (GoneError, NotFoundError):
        return None
    return read.text, read.updated_at


def _present_text(desk: Desk, asked: Asked, found: Article) -> Shown | None:
    if found.text is not None and found.state is State.PUBLISHED:
        return _shown(desk, asked, found.text, found.updated_at)
    if found.text is not None:
        # Its latest stamp is that of the withdrawal, and cites nothing.
        return _shown(desk, asked, found.text, None)
    return _shown(desk, asked, found.draft.text, None) if found.draft else None


def _line(revision: Revision) -> Version:
    return Version(
        revision.updated_at, revision.text.title, revision.by, revision.client, revision.note
    )


def _shown(desk: Desk, asked: Asked, text: Text, stamp: Stamp | None) -> Shown:
    kb, article_id = asked.kb, asked.article_id
    document = Document(text.content, text.title)
    found = desk.service.links.resolve(desk.credential, kb, article_id, document.targets)
    passages = cut(text.content)
    links = Links(
        {
            target: article_address(kb, one) + heading_fragment(target)
            for target, one in found.items()
        },
        lambda name: address("article", kb=kb, id=article_id, at=stamp, cite=name) + "#cite",
    )
    return Shown(
        text.title,
        stamp,
        document.html(passages if stamp else (), links),
        _cited(asked, text.content, passages, stamp) if stamp else None,
    )


def _cited(asked: Asked, content: str, passages: Sequence[Passage], stamp: Stamp) -> Cited | None:
    """The citation of the passage that the address names, or of the whole version."""
    name = asked.text("cite")
    if not name:
        return None
    citation = Citation(asked.kb, asked.article_id, stamp)
    where = asked.address + article_address(asked.kb, asked.article_id, stamp)
    passage = next((one for one in passages if one.id == name), None)
    if passage:
        citation = replace(citation, quotes=(_quote(content, passage),))
        where += f"#p-{passage.id}"
    told = json.dumps(citation_object(citation), ensure_ascii=False, indent=2)
    return Cited(passage.id if passage else None, told, where)


def _quote(content: str, passage: Passage) -> Quote:
    """A passage's words, with context where they stand more than once."""
    exact = normalise(content[passage.start : passage.end])[:_LONGEST_QUOTE]
    if normalise(content).count(exact) == 1:
        return Quote(exact)
    before = normalise(content[: passage.start])[-_CONTEXT:]
    behind = normalise(content[passage.end :])[:_CONTEXT]
    return Quote(exact, f"{before} " if before else "", f" {behind}" if behind else "")
