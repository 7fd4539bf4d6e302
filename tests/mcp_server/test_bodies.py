"""Half a surrogate pair becomes NUL; everything else stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.mcp_server.bodies import without_surrogates


@pytest.mark.parametrize(
    ("message", "repaired"),
    [
        (r"\ud800", r"\u0000"),
        (r"\uDFFF", r"\u0000"),
        (r"a\ud83d\ude00b", r"a\ud83d\ude00b"),
        (r"\ude00\ud83d", r"\u0000\u0000"),
        (r"\ud83d\ud83d\ude00", r"\u0000\ud83d\ude00"),
        (r"\\ud800", r"\\ud800"),
        (r"\\\ud800", r"\\\u0000"),
        (r"\ud7ff \ue000", r"\ud7ff \ue000"),
        (r"\ud80", r"\ud80"),
        ("\\", "\\"),
    ],
)
def test_only_half_a_pair_is_replaced(message: str, repaired: str) -> None:
    assert without_surrogates(message) == repaired


@given(st.text(st.characters(codec=None, categories=None)))
def test_what_is_left_is_unicode_and_whole_text_is_untouched(text: str) -> None:
    message = json.dumps(text)
    repaired = json.loads(without_surrogates(message))
    assert repaired.encode().decode() == repaired
    # Two halves that stand together are a pair in JSON.
    whole = json.loads(message)
    assert repaired == "".join("\x00" if "\ud800" <= one <= "\udfff" else one for one in whole)
