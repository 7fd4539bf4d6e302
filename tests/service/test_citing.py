"""Checking citations: the order of the verdicts, in one snapshot, silent about what is hidden."""

import pytest

from pincite.domain.articles import State
from pincite.domain.citations import Citation, Reason, Verdict
from pincite.domain.edits import Delete, Publish
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError, UnauthenticatedError
from pincite.service import citing
from tests.service.world import KB, OTHER, OWNER, A, World

CONTENT = "# Refunds\n\nThirty days.\n\nNo reason needed.\n"
THIRTY = Quote("Thirty days.")


def cite(stamp: Stamp, *quotes: Quote, kb: KnowledgeBaseId = KB, article: str = "a") -> Citation:
    return Citation(kb, ArticleId(article), stamp, quotes)


def verdict(world: World, citation: Citation, who: Credential = OWNER) -> Verdict:
    ((_, judgement),) = world.service.check_citations(who, [citation]).judgements
    return judgement.verdict


@pytest.mark.spec("CITE-1")
def test_an_edit_elsewhere_leaves_a_quote_intact_and_one_of_it_changes_it(world: World) -> None:
    stamp = world.publish(CONTENT)
    assert verdict(world, cite(stamp, THIRTY)) is Verdict.CURRENT
    second = world.edit(stamp, CONTENT.replace("No reason", "A reason is")).receipt.updated_at
    assert second
    assert verdict(world, cite(stamp, THIRTY)) is Verdict.INTACT
    assert verdict(world, cite(stamp)) is Verdict.CHANGED
    world.edit(second, CONTENT.replace("Thirty", "Forty"))
    assert verdict(world, cite(stamp, THIRTY)) is Verdict.CHANGED
    assert verdict(world, cite(second, THIRTY)) is Verdict.CHANGED


@pytest.mark.spec("CITE-1")
def test_a_changed_quote_comes_with_the_present_text_nearest_to_it(world: World) -> None:
    stamp = world.publish(CONTENT)
    moved = world.edit(stamp, CONTENT.replace("Thirty", "Forty")).receipt.updated_at
    checked = world.service.check_citations(OWNER, [cite(stamp, THIRTY)])
    ((_, judgement),) = checked.judgements
    assert (judgement.reason, judgement.updated_at) == (Reason.ABSENT, moved)
    assert judgement.present
    assert judgement.present.text == "Forty days."
    assert checked.latest_sequences == {"kb": 2}


@pytest.mark.spec("CITE-1")
def test_a_call_looks_for_nearest_texts_only_so_far_and_judges_all_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citing, "NEAREST_LIMIT", 50)
    stamp = world.publish(CONTENT)
    world.edit(stamp, CONTENT.replace("Thirty", "Forty"))
    checked = world.service.check_citations(OWNER, [cite(stamp, THIRTY)] * 3)
    judged = [judgement for _, judgement in checked.judgements]
    assert [(one.verdict, one.reason) for one in judged] == [(Verdict.CHANGED, Reason.ABSENT)] * 3
    assert [one.present is not None for one in judged] == [True, True, False]


def test_a_call_looks_through_so_much_text_for_quotes_and_says_how_many_citations_it_can_check(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citing, "SEARCH_LIMIT", 3 * len(CONTENT))
    stamp = world.publish(CONTENT)
    quoted = cite(stamp, THIRTY)
    assert len(world.service.check_citations(OWNER, [quoted] * 3).judgements) == 3
    assert len(world.service.check_citations(OWNER, [cite(stamp)] * 200).judgements) == 200
    with pytest.raises(InvalidInputError, match="the first 3 can be") as refused:
        world.service.check_citations(OWNER, [quoted] * 4)
    assert refused.value.details["field"] == "citations"
    monkeypatch.setattr(citing, "SEARCH_LIMIT", 1)
    assert len(world.service.check_citations(OWNER, [quoted]).judgements) == 1


