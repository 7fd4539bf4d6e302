"""What each page says, and to whom."""

import html
import json
import re

import pytest

from pincite.domain.citations import Citation
from pincite.domain.edits import Context, Create, Delete, Edit, SaveDraft
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.domain.passages import cut
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.service.answering import Answered
from tests.service.world import KB, OTHER, OWNER, A, World
from tests.web.conftest import Pages

pytestmark = pytest.mark.anyio

FIRST = "1970-01-01T00:00:01.000Z"
SECOND = "1970-01-01T00:00:02.000Z"


def edited(world: World, content: str) -> Stamp:
    """Edits the article ``a`` a second later."""
    world.clock.milliseconds += 1000
    before = world.service.read(OWNER, KB, A).updated_at
    stamp = world.edit(before, content, f"k{world.clock.milliseconds}").receipt.updated_at
    assert stamp
    return stamp


def words(page: str) -> str:
    """A page's text, without tags."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())


async def test_home_lists_what_the_reader_may_see_with_counts(world: World, pages: Pages) -> None:
    world.publish("One.", "a")
    world.publish("Two.", "b")
    async with pages.owner() as owner, pages.agent() as reader:
        all_ = words((await owner.get("/")).text)
        own = words((await reader.get("/")).text)
    assert "kb · 2 published articles · latest event 2 · language en" in all_
    assert "other · 0 published articles · no events · language en" in all_
    assert "http://127.0.0.1:8420/mcp" in all_
    assert "2 published articles" in own
    assert "other" not in own


async def test_articles_are_listed_by_state_and_only_editors_see_drafts(
    world: World, pages: Pages
) -> None:
    world.publish("One.", "a", "First")
    world.publish("Two.", "b", "Second")
    draft = Create(Text("Idea", "Later."), publish=False)
    world.service.write(OWNER, KB, ArticleId("c"), draft)
    world.withdraw(Stamp(1000))
    async with pages.owner() as owner, pages.agent() as reader:
        found = {}
        for state in ("", "all", "published", "draft", "withdrawn", "deleted"):
            page = (await owner.get(f"/articles?kb=kb&state={state}")).text
            found[state] = [name for name in ("First", "Second", "Idea") if name in page]
        mine = (await reader.get("/articles?kb=kb")).text
        refused = await reader.get("/articles?kb=kb&state=draft")
    assert found == {
        "": ["First", "Second", "Idea"],
        "all": ["First", "Second", "Idea"],
        "published": ["Second"],
        "draft": ["Idea"],
        "withdrawn": ["First"],
        "deleted": [],
    }
    assert [name for name in ("First", "Second", "Idea") if name in mine] == ["Second"]
    assert (refused.status_code, "Idea" in refused.text) == (403, False)


async def test_a_long_list_goes_on_behind_its_last_article(world: World, pages: Pages) -> None:
    for number in range(51):
        world.publish("text", f"n{number:02}", f"Title {number:02}.")
    async with pages.owner() as owner:
        first = (await owner.get("/articles?kb=kb&state=published")).text
        [address] = re.findall('<a href="([^"]*)">Next page', first)
        second = (await owner.get(f"/{html.unescape(address)}")).text
    assert ("Title 49." in first, "Title 50." in first) == (True, False)
    assert ("Title 49." in second, "Title 50." in second) == (False, True)
    assert "Next page" not in second


async def test_a_knowledge_base_tells_its_newest_events_first(world: World, pages: Pages) -> None:
    for number in range(9):
        world.publish("text", f"n{number}")
    async with pages.owner() as owner:
        page = words((await owner.get("/articles?kb=kb")).text)
    recent = page.partition("Recent events")[2]
    assert re.findall(r"(\d) published (n\d)", recent) == [
        (str(number + 1), f"n{number}") for number in range(8, 0, -1)
    ]


async def test_a_link_to_a_heading_of_another_article_leads_to_that_heading(
    world: World, pages: Pages
) -> None:
    world.publish("See [the prices](b.md#what-it-costs).")
    world.publish("# Plans\n\n## What it costs\n\nNothing.", "b")
    async with pages.owner() as owner:
        page = (await owner.get("/article?kb=kb&id=a")).text
        [address] = re.findall('<a href="([^"]*)"[^>]*>the prices</a>', page)
        there, _, heading = html.unescape(address).partition("#")
        other = (await owner.get(f"/{there}")).text
    assert heading == "h-what-it-costs"
    assert '<h2 id="h-what-it-costs">' in other


async def test_a_search_shows_hits_with_their_words_marked_and_nothing_as_markup(
    world: World, pages: Pages
) -> None:
    world.publish("# Money <b>\n\nAsk for a **refund** & wait.", title="Re<i>turns")
    async with pages.owner() as owner:
        page = (await owner.get("/search?kb=kb&q=refunds")).text
        nothing = words((await owner.get("/search?kb=kb&q=zebra")).text)
        short = await owner.get("/search?kb=kb&q=x")
        hostile = (await owner.get("/search?kb=kb&q=%22%3E%3Cscript%3E")).text
    assert "Ask for a **<mark>refund</mark>** &amp; wait." in page
    assert "Re&lt;i&gt;turns" in page
    assert re.search(r'href="article\?kb=kb&amp;id=a#p-[0-9a-f]{10}"', page)
    assert "No published article answers that." in nothing
    assert "query must have 2–200 characters; it has 1." in short.text
    assert "<script" not in hostile


async def test_an_article_is_shown_with_state_stamp_text_and_the_command_that_edits_it(
    world: World, pages: Pages
) -> None:
    world.publish("Ask *soon*. See [b](b.md).", title="Refunds")
    world.publish("Text.", "b")
    async with pages.owner() as owner, pages.agent() as reader:
        page = (await owner.get("/article?kb=kb&id=a")).text
        mine = (await reader.get("/article?kb=kb&id=a")).text
    for text in (page, mine):
        assert "<h1" in text
        assert "Ask <em>soon</em>." in text
        assert 'href="article?kb=kb&amp;id=b"' in text
        assert f"published a version {FIRST} 1 Jan 1970, 00:00 UTC Cite History" in words(text)
    assert f"pincite article edit kb a edited.md --expected-version {FIRST}" in words(page)
    assert "pincite article edit" not in mine


async def test_a_passage_s_citation_can_be_copied_and_checks_as_current(
    world: World, pages: Pages
) -> None:
    content = "# Title\n\nThe “same”.\n\nOther.\n\nThe “same”.\n"
    world.publish(content)
    once, twin = cut(content)[2].id, cut(content)[3].id
    async with pages.owner() as owner:
        shown = {}
        for name in (once, twin, "all"):
            page = (await owner.get(f"/article?kb=kb&id=a&at={FIRST}&cite={name}")).text
            [pre] = re.findall(r'<pre class="copy">(.*?)</pre>', page, re.DOTALL)
            shown[name] = html.unescape(pre)
            [address] = re.findall(r'<p class="copy"><a href="([^"]*)">', page)
            fragment = "" if name == "all" else f"#p-{name}"
            assert html.unescape(address) == (
                f"http://127.0.0.1:8420/article?kb=kb&id=a&at={FIRST}{fragment}"
            )
            checked = await owner.post("/check", data={"citation": shown[name]})
            assert "The cited version is the present one." in checked.text
    place = {"knowledge_base_id": "kb", "article_id": "a", "updated_at": FIRST}
    assert json.loads(shown["all"]) == place
    assert json.loads(shown[once]) == {**place, "quotes": [{"exact": "Other."}]}
    assert json.loads(shown[twin]) == {
        **place,
        "quotes": [{"exact": "The “same”.", "prefix": "# Title The “same”. Other. "}],
    }


async def test_a_version_says_whether_it_is_the_present_one_and_what_changed_since(
    world: World, pages: Pages
) -> None:
    filler = "Nothing here changes. " * 40
    world.publish(f"Within 30 days.\n\n{filler}\n\nEnd.")
    async with pages.agent() as reader:
        address = f"/article?kb=kb&id=a&at={FIRST}"
        present = (await reader.get(address)).text
        edited(world, f"Within 14 days.\n\n{filler}\n\nEnd.")
        old = (await reader.get(address)).text
        spelt = (await reader.get("/article?kb=kb&id=a&at=1970-01-01T01:00:01%2B01:00")).text
        never = await reader.get("/article?kb=kb&id=a&at=1970-01-01T00:00:01.001Z")
    assert "This is the present version." in present
    assert "<del>" not in present
    assert f"This is not the present version. The present one is {SECOND}" in words(old)
    assert "Within 30 days." in old
    since = old.partition("What changed since</h2>")[2]
    assert "Within <del>30</del><ins>14</ins> days." in since
    assert "… 741 characters unchanged …" in since
    assert len(since) < 1000
    assert old == spelt
    assert (never.status_code, "that is kept" in never.text) == (404, True)


@pytest.mark.spec("PUB-4")
async def test_a_withdrawn_article_s_versions_are_for_editors_only(
    world: World, pages: Pages
) -> None:
    world.publish("The old words.")
    withdrawn = world.withdraw(Stamp(1000))
    paths = ["/article?kb=kb&id=a", f"/article?kb=kb&id=a&at={FIRST}", "/history?kb=kb&id=a"]
    async with pages.agent(Grant.PROPOSE) as reader, pages.agent(Grant.EDIT) as editor:
        told = [await reader.get(path) for path in paths]
        seen = [await editor.get(path) for path in paths]
    for answer in told:
        assert answer.status_code == 410
        assert "old words" not in answer.text
        assert f"It was taken back at {withdrawn}." in answer.text
    assert [answer.status_code for answer in seen] == [200, 200, 200]
    assert "The old words." in seen[0].text
    assert f"Withdrawn at {withdrawn}" in words(seen[0].text)
    assert "The article is no longer published." in seen[1].text


async def test_drafts_are_named_as_such_and_shown_to_editors_only(
    world: World, pages: Pages
) -> None:
    world.service.write(OWNER, KB, A, Create(Text("Idea", "Secret plan."), publish=False))
    world.publish("Public.", "b")
    ahead = SaveDraft(None, Stamp(1000), Text("New", "Secret too."))
    world.service.write(OWNER, KB, ArticleId("b"), ahead)
    async with pages.agent(Grant.PROPOSE) as reader, pages.agent(Grant.EDIT) as editor:
        hidden = [await reader.get(f"/article?kb=kb&id={name}") for name in ("a", "nothing")]
        beside = (await reader.get("/article?kb=kb&id=b")).text
        draft = words((await editor.get("/article?kb=kb&id=a")).text)
        both = words((await editor.get("/article?kb=kb&id=b")).text)
    assert [answer.status_code for answer in hidden] == [404, 404]
    assert hidden[0].text == hidden[1].text
    assert "raft" not in beside
    assert "A draft: agents and search do not see it." in draft
    assert "Secret plan." in draft
    assert "A draft stands beside this text." in both
    assert "Secret too." not in both


async def test_a_deleted_article_is_named_without_its_text(world: World, pages: Pages) -> None:
    stamp = world.publish("The old words.")
    world.service.write(OWNER, KB, A, Delete(stamp))
    async with pages.owner() as owner:
        page = await owner.get("/article?kb=kb&id=a")
    assert page.status_code == 200
    assert "Citations of it are gone" in words(page.text)
    assert "old words" not in page.text


async def test_history_tells_who_and_why_and_any_two_versions_can_be_compared(
    world: World, pages: Pages
) -> None:
    world.publish("One fine day.")
    edited(world, "Two fine days.")
    note = Context("k9", "an-editor", note="weather <changed>")
    world.clock.milliseconds = 3000
    world.service.write(OWNER, KB, A, Edit(Stamp(2000), "Two bad days."), note)
    third = "1970-01-01T00:00:03.000Z"
    async with pages.agent() as reader:
        page = (await reader.get("/history?kb=kb&id=a")).text
        ends = f"from={third}&to={FIRST}"
        changes = (await reader.get(f"/changes?kb=kb&id=a&{ends}")).text
        same = words((await reader.get(f"/changes?kb=kb&id=a&from={FIRST}&to={FIRST}")).text)
    assert re.findall(r'name="from" value="([^"]*)"', page) == [third, SECOND, FIRST]
    assert re.findall(r'name="(\w+)" value="([^"]*)" [^>]*checked', page) == [
        ("to", third),
        ("from", SECOND),
    ]
    assert "weather &lt;changed&gt;" in page
    assert "an-editor" in page
    assert "History Title a 3 versions, newest first" in words(page)
    assert "Changes Title a History" in words(changes)
    assert "1 Jan 1970, 00:00 UTC · present" in page
    assert "<del>One fine day</del><ins>Two bad days</ins>" in changes
    assert re.search(f"From {FIRST} .* To {third}", words(changes))
    assert "Title and content are the same." in same


async def test_the_log_is_shown_from_a_cursor(world: World, pages: Pages) -> None:
    world.publish("One.")
    edited(world, "Two.")
    world.withdraw(Stamp(2000))
    async with pages.agent() as reader:
        all_ = words((await reader.get("/events?kb=kb")).text)
        rest = words((await reader.get("/events?kb=kb&after=1")).text)
        end = words((await reader.get("/events?kb=kb&after=3")).text)
        beyond = await reader.get("/events?kb=kb&after=4")
    assert re.findall(r"(\d) (published|updated content|withdrawn) a ", all_) == [
        ("1", "published"),
        ("2", "updated content"),
        ("3", "withdrawn"),
    ]
    assert re.findall(r"(\d) (?:published|updated content|withdrawn) a ", rest) == ["2", "3"]
    assert "The log’s end is 3." in all_
    assert "Nothing happened after 3." in end
    assert (beyond.status_code, "The log ends at 3." in beyond.text) == (400, True)


async def test_stale_answers_are_listed_with_what_they_rest_on(world: World, pages: Pages) -> None:
    world.publish("Within 30 days. Keep the box.")
    quoted = Citation(KB, A, Stamp(1000), (Quote("30 days"),))
    answered = Answered("How <long>?", "30 days.", (quoted,))
    world.service.answers.record(OWNER, KB, answered, Context("r"))
    async with pages.agent() as reader:
        before = words((await reader.get("/answers?kb=kb")).text)
        edited(world, "Within 14 days. Keep the box.")
        after = (await reader.get("/answers?kb=kb")).text
    assert "Every recorded answer is current, or none was recorded yet." in before
    assert "How &lt;long&gt;?" in after
    assert "changed answered at" in words(after)
    assert '<blockquote dir="auto">30 days</blockquote>' in after


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("", "changed The article moved on."),
        ("Keep the box.", "intact The article moved on, but the quoted words still stand."),
        ("Within 30 days.", "changed The article moved on. A quote stands no more."),
        ("Never said.", "unfounded There never was such a version"),
    ],
)
async def test_a_pasted_citation_is_judged_with_or_without_a_quote(
    world: World, pages: Pages, quote: str, verdict: str
) -> None:
    world.publish("Within 30 days.\n\nKeep the box.")
    edited(world, "Within 14 days.\n\nKeep the box.")
    place = {"knowledge_base_id": "kb", "article_id": "a", "updated_at": FIRST}
    pasted = [
        json.dumps(place),
        json.dumps([place]),
        json.dumps({"citations": [place]}),
        json.dumps({"citation": place, "title": "x"}),
        f"https://kb.example.org/x/article?kb=kb&id=a&at={FIRST}#p-1",
        f" pincite:kb/a@{FIRST}\n",
    ]
    async with pages.agent() as reader:
        for citation in pasted:
            page = await reader.post("/check", data={"citation": citation, "quote": quote})
            assert page.status_code == 200
            assert verdict in words(page.text)


@pytest.mark.parametrize(
    "pasted",
    [
        "x",
        "pincite:kb/a",
        "pincite:///kb/a",
        "pincite:kb/%00@2026-11-08T10:00:00.123Z",
        "{",
        "[]",
        "{}",
        "[" * 100_000,
        "http://[",
        '{"knowledge_base_id": 5}',
        "[[]]",
        "\x00",
        '{"citations": [{"knowledge_base_id": "kb", "article_id": "a", "updated_at": "now"}]}',
    ],
)
async def test_what_is_no_citation_is_said_beside_the_field(pages: Pages, pasted: str) -> None:
    async with pages.owner() as owner:
        page = await owner.post("/check", data={"citation": pasted})
    assert page.status_code == 400
    assert 'role="alert" id="refusal"' in page.text
    assert 'aria-invalid="true"' in page.text


@pytest.mark.spec("ACC-1")
async def test_a_citation_of_what_is_not_granted_is_unfounded(pages: Pages) -> None:
    pages.world.service.write(
        OWNER,
        OTHER,
        A,
        Create(Text("T", "Hidden words."), publish=True),
    )
    found = []
    async with pages.agent() as reader:
        for kb in ("other", "none0"):
            place = {"knowledge_base_id": kb, "article_id": "a", "updated_at": FIRST}
            data = {"citation": json.dumps(place), "quote": "Hidden words."}
            page = await reader.post("/check", data=data)
            found.append(page.text.replace(kb, "KB"))
    assert found[0] == found[1]
    assert "unfounded" in found[0]
