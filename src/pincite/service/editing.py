"""The one write path: every change of an article, by agents and by people, goes through here."""

from dataclasses import dataclass

from pincite.domain.articles import Article, KnowledgeBase
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import (
    Context,
    Create,
    Delete,
    DiscardDraft,
    Edit,
    KeptReceipt,
    Patch,
    Publish,
    Receipt,
    Replacement,
    Request,
    SaveDraft,
    Withdraw,
    Write,
    fingerprint,
    values_of,
)
from pincite.domain.events import Resource
from pincite.domain.grants import Approval, Caller, Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import (
    Text,
    check_size,
    checked_content,
    checked_key,
    checked_text,
    checked_title,
)
from pincite.errors import (
    DeniedError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    StoreBusyError,
    VersionConflictError,
)
from pincite.ports import Committed, ReadView, Replayed, Reused, Stale
from pincite.service.access import Access, session_of
from pincite.service.environment import Environment
from pincite.service.merging import explained

PATCH_LIMIT = 100
NOTE_LIMIT = 1000
_ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class Saved:
    """A write's receipt; ``replayed`` if the same request had earned it before."""

    receipt: Receipt
    replayed: bool


class Editing:
    """Saves changes of articles."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._environment = environment
        self._access = access

    def write(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
        write: Write,
        context: Context,
    ) -> Saved:
        """Saves a change, once; see :meth:`Service.write`."""
        check(write)
        values = {"article_id": article_id, **values_of(write)}
        return self._save(credential, (knowledge_base_id, article_id), write, context, values)

    def draft(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        text: Text,
        context: Context,
    ) -> Saved:
        """Saves a new article as a draft under an id of our own; see :meth:`Service.draft`."""
        write = Create(text)
        check(write)
        article_id = ArticleId(self._environment.ids.new_id())
        return self._save(
            credential, (knowledge_base_id, article_id), write, context, values_of(write)
        )

    def _save(
        self,
        credential: Credential,
        place: tuple[KnowledgeBaseId, ArticleId],
        write: Write,
        context: Context,
        values: dict[str, object],
    ) -> Saved:
        checked_context(context)
        digest = fingerprint(type(write).__name__, values)
        grant, action = needed_for(write)
        for _ in range(_ATTEMPTS):
            with self._environment.store.view() as view:
                caller, found = self._access.knowledge_base(
                    view, credential, place[0], grant, action
                )
                request = request_of(caller, context, digest)
                if kept := find_kept(view, Resource.of(place[0]), request):
                    return Saved(kept.receipt, replayed=True)
                _refuse_unsavable(caller, found, grant, action)
                now = self._environment.now(view)
                decision = self._decide(view, place, write, now=now)
            match self._environment.store.commit(decision, request, now):
                case Committed(receipt):
                    return Saved(receipt, replayed=False)
                case Replayed(receipt):
                    return Saved(receipt, replayed=True)
                case Reused():
                    raise IdempotencyKeyReusedError
                case Stale():
                    continue  # Others wrote first: judge anew what they left.
        raise StoreBusyError("Many others are writing to this article; try again.")

    def _decide(
        self, view: ReadView, place: tuple[KnowledgeBaseId, ArticleId], write: Write, now: Stamp
    ) -> Decision:
        for content in contents_of(write):
            check_size(content, self._environment.limits.content)
        article = view.find_article(*place) or Article.absent(*place)
        try:
            decision = decide(article, write, now)
        except VersionConflictError as error:
            raise explained(error, view, article, write) from None
        if isinstance(write, Patch) and decision.article.text:
            check_size(decision.article.text.content, self._environment.limits.content)
        return decision


def needed_for(write: Write) -> tuple[Grant, str]:
    """The grant that a write takes, and what the refusal calls it."""
    match write:
        case Create(publish=False):
            return Grant.PROPOSE, "draft"
        case Edit() | Patch() | SaveDraft() | DiscardDraft():
            return Grant.EDIT, "edit"
        case Create() | Publish():
            return Grant.PUBLISH, "publish"
        case Withdraw():
            return Grant.PUBLISH, "withdraw"
        case Delete():
            return Grant.PUBLISH, "delete"


def check(write: Write) -> None:
    """Checks a write's texts, all but their size, before anything is asked of the store.

    Raises:
        InvalidInputError: Naming the field and its limit.
    """
    match write:
        case Edit(_, content, title):
            checked_content(content)
            if title is not None:
                checked_title(title)
        case Create(text) | SaveDraft(_, _, text):
            checked_title(text.title)
            checked_content(text.content)
        case Patch(_, replacements):
            _check_replacements(replacements)
        case _:
            pass


def contents_of(write: Write) -> tuple[str, ...]:
    """The whole contents that a write carries, whose size is limited."""
    match write:
        case Edit(_, content):
            return (content,)
        case Create(text) | SaveDraft(_, _, text):
            return (text.content,)
        case _:
            return ()


def checked_context(context: Context) -> Context:
    """Checks what comes with a write; raises ``InvalidInputError`` naming the field."""
    if context.key is not None:
        checked_key(context.key)
    if context.note is not None:
        checked_text(context.note, "note", shortest=0, longest=NOTE_LIMIT)
    return context


def request_of(caller: Caller, context: Context, digest: str) -> Request:
    """The request as the store keeps it."""
    session = session_of(caller, context.session).id if context.session else None
    return Request(caller.principal, context.key, digest, context.client, context.note, session)


def find_kept(view: ReadView, resource: Resource, request: Request) -> KeptReceipt | None:
    """What the request's key earned before.

    Raises:
        IdempotencyKeyReusedError: It earned it for another request.
    """
    if request.key is None:
        return None
    kept = view.find_receipt(resource, request.principal, request.key)
    if kept and kept.fingerprint != request.fingerprint:
        raise IdempotencyKeyReusedError
    return kept


def _refuse_unsavable(caller: Caller, kb: KnowledgeBase, grant: Grant, action: str) -> None:
    if kb.sealed:
        raise DeniedError(
            "This knowledge base has moved to another database and takes no more writes here.",
            action=action,
        )
    if grant is Grant.EDIT and caller.approval is not Approval.DIRECT:
        raise DeniedError(
            "This token's writes need a person's approval, which this server cannot ask for.",
            action=action,
        )


def _check_replacements(replacements: tuple[Replacement, ...]) -> None:
    if not 1 <= len(replacements) <= PATCH_LIMIT:
        raise InvalidInputError(
            f"edits must hold 1–{PATCH_LIMIT} replacements.",
            field="edits",
            limit=f"1–{PATCH_LIMIT}",
        )
    for number, one in enumerate(replacements):
        checked_content(one.old_text, f"edits[{number}].old_text")
        if one.new_text:
            checked_content(one.new_text, f"edits[{number}].new_text")
