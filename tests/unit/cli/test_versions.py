"""What ``versions``, ``diff`` and ``refresh --every`` print and refuse."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from webrag_desktop.citations.differences import compare
from webrag_desktop.cli.commands import refresh as refreshing
from webrag_desktop.cli.commands import versions
from webrag_desktop.cli.main import run
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.queue import NEVER, OwnSchedule, Schedule
from webrag_desktop.models.versions import VersionDifference, VersionReason, VersionRow

ID = uuid4()
MOMENT = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
OLD = "# Tide pools\n\nSeals.\n\nLimpets clamp their shells to the rock.\n\nGone.\n\nWhales.\n\nDolphins.\n"
NEW = "# Tide pools\n\nLimpets fasten their shells to the rock.\n\nNew.\n\nWhales.\n\nDolphins.\n\nSeals.\n"


def version(number: int, reason: VersionReason, *, citations: int = 0, title: str = "Pools") -> VersionRow:
    return VersionRow(
        uuid4(),
        number,
        reason,
        number == 2,
        title,
        "https://example.org/pools",
        1377,
        "0",
        4,
        MOMENT,
        MOMENT,
        citations,
    )


class FakeDocuments:
    """Knows one document."""

    def find(self, reference: str) -> SimpleNamespace:
        if reference != "pools":
            raise NotFoundError(f"Nothing in the library answers to {reference}.", "Look again.")
        return SimpleNamespace(id=ID)


class FakeVersions:
    """The texts of that document, and what changed between them, or why that cannot be reported."""

    def __init__(self) -> None:
        rows = version(1, "first", citations=2), version(2, "reread", citations=1, title="Tide pools")
        self.rows = list(rows)
        self.found: VersionDifference | InputError = VersionDifference(*rows, OLD, NEW, compare(OLD, NEW))

    def of(self, document_id: UUID) -> list[VersionRow]:
        assert document_id == ID
        return self.rows

    def diff(self, document_id: UUID, _before: int | None, _after: int | None) -> VersionDifference:
        assert document_id == ID
        if isinstance(self.found, InputError):
            raise self.found
        return self.found


class FakeSchedule:
    """What was set, and a schedule to be reported."""

    def __init__(self) -> None:
        self.asked: list[tuple[timedelta | None, Sequence[UUID] | None]] = []
        self.reported = Schedule(None, (), 0, None, None)

    def set(self, every: timedelta | None, source_ids: Sequence[UUID] | None = None) -> None:
        self.asked.append((every, source_ids))

    def now(self) -> Schedule:
        return self.reported


class FakeLibrary:
    """One document with two texts."""

    def __init__(self) -> None:
        self.documents = FakeDocuments()
        self.versions = FakeVersions()
        self.schedule = FakeSchedule()


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    fake = FakeLibrary()

    @contextmanager
    def opened() -> Iterator[FakeLibrary]:
        yield fake

    for module in (versions, refreshing):
        monkeypatch.setattr(module, "open_library", opened)
    return fake


def test_versions_tell_number_time_size_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["versions", "pools"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == "1 2026-03-18 09:30 UTC 1,377 characters first text, cited 2 times".split()
    assert second.split() == (
        "2 2026-03-18 09:30 UTC 1,377 characters read again, otherwise, cited once (shown)".split()
    )
    assert run(["versions", "pools", "--json"]) == 0
    assert [one["reason"] for one in json.loads(capsys.readouterr().out)] == ["first", "reread"]
    assert run(["versions", "unknown"]) == 2


def test_a_document_without_text_has_no_versions(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    library.versions.rows = []
    assert run(["versions", "pools"]) == 0
    assert capsys.readouterr().out == "There is no text yet.\n"


def test_a_difference_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "pools", "--from", "1", "--to", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Version 1 (2026-03-18 09:30 UTC) to version 2 (2026-03-18 09:30 UTC)",
        "Title: Pools → Tide pools",
        "",
        "Tide pools",
        "  ~ Limpets [-clamp-]{+fasten+} their shells to the rock.",
        "  - Gone.",
        "  + New.",
        "  > (moved here) Seals.",
    ]


MARKED = """# About \\-273

