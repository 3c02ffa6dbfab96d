from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from tests.support.documents import QUEUED, REPORT, SCAN, SIGN_IN, STOPPED, details, document, keys, ready
from webrag_desktop.gui.data.view_data import DocumentKind, DocumentNews, DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.rows.models import edits, keep_order
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_columns import Column
from webrag_desktop.gui.library.documents_model import DocumentRole, DocumentsModel
from webrag_desktop.gui.library.inspector_parts import StepState, steps_of
from webrag_desktop.gui.research.filter_strip import value_word
from webrag_desktop.progress import SourceState

ROWS = ready(60)
IDS = [row.id for row in ROWS]


@pytest.fixture
def model(qtbot: QtBot) -> Iterator[DocumentsModel]:
    """A model that Qt's own tester watches all along."""
    made = DocumentsModel()
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield made
    tester.deleteLater()
    made.deleteLater()


def titles(model: DocumentsModel) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def shown(model: DocumentsModel) -> list[UUID]:
    return [model.id_at(row) for row in range(model.rowCount())]


def asked(spy: QSignalSpy) -> list[tuple[UUID, ...]]:
    return [spy.at(at)[0] for at in range(spy.count())]


def load(model: DocumentsModel, rows: Sequence[DocumentRow]) -> None:
    model.show_keys(keys([row.id for row in rows]))
    model.show_rows(rows)


