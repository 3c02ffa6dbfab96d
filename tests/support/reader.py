"""A text for the reader with what can be read in it, and what a user does there."""

from dataclasses import replace
from uuid import UUID

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.data.view_data import CitationRow, CitationState, ReaderDocument, SpanReference
from webrag_desktop.gui.reader.reader_pane import ReaderView

TEXT = """# The induction coils of Wildman Whitehouse, re-examined

Telegraph Quarterly, vol. 31, 2008

## 1 The hut at Knightstown

The hut stood on the shore, with its door to the sea.

## 2 Instruments on the table

A mirror galvanometer, a lamp, and a **relay** that nobody trusted.

## 3 The last week of August

The board in London knew very little of what was happening in the hut at Knightstown. Its telegrams ask for news of \
the instruments and are answered with news of the weather.

### Voltage

By the middle of the month the operators at Valentia could no longer raise a steady deflection. Whitehouse answered \
by applying his *five-foot* induction coils, driving close to two thousand volts into a core whose insulation had \
already been strained in laying. Within days the line was carrying only fragments, and the last intelligible words \
came through on the first of September.

It is easy to make the coils carry the whole blame. The committee of 1861 very nearly did so, and most popular \
accounts have followed it. The log kept at the [station](https://x.example/station) does not support the simple \
version: three of the eleven recorded breaks in signalling come before the first use of high tension.

### Alternate hours

Thomson’s own instrument, which needed less than a thousandth of the current, was already working on the same table. \
For a week both were in use on alternate hours, and it is the mirror that received the Queen’s message, though the \
relay was given the credit.

## 4 The evidence of the recovered lengths

In 1994 a trawler brought up forty metres of the shore end. The copper is off centre by almost a third of the radius.
"""
COILS = (
    "Whitehouse answered by applying his *five-foot* induction coils, driving close to two thousand volts into a "
    "core whose insulation had already been strained in laying."
)
BREAKS = "three of the eleven recorded breaks in signalling come before the first use of high tension."
MIRROR = "A mirror galvanometer"


def titled(document: ReaderDocument) -> ReaderDocument:
    return replace(
        document,
        title="The induction coils of Wildman Whitehouse, re-examined",
        place="telegraphquarterly.net",
        address="https://telegraphquarterly.net/coils",
    )


def show(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    view.show_document(document)
    qtbot.waitUntil(lambda: view._text.is_complete, timeout=30_000)
    wait_laid_out(view, qtbot)


def wait_laid_out(view: ReaderView, qtbot: QtBot) -> None:
    """Wait until the lines are broken for the present width, which is put off where breaking them takes its time."""
    qtbot.waitUntil(lambda: not view._text._pause.isActive())


def span(document: ReaderDocument, words: str) -> SpanReference:
    start = document.markdown.index(words)
    return SpanReference(document.document_id, document.version_id, start, start + len(words))


def cited(number: int, at: SpanReference, **changes: object) -> CitationRow:
    made = CitationRow(
        id=UUID(int=number),
        number=number,
        quote="",
        verbatim="",
        title="",
        state=CitationState.EXACT,
        explanation=None,
        document_id=at.document_id,
        version_id=at.version_id,
        char_start=at.char_start,
        char_end=at.char_end,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def settle(view: ReaderView, qtbot: QtBot) -> None:
    settling = view._text._settling
    qtbot.waitUntil(lambda: settling.state() == settling.State.Stopped)


def select(view: ReaderView, words: str) -> None:
    text = view._text
    start = text.document().toPlainText().index(words)
    cursor = QTextCursor(text.document())
    cursor.setPosition(start)
    cursor.setPosition(start + len(words), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)


def type_query(view: ReaderView, qtbot: QtBot, query: str) -> None:
    QTest.keyClick(view._text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    view._bar._field.clear()
    with qtbot.waitSignal(view._bar.query_changed, check_params_cb=lambda said: said == query):
        QTest.keyClicks(view._bar._field, query)
