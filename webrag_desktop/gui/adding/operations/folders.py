"""Lists folders in the background, and reports what of them can be added."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.library import FolderContents, FolderKind, LeftOut
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.intake import FolderPreview


@dataclass(frozen=True, slots=True)
class Sorted:
    """What was given, folders apart from the rest."""

    folders: tuple[str, ...]
    rest: tuple[str, ...]


class FolderOperations(QObject):
    """Folders are walked in a thread of their own; while the library is not open, all in them counts as new."""

    def __init__(
        self, session: LibrarySession, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._background = session, background

    def sort(self, given: Sequence[str], on_sorted: Callable[[Sorted], None]) -> None:
        """Find out which of these are folders; they may lie on a slow drive."""
        wanted = tuple(given)
        self._background.run(lambda _task: _sorted(wanted), on_success=on_sorted, own_thread="look")

    def look_through(
        self,
        folders: Sequence[str],
        *,
        on_found: Callable[[FolderContents], None],
        on_error: Callable[[Exception], None],
        on_step: Callable[[Step], None],
    ) -> CancelToken | None:
        """Find the contents of folders; the returned token stops it (:meth:`stop`)."""
        paths = [Path(folder) for folder in folders]
        if self._session.is_open:
            return self._session.call(
                lambda library, task: _contents(_compared(paths, library, task)),
                on_success=on_found,
                on_error=on_error,
                on_step=on_step,
                own_thread="folders",
            )
        settings = self._session.settings
        return self._background.run(
            lambda task: _contents(_found(paths, settings, task)),
            on_success=on_found,
            on_error=on_error,
            on_step=on_step,
            own_thread="folders",
        )

    def stop(self, looking: CancelToken) -> None:
        """Look no further."""
        self._background.cancel(looking)


def _sorted(given: tuple[str, ...]) -> Sorted:
    folders = tuple(text for text in given if _is_folder(text))
    return Sorted(folders, tuple(text for text in given if text not in folders))


def _is_folder(text: str) -> bool:
    try:
        return "://" not in text and Path(text).is_dir()
    except (OSError, ValueError):  # no name of a file
        return False


def _compared(folders: Sequence[Path], library: "Library", task: Task) -> "FolderPreview":
    return library.look_through(folders, task.report, task.cancel)


def _found(folders: Sequence[Path], settings: "Settings", task: Task) -> "FolderPreview":
    from webrag_desktop import DataFolder

    return DataFolder(settings).look_through(folders, task.report, task.cancel)


def _contents(preview: "FolderPreview") -> FolderContents:
    return FolderContents(
        folders=preview.folders,
        kinds=tuple(
            FolderKind(count.kind, preview.paths({count.kind}), count.bytes_to_add)
            for count in preview.kinds()
        ),
        present=preview.standing("present"),
        changed=preview.standing("changed"),
        left_out=tuple(
            LeftOut(group.reason, group.files, group.folders, group.examples, group.endings)
            for group in preview.skipped
        ),
        cut_short=preview.cut_short,
    )