It was \\-18 degrees, see [here](https://x.org/a).

See [there](https://x.org/a).

```python
x = 1 * \\-2
y = 2
```

- First \\# item.
"""


def test_a_difference_shows_texts_as_they_are_read_and_code_as_code(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = (("18", "20"), ("[there](https://x.org/a)", "[there](https://x.org/b)"), ("y = 2", "y = 3"),
               ("x = 1", "x *= 1\nx = 1"), ("First", "Last"))  # fmt: skip
    new = MARKED
    for before, after in changes:
        assert before in new
        new = new.replace(before, after)
    rows = version(1, "first"), version(2, "changed")
    library.versions.found = VersionDifference(*rows, MARKED, new, compare(MARKED, new))
    assert run(["diff", "pools"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "About -273",
        "  ~ It was -[-18-]{+20+} degrees, see here.",
        "  ~ See [there](https://x.org/[-a-]{+b+}).",
        "  + `x *= 1`",
        "  ~ `y = [-2-]{+3+}`",
        "  ~ [-First-]{+Last+} # item.",
    ]
    assert run(["diff", "pools", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"][0]["words"][0]["text"] == "It was \\-"


def test_long_spans_that_stayed_are_shortened(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    middle = " ".join(f"word{number}" for number in range(60))
    old, new = f"One {middle} two.", f"Uno {middle} due."
    rows = version(1, "first"), version(2, "changed")
    library.versions.found = VersionDifference(*rows, old, new, compare(old, new))
    assert run(["diff", "pools"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("  ~ [-One-]{+Uno+} word0 word1 ")
    assert " … " in line
    assert line.endswith(" word59 [-two-]{+due+}.")
    assert "word30" not in line


def test_the_json_of_a_difference_holds_both_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "pools", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [change["kind"] for change in report["changes"]] == ["changed", "removed", "added", "moved"]
    for change in report["changes"]:
        for side, text in (("before", OLD), ("after", NEW)):
            span = change[side]
            assert span is None or text[span["char_start"] : span["char_end"]] == span["text"]


def test_what_cannot_be_compared_says_why(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    library.versions.found = InputError("The document has had one text so far.", "Refresh it.")
    assert run(["diff", "pools"]) == 2
    assert "one text so far" in capsys.readouterr().err


def test_every_is_understood(library: FakeLibrary) -> None:
    for given in ("12h", "7d", "2w", "off"):
        assert run(["refresh", "--every", given]) == 0
    for given in ("1d", "off", "default"):
        assert run(["refresh", "pools", "--every", given]) == 0
    days = timedelta(days=1)
    assert library.schedule.asked == [
        (days / 2, None), (7 * days, None), (14 * days, None), (None, None),
        (days, [ID]), (NEVER, [ID]), (None, [ID]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["--every", "soon"],
        ["--every", "0d"],
        ["--every", "30m"],
        ["--every", "default"],
        ["--every", "7d", "--all"],
        ["--every", "7d", "unknown"],
        ["--schedule", "pools"],
    ],
)
def test_what_makes_no_sense_is_refused(library: FakeLibrary, arguments: list[str]) -> None:
    assert run(["refresh", *arguments]) == 2
    assert library.schedule.asked == []


def test_the_shortest_time_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh", "--every", "30m"]) == 2
    assert "an hour at least" in capsys.readouterr().err


def test_the_schedule_is_reported(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh", "--schedule"]) == 0
    assert capsys.readouterr().out.startswith("Documents are not refreshed on a schedule.")
    own = (
        OwnSchedule(ID, "https://example.org/pools", timedelta(hours=36)),
        OwnSchedule(ID, "https://example.org/never", NEVER),
    )
    library.schedule.reported = Schedule(timedelta(days=7), own, 0, MOMENT, None)
    assert run(["refresh", "--schedule"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Documents are looked at every 7 days, while the window is open or by `webrag work`.",
        "  every 36 hours: https://example.org/pools",
        "  never: https://example.org/never",
        "The next one is due at 2026-03-18 09:30 UTC.",
    ]
    library.schedule.reported = Schedule(timedelta(days=1), (), 3, MOMENT, MOMENT)
    assert run(["refresh", "--schedule"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Documents are looked at every day, while the window is open or by `webrag work`.",
        "Due now: 3",
        "Nothing could be reached; tried again at 09:30 UTC.",
    ]
