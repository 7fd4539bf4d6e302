"""Decides who calls and what they may do, anew at every call and in the call's own snapshot."""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.domain.articles import KnowledgeBase
from pincite.domain.events import Resource, ResourceType
from pincite.domain.grants import (
    EVERYWHERE,
    Approval,
    Bearer,
    Caller,
    Credential,
    Grant,
    Grants,
    LocalUser,
    Token,
)
from pincite.domain.ids import KnowledgeBaseId, parse_id
from pincite.domain.stamps import Stamp
from pincite.domain.texts import checked_text, checked_title
from pincite.errors import (
    DeniedError,
    InvalidInputError,
    NotFoundError,
    RateLimitedError,
    UnauthenticatedError,
)
from pincite.ports import ReadView
from pincite.service.environment import Environment

_LONGEST_NAME = 60
_LONGEST_LANGUAGE = 35  # as RFC 5646 section 4.4.1 asks one to be ready for
_MINUTE = 60_000


def digest_of(secret: str) -> str:
    """The hash under which a token is stored: SHA-256, in hexadecimal.

    A token's secret is random and long, so that a slow hash would add nothing.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made, with the secret that is shown once and kept nowhere."""

    secret: str
    token: Token


@dataclass(frozen=True, slots=True)
class Accessible:
    """A knowledge base that the caller may see, and the caller's grant on it."""

    knowledge_base: KnowledgeBase
    grant: Grant


class Access:
    """Answers who calls and whether they may.

    Args:
        environment: Where tokens are kept, and how many calls a minute are allowed.
        paced: Whether calls are counted; those that the server makes for itself are not.
    """

    def __init__(self, environment: Environment, *, paced: bool = True) -> None:
        self._environment = environment
        self._pace = Pace(environment.limits.calls_per_minute if paced else None)

    def caller(self, view: ReadView, credential: Credential) -> Caller:
        """Who calls; counts the call.

        Raises:
            UnauthenticatedError: The token is unknown, revoked or past its time.
            RateLimitedError: The principal called too often.
        """
        caller = self.identify(view, credential)
        if isinstance(credential, Bearer):
            self._pace.count(caller.principal, self._environment.clock.now())
        return caller

    def identify(self, view: ReadView, credential: Credential) -> Caller:
        """Who stands behind a credential.

        Raises:
            UnauthenticatedError: The token is unknown, revoked or past its time.
        """
        match credential:
            case LocalUser():
                return credential.caller
            case Bearer(digest):
                token = view.find_token(digest)
                if token is None or not token.holds(self._environment.clock.now()):
                    raise UnauthenticatedError
                return token.caller

    def authenticate(self, credential: Credential) -> Caller:
        """Who stands behind a credential, for a transport that must know before it asks.

        It counts as no call and allows nothing: whatever is asked later is judged anew.

        Raises:
            UnauthenticatedError: The token is unknown, revoked or past its time.
        """
        with self._environment.store.view() as view:
            return self.identify(view, credential)

    def knowledge_base(
        self,
        view: ReadView,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        grant: Grant,
        action: str,
    ) -> tuple[Caller, KnowledgeBase]:
        """Who calls, and the knowledge base, if they may do ``action`` there.

        Raises:
            UnauthenticatedError: Nobody we know.
            NotFoundError: No such knowledge base, or nothing granted there: the same
                answer after the same work.
            DeniedError: Readable, but ``grant`` is not held.
        """
        caller = self.caller(view, credential)
        found = view.find_knowledge_base(knowledge_base_id)
        held = caller.grant_on(Resource.of(knowledge_base_id))
        if found is None or held is None:
            raise NotFoundError("There is no such knowledge base.")
        _refuse_less(held, grant, action)
        return caller, found

    def may(self, caller: Caller, knowledge_base_id: KnowledgeBaseId, grant: Grant) -> bool:
        """Whether the caller holds at least ``grant`` on a knowledge base."""
        held = caller.grant_on(Resource.of(knowledge_base_id))
        return held is not None and held >= grant

    def resource(
        self,
        view: ReadView,
        credential: Credential,
        resource: Resource,
        grant: Grant,
        action: str,
    ) -> tuple[Caller, Resource]:
        """Who calls, and the log meant, if they may do ``action`` with it.

        A session is named within its principal, so that nobody meets another's.

        Raises:
            UnauthenticatedError: Nobody we know.
            NotFoundError: There is none, or nothing is granted on it.
            DeniedError: Readable, but ``grant`` is not held.
        """
        if resource.type is ResourceType.KNOWLEDGE_BASE:
            kb = KnowledgeBaseId(resource.id)
            return self.knowledge_base(view, credential, kb, grant, action)[0], resource
        caller = self.caller(view, credential)
        if resource.type is ResourceType.SESSION:
            return caller, session_of(caller, resource.id)
        held = caller.grant_on(resource)
        if held is None:
            raise NotFoundError(f"There is no such {resource.type}.")
        _refuse_less(held, grant, action)
        return caller, resource

    def administrator(self, view: ReadView, credential: Credential, action: str) -> Caller:
        """Who calls, if they administer everything; else ``DeniedError``."""
        caller = self.caller(view, credential)
        if caller.grants.get(EVERYWHERE) is not Grant.ADMIN:
            raise DeniedError(f"Only an administrator may {action}.", action=action)
        return caller

    def list_knowledge_bases(self, credential: Credential) -> Sequence[Accessible]:
        """The knowledge bases that the caller may see, by id."""
        with self._environment.store.view() as view:
            caller = self.caller(view, credential)
            pairs = (
                (found, caller.grant_on(Resource.of(found.knowledge_base_id)))
                for found in view.list_knowledge_bases()
            )
            return [Accessible(found, grant) for found, grant in pairs if grant]

    def create_knowledge_base(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, title: str, language: str
    ) -> bool:
        """Makes an empty knowledge base; False if it is there already."""
        checked_title(title)
        checked_text(language, "language", shortest=2, longest=_LONGEST_LANGUAGE)
        with self._environment.store.view() as view:
            self.administrator(view, credential, "create a knowledge base")
        return self._environment.store.create_knowledge_base(knowledge_base_id, title, language)

    def rename_knowledge_base(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, title: str
    ) -> None:
        """Gives a knowledge base another title, for its administrators. No event tells of it.

        Raises:
            NotFoundError: There is none, or nothing is granted there.
            DeniedError: Another grant than admin is, or it moved to another store.
        """
        checked_title(title)
        with self._environment.store.view() as view:
            self.knowledge_base(view, credential, knowledge_base_id, Grant.ADMIN, "rename")
        if not self._environment.store.rename_knowledge_base(knowledge_base_id, title):
            raise NotFoundError("There is no such knowledge base.")

    def create_token(
        self,
        credential: Credential,
        name: str,
        grants: Grants,
        *,
        approval: Approval = Approval.DIRECT,
        expires_at: Stamp | None = None,
    ) -> NewToken:
        """Makes a token for an agent or a person.

        Raises:
            InvalidInputError: The name is no id of at most 60 characters, or is taken by a
                token that still holds.
        """
        parse_id(name, "name")
        if len(name) > _LONGEST_NAME or "/" in name:
            limit = f"at most {_LONGEST_NAME} characters, none of them /"
            raise InvalidInputError(f"name must have {limit}.", field="name", limit=limit)
        environment = self._environment
        with environment.store.view() as view:
            self.administrator(view, credential, "create a token")
        secret = environment.ids.new_secret()
        token = Token(
            digest_of(secret), name, dict(grants), approval, environment.clock.now(), expires_at
        )
        if not environment.store.save_token(token):
            raise InvalidInputError(
                f"There is a token named {name} already; revoke it first.",
                field="name",
                limit="a name that no valid token has",
            )
        return NewToken(secret, token)

    def list_tokens(self, credential: Credential) -> Sequence[Token]:
        """Every token, revoked ones included, by name."""
        with self._environment.store.view() as view:
            self.administrator(view, credential, "list tokens")
            return view.list_tokens()

    def revoke_token(self, credential: Credential, name: str) -> None:
        """Ends a token: the next call with it is refused, on every server.

        Raises:
            NotFoundError: No token of that name holds.
        """
        with self._environment.store.view() as view:
            self.administrator(view, credential, "revoke a token")
        if not self._environment.store.revoke_token(name, self._environment.clock.now()):
            raise NotFoundError(f"There is no valid token named {name}.")


