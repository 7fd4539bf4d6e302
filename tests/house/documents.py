"""What the pages say, as far as a machine can tell whether it holds."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.house.tree import files, finding

MARKDOWN = MarkdownIt("commonmark").enable("table")
PLACE = re.compile(r"`((?:src|tests|docs|bench|examples|requirements|tools)/[\w./-]*)`")


def pages(root: Path) -> Iterator[Path]:
    """The project's own pages: those at the top, those in `docs`, and every README."""
    for path in files(root):
        place = path.relative_to(root).parts
        own = len(place) == 1 or place[0] == "docs" or path.name == "README.md"
        if own and path.suffix == ".md":
            yield path


def broken_links(root: Path) -> list[str]:
    """Relative links, in pages, to a file or a heading that is not there."""
    found = []
    for page in pages(root):
        for line, address in links(page):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists():
                found.append(finding(root, page, line, f"no such file: {address}"))
            elif parts.fragment and parts.fragment not in anchors(target):
                found.append(finding(root, page, line, f"no such heading: {address}"))
    return found


def links(page: Path) -> Iterator[tuple[int, str]]:
    """The line of the block and the address of each link and image of a page."""
    for block in MARKDOWN.parse(page.read_text("utf-8")):
        line = block.map[0] + 1 if block.map else 1
        for token in block.children or []:
            address = token.attrGet("href") or token.attrGet("src")
            if address:
                yield line, str(address)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get where the project is read."""
    tokens = MARKDOWN.parse(page.read_text("utf-8"))
    titles = [
        plain(inline)
        for opening, inline in itertools.pairwise(tokens)
        if opening.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def plain(inline: Token) -> str:
    """The words of an inline token without its marks."""
    return "".join(token.content for token in inline.children or [])


def code_blocks(root: Path, language: str) -> Iterator[tuple[Path, int, str]]:
    """The page, line and text of each fenced block in one language."""
    for page in pages(root):
        for token in MARKDOWN.parse(page.read_text("utf-8")):
            if token.type == "fence" and token.info.split()[:1] == [language] and token.map:
                yield page, token.map[0] + 2, token.content


def broken_examples(root: Path) -> list[str]:
    """Python blocks of the pages that are no Python."""
    found = []
    for page, line, text in code_blocks(root, "python"):
        try:
            ast.parse(text)
        except SyntaxError as error:
            at = line + (error.lineno or 1) - 1
            found.append(finding(root, page, at, f"not Python: {error.msg}"))
    return found


def missing_places(root: Path) -> list[str]:
    """Files and folders of the project that pages name in code and that are not there."""
    found = []
    for page in pages(root):
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            found += [
                finding(root, page, number, f"no such place: {place}")
                for place in PLACE.findall(line)
                if not (root / place).exists()
            ]
    return found


def unknown_targets(root: Path) -> list[str]:
    """Commands ``make …`` in pages whose target the Makefile does not have."""
    known = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE))
    found = []
    for page in pages(root):
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            targets = re.findall(r"(?:`|^\$ )make ([a-z][a-z-]*)", line)
            found += [
                finding(root, page, number, f"no such target: make {target}")
                for target in targets
                if target not in known
            ]
    return found


def rows(page: Path) -> Iterator[list[str]]:
    """The cells of each body row of a page's tables, as they are written."""
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|-: "):
            yield cells


def glossary(root: Path) -> dict[str, str]:
    """The glossary: each word with the words that are never used for it, both by commas."""
    table = list(rows(root / "docs/glossary.md"))
    return {cells[0]: cells[3] for cells in table[1:]}


def synonyms(root: Path) -> dict[str, str]:
    """The words that the glossary rules out, each with the word to use."""
    return {
        never.strip(): word
        for word, nevers in glossary(root).items()
        for never in nevers.split(",")
        if never.strip()
    }


def unexplained_modules(root: Path) -> list[str]:
    """Modules of the rules that are named after no word of the glossary."""
    known = {word.strip("` ") for words in glossary(root) for word in words.split(",")}
    found = []
    for path in sorted((root / "src/pincite/domain").glob("[a-z]*.py")):
        name = path.stem.replace("_", " ")
        forms = {name, name.removesuffix("s"), re.sub("ies$", "y", name)}
        if not any(form in known or any(form in word.split() for word in known) for form in forms):
            found.append(finding(root, path, 1, f"`{path.stem}` is not in docs/glossary.md"))
    return found


def irregular_records(root: Path) -> list[str]:
    """Decision records out of number, without a status, or missing in their list."""
    folder = root / "docs/adr"
    listed = (folder / "README.md").read_text("utf-8")
    found = []
    for number, path in enumerate(sorted(folder.glob("[0-9]*.md")), 1):
        text = path.read_text("utf-8")
        if not path.name.startswith(f"{number:04}-") or not text.startswith(f"# {number}. "):
            found.append(finding(root, path, 1, f"record {number} by order, not by name or title"))
        if not re.search(r"^Status: (accepted|replaced by \[\d+\])", text, re.MULTILINE):
            found.append(finding(root, path, 1, "no line `Status: accepted` or `replaced by [n]`"))
        if f"({path.name})" not in listed:
            found.append(finding(root, path, 1, "missing in docs/adr/README.md"))
    return found
