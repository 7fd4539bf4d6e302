"""Tokens, and what importers remember."""

import pytest

from pincite.domain.articles import ImportRecord
from pincite.domain.grants import EVERYWHERE, Approval, Grant, Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import NotFoundError
from pincite.ports import Store
from tests.storage.dump import dump
from tests.storage.writing import HANDBOOK, PAYROLL, TEN_OCLOCK, Author

GRANTS = {"handbook": Grant.EDIT, "channel:support": Grant.READ, EVERYWHERE: Grant.PROPOSE}
LATER = TEN_OCLOCK.next()


def token(name: str, digest: str, **more: object) -> Token:
    return Token(digest, name, GRANTS, Approval.ASK, TEN_OCLOCK, **more)  # type: ignore[arg-type]


@pytest.mark.spec("ACC-3")
def test_a_token_is_found_by_the_hash_of_its_secret_as_it_was_saved(store: Store) -> None:
    bot = token("bot", "d1", expires_at=LATER)
    assert store.save_token(bot) is True
    assert store.save_token(token("anna", "d2")) is True
    with store.view() as view:
        assert view.find_token("d1") == bot
        assert view.find_token("D1") is None
        assert list(view.list_tokens()) == [token("anna", "d2"), bot]


def test_a_name_is_free_again_once_its_token_is_revoked(store: Store) -> None:
    store.save_token(token("bot", "d1"))
    before = dump(store)
    assert store.save_token(token("bot", "d2")) is False
    assert store.revoke_token("nobody", LATER) is False
    assert dump(store) == before
    assert store.revoke_token("bot", LATER) is True
    with store.view() as view:
        assert view.find_token("d1") == token("bot", "d1", revoked_at=LATER)
    assert store.revoke_token("bot", LATER) is False
    assert store.save_token(token("bot", "d2")) is True
    with store.view() as view:
        assert [found.digest for found in view.list_tokens()] == ["d1", "d2"]


def test_a_name_is_free_again_once_its_token_has_expired(store: Store) -> None:
    store.save_token(token("bot", "d1", expires_at=TEN_OCLOCK))
    assert store.save_token(token("bot", "d2")) is True
    assert store.revoke_token("bot", LATER) is True
    with store.view() as view:
        expired = view.find_token("d1")
    assert expired == token("bot", "d1", expires_at=TEN_OCLOCK)


def record(path: str, **more: object) -> ImportRecord:
    values = {
        "article_id": ArticleId("leave"),
        "front_matter": "---\r\ntitle: Leave\n---\n",
        "updated_at": TEN_OCLOCK,
        "title": "Leave",
        "details": {"external_id": "é", "links": ["a", 1, None]},
    }
    return ImportRecord(path, **{**values, **more})  # type: ignore[arg-type]


def test_what_importers_remember_comes_back_by_path(store: Store, author: Author) -> None:
    author.publish("leave")
    store.save_imports(HANDBOOK, [record("b.md", updated_at=None), record("a/ä.md")])
    store.save_imports(PAYROLL, [record("b.md", title="Other")])
    with store.view() as view:
        assert list(view.list_imports(HANDBOOK)) == [
            record("a/ä.md"),
            record("b.md", updated_at=None),
        ]
        assert list(view.list_imports(PAYROLL)) == [record("b.md", title="Other")]
        assert list(view.list_imports(KnowledgeBaseId("nowhere"))) == []


def test_a_path_is_remembered_once_as_it_was_last(store: Store) -> None:
    store.save_imports(HANDBOOK, [record("a.md"), record("b.md")])
    store.save_imports(HANDBOOK, [record("a.md", front_matter="", updated_at=LATER)])
    with store.view() as view:
        assert list(view.list_imports(HANDBOOK)) == [
            record("a.md", front_matter="", updated_at=LATER),
            record("b.md"),
        ]


def test_nothing_is_remembered_of_a_knowledge_base_that_is_not_there(store: Store) -> None:
    before = dump(store)
    with pytest.raises(NotFoundError):
        store.save_imports(KnowledgeBaseId("nowhere"), [record("a.md")])
    assert dump(store) == before
