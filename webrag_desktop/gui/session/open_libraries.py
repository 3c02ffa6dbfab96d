"""What was opened and is not closed yet, so that nothing stays open whatever the order of events."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webrag_desktop import Library


class OpenLibraries:
    """Opened libraries: one, or for a moment several where one was lost and opened anew. Any thread."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._open: set[Library] = set()

    def add(self, library: "Library") -> None:
        """Remember to close it."""
        with self._lock:
            self._open.add(library)

    def close(self, library: "Library") -> None:
        """Close one; waits for its connections."""
        with self._lock:
            self._open.discard(library)
        library.close()

    def end(self, worker_seconds: float, release_seconds: float) -> bool:
        """End every worker and close everything; tells whether that was done in time.

        It is done in threads, since a database that does not answer may keep them waiting for long.
        """
        with self._lock:
            left = list(self._open)
        threads = [
            threading.Thread(target=self._end, args=[library, worker_seconds], name="webrag-end", daemon=True)
            for library in left
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(worker_seconds + release_seconds)
        return not any(thread.is_alive() for thread in threads)

    def _end(self, library: "Library", worker_seconds: float) -> None:
        try:
            library.worker.stop(worker_seconds)
        finally:
            self.close(library)
