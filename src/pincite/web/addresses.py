"""Where pages stand.

Each stands right below the app's own address, and what it shows is said in its query: ids may
hold slashes and dots, which browsers and proxies fold in a path and leave alone in a query. So
every link is relative, and the app can be served below any address.
"""

from urllib.parse import parse_qs, quote, urlencode, urlsplit

from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId, parse_article_id, parse_knowledge_base_id
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.wire.results import Permalink

_PLAIN = "/:~"
"""What a query may hold as it is (RFC 3986 section 3.4), so that people can read it."""


def address(page: str, **parts: object) -> str:
    """The relative address of a page; parts that are None are left out."""
    told = {name: str(value) for name, value in parts.items() if value is not None}
    return f"{page}?{urlencode(told, safe=_PLAIN, quote_via=quote)}" if told else page


def article_address(kb: KnowledgeBaseId, article_id: ArticleId, at: Stamp | None = None) -> str:
    """The relative address of an article or, with its stamp, of one version."""
    return address("article", kb=kb, id=article_id, at=at)


def permalinks(public_url: str) -> Permalink:
    """Tells where people find a cited version of a server that they reach at ``public_url``."""
    front = public_url.rstrip("/")

    def permalink(kb: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp) -> str:
        return f"{front}/{article_address(kb, article_id, updated_at)}"

    return permalink


def citation_at(url: str) -> Citation:
    """The citation that a permalink stands for.

    Raises:
        InvalidInputError: It is none.
    """
    try:
        query = parse_qs(urlsplit(url.strip()).query)
    except ValueError:
        query = {}
    parts = [query.get(name, [""])[-1] for name in ("kb", "id", "at")]
    if not all(parts):
        raise InvalidInputError(
            "citation must be JSON as Pincite writes it, a source (pincite:KB/ARTICLE@STAMP) "
            "or the address of a version.",
            field="citation",
            limit="JSON, pincite:KB/ARTICLE@STAMP, or an address with kb, id and at",
        )
    kb, article_id, stamp = parts
    return Citation(
        parse_knowledge_base_id(kb, "citation"),
        parse_article_id(article_id, "citation"),
        Stamp.parse(stamp, "citation"),
    )
