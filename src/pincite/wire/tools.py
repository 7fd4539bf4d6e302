"""The tools: names, arguments, limits, results, annotations and what they tell a model.

Names, arguments, limits and annotations of the four core tools are an existing interface
and never change. An operator may switch the extensions off.
"""

from pincite.domain.edits import Status
from pincite.domain.grants import Grant
from pincite.domain.texts import QUERY_LIMIT, QUERY_SHORTEST
from pincite.wire.answer_tools import CHECK, RECORD, STALE
from pincite.wire.definition import ADDS, EDITS, READS, Tool
from pincite.wire.schemas import (
    ARTICLE_EVENT,
    ARTICLE_ID,
    BOOLEAN,
    CITATION,
    CONTENT,
    HOST_EVENT,
    KEY,
    KNOWLEDGE_BASE_ID,
    NUMBER,
    OUTLINED_PASSAGE,
    PASSAGE,
    RESOURCE_TYPES,
    STAMP,
    STRING,
    TITLE,
    VERSION,
    arguments,
    choice,
    items,
    listed,
    nullable,
    record,
    text,
    whole,
)

SEARCH_DEFAULT, SEARCH_LIMIT = 5, 20
PAGE_LIMIT = 100
PATCH_LIMIT = 100


_SAVED = record(
    {
        "status": {"enum": [Status.SAVED, Status.UNCHANGED, Status.PENDING_APPROVAL]},
        "article_id": STRING,
        "updated_at": nullable(STAMP),
        "citation": {"anyOf": [CITATION, {"type": "null"}]},
        "sequence": nullable(NUMBER),
        "replayed": BOOLEAN,
    },
    {"proposal_id": STRING},
)

SEARCH = Tool(
    name="search_knowledge_base",
    title="Search a knowledge base",
    description=(
        "Finds published articles of one knowledge base by words; the best comes first. A live "
        "search: it sees every save made before it. Each result carries a citation "
        "{knowledge_base_id, article_id, updated_at}; pass it on with whatever you answer from "
        "it. updated_at is the article's version. A snippet is the article's own text, white "
        "space folded; it is not the whole: read the article before you rely on it. "
        "latest_sequence is where to start polling for later changes. If nothing "
        "fits, try other words."
    ),
    arguments=arguments(
        {
            "knowledge_base_id": KNOWLEDGE_BASE_ID,
            "query": text(
                QUERY_SHORTEST,
                QUERY_LIMIT,
                "The words to look for. No operators: quotes and punctuation are plain text.",
            ),
        },
        {"limit": whole(1, SEARCH_LIMIT, "The most results wanted.", default=SEARCH_DEFAULT)},
    ),
    result=record(
        {
            "results": listed(
                record(
                    {
                        "article_id": STRING,
                        "title": STRING,
                        "updated_at": STAMP,
                        "snippet": STRING,
                        "citation": CITATION,
                    },
                    {"passage": PASSAGE, "url": STRING},
                )
            ),
            "latest_sequence": NUMBER,
        }
    ),
    hints=READS,
)

READ = Tool(
    name="read_knowledge_article",
    title="Read an article",
    description=(
        "Returns the present published text of an article, with the citation to give for it. A "
        "live read: nothing is cached. updated_at is the version that an edit must name as "
        "expected_version. Read again right before an edit: the version of a citation that is an "
        "hour old fails about four times in ten. An article that was withdrawn answers gone. For "
        "a long article, outline lists its passages, and first_passage with max_characters reads "
        "a part; a partial read (complete: false) can be cited, but to replace the whole content "
        "you need a complete read."
    ),
    arguments=arguments(
        {"knowledge_base_id": KNOWLEDGE_BASE_ID, "article_id": ARTICLE_ID},
        {
            "outline": {
                "type": "boolean",
                "default": False,
                "description": "Whether to list the article's passages too.",
            },
            "first_passage": text(1, 200, "The id of the passage to begin with; see outline."),
            "max_characters": whole(1, None, "The most characters of content wanted."),
        },
    ),
    result=record(
        {
            "article_id": STRING,
            "title": STRING,
            "content": STRING,
            "updated_at": STAMP,
            "citation": CITATION,
            "complete": BOOLEAN,
            "latest_sequence": NUMBER,
        },
        {
            "url": STRING,
            "passages": listed(OUTLINED_PASSAGE),
            "next_passage": nullable(STRING),
            "note": STRING,
        },
    ),
    hints=READS,
)

