"""Shows what is in a folder before anything of it is added: what can be added, what is present, what is left out."""

from pathlib import PurePath
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFrame, QVBoxLayout, QWidget

from webrag_desktop.gui.data.library import KIND_ICONS, FolderContents, FolderKind, LeftOut, kind_word
from webrag_desktop.gui.kit.quantities import file_size, number
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_hairline, paint_icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.bars import BusyBar, SegmentBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row, scroll_area

_NAMED: Final = frozenset(("unreadable", "name", "too large", "deep"))  # worth saying which ones
_SHOWN_PATHS: Final = 3


class LeftOutLook(NamedTuple):
    """The icon of a reason and its colour."""

    icon: str
    role: Role


_LOOKS: Final[dict[str, LeftOutLook]] = {
    "unreadable": LeftOutLook("triangle-alert", "warn"),
    "name": LeftOutLook("triangle-alert", "warn"),
    "too large": LeftOutLook("triangle-alert", "warn"),
    "hidden": LeftOutLook("circle-dashed", "text3"),
    "link": LeftOutLook("link", "text3"),
    "tool": LeftOutLook("folder-open", "text3"),
    "page parts": LeftOutLook("folder-open", "text3"),
}


def left_out_look(group: LeftOut) -> LeftOutLook:
    """How a reason looks; what the user may do something about is emphasized."""
    return _LOOKS.get(group.reason, LeftOutLook("file", "text3"))


def left_out_headline(group: LeftOut) -> str:
    """How many, and what they are: ``12 files of other kinds``."""
    words = {
        "unreadable": _tr("{0} that may not be read"),
        "kind": _tr("{0} of kinds that cannot be read"),
        "too large": _tr("{0} too large"),
        "empty": _tr("{0} with nothing in them"),
        "hidden": _tr("{0} hidden"),
        "tool": _tr("{0} of tools"),
        "page parts": _tr("{0} with parts of saved pages"),
        "link": _tr("{0} that only link elsewhere"),
        "special": _tr("{0} of the system"),
        "name": _tr("{0} with an unreadable name"),
        "deep": _tr("{0} too deep inside each other"),
    }
    return words.get(group.reason, "{0}").format(_counted(group))


def left_out_detail(group: LeftOut) -> str:
    """Why, and which ones."""
    if group.reason in _NAMED:
        return ", ".join(_name(path) for path in group.examples[:_SHOWN_PATHS])
    words = {
        "tool": _tr("Version control, installed packages and the like"),
        "page parts": _tr("Pictures and styles; the pages themselves are added"),
        "link": _tr("What they lead to is not followed"),
    }
    if group.reason != "kind":
        return words.get(group.reason, "")
    return ", ".join(f"{_ending(ending)} {number(count)}" for ending, count in group.endings)


def _ending(ending: str) -> str:
    return _plain(ending) or _tr("no ending")


def _name(path: str) -> str:
    return _plain(path.replace("\\", "/").rpartition("/")[2]) or path


def _plain(text: str) -> str:
    """Without what no encoding can hold, which names of files may bring."""
    return text.encode("utf-8", "replace").decode()


def _counted(group: LeftOut) -> str:
    files = _files(group.files) if group.files else ""
    folders = ""
    if group.folders:
        folders = _tr("1 folder") if group.folders == 1 else _tr("{0} folders").format(number(group.folders))
    return _tr("{0} and {1}").format(files, folders) if files and folders else files or folders


def _files(count: int) -> str:
    return _tr("1 file") if count == 1 else _tr("{0} files").format(number(count))


