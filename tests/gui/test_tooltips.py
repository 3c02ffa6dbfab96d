"""Tooltips say what pages, files and errors say, letter by letter: nothing of it is read as markup or loaded."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextDocument
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.support.documents import document
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop import gui
from webrag_desktop.gui.data.map import PageToFetch
from webrag_desktop.gui.data.upkeep import StackPart
from webrag_desktop.gui.data.view_data import LibraryFigures, SiteCount
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.library.document_columns import Column
from webrag_desktop.gui.library.documents_model import DocumentsModel
from webrag_desktop.gui.library.sidebar_model import SidebarModel
from webrag_desktop.gui.map.page_rows import PageRow, PageRowsModel
from webrag_desktop.gui.map.to_fetch_list import ToFetchModel
from webrag_desktop.gui.reader.header import ReaderHeader
from webrag_desktop.gui.reader.outline import OutlineView, Section
from webrag_desktop.gui.research.query_box import ModeBadge
from webrag_desktop.gui.shell.status_strip import PartButton

HOSTILE = '<img src="file:///x.png"><b>x</b>'
SOURCES = sorted(Path(gui.__file__).parent.rglob("*.py"))
_TEXT_AT = {"setToolTip": 0, "showText": 1}


def read(tooltip: str) -> str:
    """What somebody reads in a tooltip."""
    if not GuiQt.mightBeRichText(tooltip):
        return tooltip
    page = QTextDocument()
    page.setHtml(tooltip)
    return page.toPlainText()


def check(tooltip: str) -> None:
    assert "<img" not in tooltip
    assert "<b>" not in tooltip
    assert HOSTILE in read(tooltip)


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "The <b> element\nhttps://a.example/?a=1&b=<i>2</i>",
        "<p>  two  blanks",
        "AT&amp;T <br>",
        "<!-- x -->",
    ],
)
def test_a_tooltip_reads_as_the_text(application: QApplication, text: str) -> None:
    assert read(plain_tooltip(text)) == text


@pytest.mark.parametrize("text", ["", "Plain words", "a > b\nnext line", "AT&amp;T"])
def test_text_that_is_no_markup_stays_as_it_is(application: QApplication, text: str) -> None:
    assert plain_tooltip(text) == text


def test_rows_of_documents(application: QApplication, qtbot: QtBot) -> None:
    row = replace(document("x", state="failed", reason=HOSTILE, hint=HOSTILE), title=HOSTILE)
    model = DocumentsModel()
    model.show_keys([row.id.int])
    model.show_rows([row])
    for column in (Column.TITLE, Column.STATE):
        check(model.index(0, column).data(Qt.ItemDataRole.ToolTipRole))
    assert model.index(0, Column.TITLE).data() == HOSTILE


def test_sites_in_the_sidebar(application: QApplication) -> None:
    model = SidebarModel()
    model.show_figures(LibraryFigures(documents=1, sites=(SiteCount(HOSTILE, 1),)))
    index = next(i for i in map(model.index, range(model.rowCount())) if i.data() == HOSTILE)
    check(index.data(Qt.ItemDataRole.ToolTipRole))


def test_pages_on_the_map(application: QApplication) -> None:
    to_fetch, rows = ToFetchModel(), PageRowsModel()
    to_fetch.show([PageToFetch("https://a.example/x", HOSTILE, HOSTILE, 0.9, "Web page", "a.example")])
    rows.show([HOSTILE], lambda _at: PageRow(HOSTILE, HOSTILE, HOSTILE, "page", "text", HOSTILE))
    for model in (to_fetch, rows):
        check(model.index(0).data(Qt.ItemDataRole.ToolTipRole))
        assert HOSTILE in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_widgets(application: QApplication, qtbot: QtBot) -> None:
    header = ReaderHeader()
    header.show_document(replace(shown(version("text")), title=HOSTILE, place=HOSTILE))
    badge = ModeBadge()
    badge.show_mode("Mode", "", HOSTILE)
    elided = ElidedLabel(HOSTILE)
    elided.resize(20, 20)
    elided.show()
    part = PartButton(StackPart("Database", "gone", "failing", detail=HOSTILE))
    for widget in (header, badge, elided, part):
        qtbot.addWidget(widget)
    tooltips = [w.toolTip() for top in (header, badge, elided, part) for w in _with_children(top)]
    hostile = [tooltip for tooltip in tooltips if "x.png" in tooltip]
    assert len(hostile) >= 4
    for tooltip in hostile:
        check(tooltip)


def _with_children(top: QWidget) -> list[QWidget]:
    return [top, *top.findChildren(QWidget)]


def test_headings_in_the_outline(
    application: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = OutlineView()
    qtbot.addWidget(view)
    view.show_sections([Section(HOSTILE, 0, 0)])
    view.show()
    shown: list[str] = []
    monkeypatch.setattr(
        "webrag_desktop.gui.reader.outline.QToolTip.showText", lambda _at, text, _of: shown.append(text)
    )
    middle = view.visualRect(view.outline.index(0)).center()
    QApplication.sendEvent(view.viewport(), QHelpEvent(QEvent.Type.ToolTip, middle, QPoint(0, 0)))
    (tooltip,) = shown
    check(tooltip)


def test_labels_are_plain_text(application: QApplication, qtbot: QtBot) -> None:
    made = Label(HOSTILE)
    qtbot.addWidget(made)
    assert made.textFormat() == Qt.TextFormat.PlainText


# -- No tooltip and no label is made past them ----------------------------------------------------------------------


def _calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            yield function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""), node


def _is_plain(text: ast.expr) -> bool:
    """Whether a tooltip's text is our own words, or is made plain."""
    if isinstance(text, ast.IfExp):
        return _is_plain(text.body) and _is_plain(text.orelse)
    if isinstance(text, ast.Call):
        named = text.func
        if isinstance(named, ast.Name):
            return named.id == "plain_tooltip"
        return isinstance(named, ast.Attribute) and named.attr == "tr"
    return isinstance(text, ast.Constant)


