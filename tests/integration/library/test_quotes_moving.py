"""Quotations while a library moves to another space, when every text is cut in two ways."""

from pathlib import Path

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_CHUNKS, MovingLibrary, ask_for, assert_moved
from tests.support.queue_work import OPTIONS
from webrag_desktop.library.documents import Documents
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.storage.captures.spool import Spool

SENTENCE = "The river carries cold water to the sea. This is sentence number 3 about Weser."


def test_each_place_is_told_once_before_during_and_after_a_move(
    moving_library: MovingLibrary, models: EmbeddingServer, tmp_path: Path
) -> None:
    quotes = Quotes(
        moving_library.database, Documents(moving_library.database, Spool(tmp_path / "intake"), OPTIONS)
    )
    before = quotes.verify(SENTENCE)
    assert (before.grade, len(before.places)) == ("exact", 1)
    wanted = ask_for(moving_library, models, OTHER_CHUNKS)
    assert wanted.moving.begin()
    wanted.step(3)
    assert wanted.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 2
    assert quotes.verify(SENTENCE) == before
    wanted.work()
    assert_moved(wanted)
    after = quotes.verify(SENTENCE)
    assert [place.verbatim for place in after.places] == [SENTENCE]
    assert [place.char_start for place in after.places] == [before.places[0].char_start]
