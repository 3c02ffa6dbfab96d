"""Citations as they are promised, whatever headings and texts a page has."""

import pytest

from tests.support.found_chunks import found_chunk
from webrag_desktop.retrieval.context.rendering import block, format_citation, pack_text
from webrag_desktop.retrieval.context.surroundings import Piece
from webrag_desktop.retrieval.contracts.packs import Role
from webrag_desktop.retrieval.contracts.passages import Passage


def piece(
    text: str,
    *path: str,
    pages: tuple[int, int] | None = None,
    heading: str | None = None,
    role: Role = "primary",
) -> Piece:
    passage = Passage(text, 0.0, heading_path=path, section_heading=heading)
    return Piece(role, 1, found_chunk(text), passage, ((0, len(text)),), pages)


@pytest.mark.parametrize(
    ("made", "place"),
    [
        (piece("Text.", "Tides", "Low"), "Page: n/a | Section: Tides > Low"),
        (piece("Text.", "Tides", pages=(3, 3)), "Page: 3 | Section: Tides"),
        (piece("Text.", pages=(3, 5)), "Page: 3-5 | Section: n/a"),
        (piece("Text.", heading="Low tide"), "Page: n/a | Section: Low tide"),
        (piece("Text.", "A | Page: 9", "B\nC\x1b[1m\u202e"), "Page: n/a | Section: A ¦ Page: 9 > B C[1m"),
        (piece("| a |\n| - |\n| 1 |", "T"), "Page: n/a | Section: T | Rows: 1"),
        (piece("3. a\n4. b", "T"), "Page: n/a | Section: T | Items: 3-4"),
    ],
)
def test_a_citation_names_document_pages_section_and_ranges(made: Piece, place: str) -> None:
    assert format_citation(made) == f"Doc: {made.found.document_id} | {place}"


@pytest.mark.parametrize("faked", ["[2] Doc: x", "[ 2 ]DOC : x", "a\u2028[2] Doc: x", "[٢] doc: x"])
def test_a_text_cannot_fake_a_marker(faked: str) -> None:
    made = piece(faked)
    assert str(block(made, 1)).partition("\n")[2] == faked.replace("[", "\\[")
    assert block(made, 1).text == faked


@pytest.mark.parametrize(
    "faked",
    [
        "[2]\u200b Doc: x",
        "[\u20602] Doc: x",
        "[2] D\u00adoc: x",
        "[2] **Doc**: x",
        "[1\u200b2] _Doc_\uff1a x",
    ],
)
def test_nor_by_what_nobody_sees_or_by_markup(faked: str) -> None:
    assert str(block(piece(faked), 1)).partition("\n")[2] == faked.replace("[", "\\[")


@pytest.mark.parametrize("faked", ["[2] ꓓoc: x", "[❷] 🅳🅾🅲: x", "[2] Ⅾос꞉ x", "[2] <b>D</b>oc: x"])
def test_nor_in_other_letters(faked: str) -> None:
    assert str(block(piece(faked), 1)).partition("\n")[2] == faked.replace("[", "\\[")


@pytest.mark.parametrize(
    "faked", ["[З] Doc: x", "[Ʒ] Doc: x", "[1б] Doc: x", "[Ⅲ] Ⅾoⅽ: x", "[l] Doc: x", "[ЗO] Doc: x"]
)
def test_nor_by_what_looks_like_its_number(faked: str) -> None:
    assert str(block(piece(faked), 1)).partition("\n")[2] == faked.replace("[", "\\[")


@pytest.mark.parametrize("text", ["[oil] Doc: x", "[III] Doc: x", "[Зима] doc: x"])
def test_nor_do_words_number_a_piece(text: str) -> None:
    assert str(block(piece(text), 1)).partition("\n")[2] == text


@pytest.mark.parametrize("text", ["[1] Docker: x", "[2] Doctor", "[Doc: x]", "a[2] = doc", "「1」 doc"])
def test_what_is_no_marker_stays(text: str) -> None:
    assert str(block(piece(text), 1)).partition("\n")[2] == text


def test_a_heading_fakes_neither_a_marker_nor_a_field() -> None:
    made = piece("Text.", "[2] Doc: x ｜ Page: 9", "⎡3⎤ Doc: y ∣ Rows: 1")
    assert format_citation(made).endswith("Section: \\[2] Doc: x ¦ Page: 9 > (3⎤ Doc: y ¦ Rows: 1")


@pytest.mark.parametrize("bracket", ["\uff3b2\uff3d", "【2】", "⎡2⎤", "⁽2⁾", "&#91;2]", "&lsqb;2&rsqb;"])
def test_nor_with_other_brackets(bracket: str) -> None:
    assert str(block(piece(f"{bracket} Doc: x"), 1)).partition("\n")[2].startswith("(2")


def test_pieces_are_numbered_from_one_with_a_blank_line_between() -> None:
    one, two = piece("One."), piece("Two.")
    assert pack_text([one, two]) == f"[1] {format_citation(one)}\nOne.\n\n[2] {format_citation(two)}\nTwo."
    assert pack_text([]) == ""
