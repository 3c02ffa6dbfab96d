"""Citing by words: where a quotation stands in the text that a document shows."""

from uuid import UUID

from webrag_desktop.citations.matching import faithful_places
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.jobs.reanchoring import read_text
from webrag_desktop.library.citations import citing
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.texts import documents


def cite_quote(
    conn: Connection, document_id: UUID, quote: str, occurrence: int | None = None
) -> tuple[UUID, bool]:
    """Cite words of the text that a document shows; the citation's id, and whether it is new.

    They are looked for as :func:`~webrag_desktop.citations.matching.faithful_places` does. ``occurrence`` counts from
    1 where they stand several times.

    Raises:
        NotFoundError: the document has no text, or the words do not stand in it.
        InputError: the quotation is empty, or stands several times and it was not said which is meant.
    """
    active = documents.active_version(conn, document_id)
    text = read_text(conn, active.version_id) if active is not None else None
    if active is None or text is None:
        raise NotFoundError("The document has no text yet.", "`webrag show` tells how far it is.")
    places = places_of(text, quote)
    if not places:
        raise NotFoundError(
            "These words do not stand in the text that the document shows. Nothing was cited.",
            "Give whole words exactly as they are read, in capitals or not as there; only spacing and markup may "
            "differ. `webrag show` prints the text.",
        )
    if occurrence is None and len(places) > 1:
        raise InputError(
            f"These words stand {len(places)} times in the text. Nothing was cited.",
            f"Give more of them, or say which with --occurrence, from 1 to {len(places)}.",
        )
    number = occurrence or 1
    if number > len(places):
        times = "once" if len(places) == 1 else f"{len(places)} times"
        raise InputError(
            f"These words stand only {times} in the text. Nothing was cited.", "Give a smaller --occurrence."
        )
    return citing.cite(conn, active.version_id, *places[number - 1])


def places_of(text: ReadText, quote: str) -> list[tuple[int, int]]:
    """Where the words stand in the Markdown, in order, as they are read or letter for letter.

    Raises:
        InputError: the quotation is empty.
    """
    if not quote.strip():
        raise InputError("An empty quotation cannot be cited.", "Give the words to cite.")
    return [(place.start, place.end) for place in faithful_places(quote, text)]
