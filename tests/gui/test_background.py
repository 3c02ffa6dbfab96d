"""Work in threads, its outcomes on the GUI thread: what arrives, what does not, and how it ends."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from webrag_desktop.errors import WebragError
from webrag_desktop.gui.session import background as module
from webrag_desktop.gui.session.background import Background, Latest, Request, Task
from webrag_desktop.progress import CancelToken, Step

PATIENCE = 20.0


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    assert made.stop(PATIENCE)


def never(_outcome: object = None) -> None:
    """What must not be called."""
    pytest.fail("called")


def done_with(_outcome: object) -> None:
    """The outcome does not matter."""


def until_cancelled(task: Task) -> None:
    ended = threading.Event()
    with task.cancel.calling(ended.set):
        ended.wait(PATIENCE)
    task.cancel.raise_if_cancelled()


def test_success_arrives_on_the_gui_thread(background: Background, qtbot: QtBot) -> None:
    got: list[tuple[int, threading.Thread]] = []
    workers: list[threading.Thread] = []

    def work(_task: Task) -> int:
        workers.append(threading.current_thread())
        return 6 * 7

    background.run(work, on_success=lambda number: got.append((number, threading.current_thread())))
    qtbot.waitUntil(lambda: got == [(42, threading.main_thread())])
    assert workers[0] is not threading.main_thread()
    assert workers[0].daemon


class Held:
    """Notes in which thread it ends."""

    def __init__(self, ends: list[threading.Thread]) -> None:
        self._ends = ends

    def __del__(self) -> None:
        self._ends.append(threading.current_thread())


@pytest.mark.parametrize("own_thread", ["", "own"])
def test_what_work_and_callbacks_hold_ends_on_the_gui_thread(
    background: Background, qtbot: QtBot, own_thread: str
) -> None:
    ends: list[threading.Thread] = []

    def outcome(_held: Held, _outcome: object) -> None: ...

    for _ in range(20):
        background.run(
            partial(outcome, Held(ends)),
            on_success=partial(outcome, Held(ends)),
            on_step=partial(outcome, Held(ends)),
            own_thread=own_thread,
        )
    qtbot.waitUntil(lambda: len(ends) == 60)
    assert set(ends) == {threading.main_thread()}


def test_a_stream_holds_nothing_of_qt_that_could_end_in_the_thread_that_puts(background: Background) -> None:
    stream: Latest[int] = Latest(background, done_with)
    held = [value for name, value in vars(stream).items() if name != "_background"]
    assert not any(isinstance(value, QObject) for value in held)


def test_an_error_nobody_takes_reaches_failed(background: Background, qtbot: QtBot) -> None:
    def work(_task: Task) -> None:
        raise WebragError("The database is down.", "Start it.")

    with qtbot.waitSignal(background.failed) as caught:
        background.run(work, on_success=never)
    assert caught.args is not None
    assert str(caught.args[0]) == "The database is down."


def test_an_error_goes_to_whoever_takes_it(background: Background, qtbot: QtBot) -> None:
    got: list[str] = []
    background.failed.connect(never)
    background.run(lambda _task: 1 / 0, on_success=never, on_error=lambda error: got.append(str(error)))
    qtbot.waitUntil(lambda: got == ["division by zero"])


def test_newer_work_replaces_older(background: Background, qtbot: QtBot) -> None:
    got: list[str] = []
    begun, reported = threading.Event(), threading.Event()

    def slow(task: Task) -> str:
        begun.set()
        reported.wait(PATIENCE)
        return "old"

    old = background.run(slow, on_success=got.append, on_error=never, replaces="search")
    assert begun.wait(PATIENCE)
    background.run(lambda _task: "new", on_success=got.append, replaces="search")
    qtbot.waitUntil(lambda: got == ["new"])
    qtbot.waitUntil(lambda: old.cancelled)
    reported.set()
    done: list[int] = []
    background.run(lambda _task: 1, on_success=done.append)
    qtbot.waitUntil(lambda: done == [1])
    assert got == ["new"]


def test_replaced_work_that_waits_for_a_thread_is_never_begun(qtbot: QtBot) -> None:
    background = Background(threads=1)
    begun: list[str] = []
    gate = threading.Event()
    done: list[str] = []
    background.run(lambda _task: gate.wait(PATIENCE), on_success=done_with)
    for name in "abc":

        def work(_task: Task, name: str = name) -> str:
            begun.append(name)
            return name

        background.run(work, on_success=done.append, replaces="rows")
    gate.set()
    qtbot.waitUntil(lambda: done == ["c"])
    assert begun == ["c"]
    assert background.stop(PATIENCE)


def test_other_names_do_not_replace_each_other(background: Background, qtbot: QtBot) -> None:
    got: list[str] = []
    for name in ("a", "b", "", ""):

        def work(_task: Task, name: str = name) -> str:
            return name

        background.run(work, on_success=got.append, replaces=name)
    qtbot.waitUntil(lambda: sorted(got) == ["", "", "a", "b"])


def test_cancelled_work_ends_in_on_cancel_only(background: Background, qtbot: QtBot) -> None:
    ended: list[str] = []
    token = background.run(
        until_cancelled,
        on_success=never,
        on_error=never,
        on_cancel=lambda: ended.append("cancelled"),
    )
    background.cancel(token)
    qtbot.waitUntil(lambda: ended == ["cancelled"])


def test_cancelling_never_waits_on_the_gui_thread(background: Background, qtbot: QtBot) -> None:
    """What stops a statement may wait for a database that does not answer."""
    gui = threading.get_ident()
    stopped_by: list[int] = []
    begun, answer, ended = threading.Event(), threading.Event(), threading.Event()

    def stop() -> None:
        stopped_by.append(threading.get_ident())
        answer.wait(PATIENCE)
        ended.set()

    def work(task: Task) -> None:
        with task.cancel.calling(stop):
            begun.set()
            ended.wait(PATIENCE)
        task.cancel.raise_if_cancelled()

    got: list[str] = []
    background.run(work, on_success=never, replaces="search")
    assert begun.wait(PATIENCE)
    background.run(lambda _task: "new", on_success=got.append, replaces="search")  # returns at once
    qtbot.waitUntil(lambda: got == ["new"])
    assert not ended.is_set()
    assert gui not in stopped_by
    answer.set()


def test_many_steps_cost_few_callbacks_and_the_last_name_is_shown(
    background: Background, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP_SECONDS", 3600.0)
    steps: list[Step] = []
    done: list[int] = []

    def work(task: Task) -> int:
        for number in range(20_000):
            task.report(Step("embed", number, 20_000))
        task.report(Step("save"))
        return 1

    background.run(work, on_success=done.append, on_step=steps.append)
    qtbot.waitUntil(lambda: done == [1])
    assert steps == [Step("embed", 0, 20_000), Step("save")]


def test_no_step_is_shown_after_the_outcome(background: Background, qtbot: QtBot) -> None:
    seen: list[str] = []
    tasks: list[Task] = []

    def work(task: Task) -> str:
        tasks.append(task)
        return "outcome"

    background.run(work, on_success=seen.append, on_step=lambda step: seen.append(step.name))
    qtbot.waitUntil(lambda: seen == ["outcome"])
    tasks[0].report(Step("late"))
    background.post(lambda: seen.append("posted"))
    qtbot.waitUntil(lambda: seen[-1] == "posted")
    assert seen == ["outcome", "posted"]


def test_outcomes_leave_room_for_the_event_loop(
    background: Background, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no time to spend, each turn of the loop delivers one outcome, and others' events come in between."""
    monkeypatch.setattr(module, "TURN_SECONDS", 1e-9)
    order: list[str] = []
    for number in range(5):
        background.post(partial(order.append, str(number)))
    timer = QTimer()
    timer.timeout.connect(lambda: order.append("timer"))
    timer.start(0)
    qtbot.waitUntil(lambda: "4" in order)
    timer.stop()
    assert [one for one in order if one != "timer"] == ["0", "1", "2", "3", "4"]
    assert "timer" in order[1 : order.index("4")]


