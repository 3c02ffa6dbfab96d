"""What is shown of a source, of the library in numbers, and of a batch that comes along."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from PySide6.QtWidgets import QApplication

from webrag_desktop.errors import DatabaseError, InputError
from webrag_desktop.gui.data.import_report import BatchProgress, Unlinked
from webrag_desktop.gui.data.view_data import DocumentNews, LibraryFigures, SiteCount
from webrag_desktop.gui.library.document_words import look_of, row_word, source_words, state_tooltip
from webrag_desktop.gui.library.operations.adding import added_sentences, attention_sentence, kept_sentences
from webrag_desktop.gui.library.operations.batch_meter import BatchMeter
from webrag_desktop.gui.library.operations.document_rows import document_row, library_figures
from webrag_desktop.gui.session.failures import HIDDEN, failure_of
from webrag_desktop.models.intake import Accepted, Kept, Refused, Verdict
from webrag_desktop.models.sources import LibraryOverview, SourceKind, SourceRow
from webrag_desktop.progress import SourceState

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("qapp")


def source(url: str = "https://www.example.org/a/page.html?x=1", **more: object) -> SourceRow:
    kind: SourceKind = "file" if url.startswith("file:") else "url"
    made = SourceRow(
        id=uuid4(), kind=kind, state="ready", state_reason=None, state_hint=None, progress_done=None,
        progress_total=None, url=url, added_at=NOON, searchable=True, source_url=None, title=None,
        description=None, language=None, doc_type=None, published_time=None, modified_time=None,
        published_guessed=False, modified_guessed=False, saved_from=None, page_count=None,
        content_hash=None, fetched_at=None, indexed_at=None, depth=0, parent_chunks=0, child_chunks=0, tokens=0,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (source(title="  A\n title "), "A title"),
        (source("https://www.example.org/caf%C3%A9/"), "www.example.org/café"),
        (source("https://example.org/?q=1"), "example.org/?q=1"),
        (source("file:///home/me/My%20notes.md"), "My notes.md"),
        (source("https://a/", source_url="https://b.example/after"), "b.example/after"),
    ],
)
def test_a_title_is_never_missing(given: SourceRow, title: str) -> None:
    assert document_row(given, {}).title == title


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://www.example.org/a", "example.org"),
        ("http://127.0.0.1:8000/a", "127.0.0.1:8000"),
        ("https://example.org:80/a", "example.org:80"),
        ("https://example.org:443/a", "example.org"),
        ("http://[::1]:8000/a", "[::1]:8000"),
        ("http://[::1]/a", "::1"),
        ((Path.home() / "notes" / "x.md").as_uri(), "~/notes"),
        ((Path.home() / "x.md").as_uri(), "~"),
        ("file:///srv/papers/x.md", "/srv/papers"),
    ],
)
def test_the_place_is_the_host_or_the_folder(url: str, place: str) -> None:
    assert document_row(source(url), {}).place == place


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            source("https://a.org:8000/wal/Check%20point.html?x=1", title="A"),
            "a.org:8000/wal/Check point.html?x=1",
        ),
        (source("https://a.org/", title="A"), "a.org"),
        (source("https://a.org/wal"), "a.org"),
        (source("file:///srv/x%20y.md", title="A"), "/srv/x y.md"),
        (source("file:///srv/x.md"), "/srv"),
    ],
)
def test_a_row_shows_its_path_unless_its_title_is_that(given: SourceRow, shown: str) -> None:
    assert source_words(document_row(given, {})) == shown


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (source("https://a/x.html", doc_type="pdf"), "pdf"),
        (source("https://a/x.HTM"), "html"),
        (source("file:///x/y.md"), "markdown"),
        (source("https://a/x"), "unknown"),
        (source("https://a/x", doc_type="a kind of tomorrow"), "unknown"),
    ],
)
def test_the_kind_is_reported_from_the_name_until_it_is_read(given: SourceRow, kind: str) -> None:
    assert document_row(given, {}).kind == kind


def test_a_row_says_how_far_it_has_come() -> None:
    waiting = source(state="queued")
    assert document_row(waiting, {waiting.id: 3}).queue_position == 3
    working = source(state="embedding", progress_done=1, progress_total=4, searchable=True)
    row = document_row(working, {working.id: 3})
    assert (row.queue_position, row.share, row.searchable) == (None, 0.25, True)
    failed = source(state="failed", state_reason="It asks for a sign-in.", state_hint="Sign in.")
    assert (document_row(failed, {}).reason, document_row(failed, {}).hint) == (
        "It asks for a sign-in.",
        "Sign in.",
    )


def test_a_document_that_was_read_in_part_says_what_it_lacks() -> None:
    row = document_row(source(incomplete="Page 2 of 3 is a picture"), {})
    assert (row.incomplete, row.reason) == (True, "Page 2 of 3 is a picture")
    assert row_word(row) == "Ready in part"
    assert "Page 2 of 3 is a picture" in state_tooltip(row)
    assert look_of(row) != look_of(document_row(source(), {}))
    figures = library_figures(
        overview({"ready": 3, "failed": 1}, incomplete=2), [source(incomplete="A part")]
    )
    assert (figures.incomplete, figures.attention) == (1, 2)


def overview(states: dict[SourceState, int], **more: object) -> LibraryOverview:
    made = LibraryOverview(
        states=states, documents=3, parent_chunks=50, tokens=9000, sites=[("a.org", 2), ("b.org", 1)],
        paused=False, database_bytes=12,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def test_figures_count_states_as_the_user_sees_them() -> None:
    figures = library_figures(
        overview({"ready": 2, "fetching": 1, "embedding": 1, "queued": 4, "cancelled": 1})
    )
    assert figures == LibraryFigures(
        documents=9, ready=2, working=2, waiting=4, failed=0, stopped=1, passages=50, tokens=9000,
        bytes_on_disk=12, sites=(SiteCount("a.org", 2), SiteCount("b.org", 1)),
    )  # fmt: skip


def test_what_was_removed_does_not_count_though_it_can_be_taken_back() -> None:
    gone = source("https://www.b.org/x", parent_chunks=7, tokens=1000)
    figures = library_figures(overview({"ready": 3}), [gone])
    assert (figures.documents, figures.ready, figures.passages, figures.tokens) == (2, 2, 43, 8000)
    assert figures.sites == (SiteCount("a.org", 2),)


# -- A batch ------------------------------------------------------------------------------------------------------


class Batch:
    """A meter with a clock of its own."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.meter = BatchMeter(lambda: self.now)

    def finish(self, state: SourceState = "ready", document: UUID | None = None) -> UUID:
        id_ = document or uuid4()
        self.meter.heard([DocumentNews(id_, state)])
        return id_

    def progress(self, working: int = 0, waiting: int = 0, *, paused: bool = False) -> BatchProgress | None:
        return self.meter.progress(LibraryFigures(working=working, waiting=waiting, paused=paused))

    def measured(self, working: int = 0, waiting: int = 0, *, paused: bool = False) -> BatchProgress:
        found = self.progress(working, waiting, paused=paused)
        assert found is not None
        return found


