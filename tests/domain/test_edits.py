"""Fingerprints: the same request is the same, any other is another."""

import pytest

from pincite.domain.edits import Edit, Patch, Replacement, fingerprint, values_of
from pincite.domain.stamps import Stamp


@pytest.mark.spec("IDEM-1")
def test_two_spellings_of_the_expected_version_are_one_request() -> None:
    spelled = [
        values_of(Edit(Stamp.parse(text), "x"))
        for text in ("2026-11-08T10:00:00.1Z", "2026-11-08T11:00:00.100+01:00")
    ]
    assert spelled[0] == spelled[1]


@pytest.mark.spec("IDEM-2")
def test_any_other_value_or_tool_is_another_request() -> None:
    requests = [
        ("edit", values_of(Edit(Stamp(1), "x"))),
        ("edit", values_of(Edit(Stamp(2), "x"))),
        ("edit", values_of(Edit(Stamp(1, "5"), "x"))),
        ("edit", values_of(Edit(Stamp(1), "y"))),
        ("edit", values_of(Edit(Stamp(1), "x", "t"))),
        ("patch", values_of(Edit(Stamp(1), "x"))),
        ("patch", values_of(Patch(Stamp(1), (Replacement("a", "b"),)))),
        ("patch", values_of(Patch(Stamp(1), (Replacement("b", "a"),)))),
    ]
    assert len({fingerprint(*request) for request in requests}) == 8


def test_a_fingerprint_does_not_depend_on_the_order_of_the_values() -> None:
    assert fingerprint("t", {"a": 1, "b": 2}) == fingerprint("t", {"b": 2, "a": 1})
