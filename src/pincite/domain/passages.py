"""Passages: the pieces of an article's Markdown that can be cited.

Headings, paragraphs, list items, table rows and code blocks. They stand in the order of the
text and do not overlap, and beside them stands nothing but white space (and at the very
beginning, perhaps, a byte order mark): joined and folded, they are the whole text.

Blocks are found by markdown-it-py (CommonMark with GFM tables). Only its block phase runs,
and it resolves no link definitions, so that cutting takes time linear in the text.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

from pincite.errors import InvalidInputError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

Kind: TypeAlias = Literal["heading", "paragraph", "item", "row", "code"]

# Four times the lines of the longest real documents; parsing takes about 40 µs a line.
_MOST_LINES = 50_000
_BYTE_ORDER_MARK = "\ufeff"
_LINE_END = re.compile(r"\r\n?|\n")
_LEAVES: dict[str, Kind] = {
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "tr_open": "row",
    "html_block": "paragraph",
    "hr": "paragraph",
}


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of an article's content; ``start`` and ``end`` are offsets in code points.

    Attributes:
        id: A digest of the folded text, followed by ``-2``, ``-3`` and so on where the same
            text stood before. Edits elsewhere leave it alone, unless they touch a twin.
        kind: What Markdown makes of it. HTML, rules and link definitions are paragraphs.
        heading_path: The headings that it stands under, outermost first, white space folded.
            A heading is not on its own path; one inside a quote or list opens no section.
        start: Where its first character stands that is no white space.
        end: Behind its last such character.
    """

    id: str
    kind: Kind
    heading_path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Window:
    """A run of whole passages with what stands between them.

    Attributes:
        text: The run, byte for byte.
        start: Where it begins in the content, in code points.
        complete: Whether it is the whole content.
        next_passage: The first passage that is not wholly in it; None at the end.
    """

    text: str
    start: int
    complete: bool
    next_passage: str | None


def normalise(text: str) -> str:
    """Folds each run of white space into one space and drops it at both ends; nothing else."""
    return " ".join(text.split())


def cut(content: str) -> tuple[Passage, ...]:
    """Cuts Markdown into its passages.

    Every line that holds more than white space belongs to exactly one passage. No text is
    refused: what nests too deeply for the parser becomes paragraphs, and a text of more than
    50,000 lines is cut at blank lines alone.
    """
    twins: Counter[str] = Counter()
    sections: list[tuple[int, str]] = []
    passages: list[Passage] = []
    for block in _blocks(content):
        if block.level:
            sections = [section for section in sections if section[0] < block.level]
        path = tuple(title for _, title in sections)
        name = _name(content[block.start : block.end], twins)
        passages.append(Passage(name, block.kind, path, block.start, block.end))
        if block.level:
            sections.append((block.level, block.title))
    return tuple(passages)


def window(
    content: str,
    passages: Sequence[Passage],
    first_passage: str | None = None,
    max_characters: int | None = None,
) -> Window:
    """Takes as many whole passages as fit, from the one named onwards.

    A first passage that is longer than the limit is cut there; it is then the next one, too.

    Args:
        content: What was cut.
        passages: What ``cut`` made of it.
        first_passage: The id to begin with; None for the beginning of the content.
        max_characters: The longest text wanted, in code points and at least 1; None for all.

    Raises:
        InvalidInputError: No passage of this content has that id.
    """
    first = 0 if first_passage is None else _find(passages, first_passage)
    start = passages[first].start if first else 0
    limit = len(content) if max_characters is None else start + max_characters
    ends = [passage.end for passage in passages[first:]]
    fitting = bisect_right(ends, limit)
    if fitting == len(ends):
        end = min(limit, len(content))
    else:
        end = ends[fitting - 1] if fitting else limit
    return Window(
        text=content[start:end],
        start=start,
        complete=end - start == len(content),
        next_passage=passages[first + fitting].id if fitting < len(ends) else None,
    )


@dataclass(frozen=True, slots=True)
class _Block:
    kind: Kind
    start: int
    end: int
    level: int = 0  # of a heading that opens a section
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Leaf:
    kind: Kind
    first_line: int
    behind: int
    level: int = 0
    title: str = ""


