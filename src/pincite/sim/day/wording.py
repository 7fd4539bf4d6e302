"""What the articles of the support day say, and what becomes of it when somebody edits.

The texts of one topic are alike word for word but for a product's code and reference numbers,
so that a question about the topic finds them equally good, and a search ranks them by age.
"""

import re
from typing import Final

from pincite.domain.texts import Text

_TOPICS: Final = (
    "refund",
    "invoice",
    "battery",
    "delivery",
    "warranty",
    "password",
    "router",
    "firmware",
    "subscription",
    "discount",
    "calendar",
    "keyboard",
    "printer",
    "thermostat",
    "voucher",
    "parking",
    "insurance",
    "lamp",
)
_SENTENCES: Final = (
    (
        "A {topic} for the {code} is settled within ten working days after the form and the proof "
        "of purchase have both arrived at the desk, under reference {reference}."
    ),
    (
        "Whoever waits longer for a {topic} writes to the desk, quotes reference {reference} and "
        "keeps the box of the {code} until somebody has answered."
    ),
    (
        "The first {topic} of a household is free; every further one goes on the next bill, "
        "where it stands as reference {reference} beside the {code}."
    ),
    (
        "Shops abroad handle a {topic} by their own rules, which hang beside the counter, and pass "
        "the papers of the {code} on to us with reference {reference}."
    ),
    (
        "To change an open {topic}, find the {code} in the list of devices, choose the third entry "
        "of its menu and enter reference {reference} once more."
    ),
    (
        "A {topic} that was granted by mistake is taken back within the week, and the owner of the "
        "{code} gets a letter with reference {reference}."
    ),
)
_REFERENCE = re.compile(r"\bR\d{7}\b")
_LEAFLET = re.compile(r"v(\d{5})\)$")
_BREAK: Final = "\n\n"

FIRST_REFERENCE: Final = 1_000_000
"""Edits number their references from here, so that all are as long and none comes twice."""


def topic_word(topic: int) -> str:
    """The word that the articles of a topic share."""
    return _TOPICS[topic] if topic < len(_TOPICS) else f"matter{topic + 1}"


def written(rank: int, topic: int, passages: int) -> Text:
    """The first text of an article.

    Args:
        rank: The article's place by popularity, from 1; it makes the code that no other has.
        topic: Which topic, from 0.
        passages: How many paragraphs the article has.
    """
    word, code = topic_word(topic), _code(rank)
    paragraphs = []
    for number in range(passages):
        cycle, sentence = divmod(number, len(_SENTENCES))
        text = _SENTENCES[sentence].format(topic=word, code=code, reference=f"R{rank:07}")
        paragraphs.append(f"{text} (Part {cycle + 1}.)" if cycle else text)
    return Text(f"{word.capitalize()} for the {code} (L{rank}v00001)", _BREAK.join(paragraphs))


def asked(rank: int, topic: int) -> str:
    """What somebody asks whom the article of this rank would answer best."""
    return f"What about a {topic_word(topic)} for my {_code(rank)}?"


def passage_of(content: str, passage: int) -> str:
    """One paragraph of a content, from 0."""
    return content.split(_BREAK)[passage]


def reworded(content: str, passage: int, reference: int) -> str:
    """The content with another reference number in one paragraph."""
    paragraphs = content.split(_BREAK)
    paragraphs[passage] = _REFERENCE.sub(f"R{reference}", paragraphs[passage])
    return _BREAK.join(paragraphs)


def retitled(title: str) -> str:
    """The title with the next edition of its leaflet."""
    return _LEAFLET.sub(lambda found: f"v{int(found[1]) + 1:05})", title)


def _code(rank: int) -> str:
    return f"KX{rank}"
