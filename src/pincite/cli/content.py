"""Where an article's content comes from: a file, standard input, or an editor; byte for byte."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pincite.cli.terminal import say
from pincite.errors import InvalidInputError


@contextmanager
def given_content(file: str | None, start: Callable[[], str] = str) -> Iterator[str]:
    """Reads content.

    What was typed into an editor stays in its file until the block has succeeded, so that
    a refusal loses no work.

    Args:
        file: A path, ``-`` for standard input; None for standard input if it is piped,
            else for an editor.
        start: Gives what the editor begins with.

    Raises:
        InvalidInputError: The file cannot be read, nothing is piped in, or it is not UTF-8.
    """
    if file is None and sys.stdin.isatty():
        path = _edited(start())
        done = False
        try:
            yield _decoded(path.read_bytes(), str(path))
            done = True
        finally:
            if done:
                path.unlink()
            else:
                say(f"Your text is kept in {path}.", err=True)
    elif file is None or file == "-":
        yield _decoded(_piped(or_editor=file is None), "standard input")
    else:
        yield _decoded(_bytes_in(Path(file)), file)


def _edited(start: str) -> Path:
    with tempfile.NamedTemporaryFile(prefix="pincite-", suffix=".md", delete=False) as file:
        file.write(start.encode())
    click.edit(filename=file.name)
    return Path(file.name)


def _piped(*, or_editor: bool) -> bytes:
    data = sys.stdin.buffer.read()
    if data:
        return data
    ways = "Name a FILE, or pipe the content in."
    if or_editor:
        ways = "Name a FILE, pipe the content in, or call this at a terminal: it opens your editor."
    raise InvalidInputError(
        f"There is no content on standard input. {ways}",
        field="content",
        limit="not empty",
    )


def _bytes_in(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be read: {error.strerror}.", field="file", limit="a readable file"
        ) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8: byte {error.start} is {data[error.start]:#04x}.",
            field="content",
            limit="UTF-8",
        ) from None
