"""Folders of Markdown files: reads them as documents, and writes articles back, byte for byte."""

import itertools
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pincite.domain.documents import Document, ExportedArticle, Finding, Source
from pincite.domain.texts import CONTENT_LIMIT
from pincite.errors import InvalidInputError, TooLargeError
from pincite.importers.front_matter import with_title
from pincite.importers.links import Linked, unresolved
from pincite.importers.markdown import ENDINGS, read_document, title_in

FRONT_MATTER_LIMIT = 64 * 1024
"""A file may be this much larger than an article's content, in bytes; else it is not read."""


@dataclass(slots=True)
class _Gathered:
    documents: list[Document] = field(default_factory=list)
    pages: list[Linked] = field(default_factory=list)
    other_files: list[str] = field(default_factory=list)
    skipped: list[Finding] = field(default_factory=list)
    repaired: list[Finding] = field(default_factory=list)


def read_folder(folder: Path, content_limit: int = CONTENT_LIMIT) -> Source:
    """Reads every Markdown file in a folder and below it.

    Symbolic links are not followed: they may lead out of the folder, or around in circles.

    Raises:
        InvalidInputError: There is no such folder, or it cannot be listed.
    """
    try:
        with os.scandir(folder):
            pass
    except OSError as error:
        raise InvalidInputError(
            f"{folder} cannot be read as a folder: {error.strerror}.",
            field="folder",
            limit="a readable folder",
        ) from None
    gathered = _Gathered()
    for path in sorted(_files(folder, gathered.skipped)):
        if path.suffix.lower() in ENDINGS:
            _gather(folder, path, content_limit, gathered)
        else:
            name = _shown(path.relative_to(folder).as_posix())
            gathered.other_files.append(name)
            gathered.skipped.append(Finding(name, "not a Markdown file; left out for now"))
    return Source(
        documents=tuple(gathered.documents),
        skipped=tuple(sorted(gathered.skipped, key=lambda one: one.path)),
        repaired=tuple(gathered.repaired),
        unresolved=tuple(unresolved(gathered.pages, gathered.other_files)),
    )


@dataclass(slots=True)
class Written:
    """What an export wrote.

    Attributes:
        written: Paths of files that are new or have new bytes.
        unchanged: Paths of files that had these bytes already.
        refused: Files that were not written, and why.
    """

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)


def write_folder(
    folder: Path, articles: Iterable[ExportedArticle], *, replace: bool = False
) -> Written:
    """Writes articles as Markdown files.

    An article that was imported goes to the path and with the front matter that it came
    with; any other to its id with ``.md``. Where the article's title is not the one that
    the file would give, the front matter says it.

    Args:
        folder: Made if it is not there.
        articles: What to write.
        replace: Write over files that hold something else; without it they are refused.
    """
    written = Written()
    taken: set[str] = set()
    for article in articles:
        path = _free_path(_path_of(article), taken)
        try:
            changed = _write(folder / path, _bytes_of(article), replace=replace)
        except OSError as error:
            written.refused.append(Finding(path, error.strerror or str(error)))
        else:
            (written.written if changed else written.unchanged).append(path)
    return written


def _files(folder: Path, skipped: list[Finding]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        skip(Path(error.filename), f"cannot be listed: {error.strerror}")

    def skip(path: Path, why: str) -> None:
        skipped.append(Finding(_shown(path.relative_to(folder).as_posix()), why))

    for root, folders, files in os.walk(folder, onerror=unreadable):
        for name in [*folders, *files]:
            path = Path(root, name)
            why_not = _why_not(path, name)
            if why_not:
                skip(path, why_not)
            elif name in files:
                yield path
        folders[:] = [name for name in folders if not _why_not(Path(root, name), name)]


def _why_not(path: Path, name: str) -> str | None:
    """Why a file or folder is passed over; None if it is not."""
    if name.startswith("."):
        return "hidden"
    if path.is_symlink():
        return "a symbolic link; links are not followed"
    if not (path.is_dir() or path.is_file()):
        return "neither a file nor a folder"
    if _shown(name) != name:
        return "the name is not UTF-8"
    return None


def _gather(folder: Path, path: Path, content_limit: int, gathered: _Gathered) -> None:
    name = path.relative_to(folder).as_posix()
    try:
        data = _bytes_in(path, content_limit)
        document, page, repairs = read_document(name, data, content_limit)
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        why = f"not UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
    except (InvalidInputError, TooLargeError) as error:
        why = error.message
    else:
        gathered.documents.append(document)
        gathered.pages.append(page)
        gathered.repaired.extend(Finding(name, repair) for repair in repairs)
        return
    gathered.skipped.append(Finding(name, why))


def _bytes_in(path: Path, content_limit: int) -> bytes:
    size = path.stat().st_size
    if size > content_limit + FRONT_MATTER_LIMIT:
        raise TooLargeError(
            f"the file has {size} bytes; the limit is {content_limit}.", limit=content_limit
        )
    return path.read_bytes()


def _shown(name: str) -> str:
    r"""A name as it can be printed and stored: bytes that are not UTF-8 as ``\xff``."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _path_of(article: ExportedArticle) -> str:
    path = article.path or f"{article.article_id}.md"
    if article.draft and article.published:
        path = _renamed(path, ".draft")
    # An id may hold dots and slashes anywhere; a path must not lead out of the folder.
    parts = ("_" if part.strip(".") == "" else part for part in path.split("/"))
    return "/".join(parts)


def _free_path(path: str, taken: set[str]) -> str:
    numbered = (_renamed(path, f"-{number}") for number in itertools.count(2))
    free = next(one for one in itertools.chain([path], numbered) if one not in taken)
    taken.add(free)
    return free


def _renamed(path: str, addition: str) -> str:
    """The path with something added before its ending."""
    whole = PurePosixPath(path)
    return str(whole.with_name(f"{whole.stem}{addition}{whole.suffix}"))


def _bytes_of(article: ExportedArticle) -> bytes:
    front_matter = article.front_matter
    title = article.file_title or title_in(front_matter, article.content)
    if article.title != title:
        front_matter = with_title(front_matter, article.title)
    return (front_matter + article.content).encode()


def _write(path: Path, data: bytes, *, replace: bool) -> bool:
    """Puts a whole file in place, or leaves it; whether it changed anything."""
    if path.is_file() and not path.is_symlink() and path.read_bytes() == data:
        return False
    if not replace and os.path.lexists(path):
        raise FileExistsError(0, "there is another file of this name; --replace writes over it")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".pincite-")
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH)
            file.write(data)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True
