"""What the window shows of a search's result: documents with their passages, read without markup, marked."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple
from uuid import UUID

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import (
    AlsoIn,
    DocumentKind,
    Passage,
    ResultGroup,
    SearchResults,
    SpanReference,
    TextMark,
)
from webrag_desktop.gui.library.operations.document_rows import (
    address_of,
    kind_of,
    place_of,
    title_of,
    whereabouts_of,
)
from webrag_desktop.gui.research.operations.text_parts import Structure, parts_of
from webrag_desktop.retrieval.contracts.cutting import SENTENCES_SHOWN
from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms
from webrag_desktop.text.markdown_grammar import front_matter_end
from webrag_desktop.text.mathematics import Formula, formulas, mathml_by_reading, structured
from webrag_desktop.text.plain_text import PlainText, project_line
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.spans import Span, stripped

if TYPE_CHECKING:
    from webrag_desktop.models.sources import SourceRow
    from webrag_desktop.retrieval.contracts.results import (
        MatchedSpan,
        RetrievalResult,
        RetrievedChunk,
        TermSpan,
    )


def search_results(
    query: str,
    result: "RetrievalResult",
    sources: "Mapping[UUID, SourceRow]",
    readings: Mapping[UUID, PlainText],
    threshold_tokens: int,
    structures: Mapping[UUID, Structure] = MappingProxyType({}),
) -> SearchResults:
    """The result in the order the core gave it, its passages read in their surroundings.

    ``readings`` are the whole texts of its versions, ``structures`` their code and tables, ``sources`` the rows of
    :func:`documents_of` it. Documents that these do not hold are gone.
    """
    asked = _AskedWords(query)
    chunks = [c for c in result.chunks if c.document_id in sources and c.version_id in readings]
    groups = [
        _group(sources[document_id], list(of_document), sources, _Texts(readings, structures), asked)
        for document_id, of_document in groupby(chunks, key=lambda chunk: chunk.document_id)
    ]
    return SearchResults(
        query=query,
        groups=tuple(groups),
        milliseconds=result.timing.total_ms,
        corpus_tokens=result.corpus_stats.total_tokens,
        corpus_documents=result.corpus_stats.total_documents,
        threshold_tokens=threshold_tokens,
        degraded=result.degraded,
        spelling=result.correction_notice,
    )


def documents_of(result: "RetrievalResult") -> set[UUID]:
    """All documents named when a result is shown, including those with near-duplicates of its passages."""
    also = (UUID(one.document_id) for chunk in result.chunks for one in chunk.folded if one.document_id)
    return {chunk.document_id for chunk in result.chunks}.union(also)


def _group(
    source: "SourceRow",
    chunks: "Sequence[RetrievedChunk]",
    sources: "Mapping[UUID, SourceRow]",
    texts: "_Texts",
    asked: "_AskedWords",
) -> ResultGroup:
    kind = kind_of(source)
    return ResultGroup(
        document_id=source.id,
        title=title_of(source),
        place=place_of(source),
        kind=kind,
        address=address_of(source),
        fetched_at=chunks[0].fetched_at,
        passages_in_document=source.parent_chunks,
        passages=tuple(
            _passage(chunk, texts, kind, asked, _also_in(source, chunk, sources)) for chunk in chunks
        ),
    )


def _also_in(
    source: "SourceRow", chunk: "RetrievedChunk", sources: "Mapping[UUID, SourceRow]"
) -> tuple[AlsoIn, ...]:
    """The documents whose near-duplicate passages were folded into the chunk, the best first."""
    places: dict[UUID, UUID] = {}
    for one in chunk.folded:
        if one.document_id:
            places.setdefault(UUID(one.document_id), UUID(one.chunk_id))
    others = [(sources[id_], chunk_id) for id_, chunk_id in places.items() if id_ in sources]
    titles = Counter(title_of(one) for one in (source, *(other for other, _ in others)))
    return tuple(
        AlsoIn(
            document_id=other.id,
            chunk_id=chunk_id,
            title=title_of(other),
            name=title_of(other) if titles[title_of(other)] == 1 else whereabouts_of(other),
            address=address_of(other),
        )
        for other, chunk_id in others
    )


def _passage(
    chunk: "RetrievedChunk",
    texts: "_Texts",
    kind: DocumentKind,
    asked: "_AskedWords",
    also_in: tuple[AlsoIn, ...],
) -> Passage:
    spans = sorted(chunk.matched_spans, key=lambda span: (-span.score, span.char_start))
    best = spans[0] if spans else None
    names = _names(chunk, best)
    plain, structure = texts.readings[chunk.version_id], texts.structures.get(chunk.version_id, ())
    reading = _Reading(chunk, plain)
    if kind == "markdown":
        reading.leave_out_front_matter(chunk, best)
    reading.leave_out_headings([*names, project_line(chunk.title or "")], best)
    places = [(span.char_start, span.char_end) for span in spans[:SENTENCES_SHOWN]] or [
        (chunk.char_start, chunk.char_end)
    ]
    terms, within = chunk.term_spans(), tuple(reading.formulas(chunk))
    drawn = [(formula.start, formula.end) for formula in within]
    references = tuple(SpanReference(chunk.document_id, chunk.version_id, *place) for place in places)
    return Passage(
        chunk_id=chunk.chunk_id,
        span=references[0],
        place=" › ".join(names) or _tr("Passage {0}").format(chunk.chunk_index + 1),
        text=reading.text,
        marks=reading.marks(best, terms),
        quote=reading.quote(places[0], best.text if best else chunk.chunk_text),
        score=chunk.rank_score,
        similarity=chunk.raw_similarity,
        terms=asked.found(terms),
        found_by=tuple(map(_in_words, chunk.found_by)),
        depth=chunk.depth,
        heading=(best.heading if best else None) or chunk.section_heading,
        anchor=(best.anchor if best else None) or chunk.anchor,
        page=(best.page if best else None) or chunk.page,
        all_spans=references,
        also_in=also_in,
        whole=SpanReference(chunk.document_id, chunk.version_id, chunk.char_start, chunk.char_end),
        formulas=within,
        strength=chunk.strength,
        parts=tuple(parts_of(chunk, structure, plain, reading.span, kind, drawn)),
    )


class _Texts(NamedTuple):
    """The texts of a result's versions, and their code and tables."""

    readings: Mapping[UUID, PlainText]
    structures: Mapping[UUID, Structure]


