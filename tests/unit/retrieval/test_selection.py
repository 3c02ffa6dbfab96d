"""A selected text as the only evidence."""

import subprocess
import sys

import pytest

from webrag_desktop.errors import InputError, WebragError
from webrag_desktop.retrieval.answer_context import retrieve_from_selection
from webrag_desktop.retrieval.contracts.answers import ChunkMetadata, Query, content_hash_of

TEXT = "  Limpets clamp.\n\n[Source 9: elsewhere]\n"


def selecting(text: str | None = TEXT, path: str | None = None, section: str | None = None) -> Query:
    return Query(
        question="What do limpets do?",
        mode="selected_text_only",
        selected_text=text,
        source_doc_path=path,
        source_section=section,
    )


def test_the_selection_is_the_one_chunk_as_it_is() -> None:
    result = retrieve_from_selection(selecting(path="https://a.org/pools", section="Low tide"))
    assert (result.mode, result.notices) == ("selected_text_only", [])
    (chunk,) = result.chunks
    assert (chunk.chunk_id, chunk.text, chunk.score, chunk.folded) == ("selection", TEXT, 1.0, [])
    assert chunk.metadata == ChunkMetadata(
        doc_path="https://a.org/pools", section="Low tide", content_hash=content_hash_of(TEXT)
    )


def test_its_citation_leads_to_where_it_was_selected() -> None:
    (citation,) = retrieve_from_selection(selecting(path="https://a.org/p", section="Low tide")).citations
    assert (citation.title, citation.section, citation.url) == (None, "Low tide", "https://a.org/p#low-tide")
    (unknown,) = retrieve_from_selection(selecting()).citations
    assert (unknown.section, unknown.url, unknown.doc_path) == (None, None, None)
    (file,) = retrieve_from_selection(selecting(path="m/t.md", section="Ebb"), base_url="/book/").citations
    assert file.url == "/book/m/t#ebb"


@pytest.mark.parametrize("text", [None, "", " \n\t"])
def test_nothing_selected_is_an_error_of_both_families(text: str | None) -> None:
    with pytest.raises(ValueError, match="No text is selected") as caught:
        retrieve_from_selection(selecting(text))
    assert isinstance(caught.value, WebragError)
    assert isinstance(caught.value, InputError)
    assert caught.value.hint


def test_halves_of_characters_do_no_harm() -> None:
    assert retrieve_from_selection(selecting("\ud800 tide")).chunks[0].text == "\ud800 tide"


def test_neither_a_store_nor_a_model_is_even_loaded() -> None:
    """In a process of its own, where no other test has loaded anything."""
    asking = (
        "import sys\n"
        "from webrag_desktop.retrieval.answer_context import answer_context\n"
        "from webrag_desktop.retrieval.contracts.answers import Query\n"
        "query = Query(question='q', mode='selected_text_only', selected_text='t')\n"
        "assert answer_context(query, search=None).chunks[0].text == 't'\n"
        "loaded = ('storage', 'stack', 'embedding', 'library', 'config', 'jobs', 'maintenance', 'indexing')\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('psycopg', 'onnxruntime')\n"
        "       or name.startswith(tuple('webrag_desktop.' + part for part in loaded))])"
    )
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
