from pincite.domain.texts import Text
from pincite.sim.clock import HOUR, MINUTE, SECOND
from pincite.sim.day import wording
from pincite.sim.day.world import Change, Shape, Spread, popularity_of, topic_of, world_of


def test_the_ten_most_popular_articles_carry_36_7_percent() -> None:
    popularity = popularity_of(400, 0.9)
    assert round(100 * popularity[9] / popularity[-1], 1) == 36.7


def test_a_seed_makes_the_same_day_every_time() -> None:
    day = world_of(Shape(), seed=1)
    assert day == world_of(Shape(), seed=1)
    assert [(save.at, save.article, save.change.value) for save in day.saves[:3]] == [
        (195091, 79, "content"),
        (219759, 11, "content"),
        (373613, 55, "content"),
    ]
    assert [(question.at, question.text) for question in day.questions[:2]] == [
        (15251, "What about a parking for my KX340?"),
        (170140, "What about a refund for my KX163?"),
    ]


def test_the_day_has_the_published_size() -> None:
    day = world_of(Shape(), seed=2)
    assert (len(day.articles), len(day.questions), len(day.saves)) == (400, 120, 300)
    times = [save.at for save in day.saves], [question.at for question in day.questions]
    assert all(list(each) == sorted(each) and 0 <= each[0] <= each[-1] < 8 * HOUR for each in times)
    waits = sorted(question.delay for question in day.questions)
    assert waits == [20 * SECOND] * 30 + [15 * MINUTE] * 30 + [HOUR] * 30 + [4 * HOUR] * 30


def test_about_85_of_100_saves_change_the_content_10_the_title_too_and_5_withdraw() -> None:
    changes = [save.change for seed in range(40) for save in world_of(Shape(), seed).saves]
    shares = {change: changes.count(change) / len(changes) for change in Change}
    assert 0.84 < shares[Change.CONTENT] < 0.86
    assert 0.09 < shares[Change.TITLE] < 0.11
    assert 0.04 < shares[Change.WITHDRAWAL] < 0.06


def test_the_control_differs_only_in_the_articles_that_are_saved() -> None:
    day, control = world_of(Shape(), 3), world_of(Shape(), 3, Spread.EVEN)
    assert control.questions == day.questions
    assert control.articles == day.articles
    for ours, theirs in zip(day.saves, control.saves, strict=True):
        assert (ours.at, ours.change, ours.passage) == (theirs.at, theirs.change, theirs.passage)
    popular = sum(save.article < 10 for seed in range(20) for save in world_of(Shape(), seed).saves)
    even = sum(
        save.article < 10
        for seed in range(20)
        for save in world_of(Shape(), seed, Spread.EVEN).saves
    )
    assert 0.34 < popular / 6000 < 0.39
    assert 0.015 < even / 6000 < 0.035


def test_topics_take_turns_by_popularity() -> None:
    assert [topic_of(article, Shape()) for article in (0, 1, 17, 18, 399)] == [0, 1, 17, 0, 3]


def test_articles_of_one_topic_differ_only_in_code_and_reference() -> None:
    first, second = wording.written(1, 0, 6), wording.written(19, 0, 6)
    assert first.title == "Refund for the KX1 (L1v00001)"
    assert second.title == "Refund for the KX19 (L19v00001)"
    assert second.content == first.content.replace("KX1", "KX19").replace("R0000001", "R0000019")


def test_more_passages_than_sentences_stay_different() -> None:
    text = wording.written(1, 0, 14).content
    assert len(set(text.split("\n\n"))) == 14


def test_an_edit_touches_one_passage_and_a_new_title_one_number() -> None:
    before = wording.written(7, 2, 6)
    after = Text(wording.retitled(before.title), wording.reworded(before.content, 3, 1000042))
    assert after.title == "Battery for the KX7 (L7v00002)"
    changed = [n for n in range(6) if passage(before, n) != passage(after, n)]
    assert changed == [3]
    assert passage(after, 3).endswith("to us with reference R1000042.")


def passage(text: Text, number: int) -> str:
    return wording.passage_of(text.content, number)
