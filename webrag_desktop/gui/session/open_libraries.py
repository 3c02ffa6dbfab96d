"""What was opened and is not closed yet, so that nothing stays open whatever the order of events."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webrag_desktop.library import Services


class OpenLibraries:
    """Opened libraries: one, or for a moment several where one was lost and opened anew. Any thread."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._open: set[Services] = set()

    def add(self, services: "Services") -> None:
        """Remember to close it."""
        with self._lock:
            self._open.add(services)

    def close(self, services: "Services") -> None:
        """Close one; waits for its connections."""
        with self._lock:
            self._open.discard(services)
        services.close()

    def end(self, worker_seconds: float, release_seconds: float) -> bool:
        """End every worker and close everything; tells whether that was done in time.

        It is done in threads, since a database that does not answer may keep them waiting for long.
        """
        with self._lock:
            left = list(self._open)
        threads = [
            threading.Thread(
                target=self._end, args=[services, worker_seconds], name="webrag-end", daemon=True
            )
            for services in left
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(worker_seconds + release_seconds)
        return not any(thread.is_alive() for thread in threads)

    def _end(self, services: "Services", worker_seconds: float) -> None:
        try:
            services.stop_worker(worker_seconds)
        finally:
            self.close(services)
