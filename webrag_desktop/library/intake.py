"""Accept what the user gives: durable at once, worked on later."""

import logging
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from uuid import UUID

from webrag_desktop.errors import (
    DatabaseConflictError,
    DatabaseUnreachableError,
    IngestionError,
    InputError,
    ResourceError,
    WebragError,
    resource_error,
)
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.files import is_file, portions, read_file
from webrag_desktop.jobs.run_pages import follow_links
from webrag_desktop.jobs.subresource_wishes import wish_for_page
from webrag_desktop.maintenance.upkeep import remove_to_bin
from webrag_desktop.models.documents import SpooledIntake
from webrag_desktop.models.intake import Accepted, Kept, Refused, Verdict
from webrag_desktop.models.links import CaptureLimits
from webrag_desktop.models.queue import FEW, Priority, priority_of
from webrag_desktop.models.sources import NO_LABELS, Labels
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import removal
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.spool import Spool, quarantine
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.library.labels import add_labels
from webrag_desktop.storage.queue import jobs, postponement, queue_control
from webrag_desktop.text.links import file_path

log = logging.getLogger(__name__)
_PARAMETERS = re.compile("[?#]")
_USER = re.compile(r"^([^/@]*//)?.*@", re.DOTALL)


def read_intake(
    given: str,
    options: FetchOptions,
    labels: Labels = NO_LABELS,
    depth: int = 0,
    subresources: bool | None = None,
) -> SpooledIntake:
    """Understand an address or path, reading a file now, since it may be gone later.

    Raises:
        InputError: ``given`` is neither an address nor a file.
        IngestionError: the file cannot be read.
        ResourceError: this computer lacks what reading it takes; that says nothing of the file.
    """
    kind, address = parse_source(given)
    capture = read_file(file_path(address), options) if kind == "file" else None
    url = capture.url if capture else address
    return SpooledIntake(
        kind=kind,
        url=url,
        url_key=url_key(url),
        capture=capture,
        tags=labels.tags,
        collections=labels.collections,
        depth=depth,
        subresources=subresources,
    )


def accept(
    conn: Connection,
    given: str,
    intake: SpooledIntake,
    priority: Priority = Priority.ASKED,
    wish: jobs.Wish = "added",
) -> Accepted:
    """Take one thing in: once the caller's transaction commits, it is never lost.

    What waits in the queue already becomes as urgent as ``priority``; where a site did not answer it is asked now.
    What is in the bin is restored, with its labels and citations.
    What is there already comes as near as it is given now, never farther away.
    """
    added = sources.add_source(conn, intake.kind, intake.url, intake.url_key, depth=intake.depth)
    owner = added or sources.owner_of(conn, intake.url_key)
    if owner is None:
        raise _removed_meanwhile()
    if labels := Labels(intake.tags, intake.collections):
        add_labels(conn, [owner], labels)
    if intake.subresources is not None:
        wish_for_page(conn, owner, intake.subresources)
    restored = not added and bool(removal.restore(conn, [owner]))
    verdict: Verdict = "added" if added else _verdict_on_known(conn, owner, intake)
    if not added and wish == "added":
        if not intake.depth:  # the user's own word, and not a page's that links to it
            sources.forget_reached(conn, owner)
            sources.note_given(conn, owner)
        sources.come_nearer(conn, owner, intake.depth)
    if verdict == "present" and not restored:
        if jobs.hasten(conn, [owner], priority):
            announce_topic(conn, "queue")
        if postponement.try_now(conn, owner):
            sources.set_state(conn, owner, "queued")
        return Accepted(given, owner, verdict)
    if restored:
        return Accepted(given, owner, _read_again(conn, owner, intake, verdict, priority))
    sources.set_state(conn, owner, "queued")
    capture_id = captures.save_capture(conn, owner, intake.capture).id if intake.capture else None
    jobs.enqueue(conn, owner, capture_id, priority=priority, wish=wish)
    return Accepted(given, owner, verdict)


def _read_again(
    conn: Connection, owner: UUID, intake: SpooledIntake, verdict: Verdict, priority: Priority
) -> Verdict:
    """Have what was just restored read as it is given now, behind its kept copy where that is to be fetched."""
    sources.set_state(conn, owner, "queued")
    capture_id = None
    if intake.capture is not None and verdict == "changed":
        capture_id = captures.save_capture(conn, owner, intake.capture).id
    elif intake.capture is not None and (newest := captures.latest_capture(conn, owner)) is not None:
        capture_id = newest.id
    jobs.enqueue(conn, owner, capture_id, priority=priority)
    if intake.capture is None:
        jobs.fetch_again(conn, [owner])
    return "restored"


