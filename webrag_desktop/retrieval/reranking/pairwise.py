"""The best few passages compared two at a time: one moves up for as long as it is better than the next above it."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.reranking.consistency import Comparisons, comparisons
from webrag_desktop.retrieval.reranking.forms import JudgementForm
from webrag_desktop.retrieval.reranking.llm import LlmReranker, Question
from webrag_desktop.retrieval.reranking.prompt import (
    MATERIAL,
    ShownPassage,
    excerpted_passage,
    request_of,
)
from webrag_desktop.retrieval.reranking.reply import HINT, NOT_JSON, last_object, require_whole, whole_json
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema, UselessReplyError

COMPARED = 4  # of the best passages; each comparison is asked twice
BETTER, ANSWERS = "better", "answers"
_BETTER, _TIE = 100.0, 50.0  # what the better one scores, and both where neither is better

INSTRUCTIONS = f"""\
You compare two passages of a private library by how well they answer a question.

{MATERIAL}

better is the id of the passage that answers the question better, 0 where neither has to do with it. answers is true \
where that passage alone answers the question.

Answer with one JSON object and nothing else:
{{"better": …, "answers": …}}"""


def _messages(query: str, passages: Sequence[ShownPassage]) -> list[ChatMessage]:
    return [ChatMessage("system", INSTRUCTIONS), request_of(query, passages)]


def _schema(count: int) -> JsonSchema:
    schema = {
        "type": "object",
        "properties": {
            BETTER: {"type": "integer", "enum": list(range(count + 1))},
            ANSWERS: {"type": "boolean"},
        },
        "required": [BETTER, ANSWERS],
        "additionalProperties": False,
    }
    return JsonSchema("better", schema)


def _read(reply: ChatReply, passages: Sequence[ShownPassage], strict: bool) -> list[RerankResult]:
    require_whole(reply)
    given = whole_json(reply.text) if strict else last_object(reply.text, BETTER)
    better, answers = (given.get(BETTER), given.get(ANSWERS)) if isinstance(given, dict) else (None, None)
    if type(better) is not int or not 0 <= better <= len(passages) or not isinstance(answers, bool):
        raise UselessReplyError(NOT_JSON, HINT)
    return [
        RerankResult(
            chunk_id=passage.chunk_id,
            relevance_score=_TIE if better == 0 else _BETTER * (number == better),
            answerability=answers and number == better,
            key_evidence="",
        )
        for number, passage in enumerate(passages, start=1)
    ]


PAIRWISE = JudgementForm(excerpted_passage, _messages, _schema, _read, 20)


def by_pairs(
    judge: LlmReranker, question: Question, judged: Sequence[RerankCandidate]
) -> tuple[list[RerankResult], Comparisons]:
    """Passages compared two at a time by a judge that asks in the form :data:`PAIRWISE`.

    Of the best :data:`COMPARED` the last is compared with the one above it, the better one with the next above, and so
    on. Each comparison is asked in both orders and counts where both replies agree. ``relevance_score`` is by the order
    that this leaves them in, from 100 in equal steps, and 0 for passages that were not compared.
    """
    compared = Comparisons()
    ordered = list(judged[:COMPARED][-1:])  # from the best of those below on
    answering: set[UUID] = set()
    for other in reversed(judged[:COMPARED][:-1]):
        best = ordered[0]
        forward = judge.judge(question, [other, best])
        backward = judge.judge(question, [best, other])[::-1]
        compared = compared.and_more(comparisons(forward, backward))
        pairs = zip((other, best), forward, backward, strict=True)
        answering |= {
            passage.chunk_id for passage, *said in pairs if all(result.answerability for result in said)
        }
        loses = all(results[1].relevance_score == _BETTER for results in (forward, backward))
        ordered.insert(1 if loses else 0, other)
    scores = {one.chunk_id: _BETTER * (1 - place / COMPARED) for place, one in enumerate(ordered)}
    results = [
        RerankResult(
            chunk_id=one.chunk_id,
            relevance_score=scores.get(one.chunk_id, 0.0),
            answerability=one.chunk_id in answering,
            key_evidence="",
            weight=0.0,  # of one that was compared with none
        )
        for one in judged
    ]
    return results, compared
