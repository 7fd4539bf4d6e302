"""Documents: what an importer makes of files, and what an exporter is given to write."""

from dataclasses import dataclass

from pincite.domain.ids import ArticleId


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read and understood.

    Front matter and content together are the file, byte for byte.

    Attributes:
        path: Its path in the folder, with ``/``; its external id.
        article_id: The id that it would like to have.
        names_id: Whether the file itself names that id, or it was made from the path.
        front_matter: What stands before the content; often empty.
        draft: The file says that it is not to be published.
    """

    path: str
    article_id: ArticleId
    names_id: bool
    title: str
    front_matter: str
    content: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell about one path, in words for people."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Source:
    """All that an importer found: nothing is dropped without a finding.

    Attributes:
        documents: In the order of their paths.
        skipped: What makes no article, and why.
        repaired: What was read only after it was mended, and how.
        unresolved: Links that lead to nothing in the source; ``message`` is the target.
    """

    documents: tuple[Document, ...]
    skipped: tuple[Finding, ...] = ()
    repaired: tuple[Finding, ...] = ()
    unresolved: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedArticle:
    """One article on its way out.

    Attributes:
        path: Where it was imported from; None if it never was.
        file_title: The title that its file gave when it was imported; None if there is none.
        published: The article is published.
        draft: The text is a draft, not the published one.
    """

    article_id: ArticleId
    path: str | None
    title: str
    file_title: str | None
    front_matter: str
    content: str
    published: bool = True
    draft: bool = False