class Pace:
    """Counts calls by principal, in buckets that refill evenly over a minute."""

    def __init__(self, calls_per_minute: int | None) -> None:
        self._rate = calls_per_minute
        self._buckets: dict[str, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def count(self, name: str, now: Stamp) -> None:
        """Takes one call from a bucket; raises ``RateLimitedError`` if it is empty."""
        if self._rate is None:
            return
        with self._lock:
            left, since = self._buckets.get(name, (float(self._rate), now.milliseconds))
            refill = max(0, now.milliseconds - since) * self._rate / _MINUTE
            left = min(float(self._rate), left + refill)
            if left < 1:
                self._buckets[name] = (left, now.milliseconds)
                wait = (1 - left) * _MINUTE / self._rate / 1000
                raise RateLimitedError(
                    f"At most {self._rate} calls a minute are allowed.", retry_after=round(wait, 3)
                )
            self._buckets[name] = (left - 1, now.milliseconds)


def session_of(caller: Caller, session_id: str) -> Resource:
    """The log of a session: its principal's own, or any by full name for an administrator."""
    own = f"{caller.principal}/"
    everywhere = caller.grants.get(EVERYWHERE) is Grant.ADMIN
    if session_id.startswith(("token/", "local/") if everywhere else own):
        return Resource(ResourceType.SESSION, session_id)
    return Resource(ResourceType.SESSION, own + session_id)


def _refuse_less(held: Grant, needed: Grant, action: str) -> None:
    if held < needed:
        raise DeniedError(
            f"You may read this, but not {action}: that takes the grant {needed.word}, "
            f"and yours is {held.word}.",
            action=action,
        )
