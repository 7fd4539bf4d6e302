"""The pages of reference say what the code says."""

from collections.abc import Callable

import pytest

from tests.docs.reference import PAGES, REPOSITORY


@pytest.mark.parametrize(("path", "page"), PAGES.items())
def test_a_page_of_reference_is_the_one_that_the_code_gives(
    path: str, page: Callable[[], str]
) -> None:
    written = (REPOSITORY / path).read_text("utf-8")
    assert written == page(), "write it anew: python -m tests.docs.reference"
