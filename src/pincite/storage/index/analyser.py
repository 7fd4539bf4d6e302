"""Text into search terms: folded, stemmed, and cut into bigrams where words have no spaces.

The same analysis serves articles and questions, so that both meet in the same terms:

* a word is decomposed (NFKD), case-folded and stripped of diacritics, its digits become ASCII,
  then it is stemmed by its language's Snowball algorithm;
* Han, Kana, Hangul, Thai, Lao, Khmer and Burmese runs become overlapping pairs of characters
  and, at the end of a run, its last character. A question's lone character is then a prefix of
  every pair that begins with it, and of the single at a run's end: it is found anywhere;
* compounds (``snake_case``, ``camelCase``, ``e-mail``, ``3.11.2``) give their parts and the
  whole, so that the exact name outranks its parts.

Every step is linear in the text, and a term is at most ``MAX_TERM`` code points long.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import Stemmer  # type: ignore[import-not-found]

from pincite.storage.index.languages import STEMMERS, function_words, primary_language

MAX_TERM: Final = 64
"""Code points kept of a term; what is longer (an encoded blob) is found by its beginning."""

_DENSE: Final = (
    "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e46\u0e47-\u0e4e"  # Thai, with its vowel marks
    "\u0e81-\u0ecf\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17dc\u17dd"  # Khmer
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc"  # Hangul
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U000323af"
    "\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\uff66-\uff9f"
)
"""Scripts without spaces between words (Hangul: whose words glue their particles on)."""

_DIACRITICS: Final = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200d\u2060\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
)
"""Marks and invisible characters that a word is equal without."""

_VOWEL_SIGNS: Final = (
    "\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b\u08d3-\u0903\u093a-\u094f"
    "\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51"
    "\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63"
    "\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0df3"
    "\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u135d-\u135f"
    "\u1712-\u1715\u1732-\u1734\u18a9\u1920-\u193b\u1a17-\u1a1b\u1b00-\u1b04\u1b34-\u1b44"
)
"""Marks that spell the word (Indic vowels and the like): kept, and no end of a word."""

_LETTER: Final = rf"(?:[^\W_{_DENSE}]|[{_DIACRITICS}{_VOWEL_SIGNS}])"
_JOINT: Final = r"(?:[-.@\u2010\u2011]|_+|(?<=\d)[:/](?=\d))"
_ASCII_LETTER: Final = "[0-9A-Za-z]"
_ASCII_UNIT: Final = re.compile(
    rf"{_ASCII_LETTER}+(?:(?:[-.@]|_+|(?<=\d)[:/](?=\d)){_ASCII_LETTER}+)*"
    r"(?:\+\+(?!\w)|\#(?!\w))?"
)
_UNIT: Final = re.compile(
    rf"(?P<dense>[{_DENSE}]+)|({_LETTER}+(?:{_JOINT}{_LETTER}+)*(?:\+\+(?!\w)|\#(?!\w))?)"
)
_PART: Final = re.compile(r"[^-.@\u2010\u2011_:/+#]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# The breve makes another letter of a Cyrillic i, and Russian endings hang on it.
_STRIPPED: Final = re.compile(rf"[{_DIACRITICS}](?<!\u0438\u0306)")
# Some letters decompose into several words or into digits in brackets.
_SEPARATORS: Final = re.compile(r"[^0-9a-z\x80-\U0010ffff]+")
_SYLLABLE: Final = re.compile(
    "[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*"
    "|.[\u3099\u309a\uff9e\uff9f]*",
    re.DOTALL,
)
_UNDECOMPOSED: Final = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "þ": "th",
        "ð": "d",
    }
)
_LEXICON_WORDS: Final = 1 << 15
_SIGNS: Final = {"++": "plusplus", "#": "sharp"}
_thread: Final = threading.local()


class Token(NamedTuple):
    """One search term and where it stands: ``text[start:end]``, in code points."""

    term: str
    start: int
    end: int


class QueryTerm(NamedTuple):
    """One term of a question; a ``prefix`` matches every term that begins with it."""

    term: str
    prefix: bool


class _Piece(NamedTuple):
    """A term within its unit, and whether it is a function word of the language."""

    term: str
    start: int
    end: int
    stop: bool


def analyse(text: str, language: str) -> list[Token]:
    """Cut a text into its search terms, in order, function words included.

    Args:
        text: Any text; lone surrogates, NUL and unassigned characters are separators.
        language: BCP 47 tag of the text; an unknown one is neither stemmed nor stopped.

    Returns:
        The terms with their places in ``text``; the terms of one compound overlap.
    """
    code = primary_language(language)
    tokens: list[Token] = []
    for match in _UNIT.finditer(text):
        offset = match.start()
        pieces = _pairs(match[0]) if match["dense"] else _pieces(match[0], code)
        tokens += [Token(p.term, offset + p.start, offset + p.end) for p in pieces]
    return tokens


def terms(text: str, language: str) -> list[str]:
    """The terms of `analyse` without their places, several times as fast."""
    lexicon = _lexicon(primary_language(language))
    if text.isascii():
        return list(chain.from_iterable(map(lexicon.__getitem__, _ASCII_UNIT.findall(text))))
    found: list[str] = []
    for dense, unit in _UNIT.findall(text):
        found += _dense_terms(dense) if dense else lexicon[unit]
    return found


@lru_cache(maxsize=64)
def query_terms(query: str, language: str) -> tuple[QueryTerm, ...]:
    """The distinct terms to look for, in the question's order.

    Function words are left out, unless the question has no others. A search asks this once
    for itself and once for each hit that it quotes, so the last answers are kept.
    """
    code = primary_language(language)
    kept: dict[QueryTerm, None] = {}
    stopped: dict[QueryTerm, None] = {}
    for match in _UNIT.finditer(query):
        if match["dense"]:
            kept.update(dict.fromkeys(_dense_query(match[0])))
        else:
            for piece in _pieces(match[0], code):
                (stopped if piece.stop else kept)[QueryTerm(piece.term, prefix=False)] = None
    return tuple(kept or stopped)


def matches_in(text: str, wanted: Sequence[QueryTerm], language: str) -> list[Token]:
    """Where a text holds any of a question's terms, in order; the terms of a compound overlap."""
    whole = {term.term for term in wanted if not term.prefix}
    prefixes = tuple(term.term for term in wanted if term.prefix)
    code = primary_language(language)
    found: list[Token] = []
    for match in _units_with(whole, text, code):
        dense = match.lastgroup == "dense"
        at = match.start()
        found += [
            Token(piece.term, at + piece.start, at + piece.end)
            for piece in (_pairs(match[0]) if dense else _pieces(match[0], code))
            if piece.term in whole or piece.term.startswith(prefixes)
        ]
    return found


