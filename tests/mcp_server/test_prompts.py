"""The prompt teaches to cite; ids are completed from what the caller may read."""

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from pincite.domain.edits import Create
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.domain.texts import Text
from tests.mcp_server.clients import Era, connected, endpoint_of
from tests.service.world import OTHER, OWNER, World

pytestmark = pytest.mark.anyio

ARTICLES = types.ResourceTemplateReference(
    type="ref/resource", uri="pincite:///{knowledge_base_id}/{+article_id}"
)
PROMPT = types.PromptReference(type="ref/prompt", name="answer_with_citations")


async def test_the_prompt_holds_the_question_and_how_to_cite(world: World, era: Era) -> None:
    async with connected(endpoint_of(world), era) as client:
        [prompt] = (await client.list_prompts()).prompts
        assert [(one.name, one.required) for one in prompt.arguments or []] == [
            ("question", True),
            ("knowledge_base_id", False),
        ]
        found = await client.get_prompt(
            prompt.name, {"question": "Do {braces} stay?", "knowledge_base_id": "kb"}
        )
    [message] = found.messages
    assert isinstance(message.content, types.TextContent)
    text = message.content.text
    assert text.endswith("Question: Do {braces} stay?\n")
    assert "from the knowledge base kb and nothing else" in text
    for word in ("article_id", "updated_at", "word for word", "article.unpublished"):
        assert word in text


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("sing", {}, "Unknown prompt: sing"),
        ("answer_with_citations", {}, "question is required"),
        ("answer_with_citations", {"question": " "}, "question is required"),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_refused(
    world: World, era: Era, name: str, arguments: dict[str, str], message: str
) -> None:
    async with connected(endpoint_of(world), era) as client:
        with pytest.raises(MCPError, match=message) as caught:
            await client.get_prompt(name, arguments)
    assert caught.value.error.code == -32602


@pytest.mark.parametrize("reference", [ARTICLES, PROMPT])
@pytest.mark.spec("ACC-1")
async def test_knowledge_bases_are_completed_from_the_granted_ones(
    world: World, era: Era, reference: types.ResourceTemplateReference | types.PromptReference
) -> None:
    async with connected(endpoint_of(world, world.agent(Grant.READ)), era) as client:

        async def completed(typed: str) -> list[str]:
            found = await client.complete(reference, {"name": "knowledge_base_id", "value": typed})
            return found.completion.values

        assert await completed("") == ["kb"]
        assert await completed("k") == ["kb"]
        assert await completed("o") == []


@pytest.mark.spec("ACC-1")
async def test_articles_are_completed_within_a_granted_knowledge_base(
    world: World, era: Era
) -> None:
    for name in ("a", "b/1", "b/2", "c"):
        world.publish("Text.", name)
    hidden = Create(Text("Hidden", "Text."), publish=True)
    world.service.write(OWNER, OTHER, ArticleId("b/3"), hidden)
    async with connected(endpoint_of(world, world.agent(Grant.READ)), era) as client:

        async def completed(kb: str, typed: str) -> list[str]:
            found = await client.complete(
                ARTICLES,
                {"name": "article_id", "value": typed},
                context_arguments={"knowledge_base_id": kb},
            )
            return found.completion.values

        assert await completed("kb", "") == ["a", "b/1", "b/2", "c"]
        assert await completed("kb", "b") == ["b/1", "b/2"]
        assert await completed("kb", "x\x00") == []
        assert await completed("other", "b") == []
        assert await completed("", "b") == []


async def test_at_most_100_completions_come_and_the_answer_says_that_there_are_more(
    world: World, era: Era
) -> None:
    for number in range(101):
        world.publish("Text.", f"n{number:03}")
    async with connected(endpoint_of(world), era) as client:
        found = await client.complete(
            ARTICLES,
            {"name": "article_id", "value": "n"},
            context_arguments={"knowledge_base_id": "kb"},
        )
    assert found.completion.values == [f"n{number:03}" for number in range(100)]
    assert found.completion.has_more is True


async def test_an_argument_that_is_no_id_has_no_completions(world: World, era: Era) -> None:
    async with connected(endpoint_of(world), era) as client:
        found = await client.complete(PROMPT, {"name": "question", "value": "Wh"})
    assert found.completion.values == []
