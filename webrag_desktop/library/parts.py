"""Parts of an open library that go straight to storage: the queue, labels, facts, the schedule and versions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.jobs.feed import queue_due
from webrag_desktop.models.metadata import FactName
from webrag_desktop.models.queue import Backlog, Schedule
from webrag_desktop.models.sources import (
    CollectionColour,
    CollectionRow,
    DeletedCollection,
    LabelCount,
    Labels,
)
from webrag_desktop.storage.captures import page_looks
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import collections, labels
from webrag_desktop.storage.queue import jobs, postponement, queue_control, schedule
from webrag_desktop.storage.texts import bibliography, versions

if TYPE_CHECKING:
    from webrag_desktop.models.versions import VersionDifference, VersionRow


class Queue:
    """What is still to be done. Each call is one transaction of its own."""

    def __init__(self, database: Database, take_in: Callable[[], object]) -> None:
        """Ask ``database``; ``take_in`` carries out what waits beside it."""
        self._database = database
        self._take_in = take_in

    def pause(self) -> None:
        """Let nothing be indexed until :meth:`resume`, in no process and over restarts; adding goes on."""
        with self._database.connection() as conn:
            queue_control.set_paused(conn, True)

    def resume(self) -> bool:
        """Go on with the queue; False when it was not paused. Who follows the library starts a worker."""
        with self._database.connection() as conn:
            return queue_control.set_paused(conn, False)

    def paused(self) -> bool:
        """Whether the user paused the queue."""
        with self._database.connection() as conn:
            return queue_control.is_paused(conn)

    def cancel(self, source_ids: Sequence[UUID] | None = None) -> list[UUID]:
        """Stop the open work on these, or on all; returns what was stopped.

        What was ready before is ready again, with the text it had; the rest is kept as cancelled. Stopping all
        stops the capture of sites, too. What shows a page as it looked is fetched no further.
        """
        with self._database.connection() as conn:
            if source_ids is None:
                from webrag_desktop.jobs import run_pages

                run_pages.cancel_captures(conn)
            page_looks.cancel(conn, source_ids)
            return queue_control.cancel(conn, source_ids)

    def retry(self, source_ids: Sequence[UUID]) -> int:
        """Queue again those of these that failed, were cancelled, or wait for what may be back; returns how many.

        What was captured is read again, unless reading exactly that is what failed: then a page is fetched again.
        """
        with self._database.connection() as conn:
            return len(queue_control.requeue(conn, source_ids))

    def retry_failed(self) -> int:
        """Queue again what failed for a reason that may have passed, and what waits for what may be back by now."""
        with self._database.connection() as conn:
            held_up = [*jobs.transiently_failed(conn), *postponement.held_up(conn)]
            return len(queue_control.requeue(conn, held_up))

    def unfinished(self) -> list[UUID]:
        """Sources with open work, also what waited while the database was down."""
        self._take_in()
        with self._database.connection() as conn:
            return jobs.open_sources(conn)

    def backlog(self) -> Backlog:
        """What is open, by how urgent it is, and what of it was put off."""
        with self._database.connection() as conn:
            return queue_control.backlog(conn)

    def positions(self) -> dict[UUID, int]:
        """Of every source whose work waits, how many are ahead of it, what is being worked on included."""
        with self._database.connection() as conn:
            return queue_control.queue_positions(conn)

    def stopped_changes(self) -> list[UUID]:
        """What is ready with the text it had, since the user stopped the reading of something newer."""
        with self._database.connection() as conn:
            return queue_control.stopped_changes(conn)


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels of a library's documents. Each call is one transaction of its own."""

    database: Database

    def of(self, source_id: UUID) -> Labels:
        """The labels of a document."""
        with self.database.connection() as conn:
            return labels.labels_of(conn, source_id)

    def of_all(self, source_ids: Sequence[UUID]) -> dict[UUID, Labels]:
        """The labels of those of these documents that there are."""
        with self.database.connection() as conn:
            return labels.labels_of_all(conn, source_ids)

    def change(self, source_ids: Sequence[UUID], add: Labels, remove: Labels) -> None:
        """Give these documents labels and take others from them, all or nothing."""
        with self.database.connection() as conn:
            labels.remove_labels(conn, source_ids, remove)
            labels.add_labels(conn, source_ids, add)

    def tags(self) -> list[LabelCount]:
        """Every tag that a document has, by name."""
        with self.database.connection() as conn:
            return labels.all_tags(conn)

    def collections(self) -> list[CollectionRow]:
        """Every collection, by name; ``parent_id`` says which one it is in."""
        with self.database.connection() as conn:
            return collections.all_collections(conn)

    def find_collection(self, name: str) -> CollectionRow:
        """The collection of that name, in any case.

        Raises:
            NotFoundError: there is none.
        """
        with self.database.connection() as conn:
            found = collections.find_collection(conn, name)
            if found is None:
                raise NotFoundError(
                    f"There is no collection “{name}”.", "`webrag collection` lists those that there are."
                )
            return collections.get_collection(conn, found)

    def create_collection(self, name: str, parent_id: UUID | None = None) -> CollectionRow:
        """A new collection, at the top or within another one.

        Raises:
            InputError: there is one of that name, or it cannot be a name.
            NotFoundError: the other one is gone.
        """
        (name,) = Labels.of(collections=[name]).collections
        with self.database.connection() as conn:
            made = collections.create_collection(conn, name, parent_id)
            return collections.get_collection(conn, made)

    def rename_collection(self, collection_id: UUID, name: str) -> None:
        """Give a collection another name.

        Raises:
            InputError: another one has that name, or it cannot be a name.
            NotFoundError: it is gone.
        """
        (name,) = Labels.of(collections=[name]).collections
        with self.database.connection() as conn:
            collections.rename_collection(conn, collection_id, name)

    def nest_collection(self, collection_id: UUID, parent_id: UUID | None) -> None:
        """Put a collection with all that is within it into another one, or at the top.

        Raises:
            InputError: the other one is the same, or is within it.
            NotFoundError: one of them is gone.
        """
        with self.database.connection() as conn:
            collections.nest_collection(conn, collection_id, parent_id)

    def colour_collection(self, collection_id: UUID, colour: CollectionColour | None) -> None:
        """Give a collection a colour of the theme, or none.

        Raises:
            NotFoundError: it is gone.
        """
        with self.database.connection() as conn:
            collections.colour_collection(conn, collection_id, colour)

    def delete_collection(self, collection_id: UUID) -> DeletedCollection:
        """Delete a collection; its documents stay, the collections within it move up. What puts it back.

        Raises:
            NotFoundError: it is gone.
        """
        with self.database.connection() as conn:
            return collections.delete_collection(conn, collection_id)

    def restore_collection(self, deleted: DeletedCollection) -> None:
        """Put a deleted collection back as it was, with those of its documents that are there.

        Raises:
            InputError: another one has its name by now.
        """
        with self.database.connection() as conn:
            collections.restore_collection(conn, deleted)


