"""The address that results carry leads people to the very version that they cite."""

import pytest

from tests.app.calling import PLACE, SEARCH, result_of, serving
from tests.app.conftest import Database

pytestmark = pytest.mark.anyio


async def test_the_url_of_a_result_opens_the_cited_version(database: Database) -> None:
    read = {"name": "read_knowledge_article", "arguments": PLACE}
    async with serving(database, public_url="http://127.0.0.1:8000/") as caller:
        found = result_of(await caller.newer("tools/call", database.agent, **SEARCH))
        [hit] = found["structuredContent"]["results"]
        article = result_of(await caller.newer("tools/call", database.agent, **read))
        assert article["structuredContent"]["url"] == hit["url"]
        edit = {
            **PLACE,
            "content": "Ask within 14 days.",
            "expected_version": hit["updated_at"],
            "idempotency_key": "k",
        }
        result_of(
            await caller.newer(
                "tools/call", database.agent, name="edit_knowledge_article", arguments=edit
            )
        )
        stranger = await caller.http.get(hit["url"])
        assert (stranger.status_code, "30 days" in stranger.text) == (401, False)
        assert (await caller.http.get("/start?token=start")).status_code == 303
        page = await caller.http.get(hit["url"])
    assert page.status_code == 200
    assert "Ask within 30 days." in page.text
    assert f'version <time class="stamp" datetime="{hit["updated_at"]}">' in page.text
    assert "This is not the present version." in page.text


async def test_without_a_public_address_results_carry_no_url(database: Database) -> None:
    async with serving(database) as caller:
        found = result_of(await caller.newer("tools/call", database.agent, **SEARCH))
    [hit] = found["structuredContent"]["results"]
    assert "url" not in hit
