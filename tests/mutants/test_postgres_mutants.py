"""The conformance suite catches every way in which a store on PostgreSQL is broken here."""

import pytest

from tests.mutants.postgres_stores import KINDS
from tests.mutants.trial import failures_of

CAUGHT_BY = {
    "ComparedInTheSnapshot": ["test_of_edits_that_name_one_version_exactly_one_is_saved"],
    "ComparedBefore": ["test_of_edits_that_name_one_version_exactly_one_is_saved"],
    "NumberedBefore": [
        "test_numbers_have_no_gap_though_some_writes_are_refused",
        "test_writers_that_try_again_lose_nothing_and_a_reader_sees_each_event_once",
    ],
    "ToldAfterwards": [
        "test_every_view_sees_text_event_receipt_and_search_entry_of_a_save_or_none_of_them"
    ],
    "AnsweredEarly": ["test_a_view_sees_what_was_acknowledged_before_it_by_another_way_in"],
    "NoReplay": ["test_the_same_request_again_gives_the_first_receipt_and_writes_nothing"],
    "AnyFingerprint": ["test_the_key_of_another_request_is_refused_and_changes_nothing"],
    "SharedKeys": ["test_a_key_belongs_to_one_principal_in_one_knowledge_base"],
    "KeySpentByRefusal": [
        "test_a_refused_edit_does_not_use_up_its_key",
        "test_an_edit_that_was_overtaken_is_stale_and_changes_nothing",
    ],
    "ManyMoments": ["test_a_view_stays_at_its_moment_while_others_write"],
    "NotCaughtUp": ["test_a_withdrawn_article_is_gone_from_the_next_search"],
    "RestoredAsItWas": [
        "test_a_restored_log_goes_on_beyond_a_gap_under_a_new_epoch",
        "test_a_cursor_from_events_that_the_backup_lacks_is_expired",
    ],
}


@pytest.fixture(scope="module")
def failures() -> set[tuple[str, str]]:
    return failures_of("tests.mutants.postgres_plugin", CAUGHT_BY, sound="Sound")


@pytest.mark.parametrize("mutant", CAUGHT_BY)
def test_the_suite_catches_the_mutant(failures: set[tuple[str, str]], mutant: str) -> None:
    caught_by = {test for found, test in failures if found == mutant}
    assert caught_by == set(CAUGHT_BY[mutant])


def test_the_suite_passes_on_a_store_that_is_not_broken(failures: set[tuple[str, str]]) -> None:
    assert [test for mutant, test in failures if mutant == "Sound"] == []


def test_every_mutant_is_put_to_the_suite() -> None:
    assert {kind.__name__ for kind in KINDS} == {*CAUGHT_BY, "Sound"}
