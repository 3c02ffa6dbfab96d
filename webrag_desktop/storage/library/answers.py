"""The history of questions and answers; it outlives the documents that answers rest on."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.storage.database import Connection

MOST_KEPT = 1000  # the oldest go first


class AnswerRow(NamedTuple):
    """An answer as it is stored: ``answer`` is JSON."""

    id: UUID
    asked_at: datetime
    answer: str


def insert_answer(
    conn: Connection, answer_id: UUID, question: str, answer: str, most: int = MOST_KEPT
) -> None:
    """Store an answer, asked now, and keep at most so many in all."""
    conn.execute(
        "INSERT INTO answers (id, question, answer) VALUES (%s, %s, %s)", [answer_id, question, answer]
    )
    conn.execute(
        "DELETE FROM answers WHERE id IN (SELECT id FROM answers ORDER BY asked_at DESC, id DESC OFFSET %s)",
        [most],
    )


def list_answers(conn: Connection, limit: int) -> list[AnswerRow]:
    """The newest answers, newest first."""
    rows = conn.execute(
        "SELECT id, asked_at, answer FROM answers ORDER BY asked_at DESC, id DESC LIMIT %s", [limit]
    )
    return [AnswerRow(*row) for row in rows]


def get_answer(conn: Connection, answer_id: UUID) -> AnswerRow | None:
    """An answer by its id."""
    row = conn.execute("SELECT id, asked_at, answer FROM answers WHERE id = %s", [answer_id]).fetchone()
    return AnswerRow(*row) if row else None


def ids_beginning_with(conn: Connection, beginning: str) -> list[UUID]:
    """The ids that begin with these characters, newest first."""
    rows = conn.execute(
        "SELECT id FROM answers WHERE starts_with(id::text, %s) ORDER BY asked_at DESC, id DESC", [beginning]
    )
    return [row[0] for row in rows]


def delete_answer(conn: Connection, answer_id: UUID) -> bool:
    """Delete an answer; False when there was none."""
    return conn.execute("DELETE FROM answers WHERE id = %s", [answer_id]).rowcount == 1


def delete_answers(conn: Connection) -> int:
    """Delete all answers; returns how many there were."""
    return conn.execute("DELETE FROM answers").rowcount
