"""The answer ledger: kept once, followed event by event, never behind what a caller can see."""

import random

import pytest

from pincite.domain.answers import Cited, Impact, worst
from pincite.domain.citations import Citation, Verdict
from pincite.domain.edits import Context, Create, Edit, Publish, Withdraw
from pincite.domain.events import Resource, ResourceType
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import (
    DeniedError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    NotFoundError,
    PinciteError,
)
from pincite.service import citing
from pincite.service.answering import Answered
from tests.service.world import KB, OTHER, OWNER, A, World

CONTENT = "# Refunds\n\nThirty days.\n\nNo reason needed.\n"
THIRTY, REASON = Quote("Thirty days."), Quote("No reason needed.")


def answer(world: World, key: str, *citations: Citation) -> str:
    answered = Answered(f"Question {key}?", f"Answer {key}.", citations)
    saved = world.service.answers.record(OWNER, KB, answered, Context(key))
    return str(saved.receipt.article_id)


def cite(stamp: Stamp, *quotes: Quote, article: ArticleId = A) -> Citation:
    return Citation(KB, article, stamp, quotes)


def stale(world: World) -> list[tuple[str, str, int | None]]:
    page = world.service.answers.list_stale(OWNER, KB, None, 50)
    return [(one.answer_id, one.worst, one.since) for one in page.answers]


def test_an_answer_goes_stale_with_the_save_that_made_it_so(world: World) -> None:
    stamp = world.publish(CONTENT)
    first = answer(world, "1", cite(stamp, THIRTY))
    second = answer(world, "2", cite(stamp, REASON))
    assert stale(world) == []
    moved = world.edit(stamp, CONTENT.replace("Thirty", "Forty")).receipt.updated_at
    assert moved
    assert stale(world) == [(first, "changed", 2), (second, "intact", 2)]
    world.edit(moved, CONTENT.replace("Thirty", "Forty").replace("No", "A"))
    assert stale(world) == [(first, "changed", 2), (second, "changed", 3)]


def test_an_answer_whose_quotes_take_too_much_looking_through_is_refused_and_not_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citing, "SEARCH_LIMIT", len(CONTENT))
    stamp = world.publish(CONTENT)
    with pytest.raises(InvalidInputError, match="the first 1 can be"):
        answer(world, "1", cite(stamp, THIRTY), cite(stamp, REASON))
    monkeypatch.undo()
    world.withdraw(stamp)
    assert stale(world) == []


def test_the_worst_come_first_and_pages_follow_each_other(world: World) -> None:
    stamp = world.publish(CONTENT)
    other = world.publish(CONTENT, "b")
    ids = {
        "intact": answer(world, "i", cite(stamp, REASON)),
        "unfounded": answer(world, "u", cite(stamp, Quote("Sixty."))),
        "gone": answer(world, "g", cite(other, THIRTY, article=ArticleId("b"))),
        "changed": answer(world, "c", cite(stamp, THIRTY), cite(stamp, REASON)),
    }
    world.edit(stamp, CONTENT.replace("Thirty", "Forty"))
    world.service.write(OWNER, KB, ArticleId("b"), Withdraw(other))
    seen, after = [], None
    while True:
        page = world.service.answers.list_stale(OWNER, KB, after, 1)
        seen += [(one.answer_id, str(one.worst)) for one in page.answers]
        after = page.next
        if after is None:
            break
    order = ["unfounded", "gone", "changed", "intact"]
    assert seen == [(ids[name], name) for name in order]


def test_each_citation_of_an_answer_has_its_verdict(world: World) -> None:
    stamp = world.publish(CONTENT)
    answer(world, "1", cite(stamp, THIRTY, REASON), cite(stamp, REASON), cite(stamp))
    world.edit(stamp, CONTENT.replace("Thirty", "Forty"))
    (one,) = world.service.answers.list_stale(OWNER, KB, None, 50).answers
    assert one.question == "Question 1?"
    assert one.citations == (
        (cite(stamp, THIRTY, REASON), Verdict.CHANGED),
        (cite(stamp, REASON), Verdict.INTACT),
        (cite(stamp), Verdict.CHANGED),
    )


def test_a_quote_that_comes_back_makes_its_answers_intact_again(world: World) -> None:
    stamp = world.publish(CONTENT)
    first = answer(world, "1", cite(stamp, THIRTY))
    moved = world.edit(stamp, CONTENT.replace("Thirty", "Forty")).receipt.updated_at
    assert moved
    assert stale(world) == [(first, "changed", 2)]
    world.edit(moved, CONTENT)
    assert stale(world) == [(first, "intact", 3)]


