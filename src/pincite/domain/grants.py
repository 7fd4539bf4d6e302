"""Grants: who may do what, where."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeAlias

from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import Principal
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

EVERYWHERE = "*"
"""Stands for every resource, present and to come, in a token's grants."""

Grants: TypeAlias = Mapping[str, "Grant"]
"""Grants by scope: a knowledge base's id, another resource as ``type:id``, or ``EVERYWHERE``."""


def scope_of(resource: Resource) -> str:
    """The scope that names one resource; ids hold no colon, so no two scopes are alike."""
    if resource.type is ResourceType.KNOWLEDGE_BASE:
        return resource.id
    return f"{resource.type}:{resource.id}"


class Grant(IntEnum):
    """What may be done in a knowledge base; each grant includes those before it."""

    READ = 1
    PROPOSE = 2
    EDIT = 3
    PUBLISH = 4
    ADMIN = 5

    @property
    def word(self) -> str:
        """Its name in every interface."""
        return self.name.lower()

    @classmethod
    def parse(cls, word: str, name: str = "grant") -> "Grant":
        """Reads a grant's name.

        Raises:
            InvalidInputError: It is none.
        """
        for grant in cls:
            if grant.word == word:
                return grant
        words = ", ".join(grant.word for grant in cls)
        raise InvalidInputError(f"{name} must be one of {words}.", field=name, limit=words)


class Approval(StrEnum):
    """What happens to an agent's write before it is saved."""

    DIRECT = "direct"
    ASK = "ask"
    QUEUE = "queue"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what is granted.

    Attributes:
        principal: The agent or person; it outlives its tokens.
        grants: By scope; ``EVERYWHERE`` counts for each resource.
        approval: The policy for this caller's writes.
    """

    principal: Principal
    grants: Grants
    approval: Approval = Approval.DIRECT

    def grant_on(self, resource: Resource) -> Grant | None:
        """The strongest grant on one resource; None if there is none."""
        here, everywhere = self.grants.get(scope_of(resource)), self.grants.get(EVERYWHERE)
        if here is None or everywhere is None:
            return here or everywhere
        return max(here, everywhere)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is stored: by the hash of its secret.

    Attributes:
        digest: SHA-256 of the secret, in hexadecimal.
        name: What people call it; the principal is ``token/`` and the name.
        expires_at: None if it does not expire.
        revoked_at: None while it holds.
    """

    digest: str
    name: str
    grants: Grants
    approval: Approval
    created_at: Stamp
    expires_at: Stamp | None = None
    revoked_at: Stamp | None = None

    def holds(self, now: Stamp) -> bool:
        """Whether the token is neither revoked nor past its time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    @property
    def caller(self) -> Caller:
        """Who calls with this token."""
        return Caller(Principal(f"token/{self.name}"), self.grants, self.approval)


@dataclass(frozen=True, slots=True)
class LocalUser:
    """The person at this machine, who holds every grant."""

    name: str = "local"

    @property
    def caller(self) -> Caller:
        """Who calls."""
        return Caller(Principal(f"local/{self.name}"), {EVERYWHERE: Grant.ADMIN})


@dataclass(frozen=True, slots=True)
class Bearer:
    """Somebody who presents a token; which one, only the store can tell."""

    digest: str = field(repr=False)


Credential: TypeAlias = LocalUser | Bearer
