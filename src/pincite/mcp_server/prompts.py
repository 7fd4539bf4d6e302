"""A prompt that teaches an agent to cite."""

import mcp_types as types

from pincite.mcp_server.callers import Context
from pincite.mcp_server.errors import invalid_params

ANSWER_WITH_CITATIONS = "answer_with_citations"

_LESSON = """\
Answer the question below from {place} and nothing else.

1. Search with the words of the question; if nothing fits, with others. Read each article that you \
mean to rely on: a snippet is not enough.
2. After each statement, cite what it rests on: knowledge_base_id, article_id and updated_at, \
exactly as the read returned them. updated_at is the version that you saw, to the millisecond; \
never round it and never make one up.
3. Quote the sentence that carries the statement word for word, so that it can be found again.
4. If the articles do not answer the question, or contradict each other, say so.
5. Before you repeat an answer given earlier, poll the knowledge base's events from the \
latest_sequence that came with your reads. An article.updated with a newer updated_at means: read \
again. An article.unpublished or article.deleted means: the citation is gone, and so is what \
rested on it.

Question: {question}
"""

_PROMPT = types.Prompt(
    name=ANSWER_WITH_CITATIONS,
    title="Answer with citations",
    description="Answers a question from a knowledge base and pins each statement to a version.",
    arguments=[
        types.PromptArgument(name="question", description="What to answer.", required=True),
        types.PromptArgument(
            name="knowledge_base_id",
            description="Where to look; all that may be read if left out.",
            required=False,
        ),
    ],
)


async def list_prompts(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    """Answers ``prompts/list``."""
    return types.ListPromptsResult(prompts=[_PROMPT])


async def get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Answers ``prompts/get``."""
    if params.name != ANSWER_WITH_CITATIONS:
        raise invalid_params(f"Unknown prompt: {params.name}")
    given = params.arguments or {}
    if not given.get("question", "").strip():
        raise invalid_params("question is required.")
    kb = given.get("knowledge_base_id")
    place = f"the knowledge base {kb}" if kb else "the knowledge bases that you can read"
    text = _LESSON.format(place=place, question=given["question"])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=_PROMPT.description, messages=[message])
