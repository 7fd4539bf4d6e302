"""Links between documents, resolved to tell which lead nowhere; the text is never touched."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pincite.domain.documents import Finding

_ENDING = re.compile(r"\.(?:md|mdx|markdown|mdown|mkd|html?)$")
_INDEX = re.compile(r"(?:^|/)(?:index|readme|_index)$")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")


@dataclass(frozen=True, slots=True)
class Linked:
    """What the links of one file need: where it stands, what it is called, where it leads.

    Attributes:
        routes: Other names of the page: slug, permalink, former addresses.
    """

    path: str
    routes: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(slots=True)
class _Places:
    """Every name under which something in the folder can be linked to."""

    exact: set[str] = field(default_factory=set)
    endings: set[str] = field(default_factory=set)

    def add(self, route: str) -> None:
        """Takes a name and, as sites serve folders under prefixes, each of its tails."""
        self.exact.add(route)
        parts = route.split("/")
        self.endings.update("/".join(parts[start:]) for start in range(len(parts)))


def unresolved(pages: Iterable[Linked], other_files: Iterable[str]) -> Iterator[Finding]:
    """Finds the links that lead to no page and no file in the folder.

    A link may be a path, with or without its ending, or a site's route: a page's slug,
    permalink or former address, or the tail of its path. Links to other sites, within a
    page, and links that a template writes are not judged.
    """
    pages = list(pages)
    places = _Places()
    for page in pages:
        places.add(_route(page.path))
        folder = posixpath.dirname(page.path)
        for route in page.routes:
            places.add(_route(route))
            if not route.startswith("/"):
                places.add(_route(posixpath.join(folder, route)))
    for other in other_files:
        places.add(_route(other))
    for page in pages:
        for target in dict.fromkeys(page.targets):
            path = _local_path(target)
            if path and not _leads_somewhere(path, page.path, places):
                yield Finding(page.path, target)


def _local_path(target: str) -> str | None:
    """The path part of a link into the folder; None for any other link."""
    if _TEMPLATE.search(unquote(target)):
        return None
    try:
        parts = urlsplit(target)
    except ValueError:
        return target
    return None if parts.scheme or parts.netloc else unquote(parts.path)


def _leads_somewhere(path: str, page: str, places: _Places) -> bool:
    if path.startswith("/"):
        route = _route(path)
        return not route or route in places.endings
    # From the page's folder as a path does, and from below the page as a site's route does.
    candidates = (posixpath.dirname(page), _ENDING.sub("", page))
    return any(
        (route := _route(posixpath.join(folder, path))) in places.exact
        or not route
        or (route.startswith("../") and route.lstrip("./") in places.endings)
        for folder in candidates
    )


def _route(path: str) -> str:
    normal = posixpath.normpath(path.casefold().strip("/") or ".")
    return _INDEX.sub("", _ENDING.sub("", "" if normal == "." else normal))
