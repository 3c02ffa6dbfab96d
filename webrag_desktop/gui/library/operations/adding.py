"""Adding links, files and folders in the background, and the messages about the outcome."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject

from webrag_desktop.errors import WebragError
from webrag_desktop.gui.data.import_report import Unlinked
from webrag_desktop.gui.data.library import FolderContents, FolderKind, LeftOut
from webrag_desktop.gui.kit.quantities import number, plural
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.intake import Accepted, FolderPreview, Kept, Refused
    from webrag_desktop.models.sources import Labels


Kinds = Mapping[str, str]


def added_sentences(accepted: "Sequence[Accepted]", kinds: Kinds) -> str:
    """The outcome of what was accepted; ``kinds`` maps each input to link or file."""
    of_verdict = Counter(one.verdict for one in accepted)
    added = [kinds.get(one.given, "url") for one in accepted if one.verdict == "added"]
    parts = [
        _tr("{0} added.").format(_things(added)) if added else "",
        _counted_sentence(of_verdict["retried"], _tr("1 is tried again."), _tr("{0} are tried again.")),
        _counted_sentence(
            of_verdict["changed"],
            _tr("1 has changed and is read again."),
            _tr("{0} have changed and are read again."),
        ),
        _counted_sentence(
            of_verdict["restored"],
            _tr("1 was in the bin and is restored."),
            _tr("{0} were in the bin and are restored."),
        ),
        _counted_sentence(of_verdict["present"], _tr("1 was already here."), _tr("{0} were already here.")),
    ]
    return " ".join(filter(None, parts))


def kept_sentences(kept: "Sequence[Kept]", kinds: Kinds) -> str:
    """What is said of what waits outside the database."""
    things = _things([kinds.get(one.given, "url") for one in kept])
    if len(kept) == 1:
        return _tr("{0} kept. It is added as soon as your library is open.").format(things)
    return _tr("{0} kept. They are added as soon as your library is open.").format(things)


def attention_sentence(refused: "Sequence[Refused]", unlinked: "Sequence[Unlinked]") -> str:
    """What is said of what cannot be added: of a single thing why, of several how many."""
    if not refused and not unlinked:
        return ""
    if len(refused) + len(unlinked) > 1:
        return _tr("{0} need attention.").format(number(len(refused) + len(unlinked)))
    return refused[0].error.message if refused else unlinked[0].reason


def _counted_sentence(number: int, one: str, many: str) -> str:
    return plural(number, one, many) if number else ""


def _things(kinds: Sequence[str]) -> str:
    files = sum(1 for kind in kinds if kind == "file")
    links = len(kinds) - files
    named: list[str] = []
    if links:
        named.append(plural(links, _tr("1 link"), _tr("{0} links")))
    if files:
        named.append(plural(files, _tr("1 file"), _tr("{0} files")))
    return _tr("{0} and {1}").format(*named) if len(named) == 2 else "".join(named)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Adding", text)


# -- In the background --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """The outcome of adding; ``kinds`` maps each input to link or file."""

    accepted: "tuple[Accepted, ...]"
    kept: "tuple[Kept, ...]"
    refused: "tuple[Refused, ...]"
    kinds: dict[str, str]

    @property
    def count(self) -> int:
        """How much was given."""
        return len(self.accepted) + len(self.kept) + len(self.refused)


NOTHING_GIVEN: Final = Given((), (), (), {})


def add(
    given: tuple[str, ...],
    collection: str,
    subresources: bool | None,
    ending: CancelToken,
    library: "Library",
    _task: Task,
) -> Given:
    """Take in what the user gave; what ``ending`` leaves over waits, durably, for the next opening."""
    return _given(given, library.add(given, ending, labels=_labels(collection), subresources=subresources))


def _labels(collection: str) -> "Labels":
    from webrag_desktop.models.sources import Labels

    return Labels.of(collections=[collection] if collection else [])


def take_in(kept: frozenset[str], library: "Library", task: Task) -> Given:
    """Add what waits beside the library; returns the outcome of those that are in ``kept``."""
    taken = library.take_in(task.cancel)
    if not kept or not taken:  # as at nearly every start, which must not wait for the readers of addresses
        return NOTHING_GIVEN
    addresses = {_address(text) for text in kept}
    accepted = [one for one in taken if _address(one.given) in addresses]
    return _given([one.given for one in accepted], accepted)


def keep_removal(settings: "Settings", ids: tuple[UUID, ...]) -> None:
    """Keep durably that these are to be removed: that is done when the library is opened next."""
    from webrag_desktop import DataFolder

    DataFolder(settings).keep_removal(ids)


def keep(
    settings: "Settings",
    given: tuple[str, ...],
    collection: str,
    subresources: bool | None,
    error: WebragError,
) -> Given:
    """Keep what the user gave beside the library, which is not open because of ``error``."""
    from webrag_desktop import DataFolder

    labels = _labels(collection)
    kept = DataFolder(settings).keep_for_later(given, error, labels, subresources=subresources)
    return _given(given, kept)


def _given(given: Iterable[str], results: "Sequence[Accepted | Kept | Refused]") -> Given:
    from webrag_desktop.models.intake import Accepted, Kept, Refused

    return Given(
        tuple(one for one in results if isinstance(one, Accepted)),
        tuple(one for one in results if isinstance(one, Kept)),
        tuple(one for one in results if isinstance(one, Refused)),
        _kinds(given),
    )


def _address(text: str) -> str:
    """The same for a file's path and its address."""
    from webrag_desktop import parse_source

    try:
        return parse_source(text)[1]
    except WebragError:
        return text


def _kinds(given: Iterable[str]) -> dict[str, str]:
    """What each of these is; what cannot be read is neither link nor file."""
    from webrag_desktop import parse_source

    kinds: dict[str, str] = {}
    for text in given:
        with suppress(WebragError):
            kinds[text] = parse_source(text)[0]
    return kinds


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
