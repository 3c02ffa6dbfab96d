"""Pictures of the reader, light and dark."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import (
    BREAKS,
    COILS,
    MIRROR,
    cited,
    settle,
    show,
    span,
    type_query,
)
from tests.unit.gui.test_reader_document import PAGES, page, shown, version
from webrag_desktop.gui.data.view_data import Failure, ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView

Picture = Callable[[QWidget, str], Path]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_pane_and_full_reader(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, themed: Callable[[bool], None],
    picture: Picture, dark: bool,
) -> None:  # fmt: skip
    themed(dark)
    suffix = "-dark" if dark else ""
    show(view, qtbot, document)
    view.set_matches([span(document, words) for words in (MIRROR, COILS, BREAKS)])
    view.set_citations([cited(1, span(document, COILS)), cited(2, span(document, BREAKS))])
    view.show_span(span(document, COILS))
    settle(view, qtbot)
    picture(view, f"reader-pane{suffix}")
    view.set_full(True)
    view.resize(1440, 820)
    qtbot.waitUntil(lambda: view._text.is_complete)
    picture(view, f"reader-full{suffix}")
    view.open_find()
    type_query(view, qtbot, "the hut")
    picture(view, f"reader-find{suffix}")


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_code_tables_and_scripts(
    view: ReaderView, qtbot: QtBot, themed: Callable[[bool], None], picture: Picture, dark: bool
) -> None:
    themed(dark)
    suffix = "-dark" if dark else ""
    view.resize(700, 900)
    ensembles = replace(
        shown(page("sklearn_ensemble.html")), title="1.11. Ensembles", place="scikit-learn.org"
    )
    show(view, qtbot, ensembles)
    row = next(line for line in ensembles.markdown.split("\n") if line.startswith("| classifier 1"))
    view.show_span(span(ensembles, row))
    assert view.highlighted_text() == "classifier 1 w1 * 0.2 w1 * 0.5 w1 * 0.3"
    settle(view, qtbot)
    picture(view, f"reader-table{suffix}")
    view.clear()
    scripts = (PAGES / "scripts_and_emoji.md").read_text("utf-8")
    made = shown(version(scripts).model_copy(update={"id": UUID(int=8)}))
    show(view, qtbot, made)
    view.set_matches([span(made, "يسجل المقياس مستوى الماء"), span(made, "family 👨‍👩‍👧 are")])
    view.show_span(span(made, "校正は毎月行われます。"))
    settle(view, qtbot)
    picture(view, f"reader-scripts{suffix}")


def test_pictures_of_states(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, picture: Picture
) -> None:
    picture(view, "reader-empty")
    view.show_waiting("The induction coils")
    picture(view, "reader-waiting")
    view.show_failure(Failure("The text could not be read.", "What is stored is safe. Try again."))
    picture(view, "reader-failure")
    show(view, qtbot, replace(document, current=False))
    picture(view, "reader-older")