EDIT = Tool(
    name="edit_knowledge_article",
    title="Edit an article",
    description=(
        "Replaces the text of a published article and publishes it at once, if expected_version "
        "is still its version. Read the article first and send its whole content with your change "
        "in it. If somebody else was faster, the answer is version_conflict and nothing is saved: "
        "it holds the present version, what changed and, where the changes do not touch, a merged "
        "text that you can check and send under that version. Never send the old text under a new "
        "version. Give each change a new idempotency_key, and repeat the same key with the same "
        "request if no reply came."
    ),
    arguments=arguments(
        {
            "knowledge_base_id": KNOWLEDGE_BASE_ID,
            "article_id": ARTICLE_ID,
            "content": CONTENT,
            "expected_version": VERSION,
            "idempotency_key": KEY,
        },
        {"title": {**TITLE, "description": "The new title; leave it out to keep the present one."}},
    ),
    result=_SAVED,
    hints=EDITS,
)

POLL = Tool(
    name="poll_resource_events",
    title="Poll events",
    description=(
        "Returns what happened in a resource after a sequence, in order and without gaps. For a "
        "knowledge base it tells which articles were published, updated, withdrawn "
        "(article.unpublished) or deleted: compare updated_at with what you cited; a citation of "
        "a withdrawn or deleted article is gone. Keep next_sequence and pass it as after_sequence "
        "next time. Start from the latest_sequence that came with your first search or read. "
        "cursor_expired and cursor_ahead mean that events were lost to you: check what you cited "
        "and go on from the latest_sequence in that answer."
    ),
    arguments=arguments(
        {
            "resource_type": choice(RESOURCE_TYPES, "What kind of resource to follow."),
            "resource_id": text(1, 200, "Its id; for a knowledge base, the knowledge_base_id."),
        },
        {
            "after_sequence": whole(0, None, "The last sequence already seen.", default=0),
            "limit": whole(1, PAGE_LIMIT, "The most events wanted.", default=PAGE_LIMIT),
        },
    ),
    result=record(
        {
            "events": listed({"anyOf": [ARTICLE_EVENT, HOST_EVENT]}),
            "next_sequence": NUMBER,
            "latest_sequence": NUMBER,
            "has_more": BOOLEAN,
        },
        {"gap": record({"after": NUMBER, "next": NUMBER})},
    ),
    hints=READS,
)

LIST = Tool(
    name="list_knowledge_bases",
    title="List knowledge bases",
    description=(
        "Lists the knowledge bases that you may use, with their ids, languages and what you may "
        "do in each. Call it first when you do not know an id."
    ),
    arguments=arguments({}, {}),
    result=record(
        {
            "knowledge_bases": listed(
                record(
                    {
                        "knowledge_base_id": STRING,
                        "title": STRING,
                        "language": STRING,
                        "grants": listed({"enum": [grant.word for grant in Grant]}),
                        "article_count": NUMBER,
                        "latest_sequence": NUMBER,
                    }
                )
            )
        }
    ),
    hints=READS,
    extension=True,
)

PATCH = Tool(
    name="patch_knowledge_article",
    title="Patch an article",
    description=(
        "Changes parts of a published article without resending it, under the same rules for "
        "expected_version and idempotency_key as edit_knowledge_article. Each old_text must stand "
        "exactly once in the article: take enough of its surroundings. The replacements are made "
        "one after another, all or none."
    ),
    arguments=arguments(
        {
            "knowledge_base_id": KNOWLEDGE_BASE_ID,
            "article_id": ARTICLE_ID,
            "edits": items(
                arguments(
                    {
                        "old_text": text(1, None, "What stands there now, to the letter."),
                        "new_text": text(0, None, "What shall stand there; may be empty."),
                    },
                    {},
                ),
                1,
                PATCH_LIMIT,
                "The replacements, in order.",
            ),
            "expected_version": VERSION,
            "idempotency_key": KEY,
        },
        {},
    ),
    result=_SAVED,
    hints=EDITS,
    extension=True,
)

DRAFT = Tool(
    name="draft_knowledge_article",
    title="Draft a new article",
    description=(
        "Proposes a new article as a draft. Nobody but the people who write sees it until a "
        "person publishes it, so it cannot be searched, read or cited yet."
    ),
    arguments=arguments(
        {
            "knowledge_base_id": KNOWLEDGE_BASE_ID,
            "title": TITLE,
            "content": CONTENT,
            "idempotency_key": KEY,
        },
        {},
    ),
    result=record({"status": {"enum": [Status.DRAFT]}, "article_id": STRING, "replayed": BOOLEAN}),
    hints=ADDS,
    extension=True,
)

TOOLS = (SEARCH, READ, EDIT, POLL, LIST, CHECK, PATCH, DRAFT, RECORD, STALE)
