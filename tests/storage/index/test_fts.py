"""The index: what is found, in what order, and by whom."""

import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.passages import cut
from pincite.storage.index.entries import MOST_TERMS, IndexEntry, digest, prepare
from pincite.storage.index.fts import Hit, Indexed, Put, Remove, SearchIndex


def entry(title: str, content: str = "", language: str = "en") -> IndexEntry:
    return prepare(title, content, cut(content), language)


def put(article_number: int, title: str, content: str = "", kb_number: int = 7) -> Put:
    return Put(kb_number, article_number, 1, entry(title, content))


def open_index(path: str = ":memory:") -> tuple[apsw.Connection, SearchIndex]:
    connection = apsw.Connection(path)
    index = SearchIndex(connection)
    with connection:
        index.create()
    return connection, index


@pytest.fixture
def index() -> Iterator[SearchIndex]:
    connection, made = open_index()
    yield made
    connection.close()


def numbers(hits: list[Hit]) -> list[int]:
    return [hit.article_number for hit in hits]


def found(index: SearchIndex, query: str, kb_number: int = 7) -> list[int]:
    return numbers(index.search(kb_number, query, "en", 20))


def test_an_article_is_found_by_any_of_the_questions_words(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds"), put(2, "Invoices"), put(3, "Passwords")])
    assert sorted(found(index, "refund or invoice?")) == [1, 2]
    assert found(index, "nothing of that") == []


def test_a_word_of_the_title_outweighs_one_of_a_heading_and_that_one_of_the_text(
    index: SearchIndex,
) -> None:
    index.apply(
        [
            put(1, "Other", "# More\n\nSome words on a refund here.\n"),
            put(2, "Other", "# Refund\n\nSome words on a matter here.\n"),
            put(3, "Refund", "# More\n\nSome words on a matter here.\n"),
        ]
    )
    assert found(index, "refund") == [3, 2, 1]


def test_headings_and_title_are_repeated_by_their_weight() -> None:
    assert entry("T", "# H\n\nb\n").text == "h b h h h t t t t t t"


def test_a_content_of_too_many_terms_is_indexed_up_to_the_limit() -> None:
    content = "# Beginning\n\n" + "a " * MOST_TERMS + "\n\nThe end.\n"
    made = entry("Title", content)
    assert made.body_terms == 1 << 21
    assert made.text.count(" ") + 1 == (1 << 21) + 3 + 6
    assert made.text.endswith(" a begin begin begin titl titl titl titl titl titl")


def test_equal_scores_stand_in_the_order_of_creation(index: SearchIndex) -> None:
    index.apply([put(number, "Refund", "The same text.") for number in (9, 3, 12, 5)])
    hits = index.search(7, "refund", "en", 20)
    assert numbers(hits) == [3, 5, 9, 12]
    assert len({hit.score for hit in hits}) == 1


def test_the_limit_keeps_the_best(index: SearchIndex) -> None:
    index.apply([put(1, "Other", "refund"), put(2, "Refund"), put(3, "Other", "refund")])
    assert numbers(index.search(7, "refund", "en", 1)) == [2]


def test_a_hit_names_the_passage_that_matched_and_the_terms_held(index: SearchIndex) -> None:
    content = (
        "Welcome.\n\n# Billing\n\nInvoices come monthly.\n\nA refund takes five days.\n\n"
        "# Access\n\nReset the password here.\n"
    )
    assert [p.kind for p in cut(content)] == [
        *("paragraph", "heading", "paragraph", "paragraph", "heading", "paragraph")
    ]
    index.apply([put(1, "Handbook", content)])

    def hit(query: str) -> tuple[int | None, tuple[str, ...]]:
        (one,) = index.search(7, query, "en", 5)
        return one.passage, one.terms

    assert hit("how long do refunds take in days?") == (3, ("refund", "take", "day"))
    assert hit("monthly refund in five days")[0] == 3
    assert hit("password") == (5, ("password",))
    assert hit("billing") == (1, ("bill",))
    assert hit("billing invoices") == (2, ("bill", "invoic"))
    assert hit("welcome") == (0, ("welcom",))
    assert hit("handbook") == (None, ("handbook",))


def test_one_section_that_answers_outweighs_words_scattered_over_an_article(
    index: SearchIndex,
) -> None:
    filler = "Plain words that fill the page and say little of anything at all. "
    together = f"# One\n\nExport the annual report.\n\n# Two\n\n{filler}\n\n# Three\n\n{filler}\n"
    scattered = f"# One\n\nExport. {filler}\n\n# Two\n\nAnnual. {filler}\n\n# Three\n\nReport.\n"
    index.apply([put(1, "Page", scattered), put(2, "Page", together)])
    assert found(index, "export annual report") == [2, 1]


def test_a_lone_character_and_a_word_of_two_are_found(index: SearchIndex) -> None:
    index.apply([put(1, "東京タワーの入場料"), put(2, "ไปกินข้าว"), put(3, "한국어 설명서")])
    for query, expected in [("京", 1), ("料", 1), ("入場", 1), ("กิน", 2), ("서", 3), ("한국", 3)]:
        assert found(index, query) == [expected], query


def test_a_new_entry_replaces_the_old_one(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds")])
    index.apply([put(1, "Invoices")])
    assert found(index, "refund") == []
    assert found(index, "invoice") == [1]


def test_of_several_changes_to_one_article_the_last_holds(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds"), put(2, "Refunds"), Remove(7, 2), put(1, "Invoices")])
    assert found(index, "refund") == []
    assert found(index, "invoice") == [1]


def test_a_removed_article_is_not_found(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds"), put(2, "Refunds")])
    index.apply([Remove(7, 1), Remove(7, 99)])
    assert found(index, "refund") == [2]


def test_changes_and_replacements_leave_the_statistics_of_a_fresh_index() -> None:
    connection, index = open_index()
    index.apply([put(1, "Old", "# A\n\nb c d"), put(2, "Gone", "x y z"), put(3, "Kept", "k")])
    index.apply([put(1, "New", "# A\n\nb\n\n# C\n\nd e f g"), Remove(7, 2)])
    fresh_connection, fresh = open_index()
    fresh.apply([put(1, "New", "# A\n\nb\n\n# C\n\nd e f g"), put(3, "Kept", "k")])
    query = "SELECT * FROM search_statistics"
    assert connection.execute(query).fetchall() == [(7, 2, 10, 8, 3)]
    assert fresh_connection.execute(query).fetchall() == [(7, 2, 10, 8, 3)]
    assert index.search(7, "d new kept", "en", 5) == fresh.search(7, "d new kept", "en", 5)


def test_a_rolled_back_change_leaves_no_trace() -> None:
    connection, index = open_index()
    index.apply([put(1, "Refunds")])
    connection.execute("BEGIN")
    index.apply([put(1, "Invoices"), put(2, "Refunds")])
    connection.execute("ROLLBACK")
    assert found(index, "refund") == [1]
    assert found(index, "invoice") == []
    assert [one.article_number for one in index.entries(7)] == [1]


def test_a_savepoint_taken_back_leaves_the_others_changes() -> None:
    connection, index = open_index()
    connection.execute("BEGIN")
    index.apply([put(1, "Refunds")])
    connection.execute("SAVEPOINT one")
    index.apply([put(2, "Refunds")])
    connection.execute("ROLLBACK TO one")
    index.apply([put(3, "Refunds")])
    connection.execute("COMMIT")
    assert found(index, "refund") == [1, 3]


def test_entries_tell_what_was_indexed_of_which_revision(index: SearchIndex) -> None:
    index.apply([Put(7, 4, 11, entry("B", "two")), Put(7, 2, 5, entry("A", "one"))])
    index.apply([put(2, "Other", kb_number=8)])
    assert list(index.entries(7)) == [
        Indexed(2, 5, digest("A", "one", "en")),
        Indexed(4, 11, digest("B", "two", "en")),
    ]


def test_a_digest_moves_with_title_content_and_language() -> None:
    digests = {
        digest("ab", "c", "en"),
        digest("a", "bc", "en"),
        digest("ab", "c", "fr"),
        digest("ab", "d", "en"),
    }
    assert len(digests) == 4
    assert digest("ab", "c", "en") == entry("ab", "c").digest


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (
            "DELETE FROM search_entry WHERE terms = 1",
            "The index finds article 2 of knowledge base 7 by words that no entry accounts for.",
        ),
        (
            "DELETE FROM search_text WHERE rowid = (SELECT id FROM search_entry WHERE terms = 1)",
            (
                "The index does not find article 2 of knowledge base 7 by any word, "
                "though it has an entry."
            ),
        ),
        (
            "UPDATE search_statistics SET terms = terms + 1 WHERE kb = 8",
            "The index counts knowledge base 8 wrongly.",
        ),
        (
            "DELETE FROM search_statistics WHERE kb = 7",
            "The index counts knowledge base 7 wrongly.",
        ),
    ],
)
def test_tables_that_disagree_are_named(damage: str, finding: str) -> None:
    connection, index = open_index()
    index.apply([put(1, "One two"), put(2, "Three"), put(1, "Four", kb_number=8)])
    index.apply([put(9, "Five", kb_number=9)])
    index.apply([Remove(9, 9)])
    assert list(index.disagreements()) == []
    connection.execute(damage)
    assert finding in list(index.disagreements())


def words(seed: int, vocabulary: int = 400) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        yield " ".join(f"w{int(chance.paretovariate(0.6)) % vocabulary}" for _ in range(40))


@pytest.mark.spec("ACC-1")
def test_another_knowledge_bases_text_changes_neither_score_nor_order(index: SearchIndex) -> None:
    texts = words(1)
    index.apply([put(n, next(texts), next(texts)) for n in range(60)])
    queries = ["w1 w2 w3", "w7 w20", "w3", "w5 w6 w50 w100", "refund"]
    before = {query: index.search(7, query, "en", 20) for query in queries}
    other = words(2)
    index.apply([put(n, next(other), next(other) * 9, kb_number=8) for n in range(1000)])
    assert {query: index.search(7, query, "en", 20) for query in queries} == before
    assert [len(before[query]) > 5 for query in queries] == [True, True, True, True, False]
    index.forget(8)
    assert {query: index.search(7, query, "en", 20) for query in queries} == before


def test_in_a_large_knowledge_base_a_rare_word_decides_and_a_common_one_lifts(
    index: SearchIndex,
) -> None:
    common = [put(n, f"Report {n}", "An annual report of the year.") for n in range(500)]
    rare = [
        put(n, "Page", "The quokka and the year and its annual days.") for n in range(2000, 2050)
    ]
    both = [
        put(3000, "Page", "A quokka report, for the annual days of a year."),
        put(3001, "Quokka report", "An annual one of the year."),
    ]
    other = [put(n, "Page", "Nothing of that kind at all.") for n in range(4000, 5000)]
    index.apply([*common, *rare, *both, *other])
    hits = index.search(7, "annual quokka report", "en", 5)
    assert numbers(hits) == [3001, 3000, 2000, 2001, 2002]
    assert hits[0].terms == ("annual", "quokka", "report")
    assert hits[2].terms == ("annual", "quokka")
    assert numbers(index.search(7, "report annual", "en", 3)) == [0, 1, 2]
    assert len(index.search(7, "report", "en", 600)) == 502


def test_fewer_hits_are_the_first_of_more(index: SearchIndex) -> None:
    texts = words(3)
    index.apply([put(n, next(texts), f"# {next(texts)}\n\n{next(texts)}") for n in range(200)])
    more = index.search(7, "w2 w3 w9 w30", "en", 20)
    assert len(more) == 20
    for limit in (1, 2, 5, 10):
        assert index.search(7, "w2 w3 w9 w30", "en", limit) == more[:limit]


@pytest.mark.spec("ACC-1")
def test_a_knowledge_base_finds_nothing_of_another(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds"), put(1, "Invoices", kb_number=71), put(2, "x", kb_number=1)])
    assert found(index, "invoice") == []
    assert found(index, "invoice", kb_number=71) == [1]
    assert found(index, "refund", kb_number=71) == []
    assert found(index, "7qrefund") == []
    assert found(index, "refund", kb_number=99) == []


def test_forgetting_a_knowledge_base_leaves_the_others(index: SearchIndex) -> None:
    index.apply([put(1, "Refunds"), put(1, "Refunds", kb_number=8)])
    index.forget(7)
    assert found(index, "refund") == []
    assert list(index.entries(7)) == []
    assert found(index, "refund", kb_number=8) == [1]


HOSTILE = st.one_of(
    st.text(max_size=80),
    st.text(alphabet=st.sampled_from("\"'()*^:+-{}~AND OR NOT NEAR\x00\ud800👍あ价ก"), max_size=80),
    st.lists(
        st.sampled_from(
            ["AND", "OR", "NOT", "NEAR(", "title:", "{body}", '"', "*", "^", "--", "refund"]
        )
    ).map(" ".join),
)


@pytest.fixture(scope="module")
def small() -> Iterator[SearchIndex]:
    connection, made = open_index()
    made.apply([put(1, "Refunds", "AND OR NOT NEAR あ价ก"), put(2, "Invoices", "# x\n\ny")])
    yield made
    connection.close()


@given(query=HOSTILE, language=st.sampled_from(["en", "ja", "", "\x00", "de-AT"]))
def test_no_query_is_an_error(small: SearchIndex, query: str, language: str) -> None:
    hits = small.search(7, query, language, 20)
    assert set(numbers(hits)) <= {1, 2}


@given(query=HOSTILE)
def test_engine_syntax_around_a_word_does_not_change_what_it_finds(
    small: SearchIndex, query: str
) -> None:
    assert 1 in numbers(small.search(7, f"refund {query}", "en", 20))


@pytest.mark.parametrize(
    "query",
    [
        *('"' * 100_000, "a " * 50_000, "x" * 100_000, "価" * 100_000, "(" * 100_000),
        " ".join(f"w{n}" for n in range(20_000)),
        "".join(chr(0x4E00 + n) for n in range(20_000)),
        "NOT " * 25_000,
        "a_" * 50_000,
        "_" * 100_000,
    ],
)
def test_a_query_of_a_hundred_thousand_characters_is_answered(
    small: SearchIndex, query: str
) -> None:
    assert set(numbers(small.search(7, query, "en", 20))) <= {1, 2}


def test_an_article_of_no_words_is_kept_and_not_found(index: SearchIndex) -> None:
    index.apply([put(1, "…", "👍\n\n---\n"), put(2, "Refunds", "")])
    assert found(index, "👍") == []
    assert found(index, "refund") == [2]
    assert [one.article_number for one in index.entries(7)] == [1, 2]


@pytest.mark.spec("PUB-5")
def test_after_an_expunge_the_file_holds_no_term_of_a_removed_article(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection, index = open_index(str(path))
    connection.pragma("secure_delete", True)
    for number in range(1, 40):
        index.apply([put(number, f"Page {number}", "ordinary words of an ordinary page")])
    index.apply([put(40, "Zyxwsecret", "# Qvjkheading\n\nxkcdbody once only")])
    secrets = (b"zyxwsecret", b"qvjkhead", b"xkcdbodi")
    assert all(secret in path.read_bytes() for secret in secrets)

    index.apply([Remove(7, 40)])
    index.expunge()
    assert not any(secret in path.read_bytes() for secret in secrets)
    terms = {term for (term,) in connection.execute("SELECT term FROM search_posting")}
    assert "7qordinari" in terms
    assert not {"7qzyxwsecret", "7qqvjkhead", "7qxkcdbodi"} & terms
    assert len(found(index, "ordinary")) == 20
    connection.close()


@pytest.mark.spec("PUB-5")
def test_an_entry_replaced_before_the_expunge_leaves_no_term_either(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection, index = open_index(str(path))
    connection.pragma("secure_delete", True)
    index.apply([put(1, "Zyxwsecret")])
    index.expunge()
    assert b"zyxwsecret" in path.read_bytes()
    index.apply([put(1, "Harmless")])
    index.expunge()
    assert b"zyxwsecret" not in path.read_bytes()
    assert found(index, "harmless") == [1]
    connection.close()
