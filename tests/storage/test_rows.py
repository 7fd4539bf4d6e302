"""Rows and values: what is stored is read back as it was."""

from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.articles import ImportRecord
from pincite.domain.events import ArticleEvent, ArticleEventType, HostEvent, Part
from pincite.domain.grants import EVERYWHERE, Approval, Grant, Token
from pincite.domain.ids import ArticleId
from pincite.domain.passages import Passage, cut
from pincite.domain.stamps import Stamp
from pincite.storage import rows

stamps = st.builds(Stamp, st.integers(0, 10**13))
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.builds(
        Token,
        digest=texts,
        name=texts,
        grants=st.dictionaries(texts | st.just(EVERYWHERE), st.sampled_from(Grant)),
        approval=st.sampled_from(Approval),
        created_at=stamps,
        expires_at=st.none() | stamps,
        revoked_at=st.none() | stamps,
    )
)
def test_a_token_is_read_back_as_it_was(token: Token) -> None:
    assert rows.token_from(rows.token_to_row(token)) == token


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=8,
)


@given(
    st.builds(
        ImportRecord,
        path=texts,
        article_id=texts.map(ArticleId),
        front_matter=texts,
        updated_at=st.none() | stamps,
        title=texts,
        details=st.dictionaries(texts, json_values),
    )
)
def test_an_import_record_is_read_back_as_it_was(record: ImportRecord) -> None:
    assert rows.import_from(rows.import_to_row(record)) == record


@given(st.lists(st.sampled_from(Part), unique=True).map(tuple))
def test_an_articles_event_is_read_back_as_it_was(changed: tuple[Part, ...]) -> None:
    row = (7, "article.updated", 1000, "leave", rows.changed_to_text(changed), None)
    event = ArticleEvent(7, ArticleEventType.UPDATED, ArticleId("leave"), Stamp(1000), changed)
    assert rows.event_from(row) == event


def test_a_host_event_is_read_back_as_it_was() -> None:
    row = (7, "message.posted", 1000, None, None, '{"a": 1}')
    assert rows.event_from(row) == HostEvent(7, "message.posted", Stamp(1000), '{"a": 1}')


@given(texts)
def test_passages_are_read_back_as_they_were(content: str) -> None:
    passages = cut(f"# Head\n\nText.\n\n{content}")
    assert rows.passages_from(rows.passages_to_text(passages)) == passages
    assert len(passages) >= 2


def test_a_passage_is_stored_as_a_short_list() -> None:
    passage = Passage("ab12", "item", ("Tête", "Sub"), 3, 9)
    assert rows.passages_to_text([passage]) == '[["ab12","item",["Tête","Sub"],3,9]]'
    assert rows.passage_from('["ab12","item",["Tête","Sub"],3,9]') == passage


def test_a_stamp_that_was_never_given_out_equals_no_stored_one() -> None:
    assert rows.exact_milliseconds(Stamp(1000)) == 1000
    assert rows.exact_milliseconds(Stamp(1000, "5")) is None


def test_before_a_moment_is_told_to_the_millisecond() -> None:
    assert rows.first_not_before(Stamp(1000)) == 1000
    assert rows.first_not_before(Stamp(1000, "0001")) == 1001