@pytest.mark.spec("IDEM-1", "IDEM-2")
def test_an_answer_is_recorded_once_per_key(world: World) -> None:
    stamp = world.publish(CONTENT)
    answered = Answered("Q?", "A.", (cite(stamp, THIRTY),))
    first = world.service.answers.record(OWNER, KB, answered, Context("k"))
    again = world.service.answers.record(OWNER, KB, answered, Context("k"))
    assert (again.receipt, again.replayed) == (first.receipt, True)
    assert first.receipt.sequence == 1
    other = Answered("Q?", "B.", (cite(stamp, THIRTY),))
    with pytest.raises(IdempotencyKeyReusedError):
        world.service.answers.record(OWNER, KB, other, Context("k"))
    world.edit(stamp, "Other.")
    assert len(stale(world)) == 1


@pytest.mark.spec("EV-1")
def test_recording_writes_no_event_of_the_knowledge_base_but_one_of_the_session(
    world: World,
) -> None:
    stamp = world.publish(CONTENT)
    answered = Answered("Q?", "A.", (cite(stamp, THIRTY),))
    world.service.answers.record(OWNER, KB, answered, Context("k", session="s"))
    assert len(world.told()) == 1
    log = world.service.poll(OWNER, Resource(ResourceType.SESSION, "s"))
    assert [event.type for event in log.events] == ["answer.recorded"]


@pytest.mark.parametrize(
    ("answered", "key", "field"),
    [
        (Answered("", "A.", (cite(Stamp(1)),)), "k", "question"),
        (Answered("q" * 2001, "A.", (cite(Stamp(1)),)), "k", "question"),
        (Answered("Q?", "", (cite(Stamp(1)),)), "k", "answer"),
        (Answered("Q?", "A.", ()), "k", "citations"),
        (Answered("Q?", "A.", (cite(Stamp(1)),)), "", "idempotency_key"),
        (
            Answered("Q?", "A.", (Citation(OTHER, A, Stamp(1)),)),
            "k",
            "citations[0].knowledge_base_id",
        ),
    ],
)
def test_a_bad_answer_is_refused_by_field(
    world: World, answered: Answered, key: str, field: str
) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        world.service.answers.record(OWNER, KB, answered, Context(key))
    assert refusal.value.details["field"] == field