def test_outcomes_of_one_turn_come_in_one_wake_up(background: Background, qtbot: QtBot) -> None:
    wakes: list[int] = []
    background._wake.connect(lambda: wakes.append(1))
    got: list[int] = []

    def send() -> None:
        for _ in range(500):
            background.post(partial(got.append, 1))

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)  # the GUI thread delivers nothing meanwhile
    qtbot.waitUntil(lambda: len(got) == 2000)
    assert len(wakes) < 100


def test_an_exception_in_a_callback_surfaces_and_stops_no_other(background: Background, qtbot: QtBot) -> None:
    got: list[int] = []

    def broken() -> None:
        raise RuntimeError("a fault of our own")

    with capture_exceptions() as exceptions:
        background.post(broken)
        background.post(lambda: got.append(1))
        qtbot.waitUntil(lambda: got == [1])
    assert [str(error) for _kind, error, _trace in exceptions] == ["a fault of our own"]


def test_long_work_takes_nobody_elses_thread(qtbot: QtBot) -> None:
    background = Background(threads=1)
    names: list[str] = []

    def long(task: Task) -> None:
        names.append(threading.current_thread().name)
        until_cancelled(task)

    background.run(long, on_success=never, own_thread="feed")
    got: list[int] = []
    background.run(lambda _task: 1, on_success=got.append)
    qtbot.waitUntil(lambda: got == [1] and names == ["webrag-feed"])
    assert background.stop(PATIENCE)


