"""Grants: what each includes, and where it holds."""

import pytest

from pincite.domain.events import Resource, ResourceType
from pincite.domain.grants import Approval, Caller, Grant, LocalUser, Token, scope_of
from pincite.domain.ids import KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

DOCS = Resource.of(KnowledgeBaseId("docs"))
CHANNEL = Resource(ResourceType.CHANNEL, "docs")


def test_each_grant_includes_those_before_it() -> None:
    words = ["read", "propose", "edit", "publish", "admin"]
    assert [grant.word for grant in sorted(Grant)] == words
    assert Grant.parse("edit") is Grant.EDIT
    with pytest.raises(InvalidInputError, match="grant must be one of read, propose, edit"):
        Grant.parse("write")


@pytest.mark.spec("ACC-1")
def test_a_grant_on_one_resource_is_none_on_another_of_the_same_name() -> None:
    caller = Caller(Principal("token/a"), {"docs": Grant.READ})
    assert caller.grant_on(DOCS) is Grant.READ
    assert caller.grant_on(CHANNEL) is None
    assert caller.grant_on(Resource.of(KnowledgeBaseId("other"))) is None
    assert (scope_of(DOCS), scope_of(CHANNEL)) == ("docs", "channel:docs")


def test_the_strongest_of_a_particular_and_a_general_grant_counts() -> None:
    caller = Caller(Principal("token/a"), {"*": Grant.READ, "docs": Grant.EDIT})
    assert caller.grant_on(DOCS) is Grant.EDIT
    assert caller.grant_on(CHANNEL) is Grant.READ
    assert LocalUser().caller.grant_on(CHANNEL) is Grant.ADMIN


def test_a_token_holds_until_it_is_revoked_or_past_its_time() -> None:
    token = Token("d", "ann", {"docs": Grant.READ}, Approval.DIRECT, Stamp(0), Stamp(10))
    assert token.holds(Stamp(9))
    assert not token.holds(Stamp(10))
    assert token.caller.principal == "token/ann"
    revoked = Token("d", "ann", {}, Approval.DIRECT, Stamp(0), None, revoked_at=Stamp(5))
    assert not revoked.holds(Stamp(4))
