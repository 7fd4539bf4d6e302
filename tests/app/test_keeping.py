"""The keeper: the ledger follows the log though nobody asks for stale answers."""

from pincite.app.keeping import LedgerKeeper
from pincite.domain.citations import Citation
from pincite.domain.edits import Context
from pincite.domain.quotes import Quote
from pincite.service.answering import Answered
from pincite.storage import open_store
from tests.service.world import KB, OWNER, A, World


def test_a_save_makes_answers_stale_in_the_ledger_while_a_server_runs() -> None:
    store = open_store(":memory:")
    world = World(store)
    stamp = world.publish("Thirty days.")
    cited = Citation(KB, A, stamp, (Quote("Thirty days."),))
    answered = Answered("Q?", "A.", (cited,))
    saved = world.service.answers.record(OWNER, KB, answered, Context("k"))
    with LedgerKeeper(world.service, store):
        world.edit(stamp, "Forty days.")
        kept, seen = 1, 0
        while kept < 2:
            seen = store.wait(seen, 1)
            with store.view() as view:
                kept = view.ledger.reach(KB)
    with store.view() as view:
        (stale,) = view.ledger.list_stale(KB, None, 10).answers
    assert (stale.answer_id, stale.since) == (saved.receipt.article_id, 2)
    store.close()
