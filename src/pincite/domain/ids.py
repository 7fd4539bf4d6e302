"""Identifiers: parsed once, at the edge, and trusted inside."""

import re
import unicodedata
from typing import NewType

from pincite.domain.texts import checked_text
from pincite.errors import InvalidInputError

KnowledgeBaseId = NewType("KnowledgeBaseId", str)
ArticleId = NewType("ArticleId", str)
Principal = NewType("Principal", str)
"""Who acts: a person or an agent. It outlives the tokens that stand for it."""

ID_LIMIT = 200
_MARKS = frozenset("-_.~/")
# Letters, combining marks (which many scripts need to write a letter) and digits.
_CATEGORIES = frozenset("LMN")
# Most identifiers are ASCII, which is in NFC, and need not be looked at letter by letter.
_PLAIN = re.compile("[0-9A-Za-z_.~/-]+")


def fits_id(character: str) -> bool:
    """Whether a character may stand in an identifier."""
    return character in _MARKS or unicodedata.category(character)[0] in _CATEGORIES


def parse_id(text: str, field: str) -> str:
    """Checks an identifier: 1–200 letters, digits and ``-_.~/`` in NFC; case counts.

    Raises:
        InvalidInputError: Naming ``field`` and the limit that ``text`` breaks.
    """
    if len(text) <= ID_LIMIT and _PLAIN.fullmatch(text):
        return text
    checked_text(text, field, shortest=1, longest=ID_LIMIT)
    if not unicodedata.is_normalized("NFC", text):
        raise InvalidInputError(f"{field} must be in Unicode form NFC.", field=field, limit="NFC")
    for character in text:
        if not fits_id(character):
            raise InvalidInputError(
                f"{field} may hold letters, digits and - _ . ~ / only, not {character!r}.",
                field=field,
                limit="letters, digits, - _ . ~ /",
            )
    return text


def parse_knowledge_base_id(text: str, field: str = "knowledge_base_id") -> KnowledgeBaseId:
    """Checks a knowledge base's identifier; see :func:`parse_id`."""
    return KnowledgeBaseId(parse_id(text, field))


def parse_article_id(text: str, field: str = "article_id") -> ArticleId:
    """Checks an article's identifier; see :func:`parse_id`."""
    return ArticleId(parse_id(text, field))
