"""Documents as the Library view is given them: invented, in every state, and builders for more."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

from webrag_desktop.gui.data.import_report import BatchProgress
from webrag_desktop.gui.data.library import DocumentDetails
from webrag_desktop.gui.data.view_data import (
    DocumentKind,
    DocumentRow,
    LibraryFigures,
    SiteCount,
)
from webrag_desktop.models.metadata import NO_METADATA, DocumentMetadata
from webrag_desktop.progress import SourceState

_NAMES = UUID("0b0f4b1e-3f0e-4a53-9c55-8f0f4f5d2c10")
_NOON = datetime.now(UTC).astimezone().replace(hour=14, minute=2, second=0, microsecond=0)


def document_id(name: str) -> UUID:
    """The same id for the same name, in every run."""
    return uuid5(_NAMES, name)


def document(
    title: str,
    place: str = "cablehistory.org",
    *,
    kind: DocumentKind = "html",
    state: SourceState = "ready",
    address: str = "",
    minutes: int = 0,
    passages: int = 0,
    searchable: bool | None = None,
    reason: str | None = None,
    hint: str | None = None,
    done: int | None = None,
    total: int | None = None,
    ahead: int | None = None,
) -> DocumentRow:
    """A row; its address follows from its place and title unless it is given."""
    path = title.lower().replace(" ", "-")
    return DocumentRow(
        id=document_id(title),
        title=title,
        address=address or f"https://{place}/{path}",
        place=place,
        kind=kind,
        state=state,
        added_at=_NOON - timedelta(minutes=minutes),
        passages=passages,
        searchable=state == "ready" if searchable is None else searchable,
        reason=reason,
        hint=hint,
        done=done,
        total=total,
        queue_position=ahead,
    )


REPORT = document(
    "Report of the Joint Committee on Submarine Telegraph Cables",
    "archive.org",
    kind="pdf",
    state="embedding",
    passages=2118,
    searchable=True,
    done=847,
    total=2118,
)
SIGN_IN = document(
    "Board minutes of the Atlantic Telegraph Company",
    "private.cablehistory.org",
    state="failed",
    reason="The site asks for a sign-in (403).",
    hint="Open it in the browser, save the page, and drop the file here.",
    minutes=1,
)
SCAN = document(
    "Valentia station log, 5 August to 1 September",
    "~/Papers",
    kind="pdf",
    state="failed",
    address="/home/ada/Papers/valentia-log.pdf",
    reason="No text in this scan; it needs OCR before anything in it can be found.",
    hint="Run OCR over the file and drop it again.",
    minutes=1,
)
STOPPED = document("The other end of the line", "cablehistory.org", state="cancelled", minutes=2)
QUEUED = document("Letters to The Times, September 1858", state="queued", kind="unknown", ahead=3)


def filling() -> list[DocumentRow]:
    """A library at work: every state there is."""
    return [
        REPORT,
        document("The induction coils of Wildman Whitehouse", "telegraphquarterly.net", state="extracting"),
        document("A short life of the 1858 cable", state="fetching", kind="unknown"),
        document("Gutta-percha: extraction, trade and decay", "archive.org", state="chunking", kind="pdf"),
        QUEUED,
        document("Mirror galvanometers compared", state="queued", kind="unknown", ahead=4),
        SIGN_IN,
        SCAN,
        STOPPED,
        document(
            "notes-on-galvanometers.md",
            "~/Papers",
            kind="markdown",
            address="/home/ada/Papers/notes.md",
            minutes=4,
            passages=34,
        ),
        document(
            "Thomson’s mirror galvanometer, explained with a torch",
            "fieldphysics.org",
            minutes=4,
            passages=61,
        ),
        document("تاريخ الكابل الأطلسي والبرق", "مكتبة.مثال", minutes=5, passages=97),
        document("大西洋電信ケーブルの歴史 🌊", "例え.jp", minutes=5, passages=118),
        document("Cable-ship logbooks, 1857 to 1866: an index", minutes=7, passages=203),
        document(
            "cable-resistance.html",
            "~/Papers/export",
            address="/home/ada/Papers/export/cable-resistance.html",
            minutes=7,
            passages=12,
        ),
        document("Retardation and the square law", "telegraphquarterly.net", minutes=8, passages=141),
        document("How the 1866 cable was different", minutes=60 * 24 * 40, passages=1141),
        document(
            "Telegraph tables, third edition", "archive.org", kind="epub", minutes=60 * 24 * 500, passages=9
        ),
    ]


def ready(count: int) -> list[DocumentRow]:
    """Documents that are ready, all different."""
    return [document(f"Document {number}", minutes=number, passages=number + 1) for number in range(count)]


def details(row: DocumentRow = REPORT) -> DocumentDetails:
    """What the inspector shows of a row; of one that was not read there is little."""
    read = row.state not in {"failed", "cancelled"}
    return DocumentDetails(
        row=row,
        received_bytes=31_000_000 if read else 0,
        kept_bytes=48_000_000 if read else 0,
        tokens=402_118 if read else 0,
        fetched_at=row.added_at if read else None,
        metadata=DocumentMetadata(language="en", published_time="1861") if read else NO_METADATA,
        first_words=(
            "The Committee met on thirty days, and examined forty-three witnesses, being engineers, electricians, "
            "manufacturers and officers who had served upon the several expeditions."
            if read
            else ""
        ),
    )


def figures(**changes: int) -> LibraryFigures:
    """A library of 1,284 documents at work."""
    numbers = {
        "documents": 1284,
        "ready": 1191,
        "working": 4,
        "waiting": 82,
        "failed": 6,
        "stopped": 1,
    } | changes
    sites = [("archive.org", 312), ("cablehistory.org", 148), ("telegraphquarterly.net", 96)]
    sites += [(f"site{number}.example", 90 - number) for number in range(34)]
    return replace(
        LibraryFigures(passages=96_410, sites=tuple(SiteCount(*site) for site in sites)),
        **numbers,  # type: ignore[arg-type]
    )


def batch(**changes: float | bool | None) -> BatchProgress:
    """126 documents, a third of them done."""
    numbers: dict[str, object] = {
        "ready": 38,
        "working": 3,
        "waiting": 83,
        "failed": 2,
        "per_minute": 4.2,
        "seconds_left": 1200.0,
    }
    return BatchProgress(**(numbers | changes))  # type: ignore[arg-type]


def keys(ids: Iterable[UUID]) -> list[int]:
    """What a list of documents is given instead of their ids."""
    return [one.int for one in ids]
