"""The dialogs that ask for links, files, folders and backups. They do not block: callbacks get what was chosen."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QPlainTextEdit, QWidget

from webrag_desktop.gui.adding.dropped import READABLE_NAMES, ROOTED, Dropped, at_first_sight, from_text
from webrag_desktop.gui.kit.shortcuts import install, keys_of
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.choices import CheckBox
from webrag_desktop.gui.kit.widgets.labels import HealthIcon, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row

BACKUP_SUFFIX = "webrag"


def choose_files(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose files of kinds that can be read, or of any."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFiles)
    readable = _tr("Documents ({0})").format(READABLE_NAMES)
    chooser.setNameFilters([readable, _tr("All files (*)")])
    _open(chooser, then)


def choose_folder(parent: QWidget, title: str, then: Callable[[list[str]], None]) -> None:
    """Let the user choose a folder."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.Directory)
    _open(chooser, then)


def choose_place(parent: QWidget, title: str, name: str, then: Callable[[str], None]) -> None:
    """Let the user choose where a backup goes; about a file that is there the system's dialog asks the user."""
    chooser = QFileDialog(parent, title)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setFileMode(QFileDialog.FileMode.AnyFile)
    chooser.setDefaultSuffix(BACKUP_SUFFIX)
    chooser.setNameFilters([_tr("Backups (*.{0})").format(BACKUP_SUFFIX), _tr("All files (*)")])
    chooser.selectFile(name)
    _open(chooser, lambda paths: then(paths[0]))


