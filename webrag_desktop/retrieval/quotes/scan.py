"""Looks for a quotation in whole texts, one after the other: where nothing indexes them, or too few words do."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from webrag_desktop.models.quotes import QuotePlace
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.retrieval.quotes.literal_words import LiteralWords, hiding, literal_words
from webrag_desktop.retrieval.quotes.passages import whole_text
from webrag_desktop.retrieval.quotes.places import Places
from webrag_desktop.retrieval.quotes.search import MOST_IN_A_TEXT, Findings, found_in
from webrag_desktop.retrieval.quotes.wording import Quotation
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.quotes import Held, StoredSize, read_version, texts_holding

_PORTION_BYTES = 4_000_000  # looked through by one statement, after which it can be stopped
_PORTION_TEXTS = 256
_NEARLY_HELD = 3  # one in so many of its words a text must hold that something near it may stand in


class Scan:
    """Looks through texts for one quotation."""

    def __init__(self, conn: Connection, quotation: Quotation, cancel: CancelToken) -> None:
        """Read on ``conn``, all in its one snapshot; one text at a time is held."""
        self._conn, self._quotation, self._cancel = conn, quotation, cancel
        self._places = Places(conn)

    def within(self, version_id: UUID, near: int | None = None) -> list[QuotePlace]:
        """Where in one text it stands, else where something near it does: the nearest to ``near`` first."""
        return self._in_text(version_id, nearly=True, near=near)

    def through(
        self,
        texts: Sequence[StoredSize],
        *,
        nearly: bool,
        most: int = MOST_IN_A_TEXT,
        progress: ProgressCallback = no_progress,
        step: str = "",
    ) -> Findings:
        """Where in these texts it stands, each told for itself; with ``nearly``, also where something near it does.

        It ends, incomplete, with the text that brings the places to ``most``. Near ones are of use only where it
        stands in none.
        """
        held = _held(literal_words(self._quotation), nearly=nearly)
        findings, done = Findings(), 0
        for portion in _portions(texts):
            progress(Step(step, done, len(texts)))
            self._cancel.raise_if_cancelled()
            for version_id in texts_holding(self._conn, [one.version_id for one in portion], held):
                self._cancel.raise_if_cancelled()
                findings.places += self._in_text(version_id, nearly=nearly)
                if len(findings.places) >= most:
                    findings.complete = version_id == texts[-1].version_id
                    return findings
            done += len(portion)
        progress(Step(step, done, len(texts)))
        return findings

    def _in_text(self, version_id: UUID, *, nearly: bool, near: int | None = None) -> list[QuotePlace]:
        version = read_version(self._conn, version_id)
        if version is None:
            return []
        return found_in(whole_text(version), self._quotation, self._places, nearly=nearly, near=near)


def _held(words: LiteralWords, *, nearly: bool) -> Held:
    """What a text must hold; for something near, a part of the words in any order."""
    if nearly:
        least = min(max(1, len(words.words) // _NEARLY_HELD), len(words.words))
        return Held(words.words, least, "", (hiding(),), words.verbatim)
    return Held(words.words, len(words.words), words.in_order, words.however_written, words.verbatim)


def _portions(texts: Sequence[StoredSize]) -> Iterator[Sequence[StoredSize]]:
    """The texts in order, some at a time, as many as are looked through in a moment."""
    portion: list[StoredSize] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += text.size
        if size >= _PORTION_BYTES or len(portion) >= _PORTION_TEXTS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
