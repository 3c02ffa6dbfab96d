"""Imports and searches pages in the real window, and has answers written, while a timer measures the event loop."""

import sys
import time
from itertools import count as numbers

from PySide6.QtCore import QObject, Qt, QTimer

from benchmarks.gui_parts.window_at_work import QUESTIONS, WindowAtWork, served_pages, wait, window_at_work

BEAT_MS = 5
IDLE_SECONDS = 20.0
TURN_MS = 700
# Of so many turns the first are searches, one is a question to answer, and the rest let the answer be written.
TURNS, SEARCHES = 14, 5


class Heart(QObject):
    """Beats every few milliseconds and notes by how much each beat was late."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - BEAT_MS))
        self._last = now

    def fresh(self) -> None:
        self.late = []
        self._last = time.perf_counter()


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
    print(f"{name}\t{' '.join(f'{one:.2f}' for one in figures)} {len(late)}")


def main(count: int) -> None:
    with window_at_work() as at_work, served_pages(count) as addresses:
        heart = Heart()
        wait(lambda: False, 2)
        heart.fresh()
        wait(lambda: False, IDLE_SECONDS)
        show("idle", heart.late)
        heart.fresh()
        at_work.add(addresses)
        asking = Asking(at_work)
        wait(lambda: at_work.figures.ready >= count, 3000)
        asking.stop()
        show("importing, searching and answering", heart.late)
        print(f"pages ready, searches done\t{at_work.figures.ready} {at_work.found} 0 0 0")
        print(f"answers written\t{at_work.answered} 0 0 0 0")


if __name__ == "__main__":
    main(int(sys.argv[1]))
