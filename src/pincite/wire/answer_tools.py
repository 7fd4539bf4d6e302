"""The tools that check citations and keep the answer ledger; see ``tools``."""

from pincite.domain.answers import (
    ANSWER_LIMIT,
    CITATION_LIMIT,
    QUESTION_LIMIT,
    QUOTE_LIMIT,
    QUOTE_LONGEST,
)
from pincite.domain.citations import Reason, Verdict
from pincite.wire.definition import ADDS, READS, Tool
from pincite.wire.schemas import (
    ARTICLE_ID,
    BOOLEAN,
    CITATION,
    KEY,
    KNOWLEDGE_BASE_ID,
    NUMBER,
    STAMP,
    STRING,
    arguments,
    items,
    listed,
    nullable,
    record,
    text,
    whole,
)

STALE_DEFAULT, STALE_LIMIT = 10, 50

_VERDICT = {"enum": [str(verdict) for verdict in Verdict]}
_QUOTE = arguments(
    {"exact": text(1, QUOTE_LONGEST, "The words quoted, to the letter.")},
    {
        "prefix": text(0, QUOTE_LONGEST, "What stands right before them."),
        "suffix": text(0, QUOTE_LONGEST, "What stands right behind them."),
    },
)
_CITATION = arguments(
    {
        "knowledge_base_id": KNOWLEDGE_BASE_ID,
        "article_id": ARTICLE_ID,
        "updated_at": {**STAMP, "description": "The version cited, as the read returned it."},
    },
    {"quotes": items(_QUOTE, 0, QUOTE_LIMIT, "The words that the answer rests on.")},
)
_CITATIONS = items(_CITATION, 1, CITATION_LIMIT, "The versions cited; up to 200.")

CHECK = Tool(
    name="check_citations",
    title="Check citations",
    description=(
        "Tells how citations fare now, one verdict each, all at one moment. current: the version "
        "has not moved. intact: the article changed, the quoted words did not. changed: they did, "
        "or there were no quotes; present is the text nearest to the quote now. gone: the article "
        "is no longer published. unfounded: the quote never stood in that version, or there is no "
        "such version. Most changed articles leave the quoted words alone, so cite with quotes. "
        "Poll first; check what the events touch."
    ),
    arguments=arguments({"citations": _CITATIONS}, {}),
    result=record(
        {
            "results": listed(
                record(
                    {"citation": CITATION, "verdict": _VERDICT},
                    {
                        "reason": {"enum": [str(reason) for reason in Reason]},
                        "updated_at": STAMP,
                        "version_kept": BOOLEAN,
                        "context_changed": BOOLEAN,
                        "present": record(
                            {"passage": STRING, "text": STRING},
                            {"changes": listed(record({"fate": STRING, "text": STRING}))},
                        ),
                    },
                )
            ),
            "latest_sequences": {"type": "object", "additionalProperties": NUMBER},
        }
    ),
    hints=READS,
    extension=True,
)

RECORD = Tool(
    name="record_answer",
    title="Record an answer",
    description=(
        "Keeps a question, the answer given to it and its citations in the knowledge base's "
        "answer ledger, so that list_stale_answers can tell when the answer rests on something "
        "that changed. Cite with the exact words that the answer uses. All citations are of this "
        "knowledge base. Repeat the same idempotency_key with the same request if no reply came."
    ),
    arguments=arguments(
        {
            "knowledge_base_id": KNOWLEDGE_BASE_ID,
            "question": text(1, QUESTION_LIMIT, "What was asked."),
            "answer": text(1, ANSWER_LIMIT, "What was answered."),
            "citations": _CITATIONS,
            "idempotency_key": KEY,
        },
        {"session_id": text(1, 100, "The session whose log shall tell of it.")},
    ),
    result=record(
        {
            "answer_id": STRING,
            "sequence": {
                **NUMBER,
                "description": (
                    "The end of the knowledge base's log that the answer was recorded at; what "
                    "comes behind it may make the answer stale."
                ),
            },
            "replayed": BOOLEAN,
        }
    ),
    hints=ADDS,
    extension=True,
)

STALE = Tool(
    name="list_stale_answers",
    title="List stale answers",
    description=(
        "Lists recorded answers whose citations are no longer current, the worst first: "
        "unfounded, gone, changed, then intact, where only other parts of the article changed. "
        "It sees every save made before it. Pass next as after for the next page; long answers "
        "make a page of fewer than limit."
    ),
    arguments=arguments(
        {"knowledge_base_id": KNOWLEDGE_BASE_ID},
        {
            "after": text(1, 40, "What an earlier page called next."),
            "limit": whole(1, STALE_LIMIT, "The most answers wanted.", default=STALE_DEFAULT),
        },
    ),
    result=record(
        {
            "answers": listed(
                record(
                    {
                        "answer_id": STRING,
                        "question": STRING,
                        "answered_at": STAMP,
                        "worst": _VERDICT,
                        "citations": listed(record({"citation": CITATION, "verdict": _VERDICT})),
                    },
                    {"since": NUMBER},
                )
            ),
            "next": nullable(STRING),
        }
    ),
    hints=READS,
    extension=True,
)