def test_nothing_arrives_after_stop(qtbot: QtBot) -> None:
    background = Background()
    seen: list[object] = []
    begun = threading.Semaphore(0)

    def work(task: Task) -> None:
        begun.release()
        task.report(Step("begun"))
        until_cancelled(task)

    for _ in range(30):
        background.run(
            work,
            on_success=seen.append,
            on_error=seen.append,
            on_step=seen.append,
            on_cancel=lambda: seen.append(0),
        )
    begun.acquire(timeout=PATIENCE)
    assert background.stop(PATIENCE)
    late = background.run(lambda _task: 1, on_success=seen.append)
    background.post(lambda: seen.append("late"))
    background.deleteLater()
    qtbot.wait(30)
    assert seen == []
    assert late.cancelled


def test_what_is_left_at_stop_keeps_nobody_busy(qapp: QApplication) -> None:
    background = Background()
    background.post(never)
    assert background.stop(PATIENCE)
    with patch.object(module, "QTimer") as timer:
        qapp.processEvents()  # it was woken before
    assert timer.singleShot.mock_calls == []  # else it would call itself for as long as the process lives


def test_stop_gives_up_on_a_thread_that_hangs(qtbot: QtBot) -> None:
    background = Background()
    gate, ended = threading.Event(), threading.Event()

    def hang(_task: Task) -> None:
        gate.wait(PATIENCE)
        ended.set()

    background.run(hang, on_success=never)
    assert not background.stop(0.01)
    gate.set()
    assert ended.wait(PATIENCE)
    assert background.stop(PATIENCE)


def test_stop_waits_for_essential_work_even_when_its_turn_has_not_come(qtbot: QtBot) -> None:
    background = Background(threads=1)
    done: list[str] = []
    background.run(until_cancelled, on_success=never)
    background.run(lambda _task: done.append("idle"), on_success=done_with)
    token = background.run(
        lambda task: done.append(f"essential, cancelled: {task.cancel.cancelled}"),
        on_success=done_with,
        essential=True,
    )
    assert background.stop(PATIENCE)
    assert done == ["essential, cancelled: False"]
    assert not token.cancelled


def test_a_token_of_the_callers_own_cancels_before_the_work_begins(
    background: Background, qtbot: QtBot
) -> None:
    token = CancelToken()
    token.cancel()
    ended: list[int] = []
    background.start(Request(lambda _task: never(), never, on_cancel=lambda: ended.append(1), token=token))
    qtbot.waitUntil(lambda: ended == [1])


def test_an_unstopped_thread_does_not_keep_the_process() -> None:
    """The interpreter ends while a thread of ours still waits for something that never comes."""
    program = (
        "import threading\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from webrag_desktop.gui.session.background import Background\n"
        "application = QCoreApplication([])\n"
        "background = Background()\n"
        "begun = threading.Event()\n"
        "background.run(lambda task: (begun.set(), threading.Event().wait(600)), on_success=print)\n"
        "begun.wait(20)\n"
        "print(background.stop(0.05))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.strip() == "False"
