"""Whether a library keeps its promises, and mending it where it does not."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.maintenance.close_look import SAMPLE, CloseLook
from webrag_desktop.maintenance.repairing import Repairer
from webrag_desktop.models.checks import ConcernedDocument, Finding, Repair
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.storage.checks import integrity, text_repair
from webrag_desktop.storage.checks.concerned import concerned_documents
from webrag_desktop.storage.checks.missing_tables import missing_tables
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces.space_tables import active_space

_REFRESHED = frozenset(("captures-unaltered", "no-orphans"))


@dataclass(frozen=True, slots=True)
class Checkup:
    """Looks after one library; ``spaces`` are opened when a check or a repair needs a tokenizer or a model."""

    database: Database
    spaces: OpenSpaces
    reading_options: ReadingOptions

    def check(
        self,
        *,
        deep: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> list[Finding]:
        """Check every promise; some are looked at in a sample of texts, unless ``deep``.

        Raises:
            Cancelled: the token was set.
        """
        look = CloseLook(self.database, None if deep else SAMPLE, progress, cancel or CancelToken())
        with self.database.connection() as conn:
            findings = integrity.run_checks(conn)
        findings += look.run(self._indexer)
        owners = self._owners(name for finding in findings for name in finding.examples)
        left = self._left_to_refreshing(findings) if owners else set()
        return [_with_documents(one, owners, left if one.check in _REFRESHED else set()) for one in findings]

    def _left_to_refreshing(self, findings: Iterable[Finding]) -> set[str]:
        """Which of the examples nothing but refreshing their documents can mend, and it can."""
        names = [name for one in findings if one.check in _REFRESHED for name in one.examples]
        with self.database.connection() as conn:
            return text_repair.left_to_refreshing(conn, names) if names else set()

    def repair(
        self,
        *,
        deep: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> list[Repair]:
        """Mend what :meth:`check` finds broken, as far as it can be; nothing that the user gave is deleted.

        Raises:
            StackError: a worker is at the queue.
            Cancelled: the token was set; what was mended stays mended.
        """
        with ReadingProcess(self.reading_options) as reading:
            repairer = Repairer(
                self.database,
                self._indexer,
                lambda capture, token: reading.read(capture, token).document,
                progress,
                cancel or CancelToken(),
                self.spaces.chosen,
            )
            repairs = repairer.run(deep=deep)
        owners = self._owners(one.subject for one in repairs)
        return [replace(one, document=owners.get(one.subject)) for one in repairs]

    def _owners(self, names: Iterable[str]) -> dict[str, ConcernedDocument]:
        if not (named := list(names)):
            return {}
        with self.database.connection() as conn:
            if missing_tables(conn):  # whose rows these are cannot be asked
                return {}
            return concerned_documents(conn, named)

    def _indexer(self) -> Indexer:
        """Writes documents into the library's space, whatever the settings ask for by now."""
        with self.database.connection() as conn:
            stored = active_space(conn)
        return self.spaces.indexer() if stored is None else self.spaces.indexer_of(stored)


def _with_documents(finding: Finding, owners: dict[str, ConcernedDocument], left: set[str]) -> Finding:
    owned = [name for name in finding.examples if name in owners]
    return replace(
        finding,
        documents=tuple(dict.fromkeys(owners[name] for name in owned)),
        to_refresh=tuple(dict.fromkeys(owners[name] for name in owned if name in left)),
    )