def _verdict_on_known(conn: Connection, owner: UUID, intake: SpooledIntake) -> Verdict:
    state = sources.lock_source(conn, owner)
    if state is None:
        raise _removed_meanwhile()
    known: Verdict = "retried" if state in ("failed", "cancelled") else "present"
    if intake.capture is None:
        return known
    latest = captures.latest_capture(conn, owner)
    if latest is not None and latest.fetched_at > intake.capture.fetched_at:
        return "present"  # it waited in the spool while a newer one came in
    if latest is None or latest.raw_hash != captures.raw_hash_of(intake.capture):
        return "changed"
    if state == "ready" and queue_control.last_was_cancelled(conn, owner):
        return "changed"  # it differs from what is shown: the user stopped the reading of it
    captures.put_back_body(conn, latest.id, intake.capture.body)
    captures.note_checked(conn, owner, intake.capture.fetched_at)
    sources.drop_note(conn, owner)
    return known


def _removed_meanwhile() -> DatabaseConflictError:
    return DatabaseConflictError("This was removed in the very moment of adding it.", "Add it again.")


# -- Many at once ---------------------------------------------------------------------------------------------


def durable(given: Sequence[str]) -> list[str]:
    """What was given, once each, as a process in another folder would understand it."""
    return [_anywhere(text) for text in dict.fromkeys(given)]


def _anywhere(text: str) -> str:
    if "://" in text or not text.strip():
        return text
    try:
        path = Path(text.strip())
        return str(path.absolute()) if path.exists() else text
    except (OSError, ValueError):  # no name of a file
        return text


def accept_portions(
    database: Database,
    given: Sequence[str],
    options: FetchOptions,
    labels: Labels = NO_LABELS,
    depth: int = 0,
    links: int = 0,
    subresources: bool | None = None,
) -> Iterator[list[Accepted | Refused]]:
    """Take in what was given, some of it at a time, in order; one that is refused does not stop the rest.

    A few overtake what lies in the queue already. All get the ``labels`` and the ``depth``, also what is there already;
    pages of the same site are captured that they lead to by so many ``links``. ``subresources`` says whether the files
    that show the pages as they looked are kept, None that the settings do.

    Raises:
        DatabaseUnreachableError: the database went away; what was reported before is stored.
        ResourceError: there is no disk space or memory left; the same.
    """
    priority = priority_of(len(given))
    for texts in portions(given):
        yield _accept_portion(database, texts, options, priority, labels, depth, links, subresources)


def _accept_portion(
    database: Database,
    texts: Sequence[str],
    options: FetchOptions,
    priority: Priority,
    labels: Labels,
    depth: int,
    links: int,
    subresources: bool | None,
) -> list[Accepted | Refused]:
    understood = [_understood(text, options, labels, depth, links, subresources) for text in texts]
    try:
        with database.connection() as conn:
            return [
                one
                if isinstance(one, Refused)
                else follow_links(
                    conn, accept(conn, text, one, priority), one.url, links, labels, depth, subresources
                )
                for text, one in zip(texts, understood, strict=True)
            ]
    except DatabaseUnreachableError:
        raise
    except Exception as error:  # whatever is the matter with one must not lose the others
        if (lacking := resource_error(error)) is not None:
            raise lacking from error
        log.info("something given was refused", exc_info=error)
        if len(texts) == 1:
            return [Refused(texts[0], _as_reported(error))]
    alone = (
        _accept_portion(database, [text], options, priority, labels, depth, links, subresources)
        for text in texts
    )
    return [result for results in alone for result in results]


def check_links(given: Sequence[str], links: int) -> None:
    """Raise InputError unless ``links`` can be followed of everything given; nothing to check where none are.

    Raises:
        InputError: it is no number of links that a capture may follow, or something given is no web address.
    """
    if not links:
        return
    CaptureLimits(depth=links)
    for text in given:
        try:
            kind, _address = parse_source(text)
        except InputError as error:
            raise InputError(f"{error.message} Nothing was added.", error.hint) from error
        if kind != "url":
            raise InputError(
                f"“{text}” is not a web page, so that no links can be followed from it. Nothing was added.",
                "Give web addresses; files and folders are added by themselves.",
            )


