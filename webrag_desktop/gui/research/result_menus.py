"""What can be done with a row of the results, in menus: the same commands as the keys and the painted buttons."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.view_data import AlsoIn, Passage, ResultGroup
from webrag_desktop.gui.kit.theme.direction import isolated
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.icons import icon
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.widgets.link_copying import COPY_LINK, add_copy_link
from webrag_desktop.gui.library.document_words import is_web

Run = Callable[[str], None]
Open = Callable[[AlsoIn], None]
_MOST_DOCUMENTS, _MOST_NAME = 8, 320  # entries; pixels


def passage_menu(
    parent: QWidget,
    group: ResultGroup,
    passage: Passage,
    number: int | None,
    shows_reasons: bool,
    run: Run,
    open_other: Open,
) -> QMenu:
    """The menu of a passage; ``run`` gets the command chosen, ``open_other`` a document that says nearly the same."""
    menu = QMenu(parent)
    cite = _tr("Cite") if number is None else _tr("Remove citation {0}").format(number)
    add_command(menu, "text-quote", cite, "C", lambda: run("cite"))
    add_command(menu, "book-open", _tr("Open in the reader"), "Return", lambda: run("open"))
    if passage.whole is not None:
        add_command(menu, "", _tr("Ask about this passage"), "", lambda: run("ask"))
    menu.addSeparator()
    add_command(menu, "copy", _tr("Copy quote"), "Ctrl+C", lambda: run("copy"))
    add_command(menu, "copy", _tr("Copy quote with reference"), "Ctrl+Shift+C", lambda: run("copy_reference"))
    add_copy_link(menu, lambda: run(COPY_LINK))
    if is_web(group.address):
        add_command(menu, "external-link", _tr("Open in browser"), "", lambda: run("browse"))
    _add_documents(menu, passage.also_in, open_other)
    menu.addSeparator()
    _add_reasons(menu, shows_reasons, run)
    return menu


def group_menu(parent: QWidget, is_open: bool, shows_reasons: bool, run: Run) -> QMenu:
    """The menu of a document."""
    menu = QMenu(parent)
    back, on = ("Right", "Left") if parent.isRightToLeft() else ("Left", "Right")
    if is_open:
        add_command(menu, "chevron-right", _tr("Close"), back, lambda: run("close"))
    else:
        add_command(menu, "chevron-down", _tr("Open"), on, lambda: run("enter"))
    add_command(menu, "", _tr("Open all documents"), "", lambda: run("expand_all"))
    add_command(menu, "", _tr("Close all documents"), "", lambda: run("collapse_all"))
    add_copy_link(menu, lambda: run(COPY_LINK))
    menu.addSeparator()
    _add_reasons(menu, shows_reasons, run)
    return menu


def add_command(menu: QMenu, icon_name: str, text: str, keys: str, run: Callable[[], None]) -> None:
    """Add an entry that shows its key; the key itself is the list's."""
    action = menu.addAction(text)
    if icon_name:
        action.setIcon(icon(icon_name))
    action.setShortcut(keys)
    action.setShortcutVisibleInContextMenu(True)
    action.triggered.connect(lambda _checked: run())


def _add_documents(menu: QMenu, documents: Sequence[AlsoIn], open_other: Open) -> None:
    """Add an entry for each of the first of these documents."""
    if documents:
        menu.addSeparator()
        menu.setToolTipsVisible(True)
    for one in documents[:_MOST_DOCUMENTS]:
        name = menu.fontMetrics().elidedText(one.name, Qt.TextElideMode.ElideRight, grown(_MOST_NAME))
        text = _tr("Open “{0}”").format(isolated(name)).replace("&", "&&")
        add_command(menu, "book-open", text, "", partial(open_other, one))
        menu.actions()[-1].setToolTip(plain_tooltip(f"{one.title}\n{one.address}"))


def _add_reasons(menu: QMenu, shown: bool, run: Run) -> None:
    action = menu.addAction(_tr("Show reasons for every passage"))
    action.setCheckable(True)
    action.setChecked(shown)
    action.triggered.connect(lambda _checked: run("reasons"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("ResultMenus", text)