def choose_backup(parent: QWidget, title: str, then: Callable[[str], None]) -> None:
    """Let the user choose a backup."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
    chooser.setNameFilters([_tr("Backups (*.{0})").format(BACKUP_SUFFIX), _tr("All files (*)")])
    _open(chooser, lambda paths: then(paths[0]))


def _open(chooser: QFileDialog, then: Callable[[list[str]], None]) -> None:
    chooser.filesSelected.connect(then)
    chooser.finished.connect(chooser.deleteLater)
    chooser.open()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Choosers", text)


_WIDTH, _FIELD_HEIGHT, _ICON = 560, 150, 14
_MOST_PROBLEMS = 3  # listed line by line; the others are counted


class AddDialog(QDialog):
    """One address or path a line. Links on the clipboard are filled in, selected, so that typing replaces them."""

    add_requested = Signal(object)  # tuple[str, ...]: addresses and paths
    folders_requested = Signal(object)  # tuple[str, ...]: paths of folders, to be previewed

    def __init__(self, parent: QWidget | None = None, *, keeps_images: bool = False) -> None:
        """Look at the clipboard, and say what is there. ``keeps_images``: the settings keep images of all pages."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add to the library"))
        self._keeps_images = keeps_images
        self._lines: dict[str, Dropped] = {}
        self._given = Dropped()
        self._make_parts()
        self._lay_out()
        self.field.textChanged.connect(self._read_field)
        self._fill_from_clipboard()
        self._read_field()
        self.field.setFocus()

    def _make_parts(self) -> None:
        self.field = QPlainTextEdit()
        self.field.setProperty("field", True)
        self.field.setTabChangesFocus(True)
        self.field.setAccessibleName(self.tr("One address or file path per line"))
        self.field.setPlaceholderText(self.tr("One address or file path per line"))
        self.field.setMinimumHeight(grown(_FIELD_HEIGHT))
        self.sentence = Label("", "body", "text2", figures=True, wrap=True)
        self.problems = Label("", "small", "warn", wrap=True)
        self.problem_mark = HealthIcon(_ICON, "warning")
        self.images_box = CheckBox(self.tr("Keep images and styles of web pages"))
        self.images_box.setChecked(self._keeps_images)
        self.images_box.setToolTip(
            plain_tooltip(self.tr("So that they can be shown as they looked, without the network"))
        )
        self.files_button = push_button(self.tr("Choose files…"), icon="file-up")
        self.files_button.clicked.connect(self._choose)
        self.folder_button = push_button(self.tr("Choose folder…"), icon="folder-open")
        self.folder_button.clicked.connect(self._choose_folder)
        self.cancel_button = push_button(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.add_button = push_button(self.tr("Add"), "primary")
        self.add_button.clicked.connect(self._add)
        self.add_button.setDefault(True)
        for button in (self.files_button, self.folder_button, self.cancel_button, self.add_button):
            button.setAutoDefault(True)
        install(self, "dialog", "accept", self._add)

    def _lay_out(self) -> None:
        ground = Panel("raised")
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        lines.addWidget(Label(self.tr("Add links, files or folders"), "title", "text", SEMIBOLD))
        promise = self.tr("They are read and kept on this computer, so the source can change safely.")
        lines.addWidget(Label(promise, "body", "text2", wrap=True))
        lines.addWidget(self.field, 1)
        lines.addWidget(self.sentence)
        lines.addWidget(self.images_box)
        described = row(spacing=SPACE_S)
        described.addWidget(self.problem_mark, 0, Qt.AlignmentFlag.AlignTop)
        described.addWidget(self.problems, 1)
        lines.addLayout(described)
        lines.addSpacing(SPACE_S)
        lines.addLayout(
            button_row(self.cancel_button, self.add_button, leading=[self.files_button, self.folder_button])
        )
        column(self).addWidget(ground)
        self.resize(grown(_WIDTH), self.sizeHint().height() + SPACE_M)

    # -- What is given ----------------------------------------------------------------------------------------

    def _fill_from_clipboard(self) -> None:
        held = at_first_sight(QGuiApplication.clipboard().mimeData())
        if held.links:
            self.field.setPlainText("\n".join(held.given))
            self.field.selectAll()

    def _read_field(self) -> None:
        """Say what the lines are; only new ones are inspected."""
        lines = [line.strip() for line in self.field.toPlainText().splitlines()]
        self._lines = {line: self._lines.get(line) or _dropped(line) for line in lines if line}
        found = Dropped(
            _once(link for one in self._lines.values() for link in one.links),
            _once(file for one in self._lines.values() for file in one.files),
            _once(folder for one in self._lines.values() for folder in one.folders),
        )
        self._given = found
        self._show_sentence(found)
        self._show_problems(lines)

    def _show_sentence(self, found: Dropped) -> None:
        nothing = self.tr("Nothing to add yet. Type or paste an address, or choose files.")
        self.sentence.setText(found.counted() if found.is_wanted else nothing)
        self.field.setAccessibleDescription(self.sentence.text())
        self.add_button.setEnabled(found.is_wanted)
        accept = f"{self.tr('Add')} ({keys_of('dialog', 'accept')[1]})"
        self.add_button.setToolTip(plain_tooltip(accept if found.is_wanted else nothing))

    def _show_problems(self, lines: list[str]) -> None:
        problems = [
            self.tr("Line {0}: {1}").format(number, self._reason(line))
            for number, line in enumerate(lines, 1)
            if line and not self._lines[line].is_wanted
        ]
        more = len(problems) - _MOST_PROBLEMS
        if more > 0:
            last = (
                self.tr("1 more line is not understood.")
                if more == 1
                else self.tr("{0} more lines are not understood.")
            )
            problems[_MOST_PROBLEMS:] = [last.format(more)]
        self.problems.setText("\n".join(problems))
        for shown in (self.problems, self.problem_mark):
            shown.setVisible(bool(problems))

    def _reason(self, line: str) -> str:
        refused = self._lines[line].refused
        return refused[0] if refused else self.tr("There is no link or file in this.")

    @property
    def with_images(self) -> bool | None:
        """Whether the files that show pages as they looked are to be kept; None: as the settings say."""
        wanted = self.images_box.isChecked()
        return None if wanted == self._keeps_images else wanted

    # -- Doing ------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        if self._given.is_wanted:
            given, left = self._given, self._lines_left()
            if left:  # what was not understood stays, to be corrected
                self.field.setPlainText("\n".join(left))
            else:
                self.accept()
            if given.given:
                self.add_requested.emit(given.given)
            if given.folders:
                self.folders_requested.emit(given.folders)

    def _lines_left(self) -> list[str]:
        lines = (line.strip() for line in self.field.toPlainText().splitlines())
        return [line for line in lines if line in self._lines and not self._lines[line].is_wanted]

    def _choose(self) -> None:
        choose_files(self, self.tr("Choose files"), self.append)

    def _choose_folder(self) -> None:
        choose_folder(self, self.tr("Choose a folder"), self.append)

    def append(self, lines: list[str]) -> None:
        """Put lines after those that are there."""
        before = self.field.toPlainText().rstrip()
        self.field.setPlainText("\n".join([before, *lines] if before else lines))
        self.field.setFocus()


def _dropped(line: str) -> Dropped:
    """What a line gives. A path of a kind that cannot be read is reported as such."""
    found = from_text(line)
    if not found.is_wanted and not found.refused and ROOTED.match(line):
        return from_text(QUrl.fromLocalFile(line).toString())
    return found


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
