"""Answers and citations as views are given them: invented documents in several scripts, and builders for more."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID, uuid5

from webrag_desktop.gui.data.view_data import (
    CitationRow,
    CitationState,
    DocumentKind,
    Failure,
    Passage,
    ResultGroup,
    SearchResults,
    SpanReference,
    TextMark,
)

_NAMES = UUID("6f1d7c52-8a6e-4c43-9a0b-0d8d1c4b7e11")
QUESTION = "Why did the 1858 Atlantic cable fail?"


def named_id(name: str) -> UUID:
    """The same id for the same name, in every run."""
    return uuid5(_NAMES, name)


def marks_of(text: str, sentences: Sequence[str] = (), words: Sequence[str] = ()) -> tuple[TextMark, ...]:
    """Marks for the sentences and for every occurrence of the words."""
    found: list[TextMark] = []
    kinds: tuple[tuple[Sequence[str], Literal["evidence", "term"]], ...] = (
        (sentences, "evidence"),
        (words, "term"),
    )
    for wanted, kind in kinds:
        for piece in wanted:
            at = text.lower().find(piece.lower())
            while at >= 0:
                found.append(TextMark(at, at + len(piece), kind))
                at = text.lower().find(piece.lower(), at + 1)
    return tuple(sorted(found, key=lambda mark: (mark.start, -mark.end)))


def passage(
    document: str,
    number: int,
    *,
    before: str = "",
    quote: str,
    after: str = "",
    words: Sequence[str] = (),
    place: str = "",
    heading: str | None = None,
    page: int | None = None,
    score: float = 0.8,
    similarity: float | None = 0.75,
    found_by: tuple[str, ...] = ("by meaning", "by words"),
    depth: int = 0,
    strength: Literal["strong", "fair", "weak"] = "fair",
) -> Passage:
    """A passage of the document of that name; its sentence stands 1000 characters after the one before."""
    text = before + quote + after
    start = 1000 * number
    document_id, version_id = named_id(document), named_id(f"{document} version")
    terms = tuple((word, text.lower().count(word.lower())) for word in words)
    return Passage(
        chunk_id=named_id(f"{document} chunk {number}"),
        span=SpanReference(document_id, version_id, start, start + len(quote)),
        place=place or heading or "",
        text=text,
        marks=marks_of(text, [quote], words),
        quote=quote,
        score=score,
        similarity=similarity,
        terms=tuple(term for term in terms if term[1]),
        found_by=found_by,
        depth=depth,
        strength=strength,
        heading=heading or (place.rsplit(" › ", maxsplit=1)[-1] if place else None),
        anchor=None,
        page=page,
    )


def group(
    title: str,
    passages: Sequence[Passage],
    *,
    place: str = "cablehistory.org",
    kind: DocumentKind = "html",
    address: str = "https://cablehistory.org/page",
    of: int | None = None,
) -> ResultGroup:
    """A document with its passages."""
    return ResultGroup(
        document_id=passages[0].span.document_id,
        title=title,
        place=place,
        kind=kind,
        address=address,
        fetched_at=datetime(2026, 9, 12, 10, 30, tzinfo=UTC),
        passages_in_document=of or len(passages) + 2,
        passages=tuple(passages),
    )


def results(
    groups: Sequence[ResultGroup] | None = None, query: str = QUESTION, degraded: str | None = None
) -> SearchResults:
    """An answer; without groups it is the one about the cable."""
    shown = cable_groups() if groups is None else tuple(groups)
    return SearchResults(
        query=query,
        groups=tuple(shown),
        milliseconds=41.3,
        corpus_tokens=182_400,
        corpus_documents=1284,
        threshold_tokens=30_000,
        degraded=degraded,
    )


VOLTAGE = passage(
    "coils",
    1,
    before="By the middle of the month the operators at Valentia could no longer raise a steady deflection. ",
    quote=(
        "Whitehouse answered by applying his five-foot induction coils, driving close to two thousand volts "
        "into a core whose insulation had already been strained in laying."
    ),
    after=(
        " Within days the line was carrying only fragments, and the last intelligible words came through on the "
        "first of September."
    ),
    words=("1858", "insulation"),
    place="The last week of August › Voltage",
    page=11,
    score=0.91,
    similarity=0.88,
    depth=1,
    strength="strong",
)
COILS = passage(
    "coils",
    2,
    quote="The coils did not make the first fault, but they burned an existing one open:",
    after=(
        " bench tests on recovered lengths show a pinhole in the gutta-percha widening under any charge above "
        "six hundred volts."
    ),
    words=("gutta-percha",),
    heading="What the coils did",
    page=19,
    score=0.84,
    similarity=0.79,
)
YARD = passage(
    "report",
    1,
    before=(
        "Asked whether the core had been tested under water before it was shipped, the witness said that it had "
        "not. He could not say who had decided so, and no minute of it was kept. "
    ),
    quote=(
        "The cable lay coiled in the open yard through the summer, and in the heat the copper was found to have "
        "sunk to one side of its covering."
    ),
    words=("cable", "core"),
    place="Minutes of evidence › Sitting of 15 December 1859",
    page=84,
    score=0.81,
    found_by=("by words",),
)
FAILURE = passage(
    "report",
    2,
    quote=(
        "The failure is attributed to the original design of the cable having been faulty, owing to the absence "
        "of experimental data,"
    ),
    after=(
        " to the manufacture having been conducted without proper supervision, and to the cable not having been "
        "handled, after manufacture, with sufficient care. Nothing was found that the engineers of the day could "
        "not have known, had they been given the time to look for it."
    ),
    words=("failure", "cable"),
    heading="Conclusions",
    page=36,
    score=0.74,
    similarity=None,
    found_by=("by identifier",),
)
ENGINEERS = passage(
    "short life",
    1,
    before="Ninety-eight words from the Queen took sixteen hours to arrive. ",
    quote=(
        "The engineers argued over whether more voltage or a finer instrument was the cure, and for a fortnight "
        "the company tried both at once."
    ),
    words=(),
    heading="Three weeks",
    score=0.69,
)
LONG = passage(
    "long",
    1,
    before="It was a clerk's habit to write as he listened. ",
    quote=", ".join(f"and the {number}th length was tested and put aside" for number in range(1, 15)) + ".",
    after=" The list ends there.",
    heading="Ledger",
    score=0.5,
)
ARABIC = passage(
    "arabic",
    1,
    before="وصلت السفينة إلى الخليج في الصباح. ",
    quote="انقطع الكابل البحري بعد ثلاثة أسابيع لأن العزل كان ضعيفا (1858).",
    after=" ولم يعد أحد يسمع الإشارة.",
    words=("الكابل",),
    heading="أسباب الفشل",
    page=7,
    score=0.66,
)
HEBREW = passage(
    "arabic",
    2,
    quote="הכבל נפל בגלל מתח גבוה מדי: 2000 V, לפי Whitehouse.",
    words=("הכבל",),
    heading="מתח",
    score=0.61,
)
CJK = passage(
    "cjk",
    1,
    before="八月の中旬、受信局の針はもう動かなかった。",
    quote="一八五八年の大西洋電信ケーブルは、絶縁体が敷設中に傷んでいたため三週間で沈黙した。",
    after="技師たちは電圧を上げるべきか、より繊細な計器を使うべきかで争った。",
    words=("ケーブル",),
    heading="失敗の原因",
    score=0.58,
)
EMOJI = passage(
    "cjk",
    2,
    before="Notes 🧵 from the wharf. ",
    quote="The cable 🔌 broke twice 😱 and was spliced on deck 👩🏽‍🔧 before noon.",
    words=("cable",),
    heading="Deck log 🚢",
    score=0.55,
)


def cable_groups() -> tuple[ResultGroup, ...]:
    """Three documents about the cable, five passages."""
    return (
        group(
            "The induction coils of Wildman Whitehouse, re-examined",
            [VOLTAGE, COILS],
            place="telegraphquarterly.net",
            kind="pdf",
            address="https://telegraphquarterly.net/coils.pdf",
        ),
        group(
            "Report of the Joint Committee on Submarine Telegraph Cables",
            [YARD, FAILURE],
            place="archive.org",
            kind="pdf",
            address="https://archive.org/report.pdf",
            of=7,
        ),
        group("A short life of the 1858 cable", [ENGINEERS], of=3),
    )


def scripts_groups() -> tuple[ResultGroup, ...]:
    """Passages in scripts that are hard to lay out, and one very long sentence."""
    return (
        group("تاريخ الكابل الأطلسي", [ARABIC, HEBREW], place="مكتبة.مثال", kind="text"),
        group("大西洋電信ケーブルの歴史 🌊", [CJK, EMOJI], place="例え.jp"),
        group(
            "Ledger of lengths", [LONG], place="Papers", kind="markdown", address="/home/ada/Papers/ledger.md"
        ),
    )


def many_groups(documents: int, each: int) -> tuple[ResultGroup, ...]:
    """Many documents of ``each`` passages, all different."""
    made = []
    for number in range(documents):
        name = f"many {number}"
        passages = [
            replace(
                passage(
                    name, at, before=VOLTAGE.text[:97], quote=f"{at}: {VOLTAGE.quote}", after=FAILURE.text
                ),
                score=max(0.99 - number / 100 - at / 1000, 0.01),
                heading=f"Section {at}",
                place=f"Chapter {number} › Section {at}",
            )
            for at in range(each)
        ]
        made.append(group(f"Document {number}", passages))
    return tuple(made)


def citation(
    of: Passage,
    number: int,
    *,
    title: str = "A short life of the 1858 cable",
    state: CitationState = CitationState.EXACT,
    explanation: str | None = None,
    address: str = "https://cablehistory.org/page",
    link: str | None = "https://cablehistory.org/page#:~:text=cable",
) -> CitationRow:
    """The citation of a passage's sentence."""
    return CitationRow(
        id=named_id(f"citation of {of.chunk_id}"),
        number=number,
        quote=of.quote,
        verbatim=of.quote,
        title=title,
        section=of.heading,
        page=of.page,
        state=state,
        explanation=explanation,
        document_id=of.span.document_id,
        version_id=of.span.version_id,
        char_start=of.span.char_start,
        char_end=of.span.char_end,
        address=address,
        link=link,
    )


