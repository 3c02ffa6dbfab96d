"""What can be done with a citation, in menus: the same commands as the keys and the painted buttons."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.research.result_menus import add_command

Run = Callable[[str], None]


def citation_menu(parent: QWidget, citation: CitationRow, last: bool, run: Run) -> QMenu:
    """The menu of a citation; ``run`` gets the command chosen. A link is offered where there is one."""
    menu = QMenu(parent)
    if citation.version_id is not None:
        add_command(menu, "book-open", _tr("Open in the reader"), "Return", lambda: run("open"))
        if citation.state is not CitationState.EXACT and citation.document_id is not None:
            add_command(menu, "history", _tr("Show what changed"), "", lambda: run("difference"))
        menu.addSeparator()
    add_command(menu, "copy", _tr("Copy quote"), "Ctrl+C", lambda: run("copy"))
    add_command(menu, "", _tr("Copy as text"), "Ctrl+Shift+C", lambda: run("copy_text"))
    add_command(menu, "", _tr("Copy as Markdown"), "", lambda: run("copy_markdown"))
    if citation.link:
        add_command(menu, "", _tr("Copy as link"), "", lambda: run("reference_link"))
    references = menu.addMenu(_tr("Copy reference"))
    _add_references(references, citation, run)
    menu.addSeparator()
    if citation.number > 1:
        add_command(menu, "arrow-up", _tr("Move up"), "Alt+Up", lambda: run("move_up"))
    if not last:
        add_command(menu, "arrow-down", _tr("Move down"), "Alt+Down", lambda: run("move_down"))
    add_command(menu, "trash-2", _tr("Remove"), "Delete", lambda: run("remove"))
    return menu


def reference_menu(parent: QWidget, citation: CitationRow, run: Run) -> QMenu:
    """The forms in which a reference can be copied."""
    menu = QMenu(parent)
    _add_references(menu, citation, run)
    return menu


def _add_references(menu: QMenu, citation: CitationRow, run: Run) -> None:
    add_command(menu, "", _tr("As text"), "", lambda: run("reference_text"))
    add_command(menu, "", _tr("As Markdown"), "", lambda: run("reference_markdown"))
    if citation.link:
        add_command(menu, "", _tr("As link"), "", lambda: run("reference_link"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("CitationMenus", text)
