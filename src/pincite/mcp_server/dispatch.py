"""Does what a call asks, whichever way the call came."""

from dataclasses import dataclass, replace
from typing import Any

from pincite.domain.edits import Context as WriteContext
from pincite.mcp_server.callers import Asker
from pincite.service.answering import Answered
from pincite.service.knowledge_base import Service
from pincite.service.reading import Wanted
from pincite.wire import citations, results
from pincite.wire.calls import (
    AnswerCall,
    ArticleCall,
    Call,
    CheckCall,
    DraftCall,
    ListCall,
    PollCall,
    ReadCall,
    RecordCall,
    SearchCall,
    StaleCall,
    WriteCall,
)
from pincite.wire.results import Results


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Asks the service and writes the result.

    Attributes:
        service: Answers.
        results: Writes the results.
    """

    service: Service
    results: Results

    def answer(self, asker: Asker, call: Call) -> dict[str, Any]:
        """The result of a call, as JSON values.

        Raises:
            PinciteError: The call is refused.
        """
        if isinstance(call, AnswerCall):
            return self._tell_of_answers(asker, call)
        return self._tell_of_articles(asker, call)

    def _tell_of_articles(self, asker: Asker, call: ArticleCall) -> dict[str, Any]:
        service, credential = self.service, asker.credential
        match call:
            case SearchCall(kb, query, limit):
                found = service.search(credential, kb, query, limit)
                return self.results.search(kb, found.hits, found.latest_sequence)
            case ReadCall(kb, article_id, outline, first, most):
                wanted = Wanted(outline, first, most)
                article = service.read(credential, kb, article_id, wanted)
                return self.results.read(kb, article)
            case WriteCall(kb, article_id, write, key):
                saved = service.write(credential, kb, article_id, write, _told(asker, key))
                return results.saved(kb, saved.receipt, replayed=saved.replayed)
            case DraftCall(kb, text, key):
                saved = service.draft(credential, kb, text, _told(asker, key))
                return results.drafted(saved.receipt, replayed=saved.replayed)
            case PollCall(resource, after, limit):
                return results.page(service.poll(credential, resource, after, limit))
            case ListCall():
                seen = service.list_knowledge_bases(credential)
                return results.knowledge_bases((one.knowledge_base, one.grant) for one in seen)

    def _tell_of_answers(self, asker: Asker, call: AnswerCall) -> dict[str, Any]:
        service, credential = self.service, asker.credential
        match call:
            case CheckCall(cited):
                checked = service.check_citations(credential, cited)
                return citations.checked(checked.judgements, checked.latest_sequences)
            case RecordCall(kb, question, answer, cited, key, session):
                answered = Answered(question, answer, cited)
                context = _told(asker, key)
                if session is not None:
                    context = replace(context, session=session)
                saved = service.answers.record(credential, kb, answered, context)
                return citations.recorded(saved.receipt, replayed=saved.replayed)
            case StaleCall(kb, after, limit):
                page = service.answers.list_stale(credential, kb, after, limit)
                if (fitting := citations.fitting(page)) < len(page.answers):
                    page = service.answers.list_stale(credential, kb, after, fitting)
                return citations.stale(page)


def _told(asker: Asker, key: str) -> WriteContext:
    return WriteContext(key, asker.client, None, asker.session)
