"""What the documents of a library are and come from, counted as filters understand it."""

import random
from collections import Counter

from tests.support.filtered_library import FilteredLibrary
from tests.support.synthetic_library import SyntheticLibrary
from webrag_desktop.models.sources import Facets
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library.listing import read_facets


def test_facets_count_what_filters_find(database: Database) -> None:
    documents = FilteredLibrary(SyntheticLibrary(database), random.Random(7), 60).documents
    with database.connection() as conn:
        facets = read_facets(conn)
    languages = Counter(one.language.partition("-")[0] for one in documents if one.language)
    assert dict(facets.sites) == Counter(one.site for one in documents if one.site)
    assert dict(facets.doc_types) == Counter(one.doc_type for one in documents)
    assert dict(facets.languages) == languages
    assert {"en", "de", "fr"} <= set(languages)  # stated, stated with a region, recognised
    for counted in (facets.sites, facets.doc_types, facets.languages):
        assert list(counted) == sorted(counted, key=lambda one: (-one[1], one[0]))


def test_an_empty_library_has_none(database: Database) -> None:
    with database.connection() as conn:
        assert read_facets(conn) == Facets((), (), ())