@dataclass(frozen=True, slots=True)
class RefreshSchedule:
    """The schedule of a library's documents. Each call is one transaction of its own."""

    database: Database

    def now(self) -> Schedule:
        """How often the documents are refreshed, and the state of that."""
        with self.database.connection() as conn:
            return schedule.schedule(conn)

    def set(self, every: timedelta | None, source_ids: Sequence[UUID] | None = None) -> None:
        """Look so often at these, or at all that have no schedule of their own.

        None means never where no document is named, else for as often as at all others;
        :data:`~webrag_desktop.models.queue.NEVER` leaves the named ones alone.
        """
        with self.database.connection() as conn:
            if source_ids is None:
                schedule.set_every(conn, every)
            else:
                schedule.set_own(conn, source_ids, every)

    def queue_due(self) -> list[UUID]:
        """Queue all that is due by now; returns what was queued."""
        return queue_due(self.database)

    def changes_since(self, since: datetime | None) -> tuple[datetime, list[UUID]]:
        """What was found changed on schedule after a moment, and the moment to ask from next; None: from now."""
        with self.database.connection() as conn:
            return schedule.changed_since(conn, since)


@dataclass(frozen=True, slots=True)
class Versions:
    """The texts that documents had."""

    database: Database

    def of(self, document_id: UUID) -> "list[VersionRow]":
        """Every text of a document, the oldest first; none while it has none."""
        with self.database.connection() as conn:
            return versions.list_versions(conn, document_id)

    def diff(
        self, document_id: UUID, before: int | None = None, after: int | None = None
    ) -> "VersionDifference":
        """What changed between two versions, named by their numbers.

        Where they are not given: to what the document shows now, from the version before that one.

        Raises:
            NotFoundError: there is no version of that number.
            InputError: the document has had only one text, or both are the same.
        """
        from webrag_desktop.citations.differences import compare
        from webrag_desktop.models.versions import VersionDifference
        from webrag_desktop.storage.library import citations

        rows = {row.number: row for row in self.of(document_id)}
        if after is None:
            after = next((row.number for row in rows.values() if row.active), None)
        if before is None and after is not None:
            before = after - 1
        if not rows or after is None:
            raise NotFoundError("The document has no text yet.", "`webrag show` shows its progress.")
        if before == 0 and len(rows) == 1:
            raise InputError(
                "The document has had one text so far.", "`webrag refresh` looks whether it changed."
            )
        for number in (before, after):
            if number not in rows:
                raise NotFoundError(
                    f"The document has no version {number}.", "`webrag versions` lists those that it has."
                )
        assert before is not None, "it is in the rows"
        if before == after:
            raise InputError("These are one and the same version.", "Give two numbers that differ.")
        with self.database.connection() as conn:
            texts = citations.load_markdown(conn, [rows[before].id, rows[after].id])
        if len(texts) < 2:
            raise NotFoundError("The document was removed meanwhile.", "`webrag list` shows what is there.")
        old, new = texts[rows[before].id], texts[rows[after].id]
        return VersionDifference(rows[before], rows[after], old, new, compare(old, new))