def test_rows_are_asked_for_once_per_turn_when_looked_at(model: DocumentsModel, qtbot: QtBot) -> None:
    model.show_keys(keys(IDS))
    spy = QSignalSpy(model.rows_wanted)
    assert [model.index(row, 0).data() for row in (30, 31, 32)] == [None, None, None]
    assert model.index(31, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Loading"
    assert spy.count() == 0, "data() must not ask synchronously"
    qtbot.waitUntil(lambda: spy.count() > 0)
    (wanted,) = asked(spy)
    assert {IDS[30], IDS[31], IDS[32]} <= set(wanted)
    assert IDS[29] in wanted, "what is near is asked for along with it"
    assert IDS[33] in wanted
    assert len(set(wanted)) == len(wanted)
    model.index(30, 0).data()
    with qtbot.assertNotEmitted(model.rows_wanted, wait=20):
        pass


def test_rows_that_came_are_shown_and_not_asked_for_again(model: DocumentsModel, qtbot: QtBot) -> None:
    load(model, ROWS[:20])
    spy = QSignalSpy(model.dataChanged)
    model.show_rows(ROWS[10:13])
    assert spy.count() == 1
    assert (spy.at(0)[0].row(), spy.at(0)[1].row()) == (10, 12)
    with qtbot.assertNotEmitted(model.rows_wanted, wait=20):
        assert model.index(11, Column.TITLE).data() == ROWS[11].title
        assert model.index(11, Column.PASSAGES).data() == str(ROWS[11].passages)
        assert model.index(11, Column.STATE).data() == "Ready"


def test_the_cache_stays_small(qtbot: QtBot) -> None:
    model = DocumentsModel(capacity=20)
    model.show_keys(keys(IDS))
    model.show_rows(ROWS[:20])
    model.index(0, 0).data()  # used last, so it stays
    model.show_rows(ROWS[20:30])
    assert len(list(model.loaded())) == 20
    assert model.document(IDS[0]) is not None
    assert model.document(IDS[1]) is None


def test_shapes_are_shown_only_after_a_while(model: DocumentsModel, qtbot: QtBot) -> None:
    late = Qt.ItemDataRole.UserRole + 1
    model.show_keys(keys(IDS[:3]))
    model.index(0, 0).data()
    assert model.index(0, 0).data(late) is False
    qtbot.waitUntil(lambda: model.index(0, 0).data(late) is True)


def test_news_change_a_row_at_once_and_its_state_has_it_asked_for_again(
    model: DocumentsModel, qtbot: QtBot
) -> None:
    load(model, [QUEUED, SIGN_IN])
    model.apply_news([DocumentNews(SIGN_IN.id, "embedding", 1, 4)])
    changed = model.index(1, 0).data(DocumentRole)
    assert (changed.state, changed.share, changed.reason) == ("embedding", 0.25, None)
    with qtbot.waitSignal(model.rows_wanted) as wanted:
        model.index(1, 0).data()
    assert SIGN_IN.id in wanted.args[0]


def test_a_row_fetched_before_the_news_does_not_pass_for_the_new_one(
    model: DocumentsModel, qtbot: QtBot
) -> None:
    load(model, [REPORT])
    model.apply_news([DocumentNews(REPORT.id, "ready")])
    model.show_rows([REPORT])  # was on its way when the news came
    with qtbot.waitSignal(model.rows_wanted):
        model.index(0, 0).data()


def test_progress_is_kept_at_once_and_repainted_now_and_then(model: DocumentsModel, qtbot: QtBot) -> None:
    load(model, [REPORT])
    spy = QSignalSpy(model.dataChanged)
    for done in range(900, 950):
        model.apply_news([DocumentNews(REPORT.id, "embedding", done, 2118)])
    assert model.document(REPORT.id) == replace(REPORT, done=949)
    assert spy.count() == 0
    qtbot.waitUntil(lambda: spy.count() == 1)
    with qtbot.assertNotEmitted(model.rows_wanted, wait=20):
        model.index(0, 0).data()


def test_when_the_queue_moves_those_who_wait_are_asked_for_again(model: DocumentsModel, qtbot: QtBot) -> None:
    other = document("Another that waits", state="queued", ahead=0)
    load(model, [QUEUED, other, *ROWS[:2]])
    model.apply_news([DocumentNews(other.id, "fetching")])
    with qtbot.waitSignal(model.rows_wanted) as wanted:
        for row in range(4):
            model.index(row, 0).data()
    assert set(wanted.args[0]) == {QUEUED.id, other.id}


def test_removed_documents_leave(model: DocumentsModel, qtbot: QtBot) -> None:
    load(model, ROWS)
    model.apply_news([DocumentNews(IDS[3], None), DocumentNews(IDS[40], None)])
    assert shown(model) == [one for one in IDS if one not in {IDS[3], IDS[40]}]
    assert model.is_settled


def test_new_documents_are_inserted_and_gone_ones_removed(model: DocumentsModel, qtbot: QtBot) -> None:
    model.show_keys(keys(IDS[10:40]))
    reset = QSignalSpy(model.modelReset)
    model.show_keys(keys([*IDS[:5], *IDS[10:20], *IDS[25:45]]))
    assert reset.count() == 0
    assert shown(model) == [*IDS[:5], *IDS[10:20], *IDS[25:45]]
    assert model.row_of(IDS[44].int) == 34


def test_another_order_is_a_reset(model: DocumentsModel, qtbot: QtBot) -> None:
    model.show_keys(keys(IDS))
    with qtbot.waitSignal(model.modelReset):
        model.show_keys(keys(IDS[::-1]))
    assert shown(model) == IDS[::-1]


def test_in_place_nothing_moves_until_it_settles(model: DocumentsModel, qtbot: QtBot) -> None:
    model.show_keys(keys(IDS[:6]))
    wanted = [IDS[5], IDS[8], IDS[0], IDS[1]]
    model.show_keys(keys(wanted), in_place=True)
    assert shown(model) == [*IDS[:6], IDS[8]]
    assert not model.is_settled
    model.settle()
    assert shown(model) == wanted
    assert model.is_settled


def test_hidden_documents_stay_hidden_whatever_is_listed(model: DocumentsModel, qtbot: QtBot) -> None:
    model.show_keys(keys(IDS[:6]))
    model.hide([IDS[2], IDS[4]])
    assert shown(model) == [IDS[0], IDS[1], IDS[3], IDS[5]]
    model.show_keys(keys(IDS[:8]))
    assert IDS[2] not in shown(model)
    model.unhide([IDS[2], IDS[4]])
    assert shown(model) == IDS[:8]


def test_hidden_documents_stay_hidden_when_they_are_gone_and_an_older_list_comes(
    model: DocumentsModel, qtbot: QtBot
) -> None:
    model.show_keys(keys(IDS[:3]))
    model.hide([IDS[1]])
    model.apply_news([DocumentNews(IDS[1], None)])
    model.show_keys(keys(IDS[:3]))
    assert shown(model) == [IDS[0], IDS[2]]


def test_asked_rows_are_asked_for_again_when_the_list_comes_again(
    model: DocumentsModel, qtbot: QtBot
) -> None:
    model.show_keys(keys(IDS[:2]))
    with qtbot.waitSignal(model.rows_wanted):
        model.index(0, 0).data()
    model.show_keys(keys(IDS[:3]))  # whatever was asked for may have been lost with the connection
    with qtbot.waitSignal(model.rows_wanted) as wanted:
        model.index(0, 0).data()
    assert IDS[0] in wanted.args[0]


def test_headers_and_flags(model: DocumentsModel, qtbot: QtBot) -> None:
    horizontal = Qt.Orientation.Horizontal
    assert [model.headerData(column, horizontal) for column in Column] == [
        "Title",
        "State",
        "Passages",
        "Added",
        "Site",
        "Type",
        "Size",
        "Published",
        "Opened",
        "Tags",
        "Authors",
    ]
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    load(model, ROWS[:1])
    assert model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemNeverHasChildren
    assert model.flags(QModelIndex()) == Qt.ItemFlag.NoItemFlags
    assert titles(model) == [ROWS[0].title]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            REPORT,
            "Report of the Joint Committee on Submarine Telegraph Cables, archive.org, PDF, Embedding 39%, "
            "2,118 passages",
        ),
        (QUEUED, "Letters to The Times, September 1858, cablehistory.org, Link, Queued, 3 ahead"),
        (
            SIGN_IN,
            "Board minutes of the Atlantic Telegraph Company, private.cablehistory.org, Web page, "
            "Failed: The site asks for a sign-in (403).",
        ),
        (STOPPED, "The other end of the line, cablehistory.org, Web page, Stopped"),
        (ROWS[0], "Document 0, cablehistory.org, Web page, Ready, 1 passage"),
    ],
)
def test_every_row_has_a_sentence(
    model: DocumentsModel, qtbot: QtBot, row: DocumentRow, sentence: str
) -> None:
    load(model, [row])
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == sentence


