"""Starts the window: one instance per data folder, theme, window, and the library opened behind it."""

import logging
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from webrag_desktop import DataFolder, Settings, load_settings
from webrag_desktop.errors import WebragError
from webrag_desktop.gui.data.appearance import Appearance
from webrag_desktop.gui.kit.choosing_keys import use_keys
from webrag_desktop.gui.kit.languages import use_language
from webrag_desktop.gui.kit.theme.colours import choose_theme, prepare, styled_at_once
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.shell.process import GarbageOnGuiThread, Termination, start_qt
from webrag_desktop.gui.shell.single_instance import SingleInstance, absolute
from webrag_desktop.gui.shell.window_state import KeptAppearance, KeptKeys, WindowState

NAME = "WebRAG Desktop"
DESKTOP_FILE = "webrag-desktop"  # and the name of its icon
LISTEN_AFTER_MILLISECONDS = 300  # further starts wait longer than that, and the first is to be usable first
LOG_BYTES, LOG_FILES = 1_000_000, 2
# Seconds one thread may keep the interpreter from another: the default of 5 ms would be felt while a search runs.
SWITCH_SECONDS = 0.0002

log = logging.getLogger(__name__)


class Window:
    """The window with everything that it runs on; :meth:`close` ends it in order."""

    def __init__(self, settings: Settings) -> None:
        """Begin to open the library, and make the window meanwhile; :meth:`open` shows it."""
        self.background = Background()
        session = LibrarySession(settings, self.background)
        session.open()
        # Importing and making the window takes as long as the server's start, so the two go together.
        from webrag_desktop.gui.shell.all_operations import Operations
        from webrag_desktop.gui.shell.connections.window import Connections
        from webrag_desktop.gui.shell.later import LaterImports
        from webrag_desktop.gui.shell.main_window import MainWindow

        self.operations = Operations(settings, self.background, session=session)
        with styled_at_once():
            self.view = MainWindow()
        self.connections = Connections(self.view, self.operations)
        self._state = WindowState(settings.webrag_home)
        self._state.restore(self.view)
        self.connections.restore(self._state.remembered())
        self._later = LaterImports(self.view)
        self.operations.documents.listed.connect(self._later.begin)
        self.closed = False
        self.ended_well = True  # whether nothing of it is left at work

    def open(self, given: Sequence[str] = ()) -> None:
        """Show the window with the library being opened behind it, and add what was given."""
        self.view.show()
        self.connections.start()
        if given:
            self.connections.adding.take_given(given)

    def receive(self, given: Sequence[str]) -> None:
        """A second start: come to the front, and add what it was given."""
        self.view.showNormal() if self.view.isMinimized() else self.view.show()
        self.view.raise_()
        self.view.activateWindow()
        if given:
            self.connections.adding.take_given(given)

    def close(self) -> None:
        """Hide at once; stop intake, cancel, wait a moment, end the worker, close the connections, release."""
        if self.closed:
            return
        self.closed = True
        self._state.save(self.view, self.connections.remembered)
        self.view.hide()
        self.ended_well = self.operations.session.close()
        self.view.deleteLater()


def run(arguments: Sequence[str]) -> int:
    """Run the window until it is closed; returns the process's exit code."""
    sys.setswitchinterval(SWITCH_SECONDS)
    appearance = _kept_appearance()
    _scale(appearance)
    use_keys(_kept_keys())
    application = start_qt(NAME)
    introduce(application)
    application.setQuitOnLastWindowClosed(False)
    use_language(application, appearance.language)
    prepare(application)
    choose_theme(application, appearance.theme)
    try:
        settings = load_settings()
        DataFolder.private_folder(settings.webrag_home)
        instance = SingleInstance.of_home(settings.webrag_home)
        if not instance.claim(arguments):
            return 0
    except (WebragError, OSError) as error:
        from webrag_desktop.gui.shell.error_dialog import ErrorDialog  # seldom needed before the window

        ErrorDialog(failure_of(error)).exec()
        return 1
    try:
        return _run_first(application, settings, instance, absolute(arguments))
    finally:
        instance.release()


def _kept_appearance() -> Appearance:
    try:
        return KeptAppearance(DataFolder.usual()).read()
    except WebragError:  # which the start reports, once there is something to report it with
        return Appearance()


def _kept_keys() -> dict[str, str]:
    try:
        return KeptKeys(DataFolder.usual()).read()
    except WebragError:  # as above
        return {}


def _scale(appearance: Appearance) -> None:
    """By Qt's own variable, which has to be set before it starts; one that is set already goes before."""
    if appearance.scale != Appearance().scale:
        os.environ.setdefault("QT_SCALE_FACTOR", f"{appearance.scale / 100:g}")


def introduce(application: QApplication) -> None:
    """Have the desktop know the program: its name, the name of its desktop file, and the icon of all its windows."""
    application.setApplicationName(NAME)
    application.setDesktopFileName(DESKTOP_FILE)
    application.setWindowIcon(icon(DESKTOP_FILE))


def _run_first(
    application: QApplication, settings: Settings, instance: SingleInstance, arguments: Sequence[str]
) -> int:
    _write_log(DataFolder(settings))
    garbage = GarbageOnGuiThread(application)
    window = Window(settings)
    garbage.spare_what_is_there()
    window.operations.searching.prepared.connect(garbage.spare_what_is_there)
    sys.excepthook = _Mistakes(window).report
    instance.arguments_received.connect(window.receive)
    # Not quit(): that closes every window first, and ours waits for its own end.
    window.view.close_asked.connect(lambda: application.exit(0))
    termination = Termination(lambda: application.exit(0))
    window.open(arguments)
    QTimer.singleShot(LISTEN_AFTER_MILLISECONDS, instance, lambda: _listen(instance, window))
    try:
        return application.exec()
    finally:
        window.close()
        termination.release()
        garbage.release()
        instance.release()
        if not window.ended_well:
            _end_now()


def _listen(instance: SingleInstance, window: Window) -> None:
    try:
        instance.listen()
    except WebragError as error:
        window.view.errors.report(failure_of(error))


class _Mistakes:
    """Reports a bug of the program once per kind; the window stays open."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._reported: set[str] = set()

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("a fault of our own", exc_info=(kind, error, trace))
        where = "".join(traceback.format_exception(kind, error, trace)[-2:])
        if where not in self._reported and isinstance(error, Exception) and not self._window.closed:
            self._reported.add(where)
            self._window.view.errors.report(failure_of(error))


class _PrivateLog(RotatingFileHandler):
    """A log that nobody else on this computer can read, rotated or not."""

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        path.touch(mode=0o600)
        path.chmod(0o600)  # an older one may be open to others
        return super()._open()


def _write_log(folder: DataFolder) -> None:
    path = folder.path / "logs" / "window.log"
    DataFolder.private_folder(path.parent)
    handler = _PrivateLog(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("webrag_desktop")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    for warning in folder.settings_warnings():  # when the settings were read there was no log yet
        log.warning(warning)


def _end_now() -> None:
    """A thread that did not stop in time must not keep a closed program alive; everything is on disk by now."""
    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    log.warning("ended with threads still at work: %s", others)
    logging.shutdown()
    os._exit(0)
