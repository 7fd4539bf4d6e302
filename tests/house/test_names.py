from collections.abc import Callable
from pathlib import Path

from tests.house import documents, names

Grow = Callable[[dict[str, str]], Path]


def test_no_name_says_nothing(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/utils.py": "",
            "src/pincite/common/stamps.py": "",
            "src/pincite/stamps.py": "class StampManager:\n    pass\n",
            "src/pincite/knowledge_base.py": "class KnowledgeBase:\n    pass\n",
        }
    )
    assert names.empty_names(bad) == [
        "src/pincite/common/stamps.py:1: the name `common` says nothing",
        "src/pincite/stamps.py:1: the name `StampManager` says nothing",
        "src/pincite/utils.py:1: the name `utils` says nothing",
    ]
    assert names.empty_names(repository) == []


def test_get_raises_and_find_returns_none(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/a.py": (
                "def get_a() -> int | None: ...\n"
                "def find_a() -> int: ...\n"
                "def get_b() -> int: ...\n"
                "def find_b() -> int | None: ...\n"
            )
        }
    )
    assert names.broken_promises(bad) == [
        "src/pincite/a.py:1: `get_a` may return None",
        "src/pincite/a.py:2: `find_a` never returns None",
    ]
    assert names.broken_promises(repository) == []


def test_the_values_of_the_rules_are_frozen_and_slotted(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/domain/a.py": (
                "@dataclass(frozen=True, slots=True)\nclass Value:\n    x: int\n"
                "@dataclass(frozen=True)\nclass Loose:\n    x: int\n"
                "@dataclass\nclass Looser:\n    x: int\n"
            )
        }
    )
    assert names.loose_values(bad) == [
        "src/pincite/domain/a.py:5: `Loose` is not frozen and slotted",
        "src/pincite/domain/a.py:8: `Looser` is not frozen and slotted",
    ]
    assert names.loose_values(repository) == []


def test_each_idea_has_the_glossary_s_word(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/a.py": (
                "class ChunkStore:\n    permissions: int\n"
                "def freshness_of(passage: str, _chunk: str) -> None: ...\n"
            )
        }
    )
    forbidden = {"chunk": "passage", "permission": "grant", "freshness": "verdict"}
    assert names.synonyms(bad, forbidden) == [
        "src/pincite/a.py:1: `ChunkStore`: the word for `chunk` is `passage`",
        "src/pincite/a.py:2: `permissions`: the word for `permission` is `grant`",
        "src/pincite/a.py:3: `freshness_of`: the word for `freshness` is `verdict`",
    ]
    assert names.synonyms(repository, documents.synonyms(repository)) == []