class _Reading:
    """A chunk as it is read in its document, without white space around it; it maps spans of the markdown to that."""

    def __init__(self, chunk: "RetrievedChunk", plain: PlainText) -> None:
        self._plain = plain
        self._begin(*plain.to_plain_span(chunk.char_start, chunk.char_end))

    def _begin(self, start: int, end: int) -> None:
        self._start, end = stripped(self._plain.text, start, end)
        self.text = self._plain.text[self._start : end]

    @property
    def span(self) -> Span:
        """Where the text is in the whole reading."""
        return self._start, self._start + len(self.text)

    def _leave_out(self, until: int, best: "MatchedSpan | None") -> bool:
        """Begin only there, unless the sentence that matches best is before that, or nothing would be left."""
        place = self._plain.to_plain_span(best.char_start, best.char_end)[0] if best else until
        end = self._start + len(self.text)
        leaves = self._start < until <= place and until < end
        if leaves:
            self._begin(until, end)
        return leaves

    def leave_out_front_matter(self, chunk: "RetrievedChunk", best: "MatchedSpan | None") -> None:
        """Begin after what a Markdown file says about itself first: its title is shown above, its date elsewhere."""
        ends = front_matter_end(chunk.chunk_text) if chunk.char_start == 0 else 0
        self._leave_out(self._plain.to_plain_span(ends, ends)[0], best)

    def leave_out_headings(self, said: Iterable[str], best: "MatchedSpan | None") -> None:
        """Begin after the headings that the row names as the passage's place anyway."""
        names = {name.casefold() for name in said}
        while True:
            line = self.text.partition("\n")[0]
            is_said = title_line(line).casefold() in names
            if not is_said or not self._leave_out(self._start + len(line), best):
                return

    def place(self, span: Span) -> Span:
        """Where ``span`` of the document's markdown is read; empty where it is markup only."""
        start, end = self._plain.to_plain_span(*span)
        start, end = (min(max(at - self._start, 0), len(self.text)) for at in (start, end))
        return start, end

    def formulas(self, chunk: "RetrievedChunk") -> Iterator[Formula]:
        """The formulas that are completely in the text, as MathML where their page has nothing else."""
        known = mathml_by_reading(chunk.selected_text if chunk.surface == "html" else "")
        for formula in formulas(chunk.chunk_text):
            start, end = self.place((chunk.char_start + formula.start, chunk.char_start + formula.end))
            end = start + len(self.text[start:end].rstrip())
            if end - start > 1:
                yield structured(formula, known)._replace(start=start, end=end)

    def quote(self, span: Span, verbatim: str) -> str:
        """How the span reads; as it is stored where it is markup only. A citation of it says the same."""
        return self._plain.reading(*span).strip() or verbatim

    def marks(self, best: "MatchedSpan | None", terms: "Iterable[TermSpan]") -> tuple[TextMark, ...]:
        """The sentence that matches best and the words of the question, by rising place; none of a kind overlap.

        One sentence: where all that match are marked, nearly every line of a good passage is.
        """
        sentences = _merged([self.place((best.char_start, best.char_end))] if best else [])
        words = _merged(self.place((span.char_start, span.char_end)) for span in terms)
        return tuple(
            sorted(
                [*_marks("evidence", sentences), *_marks("term", words)],
                key=lambda mark: (mark.start, -mark.end, mark.kind),
            )
        )


