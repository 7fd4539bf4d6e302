"""What a caller may ask to have done to an article, and the receipt that it gets."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from pincite.domain.ids import ArticleId, Principal
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text


@dataclass(frozen=True, slots=True)
class Edit:
    """Save a new text of a published article, and publish it.

    Attributes:
        expected: The published version that the edit was made from.
        title: None keeps the present title.
    """

    expected: Stamp
    content: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """One exact replacement; ``old_text`` must stand exactly once."""

    old_text: str
    new_text: str


@dataclass(frozen=True, slots=True)
class Patch:
    """Exact replacements in a published article, applied one after another."""

    expected: Stamp
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Create:
    """A new article under an id that was never used; as a draft, or published at once."""

    text: Text
    publish: bool = False


@dataclass(frozen=True, slots=True)
class SaveDraft:
    """Save a draft, beside the published text if there is one.

    Attributes:
        expected: The draft's stamp that this save was made from; None if there was no draft.
        base: The published version that the draft starts from; None if there is none.
    """

    expected: Stamp | None
    base: Stamp | None
    text: Text


@dataclass(frozen=True, slots=True)
class DiscardDraft:
    """Drop the draft that stands beside a published or withdrawn text."""

    expected: Stamp


@dataclass(frozen=True, slots=True)
class Publish:
    """Publish the draft or, without one, the text that was withdrawn.

    Attributes:
        expected: The article's latest stamp that the person saw; None before the first publication.
        draft: The draft's stamp that the person saw; None if there was no draft.
    """

    expected: Stamp | None
    draft: Stamp | None


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the published article back."""

    expected: Stamp


@dataclass(frozen=True, slots=True)
class Delete:
    """Leave a tombstone; the id is never used again.

    Attributes:
        expected: The article's latest stamp; None if it was never published.
    """

    expected: Stamp | None


Transition: TypeAlias = Publish | Withdraw | Delete
"""Moves an article to another state."""

Write: TypeAlias = Edit | Patch | Create | SaveDraft | DiscardDraft | Transition


class Status(StrEnum):
    """How a write ended."""

    SAVED = "saved"
    UNCHANGED = "unchanged"
    DRAFT = "draft"
    PENDING_APPROVAL = "pending_approval"
    APPENDED = "appended"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class Context:
    """What comes with a write beside the write itself; see :class:`Request`."""

    key: str | None = None
    client: str | None = None
    note: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Who wants a write, and under which key.

    Attributes:
        key: The idempotency key; None where a person acts without one.
        fingerprint: Digest of the tool and its parsed values; see :func:`fingerprint`.
        client: The program that asks, as it names itself.
        note: Why, in the caller's words; kept with the revision.
        session: The session whose log shall say so; None if it has no name.
    """

    principal: Principal
    key: str | None = None
    fingerprint: str = ""
    client: str | None = None
    note: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a saved write returned, and returns again for the same key.

    Attributes:
        updated_at: The stamp to cite or to expect; None for a draft or a pending write.
        sequence: The event's number, or for ``unchanged`` the number that gave the stamp.
    """

    status: Status
    article_id: ArticleId
    updated_at: Stamp | None = None
    sequence: int | None = None
    proposal_id: str | None = None


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """A receipt with the fingerprint of the request that earned it."""

    fingerprint: str
    receipt: Receipt


def values_of(write: Write) -> dict[str, object]:
    """A write's parsed values, ready to become JSON, for its fingerprint."""
    told = {field.name: _plain(getattr(write, field.name)) for field in fields(write)}
    return {"write": type(write).__name__, **told}


def _plain(value: Any) -> object:  # noqa: ANN401 - whatever a write holds
    """What becomes JSON: texts and numbers as they are, all else by its fields."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def fingerprint(tool: str, values: Mapping[str, object]) -> str:
    """Digests a request, to notice a key that is used for another one.

    Args:
        tool: The tool's name.
        values: The parsed arguments without the key, as JSON values; stamps as their text,
            so that two spellings of one instant are one request.

    Returns:
        SHA-256 in hexadecimal.
    """
    canonical = json.dumps([tool, values], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
