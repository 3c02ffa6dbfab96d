"""Passages compared in one list: a chat model names the best few, and nothing is copied out.

A reply is some twenty tokens, whatever the number of passages: a fortieth of what the rubric takes for twelve.
"""

from collections.abc import Sequence

from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.reranking.forms import JudgementForm
from webrag_desktop.retrieval.reranking.prompt import (
    MATERIAL,
    ShownPassage,
    excerpted_passage,
    request_of,
)
from webrag_desktop.retrieval.reranking.reply import HINT, NOT_JSON, last_object, require_whole, whole_json
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema, UselessReplyError

PLACES = ("first", "second", "third")
ANSWERS = "answers"
# The rubric's 100 and 70 for the first, by whether it answers the question; the others bear on it.
_ANSWERING, _SCORES = 100.0, (70.0, 55.0, 40.0)

INSTRUCTIONS = f"""\
You find the passages of a private library that answer a question best.

{MATERIAL}

first is the id of the passage that answers the question best, then second and third; 0 where no further passage \
has to do with the question. answers is true where the first alone answers the question.

Answer with one JSON object and nothing else:
{{"first": …, "second": …, "third": …, "answers": …}}"""


def _messages(query: str, passages: Sequence[ShownPassage]) -> list[ChatMessage]:
    return [ChatMessage("system", INSTRUCTIONS), request_of(query, passages)]


def _schema(count: int) -> JsonSchema:
    number = {"type": "integer", "enum": list(range(count + 1))}
    schema = {
        "type": "object",
        "properties": {**dict.fromkeys(PLACES, number), ANSWERS: {"type": "boolean"}},
        "required": [*PLACES, ANSWERS],
        "additionalProperties": False,
    }
    return JsonSchema("places", schema)


def _read(reply: ChatReply, passages: Sequence[ShownPassage], strict: bool) -> list[RerankResult]:
    require_whole(reply)
    given = whole_json(reply.text) if strict else last_object(reply.text, PLACES[0])
    if not isinstance(given, dict):
        raise UselessReplyError(NOT_JSON, HINT)
    best, answers = _named(given, len(passages)), given.get(ANSWERS)
    if best is None or not isinstance(answers, bool):
        raise UselessReplyError(NOT_JSON, HINT)
    scores = dict(zip(best, (_ANSWERING if answers else _SCORES[0], *_SCORES[1:]), strict=False))
    return [
        RerankResult(
            chunk_id=passage.chunk_id,
            relevance_score=scores.get(number, 0.0),
            answerability=answers and best[:1] == [number],
            key_evidence="",
        )
        for number, passage in enumerate(passages, start=1)
    ]


def _named(given: dict[str, object], count: int) -> list[int] | None:
    """The passages that were named, best first, each once; None where one was not shown or a place is missing."""
    places = [given.get(name) for name in PLACES]
    numbers = [one for one in places if type(one) is int and 0 <= one <= count]  # true is an int, too
    if len(numbers) != len(places):
        return None
    return [one for one in dict.fromkeys(numbers) if one]


LISTWISE = JudgementForm(excerpted_passage, _messages, _schema, _read, 40)
