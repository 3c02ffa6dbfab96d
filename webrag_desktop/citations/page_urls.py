"""Addresses of the pages that a documentation generator makes of a folder of Markdown files."""

from urllib.parse import quote

from webrag_desktop.text import links as addresses

DOCS_FOLDER = "website/docs/"
SUFFIX = ".md"
INDEX = "index"

# What RFC 3986 allows in a path. A path is no address: its "%", "?" and "#" are characters of a name.
_PATH_SAFE = "/:@!$&'()*+,;="


def build_url(doc_path: str, section_heading: str | None = None, *, base_url: str) -> str:
    """Where the page of a Markdown file is below ``base_url``, at a section if one is given.

    ``doc_path`` counts from the folder of the documents, whose own path (``website/docs/``) may come first. The page
    has the name of its file without ``.md``; that of ``index.md`` is its folder. The section is found by the slug of
    its heading, see :func:`~webrag_desktop.text.links.slugify`.
    """
    path = doc_path.removeprefix(DOCS_FOLDER).removesuffix(SUFFIX).lstrip("/")
    folder, slash, name = path.rpartition("/")
    if name == INDEX:
        path = folder + slash
    url = f"{base_url.rstrip('/')}/{quote(path, safe=_PATH_SAFE)}"
    return addresses.build_url(url, section_heading)