def _marks(kind: Literal["evidence", "term"], spans: Iterable[Span]) -> list[TextMark]:
    return [TextMark(start, end, kind) for start, end in spans]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one, without empty ones."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class _AskedWords:
    """The question's words as the user wrote them, by the stems they are searched for."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._known: dict[str, tuple[int, str]] = {}

    def found(self, spans: "Iterable[TermSpan]") -> tuple[tuple[str, int], ...]:
        """The words found, in the order of the question, each with how often; parts of a found word do not count."""
        counts = Counter(self._asked(span.term) for span in _outermost(spans))
        return tuple((word, count) for (_at, word), count in sorted(counts.items()))

    def _asked(self, term: str) -> tuple[int, str]:
        """The word's position in the question and how it is written there; the term itself where it is not in it."""
        if term not in self._known:
            stems, literals = QuestionTerms((term,), ()), QuestionTerms((), (term,))
            places = [*stems.words(self._query), *literals.words(self._query), (len(self._query), 0, term)]
            # "stopping" for the stem "stop", and "max_depth" rather than "max" for that name.
            start, end, _term = max(places, key=lambda place: place[1] - place[0])
            self._known[term] = start, self._query[start:end] or term
        return self._known[term]


def _outermost(spans: "Iterable[TermSpan]") -> "list[TermSpan]":
    """Without those inside another, such as ``max`` in ``max_depth``; each place once."""
    kept: list[TermSpan] = []
    for span in sorted(spans, key=lambda span: (span.char_start, -span.char_end)):
        if not kept or span.char_end > kept[-1].char_end:
            kept.append(span)
    return kept


def _names(chunk: "RetrievedChunk", best: "MatchedSpan | None") -> list[str]:
    """The headings down to the sentence, without the document's title."""
    path = [project_line(heading) for heading in (best.heading_path if best else ()) or chunk.heading_path]
    title = project_line(chunk.title or "")
    return [name for name in dict.fromkeys(path) if name and name.casefold() != title.casefold()]


def _in_words(arm: str) -> str:
    words = {"vector": _tr("by meaning"), "words": _tr("by words"), "identifier": _tr("by exact name")}
    return words.get(arm, arm)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Passages", text)
