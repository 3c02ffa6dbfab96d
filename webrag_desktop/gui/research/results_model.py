"""The results as a tree of two levels, documents and their passages, and why each passage was found."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, Literal, NamedTuple, overload
from uuid import UUID

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    Qt,
)

from webrag_desktop.gui.data.view_data import AlsoIn, CitationRow, Passage, ResultGroup, SearchResults
from webrag_desktop.gui.kit.quantities import documents, number, passages
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.direction import isolated
from webrag_desktop.gui.library.document_words import kind_words

_MOST_NAMED = 12  # documents in a tooltip, which must fit a screen


class Reason(NamedTuple):
    """What was measured, and what came out.

    Where ``is_title`` holds the value is a document's, as long as it may be and in whatever direction it runs; it has
    a line of its own, and ``rest`` follows it.
    """

    name: str
    value: str
    rest: str = ""
    is_title: bool = False


def reasons(passage: Passage) -> tuple[Reason, ...]:
    """Similarity, terms, how it was found, depth, where else nearly the same is said; without what is not known."""
    made: list[Reason] = []
    if passage.similarity is not None:
        made.append(Reason(_tr("Similarity"), f"{passage.similarity:.2f}"))
    if passage.terms:
        made.append(Reason(_tr("Terms"), ", ".join(_counted(*term) for term in passage.terms)))
    if passage.found_by:
        made.append(Reason(_tr("Found"), ", ".join(passage.found_by)))
    made.append(Reason(_tr("Depth"), _depth(passage.depth)))
    if passage.also_in:
        made.append(_elsewhere(passage.also_in))
    return tuple(made)


def reasons_text(passage: Passage) -> str:
    """The reasons, one on each line."""
    return "\n".join(f"{reason.name}: {_words(reason)}" for reason in reasons(passage))


def elsewhere_text(passage: Passage) -> str:
    """The documents that say nearly the same, each with its title and address; the best, where they are many."""
    named = [f"{one.title}\n{one.address}" for one in passage.also_in[:_MOST_NAMED]]
    more = len(passage.also_in) - len(named)
    return "\n".join([*named, *([_and_more(more)] if more else [])])


def elsewhere_words(passage: Passage) -> str:
    """The same for a screen reader, as a sentence with all of them; empty where there are none."""
    named = "; ".join(f"{isolated(one.title)}, {one.address}" for one in passage.also_in)
    return _tr("Nearly the same is said in: {0}").format(named) if named else ""


def _elsewhere(documents: tuple[AlsoIn, ...]) -> Reason:
    more = len(documents) - 1
    return Reason(_tr("Also in"), documents[0].name, _and_more(more) if more else "", is_title=True)


def _and_more(count: int) -> str:
    return _tr("and {0} more").format(number(count))


def _words(reason: Reason) -> str:
    value = isolated(reason.value) if reason.is_title else reason.value
    return f"{value} {reason.rest}".rstrip()


def _counted(word: str, count: int) -> str:
    """A word and how often it occurs."""
    return f"{isolated(word)} ×{count}"


def _depth(depth: int) -> str:
    if depth == 0:
        return _tr("0, added by you")
    if depth == 1:
        return _tr("1, one link away")
    return _tr("{0}, {0} links away").format(depth)


def _tr(text: str) -> str:
    return QCoreApplication.translate("PassageReasons", text)


Order = Literal["best", "reading"]
_GROUP_ID = 0  # the internal id of a document's row; a passage's is its document's row + 1


class ResultRole(IntEnum):
    """What a row holds beyond its text. A passage's row answers to all of them, a document's only to GROUP."""

    GROUP = Qt.ItemDataRole.UserRole + 1  # ResultGroup
    PASSAGE = Qt.ItemDataRole.UserRole + 2  # Passage, None for a document's row
    NUMBER = Qt.ItemDataRole.UserRole + 3  # int: the citation it is, None where it is not cited


class ResultsModel(QAbstractItemModel):
    """Holds one answer at a time. Passages know which citation they are."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[ResultGroup, ...] = ()
        self._passages: list[tuple[Passage, ...]] = []  # of each group, in the order shown
        self._citations: tuple[CitationRow, ...] = ()
        self._numbers: dict[UUID, int] = {}
        self._order: Order = "best"

    # -- What is shown --------------------------------------------------------------------------------------------

    def show(self, results: SearchResults | None) -> None:
        """Replace everything; None empties the model."""
        self.beginResetModel()
        self._groups = results.groups if results else ()
        self._passages = [self._ordered(group.passages) for group in self._groups]
        self._numbers = self._numbered()
        self.endResetModel()

    def set_citations(self, citations: Sequence[CitationRow]) -> None:
        """Number the passages that are cited, and forget the numbers of those that no longer are."""
        self._citations = tuple(citations)
        before, self._numbers = self._numbers, self._numbered()
        for index in self.passage_indexes():
            chunk_id = index.data(ResultRole.PASSAGE).chunk_id
            if before.get(chunk_id) != self._numbers.get(chunk_id):
                self.dataChanged.emit(index, index)

    def set_order(self, order: Order) -> None:
        """Order the passages of each document by score, or in reading order."""
        if order == self._order:
            return
        self._order = order
        self.layoutAboutToBeChanged.emit()
        kept = [(index, index.data(ResultRole.PASSAGE)) for index in self.persistentIndexList()]
        self._passages = [self._ordered(group.passages) for group in self._groups]
        for index, passage in kept:
            if passage is not None:
                self.changePersistentIndex(index, self.find(passage.chunk_id))
        self.layoutChanged.emit()

    @property
    def order(self) -> Order:
        """How the passages of a document are ordered."""
        return self._order

    def find(self, chunk_id: UUID) -> QModelIndex:
        """The row of a passage; an invalid index where it is not among the results."""
        for row, shown in enumerate(self._passages):
            for at, passage in enumerate(shown):
                if passage.chunk_id == chunk_id:
                    return self.createIndex(at, 0, row + 1)
        return QModelIndex()

    def passage_indexes(self) -> Iterator[QModelIndex]:
        """Every passage's row, from first to last."""
        for row, shown in enumerate(self._passages):
            for at in range(len(shown)):
                yield self.createIndex(at, 0, row + 1)

    def _ordered(self, found: tuple[Passage, ...]) -> tuple[Passage, ...]:
        if self._order == "reading":
            return found
        return tuple(sorted(found, key=lambda passage: -passage.score))

    def _numbered(self) -> dict[UUID, int]:
        numbers: dict[UUID, int] = {}
        for group in self._groups:
            for passage in group.passages:
                cited = citation_of(passage, self._citations)
                if cited is not None:
                    numbers[passage.chunk_id] = cited.number
        return numbers

    # -- QAbstractItemModel ---------------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008
        """The row of a document, or of a passage below one."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _GROUP_ID)

    @overload
    def parent(self) -> QObject | None: ...
    @overload
    def parent(self, child: AnyIndex) -> QModelIndex: ...
    def parent(self, child: AnyIndex | None = None) -> QModelIndex | QObject | None:
        """The document of a passage."""
        if child is None:
            return super().parent()
        if not child.isValid() or child.internalId() == _GROUP_ID:
            return QModelIndex()
        return self.createIndex(child.internalId() - 1, 0, _GROUP_ID)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many documents there are, or passages of one."""
        if not parent.isValid():
            return len(self._groups)
        return len(self._passages[parent.row()]) if parent.internalId() == _GROUP_ID else 0

    def columnCount(self, _parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """One: delegates lay the row out."""
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """See :class:`ResultRole`; the accessible text is a whole sentence, the description what else says so."""
        if not index.isValid():
            return None
        if index.internalId() == _GROUP_ID:
            return self._group_data(self._groups[index.row()], role)
        group = self._groups[index.internalId() - 1]
        return self._passage_data(group, index, role)

    def _group_data(self, group: ResultGroup, role: int) -> object:
        if role == ResultRole.GROUP:
            return group
        if role == Qt.ItemDataRole.DisplayRole:
            return group.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(
                (group.title, group.place, kind_words(group.kind, group.address), share_of_passages(group))
            )
        return None

    def _passage_data(self, group: ResultGroup, index: AnyIndex, role: int) -> object:
        passage = self._passages[index.internalId() - 1][index.row()]
        if role == ResultRole.PASSAGE:
            return passage
        if role == ResultRole.GROUP:
            return group
        if role == ResultRole.NUMBER:
            return self._numbers.get(passage.chunk_id)
        if role == Qt.ItemDataRole.DisplayRole:
            return passage.quote
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(passage, index.row() + 1, len(group.passages))
        return elsewhere_words(passage) if role == Qt.ItemDataRole.AccessibleDescriptionRole else None

    def _sentence(self, passage: Passage, position: int, of: int) -> str:
        parts = [
            self.tr("Passage {0} of {1}").format(position, of),
            passage.heading or passage.place,
            self.tr("page {0}").format(passage.page) if passage.page else "",
            self.tr("score {0}").format(f"{passage.score:.2f}"),
        ]
        if passage.chunk_id in self._numbers:
            parts.append(self.tr("cited as {0}").format(self._numbers[passage.chunk_id]))
        if passage.also_in:
            parts.append(self.tr("also in {0}").format(documents(len(passage.also_in))))
        return f"{', '.join(part for part in parts if part)}: {passage.quote}"


def citation_of(passage: Passage, citations: Sequence[CitationRow]) -> CitationRow | None:
    """The citation that quotes just a passage's best sentence, which is what citing the passage makes."""
    span = passage.span
    wanted = (span.version_id, span.char_start, span.char_end)
    return next((row for row in citations if (row.version_id, row.char_start, row.char_end) == wanted), None)


def share_of_passages(group: ResultGroup) -> str:
    """How many of a document's passages were found, in words."""
    found, total = len(group.passages), max(group.passages_in_document, len(group.passages))
    return QCoreApplication.translate("ResultsModel", "{0} of {1}").format(number(found), passages(total))