def test_the_whole_reason_and_what_to_do_are_in_the_tooltip(model: DocumentsModel, qtbot: QtBot) -> None:
    load(model, [SCAN])
    tooltip = model.index(0, Column.STATE).data(Qt.ItemDataRole.ToolTipRole)
    assert SCAN.reason is not None
    assert SCAN.hint is not None
    assert SCAN.reason in tooltip
    assert SCAN.hint in tooltip
    assert SCAN.address in model.index(0, Column.TITLE).data(Qt.ItemDataRole.ToolTipRole)


def test_states_in_words() -> None:
    states: list[SourceState] = ["failed", "ready", "ready", "cancelled"]
    assert words.states_counted(states) == "2 ready, 1 failed, 1 stopped"
    assert words.state_words(document("d", state="fetching")) == "Fetching"
    assert words.state_words(document("d", state="queued", ahead=0)) == "Queued, next"
    assert quantities.percent(0.9999) == "99%"


@pytest.mark.parametrize("kind", [kind for kind in get_args(DocumentKind) if kind != "unknown"])
def test_a_kind_has_one_word_wherever_a_document_is_from_and_in_the_filters(kind: DocumentKind) -> None:
    said = {words.kind_words(kind, address) for address in ("https://a.example/b", "/home/a", "file:///a")}
    assert said == {value_word("doc_types", kind)}