@pytest.mark.parametrize(
    "after", ["", "x", "1", "1.x", "-1.2", "1.2.3", "9" * 40 + ".1", "\uff11.\uff12"]
)
def test_a_made_up_place_is_refused(world: World, after: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        world.service.answers.list_stale(OWNER, KB, after, 10)
    assert refusal.value.details["field"] == "after"


@pytest.mark.spec("ACC-1")
def test_the_ledger_of_a_knowledge_base_that_is_not_granted_is_not_there(world: World) -> None:
    agent = world.agent(Grant.READ)
    answered = Answered("Q?", "A.", (Citation(OTHER, A, Stamp(1)),))
    with pytest.raises(NotFoundError):
        world.service.answers.list_stale(agent, OTHER, None, 10)
    with pytest.raises(NotFoundError):
        world.service.answers.record(agent, OTHER, answered, Context("k"))
    with pytest.raises(DeniedError):
        world.service.answers.impact(agent, KB, A, "text")


def test_the_impact_of_a_change_is_known_before_it_is_published(world: World) -> None:
    stamp = world.publish(CONTENT)
    answer(world, "1", cite(stamp, THIRTY))
    answer(world, "2", cite(stamp, THIRTY), cite(stamp, REASON))
    answer(world, "3", cite(stamp, REASON))
    impact = world.service.answers.impact(OWNER, KB, A, CONTENT.replace("Thirty", "Forty"))
    assert impact == Impact(2, ((Cited(A, stamp, THIRTY), 2),))
    untouched = world.service.answers.impact(OWNER, KB, A, CONTENT + "\nMore.\n")
    assert untouched == Impact(0, ())
    assert stale(world) == []
    world.edit(stamp, CONTENT.replace("Thirty", "Forty"))
    stale_already = world.service.answers.impact(OWNER, KB, A, CONTENT.replace("Thirty", "Fifty"))
    assert stale_already == Impact(0, ())


@pytest.mark.spec("PUB-4")
def test_retention_never_drops_a_version_that_an_answer_cites(world: World) -> None:
    first = world.publish(CONTENT)
    world.clock.milliseconds = 5000
    second = world.edit(first, CONTENT + "\nMore.\n").receipt.updated_at
    assert second
    answer(world, "1", cite(second, THIRTY))
    world.edit(second, CONTENT + "\nEven more.\n")
    assert world.store.upkeep.drop_revisions(KB, Stamp(9000)) == 1
    with pytest.raises(NotFoundError):
        world.service.get_revision(OWNER, KB, A, first)
    assert world.service.get_revision(OWNER, KB, A, second).text.content == CONTENT + "\nMore.\n"


@pytest.mark.spec("PUB-5")
def test_erasing_an_article_takes_its_words_from_the_answers_too(world: World) -> None:
    stamp = world.publish(CONTENT)
    first = answer(world, "1", cite(stamp, THIRTY))
    world.service.erase(OWNER, KB, A)
    page = world.service.answers.list_stale(OWNER, KB, None, 10)
    assert [(one.answer_id, one.worst) for one in page.answers] == [(first, Verdict.GONE)]
    assert "Thirty" not in repr(page)


def test_a_log_compacted_behind_the_ledger_only_makes_it_look_at_everything(
    world: World,
) -> None:
    stamp = world.publish(CONTENT)
    first = answer(world, "1", cite(stamp, THIRTY))
    moved = world.edit(stamp, CONTENT.replace("Thirty", "Forty")).receipt.updated_at
    assert moved
    world.edit(moved, CONTENT.replace("Thirty", "Fifty"))
    world.store.upkeep.compact(Resource.of(KB), 3)
    assert stale(world) == [(first, "changed", 3)]


@pytest.mark.spec("CITE-4")
@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_agrees_with_a_check_of_everything_at_every_step(
    world: World, seed: int
) -> None:
    chance = random.Random(seed)
    words = ["Thirty days.", "No reason needed.", "Gift cards.", "Ask us."]
    stamps: list[Citation] = []
    recorded: dict[str, tuple[Citation, ...]] = {}
    for step in range(60):
        article = ArticleId(chance.choice("abc"))
        text = Text("T", "\n\n".join(chance.sample(words, chance.randint(1, 4))))
        happen(world, article, text, chance)
        try:
            read = world.service.read(OWNER, KB, article)
            stamps.append(cite(read.updated_at, Quote(chance.choice(words)), article=article))
        except PinciteError:
            pass
        if stamps and chance.random() < 0.5:
            citations = tuple(chance.sample(stamps, min(len(stamps), chance.randint(1, 3))))
            recorded[answer(world, f"{step}", *citations)] = citations
        if chance.random() < 0.1:
            world.store.upkeep.compact(Resource.of(KB), max(0, len(stamps) - 3))
        assert kept(world) == checked(world, recorded)


def happen(world: World, article: ArticleId, text: Text, chance: random.Random) -> None:
    """Something that a person does to an article."""
    try:
        present = world.service.get_article(OWNER, KB, article)
    except NotFoundError:
        world.service.write(OWNER, KB, article, Create(text, publish=True))
        return
    assert present.updated_at
    if present.state == "withdrawn":
        world.service.write(OWNER, KB, article, Publish(present.updated_at, None))
    elif chance.random() < 0.2:
        world.service.write(OWNER, KB, article, Withdraw(present.updated_at))
    else:
        world.service.write(OWNER, KB, article, Edit(present.updated_at, text.content))


def kept(world: World) -> dict[str, str]:
    """Each stale answer's worst verdict, as the ledger keeps it."""
    return {answer_id: verdict for answer_id, verdict, _ in stale_all(world)}


def stale_all(world: World) -> list[tuple[str, str, int | None]]:
    found, after = [], None
    while True:
        page = world.service.answers.list_stale(OWNER, KB, after, 7)
        found += [(one.answer_id, str(one.worst), one.since) for one in page.answers]
        after = page.next
        if after is None:
            return found


def checked(world: World, recorded: dict[str, tuple[Citation, ...]]) -> dict[str, str]:
    """The same, judged anew from the articles."""
    found = {}
    for answer_id, citations in recorded.items():
        judged = world.service.check_citations(OWNER, citations).judgements
        verdict = worst(judgement.verdict for _, judgement in judged)
        if verdict is not Verdict.CURRENT:
            found[answer_id] = str(verdict)
    return found