def test_there_is_no_batch_while_nothing_is_open() -> None:
    assert Batch().progress() is None


def test_a_batch_counts_what_was_finished_since_it_began() -> None:
    batch = Batch()
    batch.measured(waiting=4)
    batch.finish()
    failed = batch.finish("failed")
    progress = batch.measured(working=1, waiting=1)
    assert (progress.ready, progress.failed, progress.open, progress.total) == (1, 1, 2, 4)
    batch.meter.heard([DocumentNews(failed, "queued")])
    assert batch.measured(working=1, waiting=2).failed == 0


def test_speed_is_reported_after_half_a_minute_and_three_documents() -> None:
    batch = Batch()
    batch.measured(waiting=10)
    for _ in range(3):
        batch.now += 5
        batch.finish()
    assert batch.measured(waiting=7).per_minute is None
    batch.now += 15
    progress = batch.measured(waiting=7)
    assert progress.per_minute == pytest.approx(6)
    assert progress.seconds_left == pytest.approx(70)


def test_two_documents_are_too_few_to_tell_the_speed() -> None:
    batch = Batch()
    batch.measured(waiting=10)
    batch.finish()
    batch.finish()
    batch.now += 60
    assert batch.measured(waiting=8).per_minute is None


def test_speed_is_that_of_the_last_minutes() -> None:
    batch = Batch()
    batch.measured(waiting=1000)
    for _ in range(300):
        batch.now += 1
        batch.finish()
    for _ in range(18):
        batch.now += 10
        batch.finish()
    assert batch.measured(waiting=100).per_minute == pytest.approx(6, rel=0.1)


def test_time_while_paused_does_not_count() -> None:
    batch = Batch()
    batch.measured(waiting=10)
    for _ in range(4):
        batch.now += 15
        batch.finish()
    assert batch.measured(waiting=6, paused=True).per_minute is None
    batch.now += 3600
    assert batch.measured(waiting=6, paused=True).seconds_left is None
    assert batch.measured(waiting=6).per_minute == pytest.approx(4)


def test_the_end_of_a_batch_is_reported_and_the_next_begins_again() -> None:
    batch = Batch()
    batch.measured(waiting=1)
    batch.finish()
    ended = batch.measured()
    assert (ended.ready, ended.open, ended.seconds_left) == (1, 0, None)
    assert batch.measured(waiting=2).ready == 0


