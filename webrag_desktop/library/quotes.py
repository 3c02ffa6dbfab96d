"""Whether a quotation is in the library, where, and how faithfully: "where is this from?"."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.documents import Documents
from webrag_desktop.models.quotes import LEAST_WORDS, ManuscriptReport, QuotePlace, QuoteReport
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.retrieval.quotes.passages import Quotation, read_quotation
from webrag_desktop.retrieval.quotes.scan import Scan
from webrag_desktop.retrieval.quotes.search import Findings, look_up
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.quotes import older_texts, shown_texts, texts_of
from webrag_desktop.storage.snapshot import pipelined_snapshot, plan_once
from webrag_desktop.storage.texts.documents import active_version

MOST_LISTED = 100
_MOST_SCANNED = 500  # places that are counted where whole texts have to be looked through
_OLDER = "Looking through older versions"


@dataclass(frozen=True, slots=True)
class Quotes:
    """Quotations, checked against what is stored."""

    database: Database
    documents: Documents

    def verify(
        self,
        text: str,
        document: UUID | str | None = None,
        near: int | None = None,
        *,
        older_versions: bool = False,
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
    ) -> QuoteReport:
        """Look for a quotation in the texts that documents show, or that one document shows.

        ``document`` is an id or whatever :meth:`.Documents.find` takes. In it, the places nearest to the code point
        ``near`` of its Markdown come first. With ``older_versions`` the texts that are not shown any more are looked
        through, too, which takes long in a library that has many; ``progress`` counts them. A hundred places are
        listed at most.

        Raises:
            InputError: the quotation is empty, or longer than 100,000 characters; ``near`` goes without a document.
            NotFoundError: there is no such document, or it has no text yet.
            Cancelled: ``cancel`` was set.
        """
        quotation = read_quotation(text)
        if near is not None and document is None:
            raise InputError(
                "A place to look near to is one in a document.", "Say in which document to look."
            )
        document_id = None if document is None else self._id_of(document)
        cancel = cancel or CancelToken()
        with self.database.connection() as conn, pipelined_snapshot(conn, cancel):
            plan_once(conn)
            looking = _Looking(conn, quotation, cancel, progress)
            found = [looking.everywhere() if document_id is None else looking.within(document_id, near)]
            if older_versions:
                found.append(looking.older(document_id))
        return _report(quotation, found, near, older_versions=older_versions)

    def first_place(
        self, text: str, documents: Sequence[UUID], cancel: CancelToken | None = None
    ) -> QuotePlace | None:
        """The place of a quotation in the first of these documents that shows it; None where none does.

        Nothing near it is looked for, which takes many times as long. Documents that are gone, or have no text yet,
        hold nothing.

        Raises:
            InputError: the quotation is empty, or longer than 100,000 characters.
            Cancelled: ``cancel`` was set.
        """
        quotation = read_quotation(text)
        cancel = cancel or CancelToken()
        with self.database.connection() as conn, pipelined_snapshot(conn, cancel):
            plan_once(conn)
            scan = Scan(conn, quotation, cancel)
            found = scan.through(texts_of(conn, documents), nearly=False, most=1)
        return next((place for place in found.places if place.is_verified), None)

    def check(
        self,
        manuscript: Path | str,
        document: UUID | str | None = None,
        *,
        older_versions: bool = False,
        min_words: int = LEAST_WORDS,
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
    ) -> ManuscriptReport:
        """Look for everything that a manuscript quotes: a Markdown, Word or text file, or a text in Markdown.

        Every pair of quotation marks and every block quotation is looked for as :meth:`verify` does, those between
        marks of fewer than ``min_words`` words aside. With ``older_versions`` the texts that are not shown any more
        are looked through for what is not verified otherwise. ``progress`` counts quotations.

        Raises:
            InputError: the file cannot be opened or read, or is of another kind.
            NotFoundError: there is no such document, or it has no text yet.
            Cancelled: ``cancel`` was set.
        """
        from webrag_desktop.retrieval.quotes import manuscripts

        found = (
            manuscripts.markdown_manuscript(manuscript, "-")
            if isinstance(manuscript, str)
            else manuscripts.read_manuscript(manuscript)
        )

        def verify(quote: str) -> QuoteReport:
            report = self.verify(quote, document, cancel=cancel)
            if report.is_verified or not older_versions:
                return report
            return self.verify(quote, document, older_versions=True, cancel=cancel)

        return manuscripts.check_manuscript(
            found, verify, min_words=min_words, cancel=cancel, progress=progress
        )

    def _id_of(self, document: UUID | str) -> UUID:
        if isinstance(document, str):
            return self.documents.find(document).id
        if self.documents.get(document) is None:
            raise NotFoundError(
                f"There is no document {document} in the library.", "`webrag list` shows what is there."
            )
        return document


@dataclass(frozen=True, slots=True)
class _Looking:
    """One question in one snapshot."""

    conn: Connection
    quotation: Quotation
    cancel: CancelToken
    progress: ProgressCallback

    def everywhere(self) -> Findings:
        """In what all documents show; where too few words are known, text by text."""
        looked_up, none_in, few_in = look_up(self.conn, self.quotation, self.cancel)
        verified = [place for place in looked_up.places if place.is_verified]
        languages = none_in if verified else few_in
        if not languages:
            return looked_up
        scan = Scan(self.conn, self.quotation, self.cancel)
        scanned = scan.through(shown_texts(self.conn, languages), nearly=False, most=_MOST_SCANNED)
        there = {place.version_id for place in scanned.places}
        places = [place for place in looked_up.places if place.version_id not in there]
        return Findings([*scanned.places, *places], looked_up.complete and scanned.complete)

    def within(self, document_id: UUID, near: int | None) -> Findings:
        """In what one document shows."""
        active = active_version(self.conn, document_id)
        if active is None:
            raise NotFoundError("The document has no text yet.", "`webrag show` shows its progress.")
        return Findings(Scan(self.conn, self.quotation, self.cancel).within(active.version_id, near))

    def older(self, document_id: UUID | None) -> Findings:
        """In what one document, or all, do not show any more."""
        texts = older_texts(self.conn, document_id)
        scan = Scan(self.conn, self.quotation, self.cancel)
        return scan.through(texts, nearly=True, progress=self.progress, step=_OLDER)


def _report(
    quotation: Quotation, findings: Iterable[Findings], near: int | None, *, older_versions: bool
) -> QuoteReport:
    found = list(findings)
    places = [place for one in found for place in one.places]
    verified = [place for place in places if place.is_verified]
    ordered = sorted(verified or places, key=lambda place: _order(place, near))
    return QuoteReport(
        quote=quotation.text,
        grade=ordered[0].grade if ordered else "none",
        places=ordered[:MOST_LISTED],
        more=max(len(ordered) - MOST_LISTED, 0),
        complete=all(one.complete for one in found),
        older_versions=older_versions,
    )


def _order(place: QuotePlace, near: int | None) -> tuple[object, ...]:
    """The most faithful first, and what is shown; then the nearest, or by document and place."""
    rank = (place.grade != "exact", -place.similarity, not place.shown)
    distance = abs(place.char_start - near) if near is not None else 0
    return (*rank, distance, place.source_url, -place.version_number, place.char_start, place.document_id)
