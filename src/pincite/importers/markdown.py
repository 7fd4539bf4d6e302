"""Makes a document of one Markdown file. Templating, JSX and admonitions stay as text."""

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.domain.documents import Document
from pincite.domain.ids import ID_LIMIT, ArticleId, fits_id
from pincite.domain.texts import TITLE_LIMIT, check_size, checked_content, checked_text
from pincite.importers.front_matter import FrontMatter, split
from pincite.importers.links import Linked

ENDINGS = frozenset({".md", ".mdx", ".markdown", ".mdown", ".mkd"})

# Only what tells headings and links from code: a document is read, not rendered.
_READER = MarkdownIt("zero").enable(
    [
        *("fence", "code", "heading", "lheading", "reference"),
        *("escape", "backticks", "emphasis", "link", "image", "entity"),
    ]
)
# `{#anchor}` (markdown-it-attrs, VitePress) and `{/*anchor*/}` (MDX, whose stars read as
# emphasis here) are no part of a heading.
_ANCHOR = re.compile(r"\s*\{(?:#[^}]*|/.*?/)\}\s*$")
_SPACE = re.compile(r"\s+")
_YES = frozenset({"true", "yes", "on"})


def read_document(path: str, data: bytes, content_limit: int) -> tuple[Document, Linked, list[str]]:
    """Reads one file.

    Args:
        path: The file's path in its folder, with ``/``.
        data: Its bytes.
        content_limit: The most bytes of UTF-8 that the content may have.

    Returns:
        The document, what its links need, and what had to be repaired.

    Raises:
        UnicodeDecodeError: The file is not UTF-8.
        InvalidInputError: The content is empty, or it or the front matter holds NUL.
        TooLargeError: The content is beyond the limit.
    """
    front, content = split(data.decode())
    checked_content(content)
    checked_text(front.raw, "front matter", shortest=0, longest=len(data))
    check_size(content, content_limit)
    tokens = _READER.parse(content)
    repairs = [front.repair] if front.repair else []
    named = front.text("id")
    article_id = _fitting_id(named or str(PurePosixPath(path).with_suffix("")))
    name = PurePosixPath(path).stem.strip() or article_id
    title = front.text("title") or _heading(tokens) or name
    if len(title) > TITLE_LIMIT:
        repairs.append(f"the title has {len(title)} characters and was cut to {TITLE_LIMIT}")
        title = title[:TITLE_LIMIT].rstrip()
    document = Document(
        path=path,
        article_id=article_id,
        names_id=named is not None,
        title=title,
        front_matter=front.raw,
        content=content,
        draft=_is_draft(front),
    )
    return document, Linked(path, _routes(front), tuple(_targets(tokens))), repairs


def title_in(front_matter: str, content: str) -> str | None:
    """The title that a file gives itself; None if it has to borrow its name."""
    front, _ = split(front_matter)
    return front.text("title") or _heading(_READER.parse(content))


def _fitting_id(text: str) -> ArticleId:
    """An id made from a path: NFC, other characters than ids may hold as ``-``, not too long."""
    parts = unicodedata.normalize("NFC", text).split("/")
    fitted = (_fitting_part(part) for part in parts if part not in (".", ".."))
    article_id = "/".join(part for part in fitted if part)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    if len(article_id) > ID_LIMIT:
        article_id = f"{article_id[: ID_LIMIT - 9]}-{digest}"
    return ArticleId(article_id or digest)


def _fitting_part(part: str) -> str:
    """Other characters than ids may hold become one ``-`` a run, and none at the ends."""
    runs = itertools.groupby(part, fits_id)
    fitted = "".join("".join(run) if fits else "-" for fits, run in runs)
    return fitted if fitted == part else fitted.strip("-")


def _heading(tokens: Sequence[Token]) -> str | None:
    for token, after in itertools.pairwise(tokens):
        if token.type == "heading_open":
            text = "".join(part.content for part in after.children or [] if part.content)
            text = _SPACE.sub(" ", _ANCHOR.sub("", text)).strip()
            if text:
                return text
    return None


def _targets(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        for part in token.children or []:
            if part.type == "link_open":
                yield str(part.attrs["href"])


def _routes(front: FrontMatter) -> tuple[str, ...]:
    keys = ("slug", "permalink", "redirect_from", "aliases", "url")
    return tuple(route for key in keys for route in front.texts(key))


def _is_draft(front: FrontMatter) -> bool:
    status, draft, published = (
        (front.text(key) or "").lower() for key in ("status", "draft", "published")
    )
    return status == "draft" or draft in _YES or published in {"false", "no", "off"}