def test_kinds_follow_from_where_a_document_is_from() -> None:
    assert words.kind_words("html", "https://a.example/b") == "Web page"
    assert (words.kind_words("html", "/home/a.html"), words.document_icon("html", "/home/a.html")) == (
        "Web page",
        "file-code",
    )
    assert (
        words.kind_words("unknown", "http://a.example"),
        words.document_icon("unknown", "http://a.example"),
    ) == (
        "Link",
        "globe",
    )


def test_times_and_sizes_in_words() -> None:
    now = datetime(2026, 10, 3, 18, 0, tzinfo=UTC).astimezone()
    today, this_year = now.replace(hour=14, minute=2), now.replace(month=2, day=9, hour=8, minute=5)
    long_ago = now.replace(year=2024)
    assert [quantities.short_time(moment, now) for moment in (today, this_year, long_ago)] == [
        "14:02",
        "9 Feb",
        "3 Oct 2024",
    ]
    assert [quantities.long_time(moment, now) for moment in (today, this_year, long_ago)] == [
        "Today at 14:02",
        "9 February at 08:05",
        "3 October 2024",
    ]
    assert [quantities.file_size(size) for size in (512, 31_400_000, 4_260_000)] == [
        "512 bytes",
        "31 MB",
        "4.3 MB",
    ]


def test_steps_show_how_far_a_document_has_come() -> None:
    done, now, later, failed = StepState.DONE, StepState.NOW, StepState.NEXT, StepState.FAILED
    assert [step.state for step in steps_of(REPORT, None)] == [done, done, done, now, later]
    assert steps_of(REPORT, None)[3].detail == "847 of 2,118"
    assert [step.state for step in steps_of(ROWS[0], None)] == [done] * 5
    assert [step.state for step in steps_of(SIGN_IN, None)] == [failed, later, later, later, later]
    assert steps_of(SIGN_IN, None)[0].name == "Not fetched"
    assert [step.state for step in steps_of(QUEUED, None)] == [later] * 5


def test_a_waiting_document_keeps_the_steps_that_are_done() -> None:
    done, later = StepState.DONE, StepState.NEXT
    fetched = replace(details(QUEUED), received_bytes=97_000, embedded=False)
    assert [step.state for step in steps_of(QUEUED, fetched)] == [done, later, later, later, later]
    assert steps_of(QUEUED, fetched)[0].detail == "97 kB"
    worded = replace(QUEUED, searchable=True, waits_for="model")  # its words are found, its vectors wait
    assert [step.state for step in steps_of(worded, fetched)] == [done, done, done, later, later]


def test_a_document_that_is_read_again_keeps_its_steps_beside_the_one_at_work() -> None:
    done, now = StepState.DONE, StepState.NOW
    known = replace(details(REPORT), embedded=True)
    again = replace(REPORT, state="queued")
    assert [step.state for step in steps_of(again, known)] == [done] * 5
    fetching = replace(REPORT, state="fetching", done=None, total=None)
    assert [step.state for step in steps_of(fetching, known)] == [now, done, done, done, done]


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_edits_turn_one_list_into_the_other(old: list[int], new: list[int]) -> None:
    found = edits(old, new)
    if found is None:
        assert [one for one in old if one in new] != [one for one in new if one in old]
        return
    made = list(old)
    for gone in found.removals:
        del made[gone.start : gone.stop]
    for come in found.insertions:
        made[come.start : come.start] = new[come.start : come.stop]
    assert made == new


def test_too_many_edits_are_none() -> None:
    assert edits(list(range(400)), list(range(0, 400, 2))) is None


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_keeping_the_order_moves_nothing_and_loses_nothing(old: list[int], new: list[int]) -> None:
    merged = keep_order(old, new)
    assert [one for one in merged if one in old] == old
    assert set(merged) == set(old) | set(new)
    assert len(merged) == len(set(merged))
    added = [one for one in merged if one not in old]
    for one in added:
        at = new.index(one)
        if at == 0:
            assert merged.index(one) <= min((merged.index(other) for other in old), default=len(merged))
        else:
            assert merged[merged.index(one) - 1] == new[at - 1]
