"""The results as a tree of two levels, documents and their passages, and why each passage was found."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import groupby
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
from webrag_desktop.text.citation_formats import reference

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
    """Score, similarity, terms, how it was found, links on the way, where else nearly the same is said.

    What is not known is left out, and so is the way to a page that the user added.
    """
    made: list[Reason] = [Reason(_tr("Score"), passage.figure)]
    if passage.similarity is not None:
        made.append(Reason(_tr("Similarity"), f"{passage.similarity:.2f}"))
    if passage.terms:
        made.append(Reason(_tr("Terms"), ", ".join(_counted(*term) for term in passage.terms)))
    if passage.found_by:
        made.append(Reason(_tr("Found"), ", ".join(passage.found_by)))
    if passage.depth > 0:
        made.append(Reason(_tr("Away"), _distance(passage.depth)))
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


def _distance(depth: int) -> str:
    if depth == 1:
        return _tr("1 link from the pages you added")
    return _tr("{0} links from the pages you added").format(number(depth))


def strength_words() -> dict[str, str]:
    """How strong a passage is, in words, the strongest first."""
    return {"strong": _tr("Strong"), "fair": _tr("Fair"), "weak": _tr("Weak")}


def _tr(text: str) -> str:
    return QCoreApplication.translate("PassageReasons", text)


Order = Literal["best", "reading"]
SHOWN_AT_FIRST = 3  # passages of a document; the others are behind a row that says how many they are
_GROUP_ID = 0  # the internal id of a document's row; of a row below it, the document's row + 1


class ResultRole(IntEnum):
    """What a row holds beyond its text. All rows have a GROUP; the last below a document may stand for others."""

    GROUP = Qt.ItemDataRole.UserRole + 1  # ResultGroup
    PASSAGE = Qt.ItemDataRole.UserRole + 2  # Passage, None for a row that is none
    NUMBER = Qt.ItemDataRole.UserRole + 3  # int: the citation it is, None where it is not cited
    MORE = (
        Qt.ItemDataRole.UserRole + 4
    )  # int: for how many passages the row stands, None where it is no such row


def best_first(found: Sequence[Passage]) -> list[Passage]:
    """The passages of a document by falling score."""
    return sorted(found, key=lambda passage: -passage.score)


class ResultsModel(QAbstractItemModel):
    """Holds one answer at a time. Passages know which citation they are.

    Of a document the best three passages have rows at first; :meth:`unfold` gives the others theirs.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[ResultGroup, ...] = ()
        self._unfolded: set[UUID] = set()  # documents of which all passages are shown
        self._passages: list[tuple[Passage, ...]] = []  # that have rows, of each group, in the order shown
        self._citations: tuple[CitationRow, ...] = ()
        self._numbers: dict[UUID, int] = {}
        self._order: Order = "best"

    # -- What is shown --------------------------------------------------------------------------------------------

    def show(self, results: SearchResults | None) -> None:
        """Replace everything; None empties the model."""
        self.beginResetModel()
        self._groups = results.groups if results else ()
        self._unfolded = set()
        self._passages = [self._shown(group) for group in self._groups]
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
        self._passages = [self._shown(group) for group in self._groups]
        for index, passage in kept:
            if passage is not None:
                self.changePersistentIndex(index, self.find(passage.chunk_id))
        self.layoutChanged.emit()

    @property
    def order(self) -> Order:
        """How the passages of a document are ordered."""
        return self._order

    def find(self, chunk_id: UUID) -> QModelIndex:
        """The row of a passage; an invalid index where it has none."""
        for row, shown in enumerate(self._passages):
            for at, passage in enumerate(shown):
                if passage.chunk_id == chunk_id:
                    return self.createIndex(at, 0, row + 1)
        return QModelIndex()

    def unfold(self, index: AnyIndex) -> QModelIndex:
        """Give all passages of a row's document rows; returns the first of the new ones, or the row that was asked."""
        row = index.row() if index.internalId() == _GROUP_ID else index.internalId() - 1
        group, before = self._groups[row], self._passages[row]
        added = self._hidden(group)
        if not added:
            return self.index(index.row(), 0, index.parent())
        parent = self.createIndex(row, 0, _GROUP_ID)
        self.beginRemoveRows(parent, len(before), len(before))
        self._unfolded.add(group.document_id)
        self.endRemoveRows()
        wanted = self._shown(group)
        new = {passage.chunk_id for passage in added}
        for is_new, run in groupby(range(len(wanted)), lambda at: wanted[at].chunk_id in new):
            places = list(run)
            if is_new:
                self.beginInsertRows(parent, places[0], places[-1])
                shown = self._passages[row]
                inserted = tuple(wanted[at] for at in places)
                self._passages[row] = shown[: places[0]] + inserted + shown[places[0] :]
                self.endInsertRows()
        first = next(at for at, passage in enumerate(wanted) if passage.chunk_id in new)
        return self.index(first, 0, parent)

    def fold(self, index: AnyIndex) -> None:
        """Show the best passages of a document alone again."""
        group = self._groups[index.row()]
        if group.document_id not in self._unfolded:
            return
        parent, row = self.createIndex(index.row(), 0, _GROUP_ID), index.row()
        self.beginRemoveRows(parent, 0, len(self._passages[row]) - 1)
        self._passages[row] = ()
        self.endRemoveRows()
        wanted = self._best(group)
        self.beginInsertRows(parent, 0, len(wanted))
        self._unfolded.discard(group.document_id)
        self._passages[row] = wanted
        self.endInsertRows()

    def reveal(self, chunk_id: UUID) -> QModelIndex:
        """The row of a passage, which gets one where it has none; an invalid index where it is not a result."""
        for row, group in enumerate(self._groups):
            if any(passage.chunk_id == chunk_id for passage in self._hidden(group)):
                self.unfold(self.createIndex(row, 0, _GROUP_ID))
        return self.find(chunk_id)

    def _hidden(self, group: ResultGroup) -> list[Passage]:
        """The passages of a document that have no row, the best first."""
        return [] if group.document_id in self._unfolded else best_first(group.passages)[SHOWN_AT_FIRST:]

    def _shown(self, group: ResultGroup) -> tuple[Passage, ...]:
        return self._ordered(group.passages) if group.document_id in self._unfolded else self._best(group)

    def _best(self, group: ResultGroup) -> tuple[Passage, ...]:
        best = {passage.chunk_id for passage in best_first(group.passages)[:SHOWN_AT_FIRST]}
        return tuple(one for one in self._ordered(group.passages) if one.chunk_id in best)

    def passage_indexes(self) -> Iterator[QModelIndex]:
        """The row of every passage that has one, from first to last."""
        for row, shown in enumerate(self._passages):
            for at in range(len(shown)):
                yield self.createIndex(at, 0, row + 1)

    def _ordered(self, found: tuple[Passage, ...]) -> tuple[Passage, ...]:
        if self._order == "reading":
            return found
        return tuple(best_first(found))

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
        """How many documents there are, or rows below one."""
        if not parent.isValid():
            return len(self._groups)
        if parent.internalId() != _GROUP_ID:
            return 0
        shown = len(self._passages[parent.row()])
        return shown + bool(shown and self._hidden(self._groups[parent.row()]))

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
        if index.row() == len(self._passages[index.internalId() - 1]):
            return self._more_data(group, role)
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

    def _more_data(self, group: ResultGroup, role: int) -> object:
        count = len(self._hidden(group))
        if role == ResultRole.GROUP:
            return group
        if role == ResultRole.MORE:
            return count
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("{0} more").format(number(count))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.tr("{0} more in {1}").format(passages(count), isolated(group.title))
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
            position = self._ordered(group.passages).index(passage) + 1
            return self._sentence(passage, position, len(group.passages))
        return elsewhere_words(passage) if role == Qt.ItemDataRole.AccessibleDescriptionRole else None

    def _sentence(self, passage: Passage, position: int, of: int) -> str:
        parts = [
            self.tr("Passage {0} of {1}").format(position, of),
            reference(passage.heading or passage.place, page=passage.page, page_words=self.tr("page {0}")),
            self.tr("{0}, score {1}").format(strength_words()[passage.strength].lower(), passage.figure),
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
