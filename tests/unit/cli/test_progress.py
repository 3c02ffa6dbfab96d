import io
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import pytest
from rich.console import Console

from webrag_desktop.cli.document_words import name_of, state_words
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.progress import Bars, Lines, Silence, choose_display
from webrag_desktop.cli.times import reason_with_wait
from webrag_desktop.models.sources import LOOK_AT_THE_SOURCE, SourceRow

SOURCE = SourceRow(
    id=uuid4(),
    kind="url",
    state="queued",
    state_reason=None,
    state_hint=None,
    progress_done=None,
    progress_total=None,
    url="https://example.org/a",
    added_at=datetime(2026, 3, 18, tzinfo=UTC),
    searchable=False,
    source_url=None,
    title=None,
    description=None,
    language=None,
    doc_type=None,
    published_time=None,
    published_guessed=False,
    modified_time=None,
    modified_guessed=False,
    saved_from=None,
    page_count=None,
    content_hash=None,
    fetched_at=None,
    indexed_at=None,
    depth=0,
    parent_chunks=0,
    child_chunks=0,
    tokens=0,
)


@pytest.mark.parametrize(
    ("state", "done", "total", "words"),
    [
        ("queued", None, None, "queued"),
        ("embedding", 2, 5, "embedding 40 %"),
        ("fetching", 700, None, "fetching"),
        ("fetching", 9, 8, "fetching 100 %"),
        ("ready", 5, 5, "ready"),
    ],
)
def test_state_in_words(state: str, done: int | None, total: int | None, words: str) -> None:
    source = replace(SOURCE, state=state, progress_done=done, progress_total=total)  # type: ignore[arg-type]
    assert state_words(source) == words


def test_what_was_read_in_part_is_not_simply_ready() -> None:
    part = replace(SOURCE, state="ready", incomplete="Page 2 of 3 is a picture")
    assert state_words(part) == "ready in part"
    assert part.note == ("Page 2 of 3 is a picture", LOOK_AT_THE_SOURCE)
    assert replace(part, state="embedding").note == (None, None)
    refused = replace(part, state_reason="The site did not answer", state_hint="Try again.")
    assert refused.note == ("The site did not answer", "Try again.")
    assert replace(SOURCE, state="ready").note == (None, None)


def test_what_waits_for_its_site_says_until_when() -> None:
    until = datetime(2026, 3, 18, 16, 5, tzinfo=timezone(timedelta(hours=2)))
    why = "The site asks to come back later (429)"
    waiting = replace(SOURCE, state_reason=why, waits_until=until, waits_for="site")
    assert state_words(waiting) == "waiting for the site, again at 14:05 UTC"
    assert (
        state_words(replace(SOURCE, state="fetching", state_reason="Waiting for the site"))
        == "waiting for the site"
    )


def test_what_waits_for_this_computer_says_when_it_is_tried_again() -> None:
    until = datetime(2026, 3, 18, 14, 5, tzinfo=UTC)
    waiting = replace(SOURCE, state_reason="The disk is full.", waits_until=until, waits_for=None)
    assert state_words(waiting) == "waiting, tried again at 14:05 UTC"
    assert reason_with_wait(waiting) == "Waiting, tried again at 14:05 UTC. The disk is full."


def test_name_is_the_title_or_the_address() -> None:
    assert name_of(SOURCE) == "https://example.org/a"
    assert name_of(replace(SOURCE, title="A\nlong title")) == "A long title"


def test_a_line_is_printed_for_each_document_that_is_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    other = replace(SOURCE, id=uuid4(), url="https://example.org/b")
    with Lines(output) as lines:
        lines.show(SOURCE)
        lines.show(replace(SOURCE, waits_until=datetime(2026, 3, 18, tzinfo=UTC)))
        for done in (1, 2, 3):
            lines.show(replace(SOURCE, state="embedding", progress_done=done, progress_total=3))
        for _again in range(2):
            lines.show(replace(SOURCE, state="ready", title="A\ntitle"))
        lines.show(replace(other, state="failed", state_reason="It is empty.", state_hint="Look at it."))
    assert capsys.readouterr().out.splitlines() == [
        "ready       A title — https://example.org/a",
        "failed      https://example.org/b",
        "            It is empty.",
        "            Look at it.",
    ]
    assert output.reported == {SOURCE.id, other.id}


def test_outside_a_terminal_there_are_lines_and_beside_json_nothing() -> None:
    output = Output()
    assert isinstance(choose_display(output, 2), Lines)
    output.as_json = True
    assert type(choose_display(output, 2)) is Silence


def test_on_a_terminal_there_are_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    output = Output()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert isinstance(choose_display(output, 2), Bars)
    output.as_json = True
    assert type(choose_display(output, 2)) is Silence
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert isinstance(choose_display(output, 2), Bars)


def test_bars_show_what_is_worked_on_and_leave_a_line_per_finished_document() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80, color_system=None, legacy_windows=False)
    other = replace(SOURCE, id=uuid4(), url="https://example.org/b", title="[red]not markup[/red]")
    with Bars(console, 2) as bars:
        bars.show(SOURCE)
        bars.show(replace(SOURCE, state="embedding", progress_done=1, progress_total=4))
        bars.show(replace(other, state="fetching"))
        bars.show(replace(SOURCE, state="failed"))
        bars.show(replace(other, state="ready"))
        console.print("the end")
    shown = screen.getvalue()
    assert "embedding 25 %" in shown
    assert "2 done" in shown
    assert "failed      https://example.org/a" in shown
    assert "ready       [red]not markup[/red]" in shown
