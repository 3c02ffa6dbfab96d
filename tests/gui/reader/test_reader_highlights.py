"""What the reader marks is exactly what is cited, matched or found."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from tests.support.corpus import captured
from tests.support.markdown_documents import DOCUMENTS, GeneratedDocument
from tests.support.reader import BREAKS, COILS, show, span
from tests.unit.gui.test_reader_document import PAGES, page, shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.text.plain_text import project


def test_the_highlight_reads_as_the_projection(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    assert view.highlighted_text() == project(COILS).text
    assert view.highlighted_text() == COILS.replace("*", "")
    assert view.highlighted_span() == span(document, COILS)


@pytest.mark.parametrize("name", ["scripts_and_emoji.md", "crlf_letter.txt", "field_notes.md"])
def test_highlights_in_every_file_read_as_the_projection(view: ReaderView, qtbot: QtBot, name: str) -> None:
    kind = "text/plain" if name.endswith("txt") else "text/markdown"
    capture = captured(f"file:///{name}", (PAGES / name).read_bytes())
    extracted = extract(capture.model_copy(update={"headers": (("content-type", kind),)}))
    made = shown(version(extracted.markdown, blocks=extracted.blocks, url=f"file:///{name}"))
    check_highlights(view, qtbot, made, step=3)


@pytest.mark.parametrize("name", ["sklearn_ensemble.html", "encyclopaedia.html"])
def test_highlights_in_pages_read_as_the_projection(view: ReaderView, qtbot: QtBot, name: str) -> None:
    check_highlights(view, qtbot, shown(page(name)), step=401)


def check_highlights(view: ReaderView, qtbot: QtBot, made: ReaderDocument, *, step: int) -> None:
    show(view, qtbot, made)
    plain, length = project(made.markdown), len(made.markdown)
    for start in range(0, length, step):
        for size in (1, 17, 160):
            end = min(start + size, length)
            view.show_span(SpanReference(made.document_id, made.version_id, start, end))
            assert view.highlighted_text().strip() == plain.reading(start, end).strip()


@given(DOCUMENTS, st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_generated_highlights_read_as_the_projection(
    view: ReaderView, qtbot: QtBot, generated: GeneratedDocument, data: st.DataObject
) -> None:
    view.clear()
    made = shown(version(generated.markdown))
    show(view, qtbot, made)
    plain = project(made.markdown)
    for _ in range(5):
        start = data.draw(st.integers(0, len(made.markdown)))
        end = data.draw(st.integers(start, len(made.markdown)))
        view.show_span(SpanReference(made.document_id, made.version_id, start, end))
        read = plain.reading(start, end) if start < end else ""  # no characters are none of an entity's
        assert view.highlighted_text().strip() == read.strip()


def test_a_span_asked_for_before_its_document_is_shown_with_it(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    view.show_span(span(document, BREAKS))
    assert view.highlighted_text() == ""
    assert view.highlighted_span() is None
    show(view, qtbot, document)
    assert view.highlighted_text() == BREAKS


def test_the_same_document_is_not_built_again(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, BREAKS))
    built = view._text.document()
    view.show_document(replace(document, current=False))
    assert view._text.document() is built
    assert view.highlighted_text() == BREAKS
    assert view._note.isVisible()


def test_a_span_is_scrolled_to_and_one_in_sight_stays(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    bar = view._text.verticalScrollBar()
    view.show_span(span(document, COILS))
    scrolled = bar.value()
    assert scrolled > 0
    view.show_span(span(document, "Within days"))
    assert bar.value() == scrolled


@pytest.mark.parametrize("change", ["zoom", "theme"])
def test_what_is_marked_stays_in_sight_where_the_first_slice_reaches_it(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, themed: Callable[[bool], None], change: str
) -> None:
    view.resize(568, 300)
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    text = view._text
    before = text._geometry().span(*text.active_places()[0])
    assert text.verticalScrollBar().value() > 100
    if change == "zoom":
        view.zoom_by(1)
    else:
        themed(True)
    qtbot.waitUntil(lambda: text.is_complete)
    after = text._geometry().span(*text.active_places()[0])
    assert before is not None
    assert after is not None
    assert after[0] == pytest.approx(before[0], abs=3)
    assert text.textCursor().position() == 0