def test_every_tooltip_is_made_plain() -> None:
    found = [
        (f"{path.name}:{call.lineno}", _is_plain(call.args[_TEXT_AT[name]]))
        for path in SOURCES
        for name, call in _calls(ast.parse(path.read_text("utf-8")))
        if name in _TEXT_AT
    ]
    assert len(found) > 10
    assert [place for place, plain in found if not plain] == []


def _role_branches(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.pattern, list[ast.stmt]]]:
    """Conditions on a role, with what is done where they hold."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield node.test, node.body
        elif isinstance(node, ast.match_case):
            yield node.pattern, node.body


def _tooltip_roles(within: ast.AST) -> list[ast.Attribute]:
    nodes = ast.walk(within)
    return [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "ToolTipRole"]


def _returns_plain(body: list[ast.stmt]) -> bool:
    returned = [node for line in body for node in ast.walk(line) if isinstance(node, ast.Return)]
    return bool(returned) and all(node.value is not None and _is_plain(node.value) for node in returned)


# It hands the role on to document_columns, which answers it; test_rows_of_documents asks both together.
_HANDING_ON = "documents_model.py"


def test_every_model_and_delegate_answers_the_tooltip_role_in_plain_text() -> None:
    """A role that is asked for in any other way than a branch of its own is refused here, too."""
    asked, plain = set(), set()
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        asked |= {f"{path.name}:{role.lineno}" for role in _tooltip_roles(tree) if path.name != _HANDING_ON}
        for condition, body in _role_branches(tree):
            if _returns_plain(body):
                plain |= {f"{path.name}:{role.lineno}" for role in _tooltip_roles(condition)}
    assert len(asked) >= 4
    assert asked - plain == set()


def test_every_label_is_one_of_ours() -> None:
    """Only :class:`Label`, which is plain text, builds on QLabel."""
    made = [
        path.name
        for path in SOURCES
        for name, _call in _calls(ast.parse(path.read_text("utf-8")))
        if name == QLabel.__name__
    ]
    assert made == []
