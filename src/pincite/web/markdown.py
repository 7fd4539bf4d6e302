"""Turns an article's Markdown into safe HTML, with a link to its citation at each passage.

The sanitiser comes last and judges everything, the app's own marks included. Those carry a word
that is random for each page, so that no text can pass for one; it is taken away as they pass.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, unquote, urlsplit

import nh3
from markupsafe import Markup

from pincite.domain.passages import Passage, normalise
from pincite.web.parsing import LONGEST, find_tokens, name_headings, parser

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n?|\n")
_SCHEMES = ("http://", "https://", "mailto:")
_INLINE = "a abbr b br cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var"
_BLOCK = (
    "blockquote caption col colgroup dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr "
    "li ol p pre summary table tbody td tfoot th thead tr ul wbr"
)
_TAGS = frozenset(f"{_INLINE} {_BLOCK}".split())
_ATTRIBUTES = {
    "*": {"class", "dir", "lang", "title"},
    "a": {"aria-label", "href", "id"},
    "div": {"aria-label", "role", "tabindex"},
    "ol": {"start", "reversed"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
# Only the app itself says these; in a text they are dropped.
_OURS = frozenset({"aria-label", "class", "id", "role", "tabindex"})
_BLOCKS = frozenset({"paragraph_open", "heading_open", "tr_open", "fence", "code_block", "hr"})

_TOO_LONG = Markup("longer than {:,} characters").format(LONGEST)
_TOO_DEAR = Markup("nested or marked up too much to be made into a page")
_AS_WRITTEN = Markup(
    '<p class="note">This text is shown as it is written: it is {}.</p>\n<pre>{}</pre>'
)

Address: TypeAlias = Callable[[str], str]
"""Where the citation of a passage is shown, by the passage's id."""


@dataclass(frozen=True, slots=True)
class Links:
    """Where links lead.

    Attributes:
        articles: The address of each local target that leads to an article.
        citation: The address that shows a passage's citation.
    """

    articles: Mapping[str, str]
    citation: Address


class Document:
    """A text, parsed.

    Args:
        content: The Markdown; HTML in it is kept as far as it is harmless.
        title: The title that stands above it; a first heading that says the same is left out.
    """

    def __init__(self, content: str, title: str = "") -> None:
        self._content = content
        self._tokens = find_tokens(content)
        self._slugs = name_headings(self._tokens or ())
        if self._tokens and _heading(self._tokens) == normalise(title):
            self._tokens = self._tokens[3:]

    @property
    def targets(self) -> Sequence[str]:
        """The targets of its links, as they are written and each once."""
        found: dict[str, None] = {}
        for block in self._tokens or ():
            for token in block.children or ():
                if token.type == "link_open":
                    found[str(token.attrGet("href"))] = None
        return tuple(found)

    def html(self, passages: Sequence[Passage], links: Links) -> Markup:
        """Shows it.

        Args:
            passages: What the text was cut into.
            links: Where links lead. Local ones that lead to no article are shown as text;
                other sites' keep their address and tell nothing of where they stood.
        """
        if self._tokens is None:
            why = _TOO_LONG if len(self._content) > LONGEST else _TOO_DEAR
            return _AS_WRITTEN.format(why, self._content)
        within = {
            target: heading_fragment(target)
            for target in self.targets
            if target.startswith("#") and unquote(target[1:]) in self._slugs
        }
        word = secrets.token_hex(8)
        starts = dict(_line_starts(self._content, passages))
        marked = list(_marked(self._tokens, starts, _Marks(word)))
        html = parser().renderer.render(marked, parser().options, {})
        led = replace(links, articles={**links.articles, **within})
        return Markup(_cleaner(word, led).clean(html))  # noqa: S704 - it is clean


def heading_fragment(target: str) -> str:
    """The end of an address that leads to the heading which a link's target names, if any.

    Headings have GitHub's names behind ``h-``, so that no text can take a name that the page
    itself uses.
    """
    name = unquote(urlsplit(target).fragment)
    return f"#h-{quote(name)}" if name else ""


@dataclass(frozen=True, slots=True)
class _Marks:
    """Writes what the app itself adds to a text."""

    word: str

    def passage(self, name: str) -> "Token":
        """The link to a passage's citation; it is where links to the passage lead, too."""
        return self._html(
            f'<a class="{self.word}cite" id="{self.word}p-{name}" href="{self.word}{name}" '
            f'aria-label="{self.word}Cite">¶</a>'
        )

    def wide(self) -> "Token":
        """Opens what can be scrolled sideways, by keyboard too."""
        word = self.word
        return self._html(
            f'<div class="{word}wide" role="{word}group" tabindex="{word}0" '
            f'aria-label="{word}Table">'
        )

    def end(self) -> "Token":
        """Closes it."""
        return self._html("</div>")

    def tell(self, token: "Token") -> None:
        """Says what links call a heading and, the page allowing no style, a cell's side."""
        if token.type == "heading_open":
            token.attrs["id"] = f"{self.word}h-{token.meta['slug']}"
        style = str(token.attrs.pop("style", ""))
        if style:
            token.attrs["class"] = self.word + style.removeprefix("text-align:")

    def _html(self, text: str) -> "Token":
        from markdown_it.token import Token

        return Token("html_inline", "", 0, content=text)


def _marked(
    tokens: Sequence["Token"], starts: Mapping[int, str], marks: _Marks
) -> Iterator["Token"]:
    """The tokens of a text with a mark at each passage."""
    waiting: str | None = None
    for token in tokens:
        name = starts.get(token.map[0]) if token.map and token.type in _BLOCKS else None
        if token.type in {"fence", "code_block", "hr"} and name:
            yield marks.passage(name)
        elif name:
            waiting = name
        if token.type == "inline" and waiting:
            token.children = [marks.passage(waiting), *(token.children or ())]
            waiting = None
        if token.type in {"heading_open", "td_open", "th_open"}:
            marks.tell(token)
        if token.type == "table_open":
            yield marks.wide()
        yield token
        if token.type == "table_close":
            yield marks.end()


def _heading(tokens: Sequence["Token"]) -> str | None:
    """What the first heading says, if a text begins with one of the first level."""
    if tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        return None
    return normalise("".join(child.content for child in tokens[1].children or ()))


def _line_starts(content: str, passages: Iterable[Passage]) -> Iterator[tuple[int, str]]:
    """The line on which each passage begins, as the parser counts lines, and its id."""
    line = position = 0
    for passage in passages:
        line += len(_LINE_END.findall(content, position, passage.start))
        position = passage.start
        yield line, passage.id


def _cleaner(word: str, links: Links) -> nh3.Cleaner:
    def judged(_: str, name: str, value: str) -> str | None:
        ours = value.startswith(word)
        if name == "href":
            return _led(value, links) if not ours else links.citation(value.removeprefix(word))
        if name in _OURS:
            return value.removeprefix(word) if ours else None
        return value

    return nh3.Cleaner(
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=judged,
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
    )


def _led(target: str, links: Links) -> str | None:
    if target.lower().startswith(_SCHEMES):
        return target
    return links.articles.get(target)
