"""Threads that never keep the process from ending: a few that share a queue, and single ones."""

import queue
import threading
import time
from collections.abc import Callable

Call = Callable[[], None]


class DaemonThreads:
    """Runs calls in at most ``limit`` threads, first come, first served. Used from one thread, the GUI's.

    The standard library's pool joins its threads when the interpreter ends, so one call that hangs would hang
    the program; these are waited for as long as :meth:`join` is told, and no longer.
    """

    def __init__(self, limit: int, name: str) -> None:
        """Start threads when they are needed; ``name`` tells them from others."""
        self._limit = limit
        self._name = name
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._shared: list[threading.Thread] = []
        self._single: list[threading.Thread] = []

    def submit(self, call: Call) -> None:
        """Run ``call`` when a thread is free."""
        self._calls.put(call)
        if not self._idle.acquire(blocking=False) and len(self._shared) < self._limit:
            self._shared.append(self._start(self._serve, f"{self._name}-{len(self._shared)}"))

    def spawn(self, call: Call, purpose: str) -> None:
        """Run ``call`` at once, in a thread of its own."""
        self._single = [thread for thread in self._single if thread.is_alive()]
        self._single.append(self._start(call, f"{self._name}-{purpose}"))

    @staticmethod
    def _start(target: Call, name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def _serve(self) -> None:
        while True:
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                self._idle.release()
                call = self._calls.get()
            if call is None:
                return
            call()
            del call  # what it holds must not live until the next one comes

    def join(self, seconds: float) -> bool:
        """Have what was submitted done, then end; wait ``seconds`` at most. Tells whether all threads ended."""
        for _ in self._shared:
            self._calls.put(None)
        deadline = time.monotonic() + seconds
        threads = [*self._single, *self._shared]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)
