"""Opening what a cite id names."""

from dataclasses import dataclass

from webrag_desktop.errors import NotFoundError
from webrag_desktop.models.citations import CitedPlace, CiteId, DocumentLink, parse_link
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.texts.documents import active_version
from webrag_desktop.storage.texts.versions import CitedVersion, versions_between


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
    )


def _no_document(link: DocumentLink) -> NotFoundError:
    return NotFoundError(
        f"The library holds no text of a document {link.document_id}.",
        "It was removed, has not been read yet, or is of another library: `webrag list` shows what is there.",
    )
