"""Addresses and files become captures, captures become documents with an exact source map.

What other packages use: :func:`parse_source` and :func:`url_key`, :func:`fetch` and :func:`read_file`,
:func:`extract` and :func:`addresses_of`.
"""

from webrag_desktop.ingestion.addresses import file_path, parse_source, url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, addresses_of, extract
from webrag_desktop.ingestion.fetch import FetchOptions, fetch
from webrag_desktop.ingestion.files import read_file

__all__ = [
    "EXTRACTOR_VERSION",
    "FetchOptions",
    "addresses_of",
    "extract",
    "fetch",
    "file_path",
    "parse_source",
    "read_file",
    "url_key",
]