def citations() -> tuple[CitationRow, ...]:
    """Four citations of the cable passages, in all three states."""
    coils = "The induction coils of Wildman Whitehouse, re-examined"
    return (
        citation(VOLTAGE, 1, title=coils),
        citation(COILS, 2, title=coils),
        citation(
            YARD,
            3,
            title="Report of the Joint Committee on Submarine Telegraph Cables",
            state=CitationState.MOVED,
            explanation="Same words, 212 characters further on, since the copy of 3 October.",
        ),
        citation(
            ENGINEERS,
            4,
            state=CitationState.LOST,
            explanation="The page no longer says this. Your copy of 12 September does.",
        ),
    )


def scripts_citations() -> tuple[CitationRow, ...]:
    """Citations in scripts that are hard to lay out, one of a file."""
    return (
        citation(ARABIC, 1, title="تاريخ الكابل الأطلسي"),
        citation(CJK, 2, title="大西洋電信ケーブルの歴史 🌊"),
        citation(LONG, 3, title="Ledger of lengths", address="/home/ada/Papers/ledger.md", link=None),
        citation(EMOJI, 4, title="Deck log"),
    )


SEARCH_FAILURE = Failure(
    message="The search could not be done: the database does not answer.",
    hint="What you have added is safe. Start the database again, then try once more.",
    details="connection refused",
)