def test_news_that_comes_after_the_end_belongs_to_the_batch_that_ended() -> None:
    batch = Batch()
    batch.measured(waiting=2)
    late = batch.finish("failed")
    batch.measured()
    batch.meter.heard([DocumentNews(uuid4(), "embedding"), DocumentNews(late, "failed")])
    batch.finish()
    assert (batch.measured().ready, batch.measured().failed) == (1, 1)


def test_a_batch_that_has_ended_can_be_forgotten() -> None:
    batch = Batch()
    batch.measured(waiting=1)
    batch.meter.forget()
    assert batch.measured(waiting=1).open == 1
    batch.finish()
    batch.measured()
    batch.meter.forget()
    assert batch.progress() is None


# -- Words --------------------------------------------------------------------------------------------------------


def accepted(*verdicts: Verdict) -> list[Accepted]:
    return [Accepted(f"given {at}", uuid4(), verdict) for at, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("verdicts", "kinds", "sentence"),
    [
        (("added",), {}, "1 link added."),
        (("added",) * 3, {}, "3 links added."),
        (("added", "added"), {"given 0": "file", "given 1": "file"}, "2 files added."),
        (("added", "added"), {"given 1": "file"}, "1 link and 1 file added."),
        (("added", "present"), {}, "1 link added. 1 was already here."),
        (("present", "present"), {}, "2 were already here."),
        (("retried", "changed"), {}, "1 is tried again. 1 has changed and is read again."),
    ],
)
def test_adding_says_what_became_of_everything(
    verdicts: tuple[Verdict, ...], kinds: dict[str, str], sentence: str
) -> None:
    assert added_sentences(accepted(*verdicts), kinds) == sentence


def test_what_waits_beside_the_library_is_said_to_be_kept() -> None:
    error = DatabaseError("The database does not answer.")
    assert (
        kept_sentences([Kept("a", error)], {}) == "1 link kept. It is added as soon as your library is open."
    )
    two = kept_sentences([Kept("a", error), Kept("b", error)], {"a": "file"})
    assert two == "1 link and 1 file kept. They are added as soon as your library is open."


def test_what_cannot_be_added_is_one_sentence() -> None:
    one = [Refused("x:y", InputError("It cannot be added.", "Give another."))]
    assert attention_sentence(one, ()) == "It cannot be added."
    assert attention_sentence(one, [Unlinked("just words", "It is no link.")]) == "2 need attention."
    assert attention_sentence((), ()) == ""


# -- Failures -----------------------------------------------------------------------------------------------------


def test_an_error_of_ours_is_shown_in_its_own_words(qapp: QApplication) -> None:
    try:
        try:
            raise OSError("connection refused by 10.0.0.1")
        except OSError as cause:
            raise DatabaseError("The database does not answer.", "Start it.") from cause
    except DatabaseError as error:
        failure = failure_of(error)
    assert (failure.message, failure.hint) == ("The database does not answer.", "Start it.")
    assert (
        failure.details
        == "DatabaseError: The database does not answer.\nOSError: connection refused by 10.0.0.1"
    )


def test_a_fault_of_the_program_comes_with_its_trace(qapp: QApplication) -> None:
    try:
        dict[str, str]()["missing"]
    except KeyError as error:
        failure = failure_of(error)
    assert "KeyError" not in failure.message
    assert "test_a_fault_of_the_program_comes_with_its_trace" in failure.details
    assert "KeyError: 'missing'" in failure.details


@pytest.mark.parametrize(
    "text",
    [
        "connection to postgresql://ada:s3same@host:5432/x failed",
        "password=s3same host=x",
        "password='s3same and more' host=x",
        '{"api_key": "s3same"}',
        "EMBEDDING_API_KEY=s3same",
        "Authorization: Bearer s3same",
        "invalid key sk-s3same12345",
    ],
)
def test_no_secret_reaches_the_details(text: str) -> None:
    details = failure_of(RuntimeError(text)).details
    assert "s3same" not in details.splitlines()[-1]
    assert HIDDEN in details


def test_names_of_hostile_documents_do_not_turn_the_reading_direction() -> None:
    row = document_row(source(title="\u202einvoice\u2066 \u200bfdp.exe"), {})
    assert row.title == "invoice fdp.exe"
    row = document_row(source("file:///home/x%E2%80%AEy/a%E2%80%AEdm.exe"), {})
    assert row.title == "adm.exe"
    assert row.place.endswith("xy")
    assert "\u202e" not in document_row(source("https://x.example/%E2%80%AEa"), {}).title