def _understood(
    text: str,
    options: FetchOptions,
    labels: Labels,
    depth: int,
    links: int,
    subresources: bool | None,
) -> SpooledIntake | Refused:
    try:
        check_links([text], links)
        return read_intake(text, options, labels, depth, subresources)
    except ResourceError:
        raise
    except WebragError as error:
        return Refused(text, error)
    except Exception as error:  # whatever is the matter with one must not lose the others
        if (lacking := resource_error(error)) is not None:
            raise lacking from error
        log.exception("something given cannot be read")
        return Refused(text, _as_reported(error))


def _as_reported(error: Exception) -> WebragError:
    if isinstance(error, WebragError):
        return error
    return IngestionError("This could not be added because of an unexpected fault.", str(error))


def keep_for_later(
    spool: Spool,
    given: Sequence[str],
    options: FetchOptions,
    error: WebragError,
    labels: Labels = NO_LABELS,
    depth: int = 0,
    links: int = 0,
    subresources: bool | None = None,
) -> list[Kept | Refused]:
    """Keep what was given durably until the database, which failed with ``error``, answers again.

    Everything is on disk before the first file is read; files are then kept with what is in them now, or, where this
    computer has no room for that, by their names.
    """
    kept: list[Kept | Refused] = []
    with spool.put_batch(durable(given), labels, depth, links, subresources) as batch:
        try:
            for text in dict.fromkeys(given):
                understood = _understood(text, options, labels, depth, links, subresources)
                if isinstance(understood, SpooledIntake) and understood.capture is not None:
                    spool.put(understood)
                kept.append(understood if isinstance(understood, Refused) else Kept(text, error))
            pages = [one.given for one in kept if isinstance(one, Kept) and not is_file(one.given)]
            if pages:
                spool.put_batch(pages, labels, depth, links, subresources).release()
        except Exception as failure:
            if (lacking := resource_error(failure)) is None:
                raise
            return kept_by_name(given, lacking)
        batch.done()
    return kept


def kept_by_name(given: Sequence[str], error: WebragError) -> list[Kept | Refused]:
    """What is reported of a batch that stays in the spool as it was given, because of ``error``."""
    return [Kept(text, error) for text in dict.fromkeys(given)]


def accept_spooled(
    database: Database, spool: Spool, options: FetchOptions, cancel: CancelToken | None = None
) -> list[Accepted]:
    """Carry out what waited while the database was down, or when the program ended; returns what came in.

    Removals come first: what was given again after them is to stay.
    """
    cancel = cancel or CancelToken()
    for path, ids in spool.removals():
        remove_to_bin(database, ids)
        path.unlink(missing_ok=True)
    taken: list[Accepted] = []
    waiting = spool.waiting()
    first = list(islice(waiting, FEW + 1))
    priority = priority_of(len(first))
    for path, intake in chain(first, waiting):
        cancel.raise_if_cancelled()
        taken += _accept_entry(database, path, intake, priority)
    for batch in spool.batches():
        with batch:
            wanted = batch.labels, batch.depth, batch.links, batch.subresources
            for results in accept_portions(database, batch.given, options, *wanted):
                taken += [one for one in results if isinstance(one, Accepted)]
                _log_refused(results)
                cancel.raise_if_cancelled()
            batch.done()
    return taken


def _accept_entry(
    database: Database, path: Path, intake: SpooledIntake, priority: Priority
) -> list[Accepted]:
    try:
        with database.connection() as conn:
            accepted = accept(conn, intake.url, intake, priority)
    except DatabaseUnreachableError:
        raise
    except DatabaseConflictError:  # it will do next time
        return []
    except Exception as error:  # one that cannot be taken in must not keep out all that come after it
        if (lacking := resource_error(error)) is not None:
            raise lacking from error
        log.exception("an intake entry was refused")
        quarantine(path)
        return []
    path.unlink(missing_ok=True)
    return [accepted]


def _log_refused(results: Sequence[Accepted | Refused]) -> None:
    for one in results:
        if isinstance(one, Refused):
            problem = type(one.error).__name__
            log.warning("Given before, and refused: %a: %s", _for_the_log(one.given), problem)


def _for_the_log(given: str) -> str:
    """What was given without the parts of an address that may hold secrets: name and password, parameters, fragment.

    Paths of files lose as much where they look alike; here too little is better than too much.
    """
    return _USER.sub(r"\1", _PARAMETERS.split(given, maxsplit=1)[0])
