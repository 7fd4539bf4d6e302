from collections.abc import Callable
from pathlib import Path

from tests.house import documents

Grow = Callable[[dict[str, str]], Path]

GLOSSARY = (
    "# Glossary\n\n| word | means | from | never |\n|---|---|---|---|\n"
    "| article | a | – | |\n| version stamp, `updated_at` | b | – | etag, tag |\n"
)


def test_every_link_of_a_page_leads_somewhere(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "README.md": (
                "# A *title* of `two`\n\n[a](docs/a.md) [b](docs/b.md)\n\n"
                "[c](#a-title-of-two) [d](#nowhere)\n\n[e](https://example.org/x)\n"
            ),
            "docs/a.md": "[up](../README.md#a-title-of-two) ![no](image.png)\n",
        }
    )
    assert documents.broken_links(bad) == [
        "README.md:3: no such file: docs/b.md",
        "README.md:5: no such heading: #nowhere",
        "docs/a.md:1: no such file: image.png",
    ]
    assert documents.broken_links(repository) == []


def test_every_python_example_is_python(repository: Path, grow: Grow) -> None:
    bad = grow({"README.md": "text\n\n```python\nx = 1\ny =\n```\n\n```console\n$ y =\n```\n"})
    assert documents.broken_examples(bad) == ["README.md:5: not Python: invalid syntax"]
    assert documents.broken_examples(repository) == []


def test_every_place_that_a_page_names_is_there(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "README.md": "`src/a.py` `src/` `docs/b.md`\n\n`src/*.py` `tests/x/` `path/to/c`\n",
            "src/a.py": "",
        }
    )
    assert documents.missing_places(bad) == [
        "README.md:1: no such place: docs/b.md",
        "README.md:3: no such place: tests/x/",
    ]
    assert documents.missing_places(repository) == []


def test_every_make_command_of_a_page_is_a_target(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "Makefile": "test: ## run\nbench-search:\n\techo\n",
            "README.md": "`make test` `make bench-search` `make tea`\n$ make test\n$ make it\n",
            "tools/README.md": "to make sure, `make tests ONCE=1`\n",
            "tools/other.md": "`make other`\n",
        }
    )
    assert documents.unknown_targets(bad) == [
        "README.md:1: no such target: make tea",
        "README.md:3: no such target: make it",
        "tools/README.md:1: no such target: make tests",
    ]
    assert documents.unknown_targets(repository) == []


def test_code_blocks_are_found_by_language_and_line(grow: Grow) -> None:
    root = grow({"docs/a.md": "a\n\n```console\n$ pincite init\n```\n\n```python\nx\n```\n"})
    blocks = list(documents.code_blocks(root, "console"))
    assert blocks == [(root / "docs/a.md", 4, "$ pincite init\n")]


def test_the_glossary_tells_words_and_what_is_never_used_for_them(grow: Grow) -> None:
    root = grow({"docs/glossary.md": GLOSSARY})
    assert documents.synonyms(root) == {
        "etag": "version stamp, `updated_at`",
        "tag": "version stamp, `updated_at`",
    }


def test_every_module_of_the_rules_is_a_word_of_the_glossary(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "docs/glossary.md": GLOSSARY,
            "src/pincite/domain/__init__.py": "",
            "src/pincite/domain/articles.py": "",
            "src/pincite/domain/gadgets.py": "",
            "src/pincite/domain/stamps.py": "",
        }
    )
    assert documents.unexplained_modules(bad) == [
        "src/pincite/domain/gadgets.py:1: `gadgets` is not in docs/glossary.md"
    ]
    assert documents.unexplained_modules(repository) == []


def test_every_decision_record_is_numbered_has_a_status_and_is_listed(
    repository: Path, grow: Grow
) -> None:
    bad = grow(
        {
            "docs/adr/README.md": "[1](0001-a.md) [3](0003-c.md)\n",
            "docs/adr/0001-a.md": "# 1. A\n\nStatus: accepted\n",
            "docs/adr/0003-c.md": "# 3. C\n\nStatus: accepted\n",
            "docs/adr/0004-d.md": "# 3. D\n\nStatus: maybe\n",
        }
    )
    assert documents.irregular_records(bad) == [
        "docs/adr/0003-c.md:1: record 2 by order, not by name or title",
        "docs/adr/0004-d.md:1: record 3 by order, not by name or title",
        "docs/adr/0004-d.md:1: no line `Status: accepted` or `replaced by [n]`",
        "docs/adr/0004-d.md:1: missing in docs/adr/README.md",
    ]
    assert documents.irregular_records(repository) == []
