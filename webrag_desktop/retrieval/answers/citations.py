"""Where passages come from, with the address that leads there. Nothing here knows the library."""

import re

from webrag_desktop.citations import page_urls
from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.contracts.answers import ChunkMetadata, Citation
from webrag_desktop.text import links as addresses

_PAGE = re.compile(r"(?:https?|file)://", re.IGNORECASE)


def build_citation(metadata: ChunkMetadata, *, base_url: str | None = None) -> Citation:
    """The citation of a passage.

    A page is reached at its own address, by the real anchor of the place, else by the slug of its heading; a path of a
    Markdown file at the page that is made of it below ``base_url``. A path without that has no address.

    Raises:
        InputError: the address of the page, or ``base_url``, is malformed.
    """
    return Citation(
        title=metadata.title,
        section=metadata.section,
        url=_url(metadata, base_url),
        doc_path=metadata.doc_path,
        page=metadata.page,
        document_id=metadata.document_id,
        version_id=metadata.version_id,
        char_start=metadata.char_start,
        char_end=metadata.char_end,
    )


def _url(metadata: ChunkMetadata, base_url: str | None) -> str | None:
    path = metadata.doc_path
    if not path:
        return None
    is_page = _PAGE.match(path)
    try:
        if is_page:
            return addresses.build_url(path, metadata.section, anchor=metadata.anchor)
        return None if base_url is None else page_urls.build_url(path, metadata.section, base_url=base_url)
    except ValueError as error:
        wrong = path if is_page else base_url
        raise InputError(f"“{wrong}” is no address.", "Check how it is written, or leave it out.") from error
