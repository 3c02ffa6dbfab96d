"""The history of answers in a database."""

from uuid import UUID

import pytest

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.asking import Answers
from webrag_desktop.retrieval.contracts.answer_events import Answer
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import answers

ANSWER = Answer(question="q", kind="extract", basis="chunk", model=None, outcome="complete").model_dump_json()


def keep(database: Database, number: int, answer: str = ANSWER, most: int = 9) -> UUID:
    id_ = UUID(f"abcd000{number}-0000-4000-8000-000000000000")
    with database.connection() as conn:
        answers.insert_answer(conn, id_, f"question {number}", answer, most)
    return id_


def test_the_oldest_go_first(database: Database) -> None:
    ids = [keep(database, number, most=2) for number in range(4)]
    assert [one.id for one in Answers(database).all()] == ids[:1:-1]


def test_an_answer_is_named_by_the_beginning_of_its_id(database: Database) -> None:
    first, _ = keep(database, 1), keep(database, 2)
    history = Answers(database)
    assert history.get("ABCD0001").id == history.get(first).id == first
    with pytest.raises(InputError, match="Several answers begin with abcd"):
        history.get("abcd")
    for unknown in ("abc", "ffff", "%", "abcd_", ""):
        with pytest.raises(NotFoundError):
            history.remove(unknown)
    with pytest.raises(InputError):
        history.all(0)
    assert len(history.all()) == 2


def test_an_answer_of_a_newer_program_hides_no_other(database: Database) -> None:
    keep(database, 1)
    keep(database, 2, '{"from": "the future"}')
    assert [one.answer.question for one in Answers(database).all()] == ["q"]
    with pytest.raises(NotFoundError):
        Answers(database).get("abcd0002")
