"""Reranking by a chat model: every passage judged by one rubric, in as few requests as its context allows."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webrag_desktop.citations.reading import Spaced
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.prompt import ShownPassage, messages, schema_of, shown_passage
from webrag_desktop.servers.chat import (
    LARGER_CONTEXT,
    ChatMessage,
    ChatModel,
    ChatReply,
    ContextOverflowError,
    LateReplyError,
    UselessReplyError,
    reads_too_few,
)
from webrag_desktop.servers.retries import MODEL_SERVERS, RetryPolicy
from webrag_desktop.text.markdown_grammar import HASHES, ITEM_NUMBER
from webrag_desktop.text.printable import title_line

# What of a text no reader sees: targets of links, emphasis, code marks, escapes, what marks a line as an item.
_MARKUP = re.compile(
    rf"""
    !?\[(?=[^\]\n]*\]\() | \]\([^()\s]*(?:\([^()\s]*\))?(?:\s+"[^"\n]*")?\)
    | [*`~]+ | (?<!\w)_+ | _+(?!\w) | \\(?=[^\w\s])
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
_HINT = "Search without reranking, or let a more able model judge (RETRIEVAL_RERANK_MODEL)."
_LOOSER = "With RETRIEVAL_RERANK_STRICT_JSON_OUTPUT=false, text around the JSON is ignored."
_LONGEST_NAME = 40  # characters of a name that the model made up
_WRONG = "The chat model's judgement"
_NOT_JSON = f"{_WRONG} is not the requested JSON."


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
    if reply.cut:
        raise UselessReplyError(
            "The chat model's judgement was cut off before its end.", f"{_HINT} {LARGER_CONTEXT}"
        )
    try:
        judged = _judgements(reply.text, len(passages), strict=strict)
    except UselessReplyError as error:
        if not strict or not _can_be_read_loosely(reply.text, len(passages)):
            raise
        raise UselessReplyError(error.message, f"{error.hint} {_LOOSER}") from error
    return [_result(judgement, passage) for judgement, passage in zip(judged, passages, strict=True)]


def _can_be_read_loosely(text: str, count: int) -> bool:
    try:
        return bool(_judgements(text, count, strict=False))
    except UselessReplyError:
        return False


def _judgements(text: str, count: int, *, strict: bool) -> list[_Judgement]:
    """The judgements of the passages 1 to ``count``; names before values, of which there may be a million."""
    given = _whole(text) if strict else _last_judgement(text)
    results = given.get("results") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(results, dict):
        raise UselessReplyError(_NOT_JSON, _HINT)
    if strict and (more := next((name for name in given if name != "results"), None)) is not None:
        raise UselessReplyError(f"{_WRONG} holds {_named(more)}, which was not requested.", _HINT)
    if wrong := _wrong_ids(results, count):
        raise UselessReplyError(f"The chat model did not judge every passage exactly once: {wrong}.", _HINT)
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
        raise UselessReplyError(f"{_WRONG} {_wrong_value(error)}.", _HINT) from error


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


def _whole(text: str) -> object:
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


def _last_judgement(text: str) -> dict[str, object] | None:
    """The last JSON object with results in the text, or None."""
    return next((one for one in reversed(list(_objects(text))) if "results" in one), None)


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


# Of a server that does not report its context: what small models have, and what most servers accept.
ASSUMED_CONTEXT = 8_192

# Of UTF-8; fewer than any script has with the tokenizers in use, so that what is left over is for the model's template.
_BYTES_PER_TOKEN = 3
_ANSWER_TOKENS = 170  # of one judgement whose evidence is as long as it may be


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The ``tokens`` that a server reads and writes for one request.

    ``scale`` is the ratio of its own token count to ours, as far as it reported one.
    """

    tokens: int = ASSUMED_CONTEXT
    scale: float = 1.0

    def next_batch(self, query: str, passages: Sequence[ShownPassage], most: int) -> int:
        """How many of the leading passages to send, ``most`` at most; one at least, even where it does not fit.

        What is left is not sent in full batches with a small one behind, but in batches of about the same number.
        """
        fitting = min(self._fitting(query, passages), most)
        return math.ceil(len(passages) / math.ceil(len(passages) / fitting))

    def after(
        self, overflow: ContextOverflowError, query: str, passages: Sequence[ShownPassage]
    ) -> "ContextWindow":
        """What is known after the server did not take these passages."""
        tokens = min(overflow.context or self.tokens, self.tokens)
        if overflow.sent is None:
            return replace(self, tokens=tokens)
        return ContextWindow(tokens, max(self.scale, overflow.sent / _sent(query, passages)))

    def _fitting(self, query: str, passages: Sequence[ShownPassage]) -> int:
        taken, empty = _sent(query, []), _sent("", [])
        for count, passage in enumerate(passages):
            taken += _sent("", [passage]) - empty
            if taken * self.scale + (count + 1) * _ANSWER_TOKENS > self.tokens:
                return max(1, count)
        return max(1, len(passages))


def _sent(query: str, passages: Sequence[ShownPassage]) -> float:
    """About how many tokens a request has; where the schema is read, too, it counts."""
    said = sum(len(one.content.encode()) for one in messages(query, passages))
    return (said + len(json.dumps(schema_of(len(passages)).schema))) / _BYTES_PER_TOKEN


class LlmReranker:
    """A :class:`~webrag_desktop.retrieval.contracts.judgements.Reranker` over a chat model."""

    def __init__(self, chat: ChatModel, config: RerankConfig, retry: RetryPolicy | None = None) -> None:
        """``retry`` is how long the model is waited for, the config's seconds unless given."""
        self._chat = chat
        self._config = config
        self._retry = retry or replace(MODEL_SERVERS, seconds=config.seconds)
        self._learned = ContextWindow()

    @property
    def model(self) -> str:
        """The chat model's name."""
        return self._chat.name

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

        What the server cannot read, or the model cannot judge, in one request is requested in smaller parts, never the
        same again; the judgement counts if all of its parts succeeded.

        Raises:
            ChatError: the model cannot be reached, is late, or gave an unusable judgement.
            Cancelled: ``cancel`` was set.
        """
        token, limit = cancel or CancelToken(), self._config.max_text_chars_per_candidate
        token.raise_if_cancelled()
        judged = candidates[: self._config.max_candidates_to_rerank]
        if not judged:
            return []
        passages = [shown_passage(candidate, limit) for candidate in judged]
        try:
            results = self._all_judged(_Question(query, self._retry.deadline(), token), passages)
        except LateReplyError as late:  # it has only the time that the last attempt had
            raise LateReplyError(late.who, self._retry.seconds) from late
        return sorted(results, key=lambda result: -result.relevance_score)

    def _all_judged(self, question: "_Question", passages: Sequence[ShownPassage]) -> list[RerankResult]:
        results: list[RerankResult] = []
        window, most = self._window(question.cancel), len(passages)
        while rest := passages[len(results) :]:
            batch = rest[: window.next_batch(question.query, rest, most)]
            try:
                results += self._judged(question, batch)
            except (ContextOverflowError, UselessReplyError) as error:
                if len(batch) == 1:
                    raise
                most = len(batch) // 2
                if isinstance(error, ContextOverflowError):
                    most = len(batch) - 1 if error.context and error.sent else most
                    window = self._learned = window.after(error, question.query, batch)
        return results

    def _window(self, cancel: CancelToken) -> ContextWindow:
        """The context that the server reports by now, else the one that its refusals reported before."""
        reported = self._chat.context_tokens(cancel)
        return self._learned if reported is None else ContextWindow(reported, self._learned.scale)

    def _judged(self, question: "_Question", batch: Sequence[ShownPassage]) -> list[RerankResult]:
        prompt, strict = messages(question.query, batch), self._config.strict_json_output
        schema = schema_of(len(batch)) if strict else None

        def attempt(seconds: float) -> list[RerankResult]:
            reply = self._chat.reply(prompt, schema=schema, seconds=seconds, cancel=question.cancel)
            _require_all_read(reply, prompt)
            return read_reply(reply, batch, strict=strict)

        return self._retry.run(attempt, question.cancel, question.ends)


@dataclass(frozen=True, slots=True)
class _Question:
    """The question, and the deadline for its judgement."""

    query: str
    ends: float
    cancel: CancelToken


def _require_all_read(reply: ChatReply, prompt: Sequence[ChatMessage]) -> None:
    """Raise ContextOverflowError where the server dropped a part of the messages, as Ollama does without a word."""
    if reads_too_few(reply.prompt_tokens, prompt):
        who = "The chat server read only a part of what it was sent: it"
        raise ContextOverflowError(who, context=reply.prompt_tokens)
