"""Answers from the library, event by event, and the history of questions and answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from pydantic import ValidationError

from webrag_desktop.answering.answering import Surroundings, answer_events
from webrag_desktop.answering.checks.support import Similarity
from webrag_desktop.answering.citing import QuotedAt
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.answering.gathering import SHARE_OF_WINDOW
from webrag_desktop.answering.options import LEAST_CONTEXT, AnswerOptions
from webrag_desktop.citations.spans import CitationSpan, resolve_span
from webrag_desktop.errors import DatabaseError, EmbeddingError, InputError, NotFoundError
from webrag_desktop.library.answer_evidence import candidates_of, evidence_for
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerEvent,
    Debug,
    Ended,
    KeptAnswer,
    Sources,
    Started,
)
from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.hybrid.documents import stats_of
from webrag_desktop.servers.chat import ContextOverflowError, StreamingChatModel
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import answers as stored
from webrag_desktop.storage.texts.documents import load_text
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.printable import UNSTORABLE

if TYPE_CHECKING:
    from webrag_desktop.library.searching import SearchableLibrary
    from webrag_desktop.models.quotes import QuotePlace


# Fewer words occur in many texts by chance: they are searched for only in the evidence of the answer.
LEAST_WORDS_ELSEWHERE = 3
_MOST_EMBEDDED_CHARS = 1000


Embed = Callable[[list[str]], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what is said of how to answer it; ``embedding`` gives what embeds texts, if anything does.

    ``found`` is what a search of it found already.
    """

    query: Query
    filters: SearchFilters | None = None
    selected_from: SelectedFrom | None = None
    debug: bool = False
    keep: bool = True
    embedding: Callable[[], Embed | None] = lambda: None
    found: RetrievalResult | None = None


def with_whole_characters(query: Query) -> Query:
    """The query with a mark for each NUL and half of a character, which no answer could be kept with."""
    selected = query.selected_text
    return replace(
        query,
        question=UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", query.question),
        selected_text=selected and UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", selected),
    )


def answered(
    library: "SearchableLibrary",
    asked: Asked,
    model: StreamingChatModel | None,
    options: AnswerOptions,
    cancel: CancelToken | None,
) -> Iterator[AnswerEvent]:
    """The events of an answer; see :meth:`.Library.answer`."""
    requested = options.context_tokens
    window = requested if requested or model is None else model.context_tokens(cancel)

    def gathered(within: int | None, options: AnswerOptions) -> AnswerEvidence:
        return evidence_for(
            library,
            asked.query,
            options=options,
            window=within,
            model=model,
            filters=asked.filters,
            selected_from=asked.selected_from,
            found=asked.found,
            cancel=cancel,
        )

    def fewer(error: ContextOverflowError) -> AnswerEvidence:
        known = error.context if error.context and error.context != window else None
        less = max(LEAST_CONTEXT, known or round(evidence.tokens / SHARE_OF_WINDOW / 2))
        return gathered(less, replace(options, context_tokens=less))

    evidence = gathered(window, options)
    result = evidence.result
    yield Sources(candidates=candidates_of(library, result) if result else [])
    if asked.debug and result:
        yield Debug(stats=stats_of(result))
    around = _surroundings(library, asked, evidence, window, fewer, cancel)
    pictures = _pictures(evidence, model, cancel)
    for event in answer_events(evidence, model, options, around, cancel):
        if isinstance(event, Started):
            yield event.model_copy(update=pictures)
        else:
            yield _kept(library.database, event) if asked.keep and isinstance(event, Ended) else event


def _pictures(
    evidence: AnswerEvidence, model: StreamingChatModel | None, cancel: CancelToken | None
) -> dict[str, int]:
    """How many pictures there are for a model that sees; only where there are any it is asked whether it does."""
    sees = bool(evidence.images) or bool(
        model is not None and evidence.pictures and model.sight(cancel) == "sees"
    )
    return {"pictures": evidence.pictures, "pictures_sent": len(evidence.images)} if sees else {}


def _kept(database: Database, ended: Ended) -> Ended:
    """The end with the id under which the answer is kept; what cannot be kept was answered all the same."""
    answer_id, answer = uuid4(), ended.answer
    try:
        with database.connection() as conn:
            stored.insert_answer(conn, answer_id, answer.question, answer.model_dump_json())
    except DatabaseError as error:
        notice = f"The answer could not be kept: {error.message}"
        return ended.model_copy(
            update={"answer": answer.model_copy(update={"notices": [*answer.notices, notice]})}
        )
    return ended.model_copy(update={"kept_as": answer_id})


