"""Imports and searches pages in the real window, and has answers written, while a timer measures the event loop."""

import faulthandler
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from itertools import count as numbers

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer

from benchmarks.gui_parts.window_at_work import QUESTIONS, WindowAtWork, served_pages, wait, window_at_work

BEAT_MS = 5
IDLE_SECONDS = 20.0
TURN_MS = 700
# Of so many turns the first are searches, one is a question to answer, and the rest let the answer be written.
TURNS, SEARCHES = 14, 5
FELT_MS = 16.0  # a picture at the rate of usual screens
LONG_TURN_MS = 8.0  # of the processor's time, from when on the watchdog looks where the GUI thread is
OURS = re.compile(r'  File ".*webrag_desktop/(.*)", line (\d+) in (.*)')
INNERMOST, SHOWN_PLACES = 5, 25


class Heart(QObject):
    """Beats every few milliseconds and notes by how much each beat was late, and how long each turn was at work.

    Lateness is what a user feels, other processes on the computer included; the processor's time of the GUI thread from
    one wait for events to the next is what the window itself is to blame for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self.busy: list[float] = []
        self._last = self.turned = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.aboutToBlock.connect(
            self._end_turn
        )  # after the collector's own, which counts with the turn
        self.fresh()
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - BEAT_MS))
        self._last = now

    def _end_turn(self) -> None:
        now = time.thread_time()
        self.busy.append((now - self.turned) * 1000)
        self.turned = now

    def fresh(self) -> None:
        self.late, self.busy = [], []
        self._last, self.turned = time.perf_counter(), time.thread_time()


class Watchdog:
    """Notes where the GUI thread is in a turn that takes long of its own accord, from a thread of its own."""

    def __init__(self, heart: Heart) -> None:
        self._heart, self._ended = heart, threading.Event()
        self._watched = f"0x{threading.get_ident():016x}"
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self.places: Counter[str] = Counter()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(BEAT_MS / 1000):
            if (time.clock_gettime(self._clock) - self._heart.turned) * 1000 > LONG_TURN_MS:
                self.places[" > ".join(self._where())] += 1

    def _where(self) -> list[str]:
        """Our innermost calls. Python's own frames would keep painters alive, which end in another thread then."""
        with tempfile.TemporaryFile("w+") as written:
            faulthandler.dump_traceback(written)
            written.seek(0)
            stacks = written.read().split("\n\n")
        ours = next(OURS.findall(stack) for stack in stacks if self._watched in stack.partition("\n")[0])
        return [f"{path}:{line} {name}" for path, line, name in reversed(ours[:INNERMOST])]

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


class Asking(QObject):
    """Searches and asks by turns, as fast as nobody does."""

    def __init__(self, at_work: WindowAtWork) -> None:
        super().__init__()
        self._at_work, self._turns = at_work, numbers()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)
        self._timer.start(TURN_MS)

    def _turn(self) -> None:
        turn = next(self._turns)
        question = QUESTIONS[turn % len(QUESTIONS)]
        if turn % TURNS < SEARCHES:
            self._at_work.search(question)
        elif turn % TURNS == SEARCHES:
            self._at_work.answer(question)

    def stop(self) -> None:
        self._timer.stop()


def share(values: list[float], part: float) -> float:
    """The value that such a part of all does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def show(name: str, late: list[float]) -> None:
    figures = [share(late, part) for part in (0.5, 0.99, 0.999, 1.0)]
    felt = sum(one > FELT_MS for one in late)
    print(f"{name}\t{' '.join(f'{one:.2f}' for one in figures)} {felt} {len(late)}")


def main(count: int, *, names_places: bool = False) -> None:
    with window_at_work() as at_work, served_pages(count) as addresses:
        heart = Heart()
        wait(lambda: False, 2)
        heart.fresh()
        wait(lambda: False, IDLE_SECONDS)
        show("idle: lateness", heart.late)
        show("idle: processor's time of a turn", heart.busy)
        heart.fresh()
        watchdog = Watchdog(heart) if names_places else None
        at_work.add(addresses)
        asking = Asking(at_work)
        wait(lambda: at_work.figures.ready >= count, 3000)
        asking.stop()
        show("importing, searching and answering: lateness", heart.late)
        show("importing, searching and answering: processor's time of a turn", heart.busy)
        print(f"pages ready, searches done\t{at_work.figures.ready} {at_work.found} 0 0 0 0")
        print(f"answers written\t{at_work.answered} 0 0 0 0 0")
        if watchdog is not None:
            watchdog.end()
            for place, samples in watchdog.places.most_common(SHOWN_PLACES):
                print(samples, place, file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]), names_places="--places" in sys.argv)