@pytest.mark.spec("CITE-1")
def test_what_never_was_is_unfounded_and_what_is_withdrawn_is_gone(world: World) -> None:
    stamp = world.publish(CONTENT)
    unfounded = [
        cite(Stamp(5), THIRTY),
        cite(stamp, Quote("Sixty days.")),
        cite(stamp, article="none"),
        cite(stamp, kb=KnowledgeBaseId("none")),
        cite(Stamp(stamp.milliseconds, "5"), THIRTY),
    ]
    for citation in unfounded:
        assert verdict(world, citation) is Verdict.UNFOUNDED
    gone = world.withdraw(stamp)
    assert verdict(world, cite(stamp, THIRTY)) is Verdict.GONE
    assert verdict(world, cite(stamp, Quote("Sixty days."))) is Verdict.GONE
    assert verdict(world, cite(Stamp(5), THIRTY)) is Verdict.UNFOUNDED
    world.service.write(OWNER, KB, A, Delete(gone))
    assert verdict(world, cite(stamp)) is Verdict.GONE
    world.service.erase(OWNER, KB, A)
    assert verdict(world, cite(stamp, THIRTY)) is Verdict.GONE


@pytest.mark.spec("CITE-1")
def test_a_version_no_longer_kept_is_judged_by_the_quote_alone_and_says_so(world: World) -> None:
    stamp = world.publish(CONTENT)
    world.clock.milliseconds = 5000
    world.edit(stamp, CONTENT + "\nMore.\n")
    world.store.upkeep.drop_revisions(KB, Stamp(6000))
    checked = world.service.check_citations(
        OWNER, [cite(stamp, THIRTY), cite(stamp, Quote("Sixty days."))]
    )
    told = [(one.verdict, one.version_kept) for _, one in checked.judgements]
    assert told == [(Verdict.INTACT, False), (Verdict.CHANGED, False)]


@pytest.mark.spec("CITE-1", "ACC-1")
def test_a_citation_of_what_is_not_granted_reads_as_one_of_what_never_was(world: World) -> None:
    stamp = world.publish(CONTENT)
    agent = world.agent(Grant.READ)
    there = cite(stamp, THIRTY, kb=OTHER)
    nowhere = cite(stamp, THIRTY, kb=KnowledgeBaseId("none"))
    checked = world.service.check_citations(agent, [there, cite(stamp, THIRTY), nowhere])
    judgements = [judgement for _, judgement in checked.judgements]
    assert judgements[0] == judgements[2]
    assert [one.verdict for one in judgements] == ["unfounded", "current", "unfounded"]
    assert checked.latest_sequences == {"kb": 1}
    world.service.revoke_token(OWNER, "agent")
    with pytest.raises(UnauthenticatedError):
        world.service.check_citations(agent, [there])


@pytest.mark.parametrize(
    ("citations", "field"),
    [
        ([], "citations"),
        ([cite(Stamp(1))] * 201, "citations"),
        ([cite(Stamp(1)), cite(Stamp(1), *[THIRTY] * 21)], "citations[1].quotes"),
        ([cite(Stamp(1), Quote(""))], "citations[0].quotes[0].exact"),
        ([cite(Stamp(1), Quote(" \n"))], "citations[0].quotes[0].exact"),
        ([cite(Stamp(1), Quote("x" * 2001))], "citations[0].quotes[0].exact"),
        ([cite(Stamp(1), Quote("x", "p" * 2001))], "citations[0].quotes[0].prefix"),
        ([cite(Stamp(1), Quote("x", "", "\ud800"))], "citations[0].quotes[0].suffix"),
    ],
)
def test_citations_outside_their_limits_are_refused_by_field(
    world: World, citations: list[Citation], field: str
) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        world.service.check_citations(OWNER, citations)
    assert refusal.value.details["field"] == field


def test_a_draft_is_nothing_that_can_be_cited(world: World) -> None:
    gone = world.withdraw(world.publish(CONTENT))
    world.service.write(OWNER, KB, A, Publish(gone, None))
    assert world.service.get_article(OWNER, KB, A).state is State.PUBLISHED
    assert verdict(world, cite(gone, THIRTY)) is Verdict.UNFOUNDED