def _units_with(whole: Set[str], text: str, code: str) -> Iterable[re.Match[str]]:
    """The words and compounds that hold one of some terms, and every dense run."""
    lexicon = _lexicon(code)
    if not text.isascii():
        return [
            match
            for match in _UNIT.finditer(text)
            if match["dense"] or not whole.isdisjoint(lexicon[match[0]])
        ]
    units = set(_ASCII_UNIT.findall(text))
    held = {unit for unit in units if not whole.isdisjoint(lexicon[unit])}
    if not held:
        return ()
    return [match for match in _ASCII_UNIT.finditer(text) if match[0] in held]


def fold(word: str) -> str:
    """A word as it is compared: NFKD, case-folded, without diacritics, digits in ASCII."""
    if word.isascii():
        return word.lower()
    bare = _STRIPPED.sub("", unicodedata.normalize("NFKD", word).casefold())
    bare = unicodedata.normalize("NFC", bare).translate(_UNDECOMPOSED)
    bare = _SEPARATORS.sub("", bare)
    if bare.isascii() or not any(map(str.isdecimal, bare)):
        return bare
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in bare)


class _Lexicon(dict[str, tuple[str, ...]]):
    """The terms of the words met so far in one language, forgotten when they grow too many."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, unit: str) -> tuple[str, ...]:
        if len(self) >= _LEXICON_WORDS:
            self.clear()
        found = tuple(piece.term for piece in _pieces(unit, self._language))
        if len(unit) <= MAX_TERM:
            self[unit] = found
        return found


@lru_cache(maxsize=16)
def _lexicon(language: str) -> _Lexicon:
    return _Lexicon(language)


@lru_cache(maxsize=1 << 12)
def _pieces(unit: str, language: str) -> tuple[_Piece, ...]:
    """The terms of one word or compound, with places relative to it."""
    parts = [piece for part in _PART.finditer(unit) for piece in _humps(part, language)]
    sign = _SIGNS.get(unit[len(unit.rstrip("+#")) :])
    if sign:
        parts.append(_Piece(parts[-1].term + sign, parts[-1].start, len(unit), stop=False))
    joined = _PART.findall(unit)
    if len(joined) > 1 and not any(piece.stop for piece in parts):
        parts.append(_piece("".join(joined), 0, len(unit), language))
    return tuple(piece for piece in parts if piece.term)


def _humps(part: re.Match[str], language: str) -> list[_Piece]:
    """A part of a compound and, if its case changes inside, the words that it is made of."""
    word, start = part[0][: 4 * MAX_TERM], part.start()
    pieces = []
    cuts = [0, *(hump.start() for hump in _HUMP.finditer(word)), len(word)]
    if len(cuts) > 2:
        pieces = [
            _piece(word[left:right], start + left, start + right, language)
            for left, right in pairwise(cuts)
        ]
    return [*pieces, _piece(word, start, part.end(), language)]


def _piece(word: str, start: int, end: int, language: str) -> _Piece:
    folded = fold(word)[:MAX_TERM]
    stop = folded in function_words(language)
    return _Piece(_stem(folded, language) if folded.isalpha() else folded, start, end, stop)


def _stem(word: str, language: str) -> str:
    """A Snowball stemmer is not safe to share between threads, so each thread has its own."""
    algorithm = STEMMERS.get(language)
    if algorithm is None:
        return word
    stemmers = _thread.__dict__.setdefault("stemmers", {})
    stemmer = stemmers.get(algorithm)
    if stemmer is None:
        stemmer = stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return str(stemmer.stemWord(word))


def _characters(run: str) -> list[_Piece]:
    """A dense run's characters in NFKC, each with its place in the run."""
    if unicodedata.is_normalized("NFKC", run):
        return [_Piece(character, at, at + 1, stop=False) for at, character in enumerate(run)]
    return [
        _Piece(character, syllable.start(), syllable.end(), stop=False)
        for syllable in _SYLLABLE.finditer(run)
        for character in unicodedata.normalize("NFKC", syllable[0])
    ]


def _pairs(run: str) -> list[_Piece]:
    """Each two neighbours of a dense run, and its last character alone."""
    characters = _characters(run)
    pairs = [
        _Piece(left.term + right.term, left.start, right.end, stop=False)
        for left, right in pairwise(characters)
    ]
    return [*pairs, characters[-1]]


def _dense_terms(run: str) -> list[str]:
    if not unicodedata.is_normalized("NFKC", run):
        return [piece.term for piece in _pairs(run)]
    pairs = list(map(str.__add__, run, run[1:]))
    pairs.append(run[-1])
    return pairs


def _dense_query(run: str) -> list[QueryTerm]:
    *pairs, last = [piece.term for piece in _pairs(run)]
    if not pairs:
        return [QueryTerm(last, prefix=True)]
    return [QueryTerm(pair, prefix=False) for pair in pairs]
