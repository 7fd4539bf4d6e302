"""The conformance suite catches every way of being broken that is kept here."""

import pytest

from tests.mutants.stores import KINDS
from tests.mutants.trial import failures_of

CAUGHT_BY = {
    "CheckThenWrite": ["test_of_edits_that_name_one_version_exactly_one_is_saved"],
    "NumbersBeforeTheLock": [
        "test_numbers_have_no_gap_though_some_writes_are_refused",
        "test_writers_that_try_again_lose_nothing_and_a_reader_sees_each_event_once",
    ],
    "NoQueue": ["test_writers_that_try_again_lose_nothing_and_a_reader_sees_each_event_once"],
    "NoReplay": ["test_the_same_request_again_gives_the_first_receipt_and_writes_nothing"],
    "AnyFingerprint": ["test_the_key_of_another_request_is_refused_and_changes_nothing"],
    "SharedKeys": ["test_a_key_belongs_to_one_principal_in_one_knowledge_base"],
    "KeySpentByRefusal": [
        "test_a_refused_edit_does_not_use_up_its_key",
        "test_an_edit_that_was_overtaken_is_stale_and_changes_nothing",
    ],
    "EventAfterwards": [
        "test_every_view_sees_text_event_receipt_and_search_entry_of_a_save_or_none_of_them"
    ],
    "IndexAfterwards": [
        "test_every_view_sees_text_event_receipt_and_search_entry_of_a_save_or_none_of_them"
    ],
    "NeverIndexed": ["test_a_withdrawn_article_is_gone_from_the_next_search"],
    "DraftsAreFound": ["test_a_draft_is_not_found"],
    "UnchangedIsAnEvent": ["test_an_edit_that_changes_nothing_is_unchanged_and_keeps_its_receipt"],
    "EarlyAnswer": ["test_a_view_sees_what_was_acknowledged_before_it_by_another_way_in"],
    "NoSnapshot": ["test_a_view_stays_at_its_moment_while_others_write"],
    "LenientCursor": [
        "test_a_cursor_beyond_the_end_is_refused",
        "test_a_cursor_before_the_oldest_kept_event_is_refused",
    ],
    "HalfErased": ["test_a_new_backup_holds_no_byte_of_an_erased_text"],
    "RestoreByCopy": [
        "test_a_restored_log_goes_on_beyond_a_gap_under_a_new_epoch",
        "test_a_cursor_from_events_that_the_backup_lacks_is_expired",
    ],
}


@pytest.fixture(scope="module")
def failures() -> set[tuple[str, str]]:
    return failures_of("tests.mutants.plugin", CAUGHT_BY, sound="Faithful")


@pytest.mark.parametrize("mutant", CAUGHT_BY)
def test_the_suite_catches_the_mutant(failures: set[tuple[str, str]], mutant: str) -> None:
    caught_by = {test for found, test in failures if found == mutant}
    assert caught_by == set(CAUGHT_BY[mutant])


def test_the_suite_passes_on_a_store_that_is_not_broken(failures: set[tuple[str, str]]) -> None:
    assert [test for mutant, test in failures if mutant == "Faithful"] == []


def test_every_mutant_is_put_to_the_suite() -> None:
    assert {kind.__name__ for kind in KINDS} == {*CAUGHT_BY, "Faithful"}
