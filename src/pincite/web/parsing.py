"""Parses Markdown for pages, with a bound on the work.

CommonMark lets a parser try at each bracket whether a link begins there, and at each line of a
quotation whether it ends there: markdown-it-py does so at each of its 20 levels of nesting.
What is quadratic in the original was mended in it (its pull requests #273, #423 and #428), and
yet 200,000 characters of nothing but brackets take it ten times as long as ordinary text. So the
rules' tries are counted, and a text that takes too many is not parsed at all.
"""

from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from unicodedata import category

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import StateBase
    from markdown_it.token import Token

LONGEST: Final = 200_000
"""Characters that are made into a page; what is longer is shown as it is written."""

MOST_TRIES: Final = 80_000
"""How often rules are tried on one text. Documents take fewer than 0.07 for each character, a
text whose every second word is marked up 0.25, and hostile ones up to 10."""

_LEFT = "tries left"
_IN_BLOCKS = ("paragraph", "reference", "blockquote", "list")


class _TooManyTriesError(Exception):
    """A text takes more work than a page may cost."""


def find_tokens(content: str) -> Sequence["Token"] | None:
    """A text's tokens; None if it is too long, or takes too much work."""
    if len(content) > LONGEST:
        return None
    try:
        return parser().parse(content, {_LEFT: MOST_TRIES})
    except _TooManyTriesError:
        return None


@cache
def parser() -> "MarkdownIt":
    """The parser, which keeps nothing of a text."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    made.renderer.rules["image"] = _image  # type: ignore[attr-defined]
    made.block.ruler.before("table", "count", _count, {"alt": list(_IN_BLOCKS)})
    made.inline.ruler.before("text", "count", _count)
    return made


def name_headings(tokens: Sequence["Token"]) -> frozenset[str]:
    """Notes in each heading's ``meta`` what GitHub calls it, its ``slug``; returns all of them.

    That is its text in lower case, without punctuation and with hyphens for spaces, and a
    number behind one that was there before: the rule of GitHub's html-pipeline (its filter for
    tables of contents), on which links between the files of a repository rely. As in the
    library github-slugger, no two headings ever get one name.
    """
    taken: dict[str, int] = {}
    for heading, inline in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        said = (one for one in inline.children or () if one.type in {"text", "code_inline"})
        text = "".join(one.content for one in said).lower()
        slug = "".join(filter(_in_slug, text)).replace(" ", "-")
        name = slug
        while name in taken:
            taken[slug] += 1
            name = f"{slug}-{taken[slug]}"
        taken[name] = 0
        heading.meta["slug"] = name
    return frozenset(taken)


def _in_slug(character: str) -> bool:
    kind = category(character)
    return character in "- " or kind[0] in "LM" or kind in {"Nd", "Pc"}


def _count(state: "StateBase", *_: object) -> bool:
    """A rule that never matches, and is tried wherever others are."""
    state.env[_LEFT] -= 1
    if state.env[_LEFT] < 0:
        raise _TooManyTriesError
    return False


def _image(tokens: Sequence["Token"], index: int, *_: object) -> str:
    """What a picture shows, in words: it is not part of the knowledge base."""
    said = tokens[index].content or str(tokens[index].attrGet("src") or "")
    return f"<em>[{escape(said)}]</em>"
