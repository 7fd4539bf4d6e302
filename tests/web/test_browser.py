"""The pages in a real browser: accessible in both themes, on a phone, without a script."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext

from pincite.app.build import create_service
from pincite.app.settings import Settings
from pincite.domain.citations import Citation
from pincite.domain.edits import Context, Create, Edit, Withdraw
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import cut
from pincite.domain.quotes import Quote
from pincite.domain.texts import Text
from pincite.service.answering import Answered
from tests.web.browser import browser, served, violations

OWNER = LocalUser()
KB = KnowledgeBaseId("support")
REFUNDS = ArticleId("returns/refunds")
TEXT = """Ask us *first*; see [the codes](../codes.md).

## How long

You have 30 days to send it back.

- in its box
- with the receipt

> A quote.

![A box](box.png)
"""
CODES = """# Codes

| code | meaning | what to do, in many words that do not fit on a phone |
|------|:-------:|-----------------------------------------------------:|
| E01  | motor   | `reset_the_device_with_a_very_long_command_name_here` |

```sh
pincite article show support returns/refunds --version 2026-11-08T10:00:00.123Z > edited.md
```

1. <details><summary>More</summary>Hidden.</details>
2. Two

***
"""

Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Place:
    """A database: its path, and the addresses of pages of every kind by their names."""

    db: Path
    pages: dict[str, str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    db = tmp_path_factory.mktemp("web") / "pincite.db"
    with create_service(Settings(db=str(db))) as opened:
        service = opened.service
        service.create_knowledge_base(OWNER, KB, "Support", "en")
        for name, title, text in (
            (REFUNDS, "Refunds", TEXT),
            (ArticleId("codes"), "Codes", CODES),
            (ArticleId("old"), "Old", "Once."),
        ):
            service.write(OWNER, KB, name, Create(Text(title, text), publish=True))
        service.write(OWNER, KB, ArticleId("idea"), Create(Text("Idea", "Later."), publish=False))
        once = service.read(OWNER, KB, ArticleId("old")).updated_at
        service.write(OWNER, KB, ArticleId("old"), Withdraw(once))
        first = service.read(OWNER, KB, REFUNDS).updated_at
        cited = Citation(KB, REFUNDS, first, (Quote("You have 30 days to send it back."),))
        service.answers.record(
            OWNER, KB, Answered("How long do I have?", "30 days.", (cited,)), Context("r")
        )
        edit = Edit(first, TEXT.replace("30 days", "14 days"))
        service.write(OWNER, KB, REFUNDS, edit, Context("e", "an-editor", note="new policy"))
        second = service.read(OWNER, KB, REFUNDS).updated_at
    article = f"article?kb=support&id={REFUNDS}"
    passage = cut(TEXT)[2].id
    return Place(
        db,
        {
            "home": "",
            "articles": "articles?kb=support",
            "none": "articles?kb=support&state=deleted",
            "article": article,
            "codes": "article?kb=support&id=codes",
            "draft": "article?kb=support&id=idea",
            "withdrawn": "article?kb=support&id=old",
            "gone": f"article?kb=support&id=old&at={once}",
            "old": f"{article}&at={first}",
            "cited": f"{article}&at={second}&cite={cut(TEXT)[0].id}#cite",
            "target": f"{article}&at={first}#p-{passage}",
            "history": f"history?kb=support&id={REFUNDS}",
            "changes": f"changes?kb=support&id={REFUNDS}&from={first}&to={second}",
            "search": "search?kb=support&q=send+back",
            "unanswered": "search?kb=support&q=zebra",
            "events": "events?kb=support&after=1",
            "answers": "answers?kb=support",
            "check": "check",
            "nowhere": "nowhere",
        },
    )


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@dataclass(frozen=True)
class SignedIn:
    """Where the app is, and what the browser keeps of its session."""

    address: str
    state: Any

    def context(self, chromium: Browser, **more: Any) -> BrowserContext:
        return chromium.new_context(storage_state=self.state, **more)


@pytest.fixture(scope="module")
def signed_in(place: Place, chromium: Browser) -> Iterator[SignedIn]:
    with served(place.db) as start:
        address = start.partition("start?")[0]
        with chromium.new_context() as context:
            page = context.new_page()
            page.goto(start)
            assert page.url == address
            assert page.get_by_role("heading", name="Knowledge bases").is_visible()
            yield SignedIn(address, context.storage_state())


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 320)])
def test_no_page_breaks_a_rule_of_accessibility_or_is_wider_than_the_screen(
    place: Place, chromium: Browser, signed_in: SignedIn, scheme: Scheme, width: int
) -> None:
    said: list[str] = []
    found: dict[str, list[str]] = {}
    size: Any = {"width": width, "height": 640}
    with signed_in.context(chromium, color_scheme=scheme, viewport=size) as context:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        for name, address in place.pages.items():
            page.goto(signed_in.address + address)
            found[name] = violations(page)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found[name].append("wider than the screen")
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    # The browser tells of the one page that is not there, and of nothing that a rule blocked.
    assert said == [
        "Failed to load resource: the server responded with a status of 404 (Not Found)"
    ]


def test_a_stranger_s_page_is_accessible_too(chromium: Browser, signed_in: SignedIn) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        answer = page.goto(signed_in.address + "article?kb=support&id=codes")
        assert answer
        assert answer.status == 401
        assert violations(page) == []
        assert page.locator("body").evaluate("e => getComputedStyle(e).marginTop") == "0px"


def test_everything_is_read_without_a_script(
    place: Place, chromium: Browser, signed_in: SignedIn
) -> None:
    with signed_in.context(chromium, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(signed_in.address)
        page.get_by_role("link", name="Support").click()
        page.get_by_role("searchbox").fill("codes")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Refunds").click()
        page.get_by_role("link", name="the codes").click()
        assert page.get_by_role("heading", name="Codes", level=1).is_visible()
        page.goto(signed_in.address + place.pages["article"])
        page.get_by_role("link", name="History").click()
        page.get_by_role("button", name="Compare").click()
        assert page.locator(".diff del").all_inner_texts() == ["30"]
        assert page.locator(".diff ins").all_inner_texts() == ["14"]


def test_a_citation_copied_from_an_old_version_is_judged_in_the_box(
    place: Place, chromium: Browser, signed_in: SignedIn
) -> None:
    with signed_in.context(chromium) as context:
        page = context.new_page()
        page.goto(signed_in.address + place.pages["old"])
        passage = page.locator("article p", has_text="You have 30 days")
        passage.get_by_role("link", name="Cite").click()
        copied = page.locator("pre.copy").inner_text()
        assert json.loads(copied)["quotes"] == [{"exact": "You have 30 days to send it back."}]
        page.get_by_role("link", name="Check a citation").click()
        page.get_by_label("Citation").fill(copied)
        page.get_by_role("button", name="Check").click()
        verdict = page.locator(".verdicts .verdict")
        assert verdict.inner_text() == "changed"
        assert page.locator(".verdicts .diff ins").inner_text() == "14"
        assert violations(page) == []


def test_the_keyboard_skips_to_the_content_and_shows_where_it_is(
    chromium: Browser, signed_in: SignedIn
) -> None:
    with signed_in.context(chromium) as context:
        page = context.new_page()
        page.goto(signed_in.address)
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the content")
        assert skip.evaluate("e => e === document.activeElement")
        assert skip.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Support"


def test_a_link_to_a_passage_shows_which_one_it_means(
    place: Place, chromium: Browser, signed_in: SignedIn
) -> None:
    with signed_in.context(chromium) as context:
        page = context.new_page()
        page.goto(signed_in.address + place.pages["target"])
        meant = page.locator("article p", has_text="You have 30 days")
        other = page.locator("article p", has_text="Ask us")
        colour = "e => getComputedStyle(e).backgroundColor"
        assert meant.evaluate(colour) != other.evaluate(colour)


def test_on_paper_stands_the_article_alone(
    place: Place, chromium: Browser, signed_in: SignedIn
) -> None:
    with signed_in.context(chromium) as context:
        page = context.new_page()
        page.goto(signed_in.address + place.pages["article"])
        page.emulate_media(media="print")
        assert page.locator("article").is_visible()
        for hidden in (".top nav", ".search", ".cite >> nth=0", ".aside"):
            assert not page.locator(hidden).is_visible()
