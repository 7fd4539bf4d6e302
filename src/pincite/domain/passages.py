"""Passages: the pieces of an article's Markdown that can be cited."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of an article's content; ``start`` and ``end`` are offsets in code points."""

    id: str
    kind: str
    heading_path: tuple[str, ...]
    start: int
    end: int
