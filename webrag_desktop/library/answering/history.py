"""The history of what was asked and answered."""

from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.retrieval.contracts.answer_events import Answer, KeptAnswer
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import answers as stored

_FEWEST_CHARS = 4  # of an id that is named by its beginning


@dataclass(frozen=True, slots=True)
class Answers:
    """What was asked and answered, the newest first. Each call is one transaction of its own."""

    database: Database

    def all(self, limit: int = 50) -> list[KeptAnswer]:
        """The newest answers.

        Raises:
            InputError: the limit is below 1.
        """
        if limit < 1:
            raise InputError(f"{limit} is no number of answers.", "Ask for at least one.")
        with self.database.connection() as conn:
            rows = stored.list_answers(conn, limit)
        return [kept for row in rows if (kept := _as_kept(row)) is not None]

    def get(self, answer_id: UUID | str) -> KeptAnswer:
        """The answer of an id, or of its first characters (at least four).

        Raises:
            NotFoundError: there is none.
            InputError: several begin so.
        """
        with self.database.connection() as conn:
            row = stored.get_answer(conn, self._id(str(answer_id)))
        kept = _as_kept(row) if row else None
        if kept is None:
            raise _unknown(str(answer_id))
        return kept

    def remove(self, answer_id: UUID | str) -> None:
        """Forget an answer.

        Raises:
            NotFoundError: there is none.
            InputError: several begin so.
        """
        found = self._id(str(answer_id))
        with self.database.connection() as conn:
            stored.delete_answer(conn, found)

    def clear(self) -> int:
        """Forget all answers; returns how many there were."""
        with self.database.connection() as conn:
            return stored.delete_answers(conn)

    def _id(self, reference: str) -> UUID:
        wanted = reference.strip().lower()
        if len(wanted) < _FEWEST_CHARS:
            raise _unknown(reference)
        with self.database.connection() as conn:
            found = stored.ids_beginning_with(conn, wanted)
        if not found:
            raise _unknown(reference)
        if len(found) > 1:
            raise InputError(f"Several answers begin with {reference}.", "Give more of the id.")
        return found[0]


def _as_kept(row: stored.AnswerRow) -> KeptAnswer | None:
    """An answer as it was; None where it was written by a newer program in another shape."""
    try:
        return KeptAnswer(id=row.id, asked_at=row.asked_at, answer=Answer.model_validate_json(row.answer))
    except ValidationError:
        return None


def _unknown(reference: str) -> NotFoundError:
    return NotFoundError(
        f"There is no answer {reference}.", "`webrag answers` lists them; give an id from it."
    )