def _find(passages: Sequence[Passage], name: str) -> int:
    for index, passage in enumerate(passages):
        if passage.id == name:
            return index
    raise InvalidInputError(
        "This version has no passage of that id. Read it with outline to see its passages.",
        field="first_passage",
        limit="the id of a passage in this version",
    )


def _name(text: str, twins: Counter[str]) -> str:
    digest = sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()[:10]
    twins[digest] += 1
    return digest if twins[digest] == 1 else f"{digest}-{twins[digest]}"


def _blocks(content: str) -> Iterator[_Block]:
    skipped = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    spans = _line_spans(content, skipped)
    tokens = _parse(content[skipped:]) if len(spans) <= _MOST_LINES else []
    for leaf in _without_gaps(_leaves(tokens), content, spans):
        start, end = spans[leaf.first_line][0], spans[leaf.behind - 1][1]
        text = content[start:end]
        if text.strip():
            start += len(text) - len(text.lstrip())
            end -= len(text) - len(text.rstrip())
            yield _Block(leaf.kind, start, end, leaf.level, leaf.title)


def _line_spans(content: str, start: int) -> list[tuple[int, int]]:
    """The lines as markdown-it counts them, without their ends."""
    spans = []
    for match in _LINE_END.finditer(content, start):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(content))]


def _without_gaps(
    leaves: Iterable[_Leaf], content: str, spans: Sequence[tuple[int, int]]
) -> Iterator[_Leaf]:
    """Makes paragraphs of the lines that are in no leaf."""
    line = 0
    for leaf in leaves:
        if content[spans[line][0] : spans[leaf.first_line][0]].strip():
            yield from _paragraphs(range(line, leaf.first_line), content, spans)
        yield leaf
        line = leaf.behind
    yield from _paragraphs(range(line, len(spans)), content, spans)


def _paragraphs(lines: range, content: str, spans: Sequence[tuple[int, int]]) -> Iterator[_Leaf]:
    for blank, group in groupby(lines, lambda line: not content[slice(*spans[line])].strip()):
        run = list(group)
        if not blank:
            yield _Leaf("paragraph", run[0], run[-1] + 1)


def _leaves(tokens: Sequence["Token"]) -> Iterator[_Leaf]:
    depth = 0  # of list items
    for index, token in enumerate(tokens):
        if token.type in {"list_item_open", "list_item_close"}:
            depth += token.nesting
        kind = _kind(tokens, index, depth)
        if kind is None or token.map is None:
            continue
        first_line, behind = token.map
        if token.type == "tr_open" and tokens[index - 1].type == "thead_open":
            behind += 1  # the line of dashes belongs to the head's row
        if token.type == "heading_open" and token.level == 0:
            title = normalise(tokens[index + 1].content)
            yield _Leaf(kind, first_line, behind, int(token.tag[1:]), title)
        else:
            yield _Leaf(kind, first_line, behind)


def _kind(tokens: Sequence["Token"], index: int, depth: int) -> Kind | None:
    match tokens[index].type:
        case "paragraph_open":
            return "item" if depth else "paragraph"
        case "list_item_open":
            # An item with nothing in it has no paragraph to stand for it.
            return "item" if tokens[index + 1].type == "list_item_close" else None
        case other:
            return _LEAVES.get(other)


def _parse(content: str) -> Sequence["Token"]:
    tokens: list[Token] = []
    parser = _parser()
    # The core rules would fold line ends too, and then go on to the inline phase.
    parser.block.parse(_LINE_END.sub("\n", content), parser, {}, tokens)
    return tokens


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.block.ruler.before("table", "prose", _prose)
    return parser


def _prose(state: "StateBlock", start: int, _end: int, _silent: bool) -> bool:  # noqa: FBT001 - as it is called
    """A paragraph whose lines all begin with letters, told without asking the other rules.

    Nothing but a paragraph begins with a letter, and nothing that does can end one (CommonMark
    0.31.2, section 4), so that this changes no result. Most lines of most articles are such,
    and each would else be put to a dozen rules.
    """
    line = start
    while line < state.lineMax and not state.isEmpty(line):
        if not state.src[state.bMarks[line] + state.tShift[line]].isalpha():
            return False
        line += 1
    if state.is_code_block(start):
        return False
    # Of a paragraph only the beginning is looked at; its text would be put together for nothing.
    state.push("paragraph_open", "p", 0).map = [start, line]
    state.line = line
    return True
