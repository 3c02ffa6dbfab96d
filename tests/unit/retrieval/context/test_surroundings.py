"""Where runs lie around a passage, of chunks and, of a text that was replaced, of blocks."""

from tests.support.context_books import Book, surroundings
from tests.support.found_chunks import found_chunk
from tests.support.retrieval_rows import id_of
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.context.surroundings import Piece, Surroundings
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.storage.searching.items import FormerText, Neighbours

BOOK = Book("Book", [("A", ["One. ", "Two. "]), ("B", ["Three. "]), ("C", ["Four. ", "Five. "])])
MARKDOWN = "# T\n\n## A\n\nOne.\n\n## B\n\nTwo."


def test_as_many_spans_as_asked_for_stand_on_either_side() -> None:
    found = BOOK.found(1, [0])
    texts = [part.text for part in surroundings(BOOK).around(found, 1)]
    assert texts == ["Two. ", "Three. ", "Four. "]
    assert len(surroundings(BOOK).around(found, 9)) == 5
    assert surroundings(BOOK).around(found_chunk("Text."), 1) == []
    assert not surroundings(BOOK).is_former(found)


def test_pages_are_those_that_stand_within() -> None:
    (first, *_others) = surroundings(BOOK).around(BOOK.found(0, [0]), 0)
    assert first.pages(0, 3) is None
    places = (Place(0, None, None, 2), Place(2, None, None, 3), Place(4, None, None, 4))
    paged = first._replace(page=2, places=places)
    assert (paged.pages(0, 2), paged.pages(1, 3), paged.pages(4, 5)) == ((2, 2), (2, 3), (4, 4))


def test_blocks_of_a_replaced_text_leave_out_nothing_and_know_their_sections() -> None:
    starts = [MARKDOWN.index(part) for part in ("# T", "## A", "One", "## B", "Two")]
    paths = [["T"], ["T", "A"], ["T", "A"], ["T", "B"], ["T", "B"]]
    blocks = [
        {"char_start": start, "char_end": start + 3, "heading_path": path}
        for start, path in zip(starts, paths, strict=True)
    ]
    found = found_chunk(MARKDOWN[starts[1] : starts[3]], start=starts[1]).model_copy(
        update={"version_id": id_of("v")}
    )
    around = Surroundings(Neighbours([], [FormerText(id_of("v"), MARKDOWN, blocks)]))
    assert around.is_former(found)
    assert not around.is_removed(found)
    row = around.around(found, 1)
    assert [part.text.strip() for part in row] == ["# T", "## A", "One.", "## B"]
    assert "".join(part.text for part in around.around(found, 9)) == MARKDOWN
    assert [part.on_page_of(row[2]) for part in row] == [False, True, True, False]


def test_what_is_left_of_a_run_is_under_the_headings_above_it() -> None:
    places = (Place(0, "a", "A"), Place(5, "easy", "Easy"), Place(9, "hard", "Hard"))
    text = "A. Easy. Hard."
    run = Passage(
        text, 0.0, char_end=14, heading_path=("T", "A"), section_heading="A", anchor="a", places=places
    )
    whole = Piece("primary", 1, found_chunk(text), run, (run.span,), runs=(run,))
    places_of = [whole.with_spans([span]).passage for span in ((0, 4), (10, 14))]
    assert [(part.heading_path, part.anchor) for part in places_of] == [
        (("T", "A"), "a"),
        (("T", "A", "Hard"), "hard"),
    ]
