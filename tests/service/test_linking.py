"""Where the links between articles lead, and for whom."""

from collections.abc import Mapping

import pytest

from pincite.domain.documents import Document, Source
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.errors import NotFoundError
from pincite.service.importing import ImportOptions
from tests.service.world import KB, OTHER, OWNER, World


def resolved(world: World, here: str, *targets: str) -> Mapping[str, str]:
    return world.service.links.resolve(OWNER, KB, ArticleId(here), targets)


@pytest.mark.parametrize(
    ("target", "article_id"),
    [
        ("plans.md", "billing/plans"),
        ("./plans", "billing/plans"),
        ("plans.HTML#prices", "billing/plans"),
        ("../start.md?x=1", "start"),
        ("/start", "start"),
        ("../devices/", "devices/index"),
        ("../d%C3%A9part.md", "départ"),
    ],
)
def test_a_link_is_the_path_from_one_article_to_another(
    world: World, target: str, article_id: str
) -> None:
    for one in ("billing/plans", "start", "devices/index", "départ"):
        world.publish("text", one)
    assert resolved(world, "billing/invoices", target) == {target: article_id}


@pytest.mark.parametrize(
    "target",
    ["https://example.org/start", "//start", "mailto:start", "#start", "", "nowhere.md", "..", "["],
)
def test_a_link_that_leads_to_no_article_is_left_out(world: World, target: str) -> None:
    world.publish("text", "start")
    assert resolved(world, "billing/invoices", target) == {}


def test_an_imported_file_is_found_by_its_path_whatever_its_id(world: World) -> None:
    documents = tuple(
        Document(path, ArticleId(name), True, "Title", "", "text", False)
        for path, name in (("guides/a.md", "first"), ("guides/b.md", "second"))
    )
    options = ImportOptions(publish=True)
    world.service.import_documents(OWNER, KB, Source(documents), options)
    assert resolved(world, "first", "b.md", "second.md") == {"b.md": "second"}


@pytest.mark.spec("ACC-1", "EV-7")
def test_a_reader_s_links_lead_to_published_articles_only(world: World) -> None:
    stamp = world.publish("text", "a")
    world.publish("text", "b")
    world.withdraw(stamp)
    targets = ("a.md", "b.md")
    found = {
        grant: world.service.links.resolve(
            world.agent(grant, grant.word), KB, ArticleId("b"), targets
        )
        for grant in (Grant.READ, Grant.EDIT)
    }
    assert found == {
        Grant.READ: {"b.md": "b"},
        Grant.EDIT: {"a.md": "a", "b.md": "b"},
    }
    with pytest.raises(NotFoundError):
        world.service.links.resolve(world.agent(Grant.READ), OTHER, ArticleId("b"), targets)
