"""What the user cites: the list, citing by words, and the place that a cite id names."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library import citing
from webrag_desktop.models.citations import CitedPlace, CiteId, DocumentLink, StoredCitation, parse_link
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import citations
from webrag_desktop.storage.texts import documents
from webrag_desktop.storage.texts.documents import active_version
from webrag_desktop.storage.texts.versions import CitedVersion, versions_between

if TYPE_CHECKING:
    from webrag_desktop.citations.reading import ReadText


@dataclass(frozen=True, slots=True)
class CitationList:
    """The user's citations. Each call is one transaction of its own."""

    database: Database

    def all(self) -> list[StoredCitation]:
        """Every citation, in the user's order, with its state in its page's present text."""
        with self.database.connection() as conn:
            return citing.list_citations(conn)

    def cite(
        self,
        version_id: UUID,
        char_start: int,
        char_end: int,
        *,
        heading: str | None = None,
        anchor: str | None = None,
    ) -> StoredCitation:
        """Cite ``[char_start, char_end)`` of a stored text, last in order; what is cited already stays as it is.

        ``heading`` and ``anchor`` are read from the text where they are not given, the page always.

        Raises:
            NotFoundError: there is no such text.
            InputError: the span is empty, inverted or outside the text.
        """
        with self.database.connection() as conn:
            cited, is_new = citing.cite(
                conn, version_id, char_start, char_end, heading=heading, anchor=anchor
            )
            return _stored_citation(conn, cited, is_new=is_new)

    def cite_quote(self, document_id: UUID, quote: str, occurrence: int | None = None) -> StoredCitation:
        """Cite words of the text that a document shows; :func:`.quoting.cite_quote` says how they are looked for.

        Raises:
            NotFoundError: the document has no text, or the words are not in it.
            InputError: the words are none, or occur several times and ``occurrence`` does not say which are meant.
        """

        with self.database.connection() as conn:
            cited, is_new = cite_quote(conn, document_id, quote, occurrence)
            return _stored_citation(conn, cited, is_new=is_new)

    def find(self, reference: str) -> StoredCitation:
        """The citation that an id, or its first characters (at least four), names.

        Raises:
            NotFoundError: there is none.
            InputError: there are several.
        """
        wanted = reference.lower()
        found = [one for one in self.all() if str(one.id).startswith(wanted)] if len(wanted) >= 4 else []
        if not found:
            raise NotFoundError(
                f"There is no citation {reference}.", "`webrag citations` shows them; give an id from it."
            )
        if len(found) > 1:
            raise InputError(f"Several citations begin with {reference}.", "Give more of the id.")
        return found[0]

    def remove(self, citation_id: UUID) -> StoredCitation | None:
        """Remove a citation; returns it, for :meth:`restore`. None when there was none."""
        with self.database.connection() as conn:
            found = next((one for one in citing.list_citations(conn) if one.id == citation_id), None)
            citations.delete_citation(conn, citation_id)
            return found

    def restore(self, citation: StoredCitation) -> None:
        """Put a removed citation back at its position; nothing happens when it is there."""
        with self.database.connection() as conn:
            citations.insert_citation(conn, citing.as_record(citation), citation.position)

    def move(self, citation_id: UUID, position: int) -> bool:
        """Put a citation at a position, counted from 1; False when there is none of that id."""
        with self.database.connection() as conn:
            return citations.move_citation(conn, citation_id, position)


def _stored_citation(conn: Connection, citation_id: UUID, *, is_new: bool) -> StoredCitation:
    stored = next(one for one in citing.list_citations(conn) if one.id == citation_id)
    return replace(stored, is_new=is_new)


