"""Fingerprints: the same request is the same, any other is another."""

import pytest

from pincite.domain.edits import (
    Create,
    Edit,
    Patch,
    Replacement,
    fingerprint,
    values_of,
)
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text


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


@pytest.mark.spec("IDEM-1")
def test_a_request_has_the_fingerprint_that_earlier_versions_kept_of_it() -> None:
    requests: list[Edit | Patch | Create] = [
        Edit(Stamp(1_800_000_000_123), "x", "t"),
        Patch(Stamp(1_800_000_000_123), (Replacement("a", "b"),)),
        Create(Text("t", "c"), publish=True),
    ]
    kept = [fingerprint(type(r).__name__, {"article_id": "a", **values_of(r)}) for r in requests]
    assert [one[:16] for one in kept] == [
        "97ddd45b4a153ee5",
        "4f21b4cb3dbf1407",
        "3785a951e42fa398",
    ]


def test_a_fingerprint_does_not_depend_on_the_order_of_the_values() -> None:
    assert fingerprint("t", {"a": 1, "b": 2}) == fingerprint("t", {"b": 2, "a": 1})
