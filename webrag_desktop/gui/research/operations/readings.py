"""Stored texts as they are read, kept for the next question: a version never changes, and reading it takes time."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from threading import Lock
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from webrag_desktop.progress import CancelToken
    from webrag_desktop.text.plain_text import PlainText

MOST_VERSIONS = 8
MOST_CHARACTERS = 3_000_000  # that many small texts may be kept beyond the number of versions


class Readings:
    """The plain texts of the versions asked for last. Any thread may ask.

    At least :data:`MOST_VERSIONS` are kept, and more while they have fewer than :data:`MOST_CHARACTERS` together: one
    answer can hold passages of many documents.
    """

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lock = Lock()
        self._kept: OrderedDict[UUID, PlainText] = OrderedDict()

    def of(
        self,
        version_ids: Collection[UUID],
        load: Callable[[list[UUID]], Mapping[UUID, str]],
        cancel: "CancelToken",
    ) -> "dict[UUID, PlainText]":
        """Those of these versions that there are; ``load`` gives the markdown of those that are not kept, at once.

        Raises:
            Cancelled: it was asked to stop; what was read until then is kept.
        """
        from webrag_desktop.text.plain_text import project  # with what the core imports, not before

        read = self._known(version_ids)
        missing = [id_ for id_ in dict.fromkeys(version_ids) if id_ not in read]
        if missing:
            for version_id, markdown in load(missing).items():
                cancel.raise_if_cancelled()
                read[version_id] = project(markdown)
                self._keep(version_id, read[version_id])
        return read

    def _known(self, version_ids: Collection[UUID]) -> "dict[UUID, PlainText]":
        with self._lock:
            known = {id_: self._kept[id_] for id_ in version_ids if id_ in self._kept}
            for id_ in known:
                self._kept.move_to_end(id_)
            return known

    def _keep(self, version_id: UUID, plain: "PlainText") -> None:
        with self._lock:
            self._kept[version_id] = plain
            self._kept.move_to_end(version_id)
            characters = sum(len(one.text) for one in self._kept.values())
            while len(self._kept) > MOST_VERSIONS and characters > MOST_CHARACTERS:
                _oldest, dropped = self._kept.popitem(last=False)
                characters -= len(dropped.text)
