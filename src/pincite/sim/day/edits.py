"""The second experiment: after each answer, and a while, the agent edits what it cited first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from pincite.domain.texts import Text
from pincite.sim.day import wording
from pincite.sim.day.agents import ReadText, expected
from pincite.sim.day.scene import Agenda, Scene
from pincite.sim.day.world import Question, World
from pincite.sim.errors import DisagreementError
from pincite.sim.tools import Reply


@dataclass(slots=True)
class Edits:
    """How the edits fared that were sent after one delay.

    Attributes:
        saved: At the first try.
        moved: Refused, for the article had moved.
        unpublished: Refused, for it was withdrawn.
        merged: Of the moved, those that came back with both changes in one text.
        retried: Of the moved, those that were saved after another read.
        replayed: Saved ones sent once more that were answered from the receipt, without an event.
    """

    sent: int = 0
    saved: int = 0
    moved: int = 0
    unpublished: int = 0
    merged: int = 0
    retried: int = 0
    replayed: int = 0


@dataclass(slots=True)
class EditsExperiment:
    """Plays a day in which the agent edits.

    Attributes:
        scene: Prepared for this day.
        world: What happens.
    """

    scene: Scene
    world: World
    by_delay: dict[int, Edits] = field(default_factory=dict)

    def play(self) -> Mapping[int, Edits]:
        """Plays it, and tells by delay in milliseconds how the edits fared.

        Raises:
            DisagreementError: A retry was refused, or a repetition was not a replay.
        """
        agenda = Agenda(self.scene)
        agenda.put_saves(self.world)
        for question in self.world.questions:
            agenda.put(question.at, partial(self._answer, agenda, question))
        agenda.play()
        return dict(sorted(self.by_delay.items()))

    def _answer(self, agenda: Agenda, question: Question) -> None:
        answer = self.scene.agent.answer(question)
        if not answer.sources:
            return
        change = Amendment(
            f"seed-{self.world.seed}-answer-{question.number}",
            question.edited,
            next(self.scene.references),
        )
        edit = partial(self._edit, answer.sources[0], change, question.delay)
        agenda.put(question.at + question.delay, edit)

    def _edit(self, source: ReadText, change: "Amendment", delay: int) -> None:
        fared = self.by_delay.setdefault(delay, Edits())
        fared.sent += 1
        reply = self._send(source, change)
        match reply.code:
            case None:
                fared.saved += 1
                self._repeat(source, change, reply)
                fared.replayed += 1
            case "gone":
                fared.unpublished += 1
            case "version_conflict":
                fared.moved += 1
                fared.merged += _is_merged(change, reply)
                self._retry(source.article_id, change)
                fared.retried += 1
            case code:
                raise DisagreementError(f"an edit was refused as {code}")

    def _send(self, source: ReadText, change: "Amendment") -> Reply:
        text = Text(source.text.title, change.made_in(source.text.content))
        reply = self.scene.agent.edit(source, text.content, change.key)
        if not reply.code and not reply.content["replayed"]:
            self.scene.truth.saved(source.article_id, text, reply.content["updated_at"])
        return reply

    def _repeat(self, source: ReadText, change: "Amendment", first: Reply) -> None:
        """Sends a saved edit again, as a client does that never saw the answer."""
        again = self._send(source, change)
        if again.content != {**first.content, "replayed": True}:
            raise DisagreementError(f"a repetition was no replay: {again.content}")
        if events := self.scene.agent.poll(first.content["sequence"])["events"]:
            raise DisagreementError(f"a repetition wrote an event: {events}")

    def _retry(self, article_id: str, change: "Amendment") -> None:
        """Reads again and sends the same change of the present text.

        The key is the same, too: a refusal does not use it up.
        """
        present = self.scene.agent.find_text(article_id)
        if present is None:
            raise DisagreementError("an article that had moved is gone")
        reply = expected(self._send(present, change))
        if reply["status"] != "saved" or reply["replayed"]:
            raise DisagreementError(f"a retry was not saved: {reply}")


@dataclass(frozen=True, slots=True)
class Amendment:
    """What an agent wants changed: one paragraph's reference number."""

    key: str
    passage: int
    reference: int

    def made_in(self, content: str) -> str:
        """The content with the change."""
        return wording.reworded(content, self.passage, self.reference)


def _is_merged(change: Amendment, refusal: Reply) -> bool:
    """Whether a refusal brought a merge, which must hold the change."""
    merged = refusal.content["error"]["details"]["merged"]
    if merged is None:
        return False
    if change.made_in(merged) != merged:
        raise DisagreementError(f"a merge dropped the change: {merged}")
    return True
