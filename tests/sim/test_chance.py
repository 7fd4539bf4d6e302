from collections import Counter

from pincite.sim.chance import Chance


def test_a_stream_is_the_same_on_every_machine() -> None:
    chance = Chance(1, "question")
    assert [chance.below(1000) for _ in range(8)] == [361, 696, 751, 322, 991, 134, 132, 905]
    assert Chance(1, "question").shuffled("abcdef") == ["f", "b", "a", "e", "d", "c"]


def test_streams_of_other_names_differ() -> None:
    assert Chance(1, "a").below(10**9) != Chance(1, "b").below(10**9)
    assert Chance(1, "a").below(10**9) != Chance(2, "a").below(10**9)


def test_every_number_below_the_bound_is_about_as_frequent() -> None:
    chance = Chance("even")
    counts = Counter(chance.below(5) for _ in range(5000))
    assert sorted(counts) == [0, 1, 2, 3, 4]
    assert all(900 < count < 1100 for count in counts.values())


def test_an_index_is_drawn_by_its_weight_and_one_without_weight_never() -> None:
    chance = Chance("weighted")
    counts = Counter(chance.weighted([1, 1, 4]) for _ in range(4000))
    assert sorted(counts) == [0, 2]
    assert 900 < counts[0] < 1100


def test_shuffling_keeps_every_item_and_favours_no_order() -> None:
    chance = Chance("order")
    orders = Counter("".join(chance.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(900 < count < 1100 for count in orders.values())