def cite_quote(
    conn: Connection, document_id: UUID, quote: str, occurrence: int | None = None
) -> tuple[UUID, bool]:
    """Cite words of the text that a document shows; the citation's id, and whether it is new.

    They are looked for as :func:`~webrag_desktop.citations.matching.faithful_places` does. ``occurrence`` counts from
    1 where they occur several times.

    Raises:
        NotFoundError: the document has no text, or the words are not in it.
        InputError: the quotation is empty, or occurs several times and it was not said which is meant.
    """
    from webrag_desktop.jobs.rereading import read_text  # every start of the window lists citations

    active = documents.active_version(conn, document_id)
    text = read_text(conn, active.version_id) if active is not None else None
    if active is None or text is None:
        raise NotFoundError("The document has no text yet.", "`webrag show` shows its progress.")
    places = places_of(text, quote)
    if not places:
        raise NotFoundError(
            "These words are not in the text that the document shows. Nothing was cited.",
            "Give whole words exactly as they are read, in capitals or not as there; only spacing and markup may "
            "differ. `webrag show` prints the text.",
        )
    if occurrence is None and len(places) > 1:
        raise InputError(
            f"These words occur {len(places)} times in the text. Nothing was cited.",
            f"Give more of them, or say which with --occurrence, from 1 to {len(places)}.",
        )
    number = occurrence or 1
    if number > len(places):
        times = "once" if len(places) == 1 else f"{len(places)} times"
        raise InputError(
            f"These words occur only {times} in the text. Nothing was cited.", "Give a smaller --occurrence."
        )
    return citing.cite(conn, active.version_id, *places[number - 1])


def places_of(text: "ReadText", quote: str) -> list[tuple[int, int]]:
    """The places of the words in the Markdown, in order, as they are read or letter for letter.

    Raises:
        InputError: the quotation is empty.
    """
    from webrag_desktop.citations.matching import faithful_places  # every start of the window lists citations

    if not quote.strip():
        raise InputError("An empty quotation cannot be cited.", "Give the words to cite.")
    return [(place.start, place.end) for place in faithful_places(quote, text)]


@dataclass(frozen=True, slots=True)
class Cited:
    """The places that cite ids name. Each call is one transaction of its own."""

    database: Database

    def place(self, cite_id: CiteId | DocumentLink | str) -> CitedPlace:
        """The characters that a cite id, or a link, names, of the version that it names, shown or superseded.

        A link to a document names all that it shows now.

        Raises:
            InputError: the text is no cite id and no link.
            NotFoundError: the version is gone or not the only one of that name, the document has no text, or it is
                shorter than the range.
        """
        named = parse_link(cite_id) if isinstance(cite_id, str) else cite_id
        with self.database.connection() as conn:
            if isinstance(named, DocumentLink):
                active = active_version(conn, named.document_id)
                if active is None:
                    raise _no_document(named)
                named = CiteId.of(active.version_id)
            found = versions_between(conn, *named.version_range, named.char_start or 0, named.char_end)
        if len(found) > 1:
            raise NotFoundError(
                f"Several texts of the library begin with {named.version}.", "Search for the words instead."
            )
        if not found:
            raise NotFoundError(
                f"The text that {named} names is not in this library.",
                "Its document was removed, or it is of another library: `webrag search` finds the words where they "
                "are kept.",
            )
        return _place(named, found[0])


def _place(named: CiteId, version: CitedVersion) -> CitedPlace:
    char_start = named.char_start or 0
    char_end = version.characters if named.char_end is None else named.char_end
    if char_end > version.characters:
        raise NotFoundError(
            f"{named} names characters up to {char_end:,}, but its text has {version.characters:,}.",
            f"The link may have been changed on its way; {CiteId(named.version)} names the whole text.",
        )
    return CitedPlace(
        cite_id=named,
        document_id=version.document_id,
        version_id=version.id,
        version_number=version.number,
        is_current=version.active,
        title=version.title,
        source_url=version.source_url,
        char_start=char_start,
        char_end=char_end,
        text=version.text,
        heading_path=tuple(version.heading_path or ()),
        page=version.page,
        in_bin=version.in_bin,
    )


def _no_document(link: DocumentLink) -> NotFoundError:
    return NotFoundError(
        f"The library holds no text of a document {link.document_id}.",
        "It was removed, has not been read yet, or is of another library: `webrag list` shows what is there.",
    )
