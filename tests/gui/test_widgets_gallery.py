"""One sheet of all parts and their states, taken in both themes to be laid beside the reference."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, READER_LINE, SEMIBOLD, font
from webrag_desktop.gui.kit.theme.painting import (
    paint_bar,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    paint_number,
    paint_pill,
    paint_travel,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.kit.widgets.bars import SegmentBar, paint_score
from webrag_desktop.gui.kit.widgets.buttons import Segmented, push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, label
from webrag_desktop.gui.kit.widgets.messages import EmptyState, ToastArea
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column, row
from webrag_desktop.gui.research.query_box import ModeBadge, QueryBox

Picture = Callable[[QWidget, str], Path]
WIDTH = 720
SENTENCES = (
    "The matching sentence rests on marker yellow. The active one is stronger. "
    "A note has an edge and a line to the margin."
)


class Painted(QWidget):
    """A stage for what delegates draw."""

    def __init__(self, height: int, paint: Callable[[QPainter], None]) -> None:
        super().__init__()
        self._paint = paint
        self.setFixedHeight(height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._paint(QPainter(self))


class Parts(Panel):
    def __init__(self, theme: str) -> None:
        super().__init__("surface")
        self.setFixedWidth(WIDTH)
        self._column = column(self, (24, 16, 24, 80), 6)
        self._buttons(theme)
        self._query()
        for title, height, paint in (
            ("Document states", 60, paint_states),
            ("Citation states: always an icon, a word and a reason", 84, paint_citation_states),
            ("Evidence: match, active match, an edge bar", 56, paint_evidence),
            ("Any script: right to left, mixed, cut after two lines", 130, paint_scripts),
            ("Rows: rest, hover, selected, selected with the keyboard", 44, paint_rows),
            ("Scores, known and unknown progress, where nothing may move", 44, paint_bars),
        ):
            self._caption(title)
            self._column.addWidget(Painted(height, paint))
        self._caption("Nothing found")
        self._column.addWidget(
            EmptyState(
                "search",
                "No passage mentions “galvanic creep”",
                "Four filters are on. Without after:1990 there are 3.",
                "Remove after:1990",
            )
        )
        self._column.addStretch(1)
        toasts = ToastArea(self)
        toasts.show_notice("3 links added to Inbox", "Undo", shortcut="Ctrl Z")

    def _caption(self, text: str) -> None:
        self._column.addSpacing(10)
        self._column.addWidget(label(text, "micro", "text3", SEMIBOLD))

    def _buttons(self, theme: str) -> None:
        self._caption(f"Buttons, mode, switch ({theme})")
        buttons = row(spacing=10)
        unavailable = push_button("Not now")
        unavailable.setEnabled(False)
        self.focused = push_button("Focused")
        for button in (
            push_button("Default"),
            push_button("Primary", "primary", "download"),
            push_button("Quiet", "quiet"),
            unavailable,
            self.focused,
            push_button("Retry", "mini", "rotate-cw"),
            push_button("A link", "link"),
            tool_button("arrow-down", "Next match", "F3"),
        ):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self._column.addLayout(buttons)
        badge = ModeBadge()
        badge.show_mode("Chunk mode", "182k tokens / 30k threshold", "Only the best passages are read.")
        switches = row(spacing=10)
        switches.addWidget(
            Segmented([("library", "Library", "Ctrl+1"), ("text-quote", "Research", "Ctrl+2")])
        )
        switches.addStretch(1)
        switches.addWidget(badge)
        switches.addWidget(text_switch := Segmented([("", "Page", ""), ("", "Text", "")]))
        text_switch.choose(1)
        self._column.addLayout(switches)

    def _query(self) -> None:
        empty, filled = QueryBox(), QueryBox()
        filled.set_text("Why did the 1858 Atlantic cable fail?")
        self._column.addWidget(empty)
        self._column.addWidget(filled)
        header = PaneHeader("Results", [push_button("Copy all", "quiet", "copy")])
        header.set_detail("23 passages in 8 documents, 41 ms")
        self._column.addWidget(header)
        self.title = ElidedLabel("The induction coils of Wildman Whitehouse, re-examined in every detail" * 2)
        self._column.addWidget(self.title)
        bar = SegmentBar()
        bar.show_shares([("ok", 38), ("accent", 3), ("line_strong", 83), ("bad", 2)])
        self._column.addWidget(bar)


def paint_states(painter: QPainter) -> None:
    states: tuple[tuple[str, Role, str, str], ...] = (
        ("circle-dashed", "text3", "Queued, 3 ahead", ""),
        ("arrow-down-to-line", "accent_text", "Fetching", ""),
        ("scan-text", "accent_text", "Extracting text", ""),
        ("circle-dot", "accent_text", "Embedding", "40%"),
        ("circle-check", "ok", "Ready", ""),
        ("circle-alert", "bad", "Failed", ""),
    )
    used = font("body", MEDIUM)
    for index, (icon, role, word, share) in enumerate(states):
        x, y = index % 3 * 226.0, index // 3 * 30.0
        paint_icon(painter, icon, x, y + 4, 15, role)
        ink: Role = "text2" if role == "ok" else role
        width = paint_line(painter, QRectF(x + 22, y, 180, 22), word, used, ink)
        paint_line(
            painter, QRectF(x + 30 + width, y, 60, 22), share, font("body", MEDIUM, figures=True), "text2"
        )


def paint_citation_states(painter: QPainter) -> None:
    states: tuple[tuple[str, str, Role, Role, str], ...] = (
        ("Exact", "circle-check", "ok", "ok_soft", "Same words, same place"),
        ("Moved", "move-right", "warn", "warn_soft", "Same words, 212 characters further on"),
        ("Lost", "link-2-off", "bad", "bad_soft", "The page no longer says this. Your copy does."),
    )
    for index, (word, icon, ink, ground, why) in enumerate(states):
        y = index * 28.0
        paint_pill(painter, 0, y + 11, word, ink, ground, icon)
        paint_line(painter, QRectF(96, y, 400, 22), why, font("small"), "text2" if ink == "ok" else ink)


def paint_evidence(painter: QPainter) -> None:
    marks = (Mark(0, 45, "evidence"), Mark(46, 73, "active"), Mark(50, 56, "term"))
    laid = LaidText(
        SENTENCES, font(family="serif", pixels=16), 640, line_ratio=READER_LINE, most_lines=3, marks=marks
    )
    laid.paint(painter, 8, 0)
    painter.fillRect(QRectF(0, 0, 3, laid.height), colour("evidence_edge"))


def paint_scripts(painter: QPainter) -> None:
    y = 0.0
    for text, start, end in (
        ("انقطع الكابل بعد ثلاثة أسابيع فقط. والسبب هو الجهد العالي الذي استعمله وايتهاوس.", 35, 80),
        ("The word כבל means cable, and كابل too, in one line of text.", 4, 38),
        (SENTENCES * 2, 46, 170),
    ):
        laid = LaidText(text, font(), 400, most_lines=2, marks=(Mark(start, end, "evidence"),))
        laid.paint(painter, 4, y)
        y += laid.height + 6


def paint_rows(painter: QPainter) -> None:
    for index, word in enumerate(("Rest", "Hover", "Selected", "Keyboard")):
        rect = QRectF(index * 168, 2, 158, 40)
        if index:
            paint_box(painter, rect, 8, colour("hover" if index == 1 else "accent_soft"))
        if word == "Keyboard":
            paint_focus(painter, rect, 8)
        paint_number(painter, rect.left() + 12, rect.top() + 11, index + 1, filled=index > 1)
        paint_line(painter, rect.adjusted(42, 0, 0, 0), word, font("body", MEDIUM))


def paint_bars(painter: QPainter) -> None:
    paint_score(painter, 4, 4, 0.91, active=True)
    paint_score(painter, 64, 4, 0.84, active=False)
    paint_bar(painter, QRectF(130, 14, 150, 4), 0.4)
    paint_travel(painter, QRectF(300, 14, 150, 4), 0.5)
    paint_travel(painter, QRectF(470, 14, 150, 4), None)


@pytest.mark.parametrize(("dark", "name"), [(False, "parts"), (True, "parts-dark")])
def test_all_parts_show_in_both_themes(
    qtbot: QtBot, themed: Callable[[bool], None], picture: Picture, dark: bool, name: str
) -> None:
    themed(dark)
    parts = Parts("dark" if dark else "light")
    qtbot.addWidget(parts)
    parts.resize(WIDTH, 900)
    with qtbot.waitExposed(parts):
        parts.show()
    parts.focused.setFocus()
    qtbot.waitUntil(parts.focused.hasFocus)
    assert parts.title.is_elided()
    assert text_width(parts.title.text(), parts.title.font()) > WIDTH
    picture(parts, name)