def _surroundings(
    library: "SearchableLibrary",
    asked: Asked,
    evidence: AnswerEvidence,
    window: int | None,
    fewer: Callable[[ContextOverflowError], AnswerEvidence],
    cancel: CancelToken | None,
) -> Surroundings:
    alone = evidence.basis == "selected_text_only"
    selection = _Selection(asked.query) if alone and asked.selected_from is None else None
    return Surroundings(
        verify=selection.verify if selection else _verify_in(library, evidence, cancel, alone=alone),
        resolve=_resolver(library.database),
        selection=selection,
        similarity=None if selection else _similarity(asked.embedding()),
        fewer=fewer,
        window=window,
    )


# -- Quotations ------------------------------------------------------------------------------------------------------


def _verify_in(
    library: "SearchableLibrary", evidence: AnswerEvidence, cancel: CancelToken | None, *, alone: bool
) -> Callable[[str], QuotedAt | None]:
    """Looks quotations up in the documents of the evidence, then, unless these ``alone`` count, in all others.

    ``cancel`` ends looking in all others. After it, what is left of the answer is looked up in the evidence only.
    """
    documents = list(dict.fromkeys(one.document_id for one in evidence.sentences if one.document_id))

    @cache
    def verify(words: str) -> QuotedAt | None:
        if place := library.quotes.first_place(words, documents):
            return _quoted_at(place)
        if alone or len(words.split()) < LEAST_WORDS_ELSEWHERE or (cancel and cancel.cancelled):
            return None
        report = library.quotes.verify(words, cancel=cancel)
        return _quoted_at(report.places[0]) if report.is_verified and report.places else None

    return verify


def _quoted_at(place: "QuotePlace") -> QuotedAt:
    return QuotedAt(
        place.document_id,
        place.version_id,
        place.char_start,
        place.char_end,
        place.parts,
        place.heading_path,
        place.page,
    )


def _resolver(database: Database) -> Callable[[UUID, int, int], CitationSpan | None]:
    @cache
    def resolve(version_id: UUID, start: int, end: int) -> CitationSpan | None:
        with database.connection() as conn:
            version = load_text(conn, version_id)
        if version is None or not 0 <= start < end <= len(version.markdown):
            return None
        return resolve_span(version, start, end)

    return resolve


class _Selection:
    """A selected text that is in no library, as what is cited."""

    title: str | None = None
    anchor: str | None = None
    version_id: UUID | None = None
    char_start = token_start = token_end = 0

    def __init__(self, query: Query) -> None:
        text = query.selected_text or ""
        self.chunk_text = text
        self.char_end = len(text)
        self.source_url = query.source_doc_path or ""
        self.section_heading = query.source_section

    def verify(self, words: str) -> QuotedAt | None:
        """The places of the words in the text."""
        from webrag_desktop.citations.matching import find_quote
        from webrag_desktop.citations.reading import ReadText

        plain = project(self.chunk_text)
        text = ReadText.of(self.chunk_text, plain)
        found = find_quote(words, text, nearly=False, most=1)
        return QuotedAt(None, None, found[0].start, found[0].end, found[0].parts) if found else None


def _similarity(embed: Embed | None) -> Similarity | None:
    """How near texts are by the library's own model; not at all where that cannot be asked."""
    if embed is None:
        return None
    vectors: dict[str, Sequence[float]] = {}

    def similarity(claim: str, texts: Sequence[str]) -> list[float]:
        wanted = [text[:_MOST_EMBEDDED_CHARS] for text in (claim, *texts)]
        unknown = [text for text in dict.fromkeys(wanted) if text not in vectors and text.strip()]
        try:
            vectors.update(zip(unknown, embed(unknown), strict=True))
        except EmbeddingError:  # words decide alone, then
            return [0.0 for _ in texts]
        ours = vectors.get(wanted[0], ())
        return [sum(a * b for a, b in zip(ours, vectors.get(text, ()), strict=False)) for text in wanted[1:]]

    return similarity


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
            raise InputError(f"{limit} is no number of answers.", "Request at least one.")
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
