"""What indexing derives about a document, so that it can be filtered, stemmed and found by links."""

from functools import lru_cache, partial
from uuid import UUID

from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.texts.documents import PublishedFacts
from webrag_desktop.storage.texts.languages import usual_languages
from webrag_desktop.text.language import search_language
from webrag_desktop.text.links import site_of


def published_facts(conn: Connection, document_id: UUID, document: NormalizedDocument) -> PublishedFacts:
    """The facts of a document; where its language is not clear, it is that of its site or of the library."""
    site = site_of(document.source_url)
    usual = partial(usual_languages, conn, site, document_id)
    return PublishedFacts(
        site=site,
        search_language=search_language(document.language, document.markdown, usual),
        link_keys=tuple(_link_key(link.url) for link in document.links),
    )


_link_key = lru_cache(maxsize=8192)(url_key)  # pages of a site have the same navigation
