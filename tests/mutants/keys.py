"""Wrong ways to treat idempotency keys, which are the same on every engine.

Each is a ``commit`` around the one that is not broken.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import TypeAlias

from pincite.domain.articles import Article
from pincite.domain.decide import Decision
from pincite.domain.edits import KeptReceipt, Request, Status
from pincite.domain.events import Resource
from pincite.domain.ids import ArticleId, Principal
from pincite.domain.stamps import Stamp
from pincite.ports import Outcome, Replayed, Reused, Stale, Store

Commit: TypeAlias = Callable[[Decision, Request, Stamp], Outcome]

_again = count()


def take_for_new(
    store: Store, commit: Commit, decision: Decision, request: Request, at: Stamp
) -> Outcome:
    """Takes a repeated request for a new one."""
    if _kept(store, decision, request) is not None:
        request = replace(request, key=f"{request.key}/{next(_again)}")
    return commit(decision, request, at)


def replay_anything(
    store: Store, commit: Commit, decision: Decision, request: Request, at: Stamp
) -> Outcome:
    """Answers a key with its receipt, whatever the request is."""
    outcome = commit(decision, request, at)
    if outcome != Reused():
        return outcome
    kept = _kept(store, decision, request)
    assert kept is not None
    return Replayed(kept.receipt)


def share_keys(commit: Commit, decision: Decision, request: Request, at: Stamp) -> Outcome:
    """Keeps one space of keys for all principals."""
    return commit(decision, replace(request, principal=Principal("everybody")), at)


def spend_by_refusal(commit: Commit, decision: Decision, request: Request, at: Stamp) -> Outcome:
    """Keeps a receipt for an edit that it refused."""
    outcome = commit(decision, request, at)
    if outcome == Stale():
        absent = Article.absent(decision.article.knowledge_base_id, ArticleId("refused"))
        commit(Decision(absent.version, absent, Status.UNCHANGED), request, at)
    return outcome


def _kept(store: Store, decision: Decision, request: Request) -> KeptReceipt | None:
    if request.key is None:
        return None
    log = Resource.of(decision.article.knowledge_base_id)
    with store.view() as view:
        return view.find_receipt(log, request.principal, request.key)
