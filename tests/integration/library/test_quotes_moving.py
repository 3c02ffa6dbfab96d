"""Quotations while a library moves to another space, when every text is cut in two ways."""

from pathlib import Path

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_CHUNKS, RIVERS, MovingLibrary, ask_for, assert_moved
from tests.support.queue_work import OPTIONS
from webrag_desktop.library.documents import Documents
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.models.quotes import QuoteReport
from webrag_desktop.retrieval.quotes.passages import read_quotation
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.searching.quotes import rare_words

SENTENCE = "The river carries cold water to the sea. This is sentence number 3 about Weser."
QUOTES = (
    SENTENCE,
    *(f"sentence number {n} about {river}" for n in range(6) for river in RIVERS),
    *(
        f"sentence number {n} about {river}.\n\nThe river carries cold water to the sea. "
        f"This is sentence number {n + 1} about {river}"
        for n in range(5)
        for river in RIVERS
    ),
)


def test_each_place_is_reported_once_before_during_and_after_a_move(
    moving_library: MovingLibrary, models: EmbeddingServer, tmp_path: Path
) -> None:
    quotes = Quotes(
        moving_library.database, Documents(moving_library.database, Spool(tmp_path / "intake"), OPTIONS)
    )
    before = [quotes.verify(quote) for quote in QUOTES]
    assert [(one.grade, len(one.places)) for one in before] == [("exact", 1)] * len(QUOTES)
    wanted = ask_for(moving_library, models, OTHER_CHUNKS)
    assert wanted.moving.begin()
    wanted.step(3)
    assert wanted.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 2
    assert [quotes.verify(quote) for quote in QUOTES] == before
    with wanted.database.connection() as conn:
        (words,) = rare_words(conn, read_quotation(SENTENCE).sought, 16, 10_000)
    assert words.children == wanted.count(
        "SELECT count(*) FROM chunks WHERE chunk_level = 'child' AND chunking_id ="
        " (SELECT s.chunking_id FROM corpus c JOIN embedding_spaces s ON s.id = c.active_space)"
    )
    wanted.work()
    assert_moved(wanted)
    after = [quotes.verify(quote) for quote in QUOTES]
    assert [_spans(one) for one in after] == [_spans(one) for one in before]
    assert after[0].places[0].verbatim == SENTENCE


def _spans(report: QuoteReport) -> list[tuple[str, str, int]]:
    return [(place.grade, place.source_url, place.char_start) for place in report.places]