_LONGEST_TITLE = 500  # characters
_TIMES = ("published_time", "modified_time")
_ANY_TIME = datetime(9000, 1, 1, tzinfo=UTC)
_WORDS: Mapping[FactName, tuple[str, str]] = {
    "doi": ("DOI", "One looks like 10.1000/182."),
    "isbn": ("ISBN", "It has 10 or 13 digits, of which the last one checks the others."),
    "arxiv_id": ("arXiv id", "One looks like 1706.03762."),
    "published_time": ("date", "Write it like 2024, 2024-05 or 2024-05-31."),
    "modified_time": ("date", "Write it like 2024, 2024-05 or 2024-05-31."),
}


@dataclass(frozen=True, slots=True)
class BibliographyEditing:
    """Facts of a library's documents that the user sets. Each call is one transaction of its own."""

    database: Database

    def change(
        self,
        source_id: UUID,
        facts: Mapping[FactName, Sequence[str] | str | None],
        forget: Collection[FactName] = (),
        title: str | None = None,
    ) -> None:
        """Set facts of a document, which reading it again leaves as they are; None or nothing: there is none.

        ``authors`` are names in their order, every other fact is a text; ids and dates are brought into the form in
        which they are kept. Of those in ``forget``, what the document says itself counts again. A ``title`` of at most
        500 characters takes the place of the document's, which counts again where it is empty.

        Raises:
            InputError: a value that cannot be such a fact.
            NotFoundError: the document is gone.
        """
        clean = {name: _checked(name, value) for name, value in facts.items()}
        retitled = title is not None
        own = _checked_title(title or "") or None
        with self.database.connection() as conn:
            if retitled and not bibliography.set_title(conn, source_id, own):
                raise _gone()
            if (clean or forget or not retitled) and not bibliography.set_facts(
                conn, source_id, clean, forget
            ):
                raise _gone()

    def titles(self, source_id: UUID) -> tuple[str | None, str | None]:
        """The title that the user gave a document, and the one it states; each None where there is none."""
        with self.database.connection() as conn:
            return bibliography.titles(conn, source_id)


def _gone() -> NotFoundError:
    return NotFoundError("The document is gone.", "`webrag list` shows what is there.")


def _checked_title(title: str) -> str:
    words = " ".join(title.split())
    if len(words) > _LONGEST_TITLE or not words.isprintable():
        raise InputError(
            f"“{words[:80]}” cannot be a title.".encode(errors="replace").decode(),
            f"Give at most {_LONGEST_TITLE} characters, without control characters.",
        )
    return words


def _checked(name: FactName, value: Sequence[str] | str | None) -> Sequence[str] | str | None:
    from webrag_desktop.ingestion.dates import stated_date
    from webrag_desktop.ingestion.facts import clean_fact

    if name == "authors":
        names = [value] if isinstance(value, str) else value or ()
        return list(dict.fromkeys(map(_checked_name, names)))
    text = " ".join((value if isinstance(value, str) else " ".join(value or ())).split())
    if not text:
        return None
    clean = stated_date(text, _ANY_TIME) if name in _TIMES else clean_fact(name, text)
    if clean is None:
        what, hint = _WORDS.get(name, ("value", "Give fewer characters, on one line."))
        raise InputError(f"“{text[:80]}” is no {what}.", hint)
    return clean


def _checked_name(name: str) -> str:
    from webrag_desktop.ingestion.author_names import LONGEST_NAME, MOST_AUTHORS  # many patterns

    words = " ".join(name.split())
    if not 0 < len(words) <= LONGEST_NAME or not words.isprintable():
        raise InputError(
            f"“{words[:80]}” cannot be the name of an author.".encode(errors="replace").decode(),
            f"Give 1 to {LONGEST_NAME} characters for each of at most {MOST_AUTHORS}.",
        )
    return words