def files(count: int) -> str:
    """A number of files."""
    return _files(count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Folders", text)


_ICON, _PAD = 16, 8


class Figure(QWidget):
    """A number and what it counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = Label("", "head", "text", SEMIBOLD, figures=True)
        self._words = Label("", "body", "text2")
        across = row(self, spacing=SPACE_S)
        across.addWidget(self._number, 0, Qt.AlignmentFlag.AlignBaseline)
        across.addWidget(self._words, 0, Qt.AlignmentFlag.AlignBaseline)

    def show_figure(self, number: str, words: str) -> None:
        """Show another number."""
        self._number.setText(number)
        self._words.setText(words)
        self.setAccessibleName(f"{number} {words}")


class LeftOutLine(QFrame):
    """An icon, what is left out, and why; with a hairline below."""

    def __init__(self, group: LeftOut, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = left_out_look(group)
        headline, detail = left_out_headline(group), left_out_detail(group)
        inset = _PAD + grown(_ICON) + SPACE_S
        across = row(self)
        across.addSpacing(inset)
        lines = column(margins=(0, SPACE_XS + 2, 0, SPACE_XS + 2), spacing=1)
        across.addLayout(lines, 1)
        self._headline = ElidedLabel(headline, "body", "text", MEDIUM, figures=True)
        lines.addWidget(self._headline)
        if detail:
            lines.addWidget(ElidedLabel(detail, "small", "text2", figures=True))
        self.setAccessibleName(". ".join(filter(None, (headline, detail))))
        self.setToolTip(plain_tooltip("\n".join(group.examples)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon and hairline."""
        painter, rect = QPainter(self), QRectF(self.rect())
        mirror, side = Mirror(rect, self.isRightToLeft()), grown(_ICON)
        top = self._headline.geometry().center().y() + 0.5 - side / 2
        paint_icon(painter, self._look.icon, mirror.left(_PAD, side), top, side, self._look.role)
        line = mirror.rect(QRectF(_PAD + side + SPACE_S, 0, rect.width() - _PAD - side - SPACE_S, 1))
        paint_hairline(painter, line.left(), line.right(), rect.height() - 1)


_WIDTH, _LIST_MOST = 560, 340


class FolderDialog(QDialog):
    """Opens at once and says that the folder is being looked through; :meth:`show_contents` brings what is in it.

    Closing it before that is a request to stop listing (``rejected``).
    """

    add_requested = Signal(object)  # tuple[str, ...]: paths

    def __init__(self, folders: tuple[str, ...], parent: QWidget | None = None) -> None:
        """``folders`` are the paths of what was dropped or chosen."""
        super().__init__(parent)
        self._folders = folders
        self._contents: FolderContents | None = None
        self._rows: list[tuple[FolderKind, CheckRow]] = []
        self.setWindowTitle(self.tr("Add a folder") if len(folders) == 1 else self.tr("Add folders"))
        self._make_parts()
        self._lay_out()
        self._title.setText(self._heading())
        self.setAccessibleName(self._heading())
        self.show_step(0, "")
        self.cancel_button.setFocus()

    def _heading(self) -> str:
        if len(self._folders) > 1:
            return self.tr("Add from {0} folders").format(number(len(self._folders)))
        path = self._folders[0] if self._folders else ""
        return self.tr("Add from “{0}”").format(PurePath(path).name or path)

    def _make_parts(self) -> None:
        self._title = Label("", "title", "text", SEMIBOLD, wrap=True)
        self._place = ElidedLabel(
            ", ".join(self._folders), "body", "text2", elide=Qt.TextElideMode.ElideMiddle
        )
        self.step = Label("", "body", "text2", figures=True, wrap=True)
        self._where = ElidedLabel("", "small", "text3", elide=Qt.TextElideMode.ElideMiddle)
        self._bar = BusyBar()
        self._figures = [Figure() for _ in range(3)]
        self._shares = SegmentBar()
        self.more = Label("", "body", "warn", wrap=True)
        self.nothing = Label("", "body", "text2", wrap=True)
        self.cancel_button = push_button(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.add_button = push_button(self.tr("Add"), "primary")
        self.add_button.clicked.connect(self._add)
        for button in (self.cancel_button, self.add_button):
            button.setAutoDefault(True)

    def _lay_out(self) -> None:
        whole = column(self)
        ground = Panel("raised")
        whole.addWidget(ground, 1)
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_XS)
        lines.addWidget(self._title)
        lines.addWidget(self._place)
        lines.addSpacing(SPACE_S)
        self._listing, self._found = QWidget(), QWidget()
        self._lay_out_listing(column(self._listing, spacing=SPACE_S))
        self._lay_out_found(column(self._found, spacing=SPACE_S))
        self._found.hide()
        lines.addWidget(self._listing)
        lines.addWidget(self._found, 1)
        lines.addSpacing(SPACE_M)
        lines.addLayout(button_row(self.cancel_button, self.add_button))
        self.add_button.hide()
        ground.setFixedWidth(grown(_WIDTH))

    def _lay_out_listing(self, page: QVBoxLayout) -> None:
        page.addWidget(self.step)
        page.addWidget(self._bar)
        page.addWidget(self._where)

    def _lay_out_found(self, page: QVBoxLayout) -> None:
        across = row(spacing=SPACE_XL)
        for figure in self._figures:
            across.addWidget(figure)
        across.addStretch(1)
        page.addLayout(across)
        page.addSpacing(SPACE_XS)
        page.addWidget(self._shares)
        page.addSpacing(SPACE_XS)
        page.addWidget(self.nothing)
        page.addWidget(self.more)
        self._inner = Panel("raised")
        self._list = column(self._inner)
        self._area = scroll_area(self._inner)
        page.addWidget(self._area, 1)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_step(self, found: int, folder: str) -> None:
        """Say how many files were found so far, and which folder is being listed."""
        if self._contents is not None:
            return
        self.step.setText(
            self.tr("Looking through it… {0} found so far").format(files(found))
            if found
            else self.tr("Looking through it…")
        )
        self._where.setText(folder)

    def show_contents(self, contents: FolderContents) -> None:
        """Show what was found, everything chosen; once."""
        self._contents = contents
        self._listing.hide()
        self._show_figures(contents)
        self._show_list(contents)
        self._found.show()
        self.add_button.show()
        self.add_button.setDefault(True)
        self._choose()
        room = self._inner.sizeHint().height() + 2
        self._area.setMinimumHeight(min(room, grown(_LIST_MOST)))
        self.adjustSize()
        self.raise_()
        (self.add_button if self.add_button.isEnabled() else self.cancel_button).setFocus()

    def _show_figures(self, contents: FolderContents) -> None:
        left_out = sum(group.files + group.folders for group in contents.left_out)
        figures = (
            (contents.to_add, self.tr("to add")),
            (contents.present, self.tr("already here")),
            (left_out, self.tr("left out")),
        )
        for figure, (count, words) in zip(self._figures, figures, strict=True):
            figure.show_figure(number(count), words)
        self._shares.show_shares(
            [("accent", contents.to_add), ("ok", contents.present), ("line_strong", left_out)]
        )
        self._shares.setVisible(bool(contents.to_add + contents.present + left_out))
        self.nothing.setText(self._nothing_words(contents))
        self.nothing.setVisible(bool(self.nothing.text()))
        self.more.setText(
            self.tr("There is more than is looked at in one go. Add the folders in it one by one.")
        )
        self.more.setVisible(contents.cut_short)

    def _nothing_words(self, contents: FolderContents) -> str:
        if contents.changed and contents.to_add:
            return (
                self.tr("1 of these was given before, and has changed or could not be read then.")
                if contents.changed == 1
                else self.tr(
                    "{0} of these were given before, and have changed or could not be read then."
                ).format(number(contents.changed))
            )
        if contents.to_add:
            return ""
        if contents.present:
            return self.tr("Everything in it that can be read is here already.")
        return self.tr("There is nothing in it that can be read.")

    def _show_list(self, contents: FolderContents) -> None:
        for kind in contents.kinds:
            if not kind.paths:
                continue
            detail = self.tr("{0}, {1}").format(files(len(kind.paths)), file_size(kind.size))
            line = CheckRow(KIND_ICONS[kind.kind], kind_word(kind.kind), detail)
            line.setChecked(True)
            line.toggled.connect(self._choose)
            self._rows.append((kind, line))
            self._list.addWidget(line)
        if contents.left_out:
            self._list.addSpacing(SPACE_M if self._rows else 0)
            self._list.addWidget(Label(self.tr("Left out"), "small", "text3", SEMIBOLD))
            self._list.addSpacing(SPACE_XS)
        for group in contents.left_out:
            self._list.addWidget(LeftOutLine(group))
        self._list.addStretch(1)

    def _choose(self) -> None:
        """Say on the button how much will be added."""
        count = len(self._chosen())
        self.add_button.setText(self.tr("Add {0}").format(files(count)) if count else self.tr("Add"))
        self.add_button.setEnabled(bool(count))

    def _chosen(self) -> tuple[str, ...]:
        return tuple(path for kind, line in self._rows if line.isChecked() for path in kind.paths)

    def _add(self) -> None:
        if chosen := self._chosen():
            self.accept()
            self.add_requested.emit(chosen)

    def changeEvent(self, event: QEvent) -> None:
        """Colours are looked up while painting; everything is painted again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
