"""What a chat model replied to the rubric: read strictly or leniently, its evidence found in the passages."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webrag_desktop.citations.reading import Spaced
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.reranking.prompt import ShownPassage
from webrag_desktop.servers.chat import LARGER_CONTEXT, ChatReply, UselessReplyError
from webrag_desktop.text.markdown_grammar import HASHES, ITEM_NUMBER
from webrag_desktop.text.printable import title_line

# What of a text no reader sees: targets of links, emphasis, code marks, escapes, what marks a line as an item.
_MARKUP = re.compile(
    rf"""
    !?\[(?=[^\]\n]*\]\() | \]\([^()\s]*(?:\([^()\s]*\))?(?:\s+"[^"\n]*")?\)
    | [*`~]+ | (?<!\w)_+ | (?<!_)_++(?!\w) | \\(?=[^\w\s])
    | ^[ \t]*(?:(?:[-+>]|\{HASHES}|{ITEM_NUMBER}[.)])[ \t]+)+
    """,
    re.VERBOSE | re.MULTILINE,
)
# Signs that models change when they quote; one for one, so that places stay.
_SIGNS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\N{NO-BREAK SPACE}": " "})


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where ``quote`` occurs in ``text``: letter for letter, else without regard to markup, spacing and curled signs.

    None where it does not, and for a quote without a letter or figure.
    """
    if not any(map(str.isalnum, quote)):
        return None
    wanted = quote.strip()
    at = text.find(wanted)
    if at >= 0:
        return at, at + len(wanted)
    return _found_as_read(text, wanted)


def _found_as_read(text: str, quote: str) -> tuple[int, int] | None:
    places = list(_readable(text))
    read = Spaced("".join(text[place] for place in places).translate(_SIGNS))
    bare = "".join(quote[place] for place in _readable(quote)).translate(_SIGNS)
    wanted = " ".join(bare.split())
    at = read.text.find(wanted) if wanted else -1
    if at < 0:
        return None
    start, end = read.span_in_original(at, at + len(wanted))
    return places[start], places[end - 1] + 1


def _readable(text: str) -> Iterator[int]:
    """The places of all characters that are no markup."""
    at = 0
    for mark in _MARKUP.finditer(text):
        yield from range(at, mark.start())
        at = mark.end()
    yield from range(at, len(text))


# Around the whole reply, and on its last line, too: laxer than a fence of Markdown.
_FENCED = re.compile(r"```\w*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)
_MOST_BEGINNINGS = 50  # of an object, that are tried in text around the JSON
_OUT_OF_RANGE = ("greater_than_equal", "less_than_equal")
HINT = "Search without reranking, or let a more able model judge (RETRIEVAL_RERANK_MODEL)."
_LOOSER = "With RETRIEVAL_RERANK_STRICT_JSON_OUTPUT=false, text around the JSON is ignored."
_LONGEST_NAME = 40  # characters of a name that the model made up
_WRONG = "The chat model's judgement"
NOT_JSON = f"{_WRONG} is not the requested JSON."


class _Judgement(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    relevance_score: float = Field(ge=0, le=100, allow_inf_nan=False)
    answerability: bool
    key_evidence: str | None


class _SchemaJudgement(_Judgement):
    """Just what the schema allows."""

    model_config = ConfigDict(extra="forbid")

    key_evidence: str


def read_reply(reply: ChatReply, passages: Sequence[ShownPassage], *, strict: bool) -> list[RerankResult]:
    """The judgement of each passage, in the order of ``passages``.

    A fence around the whole reply is only packaging. Unless ``strict``, other words around the JSON are ignored, as
    is what the schema does not know, and of several judgements the last counts: before it a model drafts, or repeats
    what it was shown.

    Raises:
        UselessReplyError: the reply is cut, is not the requested JSON, or does not judge every passage exactly
            once.
    """
    require_whole(reply)
    try:
        judged = _judgements(reply.text, len(passages), strict=strict)
    except UselessReplyError as error:
        if not strict or not _can_be_read_loosely(reply.text, len(passages)):
            raise
        raise UselessReplyError(error.message, f"{error.hint} {_LOOSER}") from error
    return [_result(judgement, passage) for judgement, passage in zip(judged, passages, strict=True)]


def require_whole(reply: ChatReply) -> None:
    """Raise UselessReplyError where the server cut the reply."""
    if reply.cut:
        raise UselessReplyError(
            "The chat model's judgement was cut off before its end.", f"{HINT} {LARGER_CONTEXT}"
        )


def _can_be_read_loosely(text: str, count: int) -> bool:
    try:
        return bool(_judgements(text, count, strict=False))
    except UselessReplyError:
        return False


def _judgements(text: str, count: int, *, strict: bool) -> list[_Judgement]:
    """The judgements of the passages 1 to ``count``; names before values, of which there may be a million."""
    given = whole_json(text) if strict else last_object(text, "results")
    results = given.get("results") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(results, dict):
        raise UselessReplyError(NOT_JSON, HINT)
    if strict and (more := next((name for name in given if name != "results"), None)) is not None:
        raise UselessReplyError(f"{_WRONG} holds {_named(more)}, which was not requested.", HINT)
    if wrong := _wrong_ids(results, count):
        raise UselessReplyError(f"The chat model did not judge every passage exactly once: {wrong}.", HINT)
    return [_judgement(results[str(number)], strict=strict) for number in range(1, count + 1)]


def _wrong_ids(ids: Mapping[str, object], count: int) -> str | None:
    """What is wrong with the set of judged passages; None where each has one judgement."""
    wanted = {str(number) for number in range(1, count + 1)}
    if (unknown := next((one for one in ids if one not in wanted), None)) is not None:
        return f"it names a passage {_named(unknown)}, and was shown 1 to {count}"
    missing = sum(one not in ids for one in wanted)
    return f"it left out {missing} of {count}" if missing else None


def _judgement(value: object, *, strict: bool) -> _Judgement:
    try:
        return (_SchemaJudgement if strict else _Judgement).model_validate(value)
    except ValidationError as error:
        raise UselessReplyError(f"{_WRONG} {_wrong_value(error)}.", HINT) from error


def _named(name: str) -> str:
    return title_line(name)[:_LONGEST_NAME]


def _wrong_value(error: ValidationError) -> str:
    """The first value that cannot be, by the name of its field."""
    first = error.errors(include_url=False)[0]
    match first["loc"]:
        case ("relevance_score",) if first["type"] in _OUT_OF_RANGE:
            return f"holds a relevance_score of {first['input']}, which is not from 0 to 100"
        case (str(name),) if first["type"] == "extra_forbidden":
            return f"holds {_named(name)}, which was not requested"
        case (str(name),):
            wrong = "lacks" if first["type"] == "missing" else "holds a wrong value for"
            return f"{wrong} {name} of a passage"
    return "is not the requested JSON"


def whole_json(text: str) -> object:
    """The JSON that the text is, or None."""
    bare = text.strip().removeprefix("\ufeff").strip()
    fenced = _FENCED.fullmatch(bare)
    try:
        return _DECODER.decode(fenced["inside"].strip() if fenced else bare)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, each name once: of two values neither can be preferred."""
    if len(read := dict(pairs)) != len(pairs):
        raise ValueError("A name occurs twice in one object.")
    return read


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def last_object(text: str, name: str) -> dict[str, object] | None:
    """The last JSON object in the text that holds this name, or None: before it a model drafts."""
    return next((one for one in reversed(list(_objects(text))) if name in one), None)


def _objects(text: str) -> Iterator[dict[str, object]]:
    """The JSON objects of the text in order, without those inside another."""
    at = 0
    for _ in range(_MOST_BEGINNINGS):
        begins = text.find("{", at)
        if begins < 0:
            return
        at = begins + 1
        with suppress(ValueError, RecursionError):  # a brace outside of the JSON
            given, at = _DECODER.raw_decode(text, begins)
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
