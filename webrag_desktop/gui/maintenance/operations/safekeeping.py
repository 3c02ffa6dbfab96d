"""Looking after the library: saving it to a file, restoring it from one, checking and repairing it; one at a time."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.errors import Cancelled
from webrag_desktop.gui.data.upkeep import BackupContents, Outcome, OutcomeLine
from webrag_desktop.gui.kit.quantities import documents_and_bin, file_size, long_time, number
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import WORKER_SECONDS, LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.backups import Manifest, RestoredLibrary, SavedLibrary
    from webrag_desktop.models.checks import AffectedDocument, Finding, Repair


def saved_outcome(saved: "SavedLibrary") -> Outcome:
    """A backup that was made."""
    held = documents_and_bin(saved.manifest.held, saved.manifest.in_bin)
    text = _tr("{0} ({1}) holds {2}, with everything kept about them. Keys and passwords are not in it.")
    return Outcome(
        _tr("Your library is saved"),
        text.format(saved.path.name, file_size(saved.size), held),
        action=_tr("Show in folder"),
        path=str(saved.path),
    )


def backup_contents(path: str, manifest: "Manifest") -> BackupContents:
    """What a backup holds."""
    return BackupContents(
        path,
        manifest.made_at,
        manifest.held,
        manifest.without_text,
        manifest.rows("citations"),
        manifest.in_bin,
    )


def restored_outcome(restored: "RestoredLibrary", contents: BackupContents) -> Outcome:
    """A library that was put in the place of another."""
    lines = []
    if restored.former is not None:
        text = _tr("What was here before is kept in {0}.").format(restored.former.path.name)
        lines.append(OutcomeLine(True, text, str(restored.former.path.parent)))
    if restored.intake:
        text = _tr("{0} that waited to be added are added now.").format(number(restored.intake))
        lines.append(OutcomeLine(True, text))
    former = restored.former
    return Outcome(
        _tr("Your library is that of {0}").format(long_time(contents.made_at)),
        _tr("It holds {0}, with what you cited.").format(
            documents_and_bin(contents.documents, contents.in_bin)
        ),
        lines=tuple(lines),
        action=_tr("Show in folder") if former is not None else "",
        path=str(former.path) if former is not None else "",
    )


def checked_outcome(findings: "Sequence[Finding]", repairs: "Sequence[Repair] | None" = None) -> Outcome:
    """The results of the checks: repairs first, then failed checks, then passed ones."""
    broken = [finding for finding in findings if not finding.ok]
    lines = [OutcomeLine(one.mended, one.message, _about(one)) for one in repairs or ()]
    lines += [
        OutcomeLine(
            False,
            finding.promise,
            _broken_words(finding),
        )
        for finding in broken
    ]
    lines += [OutcomeLine(True, finding.promise) for finding in findings if finding.ok]
    if broken:
        return _damaged(len(broken), len(findings), tuple(lines), repaired=repairs is not None)
    mended = sum(one.mended for one in repairs or ())
    text = _tr("All {0} checks passed.").format(number(len(findings)))
    headline = _tr("Your library is sound again") if mended else _tr("Your library is sound")
    return Outcome(headline, text, lines=tuple(lines))


def _about(repair: "Repair") -> str:
    subject = repair.subject if repair.document is None else _named(repair.document)
    return f"{repair.check}, {subject}"


def _named(document: "AffectedDocument") -> str:
    return title_line(document.title or document.source_url or str(document.id))


def _broken_words(finding: "Finding") -> str:
    examples = ", ".join(map(_named, finding.documents) if finding.documents else finding.examples)
    if finding.broken == 1:
        return _tr("Broken once: {0}").format(examples)
    return _tr("Broken {0} times, such as {1}").format(number(finding.broken), examples)


def _damaged(broken: int, all_: int, lines: tuple[OutcomeLine, ...], *, repaired: bool) -> Outcome:
    if repaired:
        text = _tr("What could be repaired was. What you added is untouched; a backup may have the rest.")
        return Outcome(_tr("Not everything could be repaired"), text, well=False, lines=lines)
    text = _tr(
        "{0} of {1} checks failed. Nothing was changed. Repairing rebuilds what was derived; what you added is "
        "never deleted."
    )
    return Outcome(
        _tr("Your library is damaged"),
        text.format(number(broken), number(all_)),
        well=False,
        lines=lines,
        action=_tr("Repair"),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Upkeep", text)


class SafekeepingOperations(QObject):
    """Each method ends in one of ``ended``, ``backup_read``, ``stopped`` and ``failed``."""

    step = Signal(object)  # Step
    ended = Signal(object)  # Outcome
    backup_read = Signal(object)  # BackupContents: it can be restored
    stopped = Signal()  # by the user; nothing is left half done
    failed = Signal(object)  # Failure

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        undo: UndoStack,
        parent: QObject | None = None,
    ) -> None:
        """Once a backup is restored, ``undo`` is empty: what it held was done in the former library."""
        super().__init__(parent)
        self._session = session
        self._background = background
        self._undo = undo
        self._work: CancelToken | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something is being done."""
        return self._work is not None

    def stop(self) -> None:
        """Stop what is being done, between two steps of it."""
        if self._work is not None:
            self._background.cancel(self._work)

    # -- Saving and restoring ---------------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Save the library to a file, in the place of one that is there; everything else can be used meanwhile."""
        self._call(partial(_saved, path), own_thread="backup")

    def read_backup(self, path: str) -> None:
        """Read a backup to its end; ``backup_read`` says that it can be restored."""
        self._work = self._background.run(
            partial(_contents, path),
            on_success=self._show_contents,
            on_error=self._fail,
            on_step=self.step.emit,
            on_cancel=self._stop,
            own_thread="backup",
        )

    def _show_contents(self, contents: BackupContents) -> None:
        self._work = None
        self.backup_read.emit(contents)

    def restore(self, contents: BackupContents) -> None:
        """Put the saved library in the place of the present one, which is saved first; it is closed meanwhile."""
        self._work = self._session.run_exclusively(
            partial(_restored, self._session.settings, contents),
            on_success=self._end_restoring,
            on_error=self._fail,
            on_cancel=self._stop,
            on_step=self.step.emit,
        )
        if self._work is None:
            self._fail(self._session.not_open_error())

    def _end_restoring(self, outcome: Outcome) -> None:
        self._undo.finish_all()
        self._end(outcome)

    # -- Checking ---------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Run every check of the library; nothing is changed."""
        self._call(_checked, own_thread="check")

    def mend(self) -> None:
        """Repair what can be repaired, without a worker, and check again."""
        self._call(_mended, own_thread="check", then=self._session.reopen)

    # -- How it ends ------------------------------------------------------------------------------------------

    def _call(
        self,
        work: "Callable[[Library, Task], Outcome]",
        own_thread: str,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        def end(outcome: Outcome | None) -> None:
            then()
            self._stop() if outcome is None else self._end(outcome)

        def fail(error: Exception) -> None:
            then()
            self._fail(error)

        self._work = self._session.call(
            partial(_unless_stopped, work),
            on_success=end,
            on_error=fail,
            on_step=self.step.emit,
            own_thread=own_thread,
            by_user=True,
        )

    def _end(self, outcome: Outcome) -> None:
        self._work = None
        self.ended.emit(outcome)

    def _stop(self) -> None:
        self._work = None
        self.stopped.emit()

    def _fail(self, error: Exception) -> None:
        self._work = None
        self.failed.emit(failure_of(error))


def _unless_stopped(
    work: "Callable[[Library, Task], Outcome]", library: "Library", task: Task
) -> Outcome | None:
    """What came of it, or None: it was stopped, which is an outcome as well."""
    try:
        return work(library, task)
    except Cancelled:
        return None


def _saved(path: str, library: "Library", task: Task) -> Outcome:
    saved = library.backup(Path(path), overwrite=True, progress=task.report, cancel=task.cancel)
    return saved_outcome(saved)


def _contents(path: str, task: Task) -> BackupContents:
    from webrag_desktop import check_backup

    return backup_contents(path, check_backup(Path(path), task.report, task.cancel))


def _restored(settings: "Settings", contents: BackupContents, task: Task) -> Outcome:
    from webrag_desktop import DataFolder

    restored = DataFolder(settings).restore(
        Path(contents.path), replace=True, progress=task.report, cancel=task.cancel
    )
    return restored_outcome(restored, contents)


def _checked(library: "Library", task: Task) -> Outcome:
    return checked_outcome(library.doctor.check(progress=task.report, cancel=task.cancel))


def _mended(library: "Library", task: Task) -> Outcome:
    library.worker.stop(WORKER_SECONDS)  # another is started once the library is opened again
    checkup = library.doctor
    repairs = checkup.repair(progress=task.report, cancel=task.cancel)
    return checked_outcome(checkup.check(progress=task.report, cancel=task.cancel), repairs)
