"""Reading a model's judgements: each is checked, and none is believed where one cannot be."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from webrag_desktop.citations.printable import title_line
from webrag_desktop.errors import ChatError
from webrag_desktop.retrieval.reranking.chat import ChatReply
from webrag_desktop.retrieval.reranking.models import RerankResult
from webrag_desktop.retrieval.reranking.prompt import ShownPassage
from webrag_desktop.retrieval.reranking.quotes import find_quote

_FENCED = re.compile(r"```\w*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)
_MOST_BEGINNINGS = 50  # of an object, that are tried in what a model says besides
_OUT_OF_RANGE = ("greater_than_equal", "less_than_equal")
_HINT = "Search without reranking, or let a more able model judge (RETRIEVAL_RERANK_MODEL)."
_LOOSER = "With RETRIEVAL_RERANK_STRICT_JSON_OUTPUT=false, what it says beside the JSON is looked past."
_LESS = (
    "Lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK, or give the model a larger context (with Ollama by "
    "OLLAMA_CONTEXT_LENGTH)."
)
_LONGEST_NAME = 40  # characters of a name that the model made up
_FEW = 10  # passages that any model keeps in view; with so few, fewer would not help


class _Judgement(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    id: int
    relevance_score: float = Field(ge=0, le=100, allow_inf_nan=False)
    answerability: bool
    key_evidence: str | None


class _Judgements(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    results: Annotated[list[_Judgement], FailFast()]  # a long reply may be wrong in a million places


class _SchemaJudgement(_Judgement):
    """Just what the schema allows."""

    model_config = ConfigDict(extra="forbid")

    key_evidence: str


class _SchemaJudgements(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    results: Annotated[list[_SchemaJudgement], FailFast()]


def read_reply(reply: ChatReply, passages: Sequence[ShownPassage], *, strict: bool) -> list[RerankResult]:
    """The judgement of each passage, in the order of ``passages``.

    A fence around the whole reply is only packaging. Unless ``strict``, other words around the JSON are looked past, as
    is what the schema does not know, and of several judgements the last counts: before it a model drafts, or repeats
    what it was shown.

    Raises:
        ChatError: the reply is cut, is not the JSON that was asked for, or does not judge every passage exactly once.
    """
    hint = _LESS if len(passages) > _FEW else _HINT
    if reply.cut:
        raise _untrusted("The chat model's judgement was cut off before its end.", hint)
    found = _judgements(reply.text, strict=strict)
    if wrong := _wrong_ids([one.id for one in found], len(passages)):
        raise _untrusted(f"The chat model did not judge every passage exactly once: {wrong}.", hint)
    by_id = {one.id: one for one in found}
    return [_result(by_id[number], passage) for number, passage in enumerate(passages, start=1)]


def _wrong_ids(ids: Sequence[int], count: int) -> str | None:
    """What is wrong with whose judgements came; None where each of so many passages has one."""
    wanted = range(1, count + 1)
    if (unknown := next((one for one in ids if one not in wanted), None)) is not None:
        return f"it names a passage {unknown}, and was shown 1 to {count}"
    if missing := count - len(set(ids)):
        return f"it left out {missing} of {count}"
    return "it judged one twice" if len(ids) != count else None


def _judgements(text: str, *, strict: bool) -> Sequence[_Judgement]:
    try:
        return _read_strictly(text) if strict else _read_loosely(text)
    except ValidationError as error:
        hint = f"{_HINT} {_LOOSER}" if strict and _can_be_read_loosely(text) else _HINT
        raise _untrusted(f"The chat model's judgement {_wrong_value(error)}.", hint) from error


def _read_strictly(text: str) -> Sequence[_Judgement]:
    return _SchemaJudgements.model_validate(_whole(text)).results


def _read_loosely(text: str) -> Sequence[_Judgement]:
    return _Judgements.model_validate(_last_judgement(text)).results


def _can_be_read_loosely(text: str) -> bool:
    try:
        return bool(_read_loosely(text))
    except ValidationError:
        return False


def _wrong_value(error: ValidationError) -> str:
    """The first value that cannot be, by the name of its field."""
    first = error.errors(include_url=False)[0]
    match first["loc"]:
        case ("results", int(), "relevance_score") if first["type"] in _OUT_OF_RANGE:
            return f"holds a relevance_score of {first['input']}, which is not from 0 to 100"
        case (*_, str(name)) if first["type"] == "extra_forbidden":
            return f"holds {title_line(name)[:_LONGEST_NAME]}, which was not asked for"
        case ("results", int(), str(name)):
            wrong = "lacks" if first["type"] == "missing" else "holds something else than was asked for as"
            return f"{wrong} {name} of a passage"
    return "is not the JSON that it was asked for"


def _whole(text: str) -> object:
    """The JSON that the text is, or None."""
    bare = text.strip().removeprefix("\ufeff").strip()
    fenced = _FENCED.fullmatch(bare)
    try:
        return json.loads(fenced["inside"] if fenced else bare)
    except (ValueError, RecursionError):
        return None


def _last_judgement(text: str) -> object:
    """The last JSON object with results in the text, or None."""
    return next((one for one in reversed(list(_objects(text))) if "results" in one), None)


def _objects(text: str) -> Iterator[dict[str, object]]:
    """The JSON objects that stand in the text one behind another, none of them inside another."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_BEGINNINGS):
        begins = text.find("{", at)
        if begins < 0:
            return
        at = begins + 1
        with suppress(ValueError, RecursionError):  # a brace in what the model says besides
            given, at = decoder.raw_decode(text, begins)
            yield given


def _result(judgement: _Judgement, passage: ShownPassage) -> RerankResult:
    quoted = (judgement.key_evidence or "").strip()
    place = find_quote(passage.text, quoted)
    return RerankResult(
        chunk_id=passage.chunk_id,
        relevance_score=judgement.relevance_score,
        answerability=judgement.answerability,
        key_evidence=passage.text[place[0] : place[1]] if place else "",
        evidence_dropped=bool(quoted) and place is None,
    )


def _untrusted(message: str, hint: str) -> ChatError:
    return ChatError(message, hint, transient=True)
