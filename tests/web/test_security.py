"""Who gets in, what a stranger learns, and what a page may do in a browser."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from pincite.domain.grants import Grant
from tests.service.world import World
from tests.web.conftest import COOKIE, START, Pages

pytestmark = pytest.mark.anyio

SHUT = [
    "/",
    "/articles?kb=kb",
    "/article?kb=kb&id=a",
    "/article?kb=nothing&id=a",
    "/search?kb=kb&q=text",
    "/history?kb=kb&id=a",
    "/changes?kb=kb&id=a",
    "/events?kb=kb",
    "/answers?kb=kb",
    "/check",
    "/nowhere",
]
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


@pytest.mark.spec("ACC-1")
async def test_a_stranger_gets_the_same_401_everywhere(world: World, pages: Pages) -> None:
    world.publish("Some text.")
    async with pages.reader(None) as reader:
        answers = [await reader.get(path) for path in SHUT]
        deep = await reader.get("/a/b/c")
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert "pincite serve --http" in answers[0].text
    assert (deep.status_code, 'href="../../static/pincite.css"' in deep.text) == (401, True)


@pytest.mark.parametrize("cookie", ["", "wrong", "é", START])
async def test_a_cookie_that_no_session_has_opens_nothing(pages: Pages, cookie: str) -> None:
    async with pages.reader(None) as reader:
        headers = {b"cookie": f"{COOKIE}={cookie}".encode()}
        assert (await reader.get("/", headers=headers)).status_code == 401


async def test_the_start_secret_opens_one_session_once(pages: Pages) -> None:
    async with pages.reader(None) as first, pages.reader(None) as second:
        opened = await first.get(f"/start?token={START}")
        assert (opened.status_code, opened.headers["location"]) == (303, "./")
        assert (await first.get("/")).status_code == 200
        again = await second.get(f"/start?token={START}")
        assert (again.status_code, "set-cookie" in again.headers) == (403, False)
        assert "used already" in again.text
        assert (await second.get("/")).status_code == 401
        reloaded = await first.get(f"/start?token={START}")
        assert (reloaded.status_code, reloaded.headers["location"]) == (303, "./")


@pytest.mark.parametrize("query", ["", "?token=", "?token=guess", "?token=%ff", "?token=%ED%A0%80"])
async def test_a_wrong_start_secret_opens_nothing_and_leaves_the_right_one(
    pages: Pages, query: str
) -> None:
    async with pages.reader(None) as reader:
        refused = await reader.get(f"/start{query}")
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
        assert (await reader.get(f"/start?token={START}")).status_code == 303


async def test_who_only_looks_ahead_does_not_use_the_start_secret_up(pages: Pages) -> None:
    async with pages.reader(None) as reader:
        address = f"/start?token={START}"
        assert (await reader.head(address)).status_code == 503
        ahead = await reader.get(address, headers={"sec-purpose": "prefetch;prerender"})
        assert ahead.status_code == 503
        assert (await reader.get(address)).status_code == 303


async def test_the_session_s_cookie_is_out_of_reach_and_random(pages: Pages) -> None:
    async with pages.reader(None) as reader:
        opened = await reader.get(f"/start?token={START}")
    name, _, rest = opened.headers["set-cookie"].partition("=")
    secret, *flags = rest.split("; ")
    assert name == COOKIE
    assert len(secret) == 43
    assert sorted(flags) == ["HttpOnly", "Path=/", "SameSite=lax"]
    assert secret not in repr(vars(pages.sessions))
    https = Pages(pages.world)
    transport = httpx2.ASGITransport(app=https.site)
    async with httpx2.AsyncClient(transport=transport, base_url="https://kb.example.org") as far:
        opened = await far.get(f"/start?token={START}")
    assert opened.headers["set-cookie"].startswith("pincite-https=")
    assert "Secure" in opened.headers["set-cookie"].split("; ")


async def test_every_answer_keeps_the_browser_to_the_rules(world: World, pages: Pages) -> None:
    world.publish("Some text.")
    async with pages.owner() as owner, pages.reader(None) as stranger:
        answers = [await owner.get(path) for path in SHUT]
        answers += [await stranger.get("/"), await stranger.get("/start")]
        answers += [await owner.post("/")]
        style = await stranger.get("/static/pincite.css")
    for answer in [*answers, style]:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    assert (style.status_code, style.headers["cache-control"]) == (200, "no-cache")


async def test_no_page_holds_script_style_or_another_site_s_address(
    world: World, pages: Pages
) -> None:
    world.publish("Some text.")
    async with pages.owner() as owner:
        for path in SHUT:
            text = (await owner.get(path)).text
            for foreign in ("<script", "<style", " style=", "javascript:", "https://", "//cdn"):
                assert foreign not in text


@pytest.mark.parametrize("path", ["/static/../routes.py", "/static/%2e%2e/routes.py", "/static/"])
async def test_beside_the_styles_nothing_is_handed_out(pages: Pages, path: str) -> None:
    async with pages.reader(None) as reader:
        answer = await reader.get(path)
    assert answer.status_code in {401, 404}
    assert "class Site" not in answer.text


@pytest.mark.spec("ACC-1")
@pytest.mark.parametrize(
    "path",
    [
        "/articles?kb={kb}",
        "/article?kb={kb}&id=a",
        "/article?kb={kb}&id=a&at=1970-01-01T00:00:01.000Z",
        "/search?kb={kb}&q=words",
        "/history?kb={kb}&id=a",
        "/changes?kb={kb}&id=a&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:01Z",
        "/events?kb={kb}",
        "/events?kb={kb}&after=99",
        "/answers?kb={kb}",
    ],
)
async def test_what_is_not_granted_looks_like_what_is_not_there(pages: Pages, path: str) -> None:
    async with pages.agent(Grant.ADMIN) as reader:
        hidden = await reader.get(path.format(kb="other"))
        absent = await reader.get(path.format(kb="none0"))
        home = await reader.get("/")
    assert (hidden.status_code, absent.status_code) == (404, 404)
    assert hidden.text == absent.text
    assert "kb=other" not in home.text


async def test_a_form_that_is_too_long_or_of_no_length_is_not_read(pages: Pages) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"citation=x"

    headers = {"content-type": "application/x-www-form-urlencoded"}
    async with pages.owner() as owner:
        long = await owner.post("/check", content=b"a" * 1_048_577, headers=headers)
        chunked = await owner.post("/check", content=endless(), headers=headers)
    assert (long.status_code, chunked.status_code) == (413, 413)


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize(
    "path",
    [
        "/article",
        "/article?kb=kb",
        "/article?kb=kb&id=%00",
        "/article?kb=kb&id=%ED%A0%80",
        "/article?kb=kb&id=a&at=yesterday",
        "/articles?kb=kb&state=lost",
        "/articles?kb=kb&after=%0a",
        "/events?kb=kb&after=-1",
        "/events?kb=kb&after=99999999999999999999",
        "/events?kb=kb&after=%D9%A3",
        "/answers?kb=kb&after=nonsense",
        "/changes?kb=kb&id=a&from=&to=",
    ],
)
async def test_an_address_that_cannot_be_read_is_a_400_that_says_why(
    pages: Pages, path: str
) -> None:
    async with pages.owner() as owner:
        answer = await owner.get(path)
    assert answer.status_code == 400
    assert "<h1>That cannot be read</h1>" in answer.text
