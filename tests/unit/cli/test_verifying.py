"""What ``verify`` takes for a quotation and what for a manuscript, what it prints, and its exit code."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.links import without_cite_ids
from tests.support.quotes import NEARLY, TIDE, exact, near, none, older, rendered
from webrag_desktop.cli.commands import verify as verifying
from webrag_desktop.cli.main import run
from webrag_desktop.errors import NotFoundError
from webrag_desktop.models.quotes import ManuscriptReport, QuoteReport
from webrag_desktop.retrieval.quotes.manuscripts import check_manuscript, markdown_manuscript, read_manuscript

ID = uuid4()
REPORTS = {report.quote: report for report in (exact(), near())}


class FakeQuotes:
    """Knows one sentence, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, UUID | None, bool]] = []
        self.reports = dict(REPORTS)

    def verify(
        self, text: str, document: UUID | None = None, *, older_versions: bool = False, **_more: object
    ) -> QuoteReport:
        self.asked.append((text, document, older_versions))
        return self.reports.get(text) or none(text, older_versions=older_versions)

    def check(
        self, given: Path | str, *, min_words: int, document: UUID | None, **more: Any
    ) -> ManuscriptReport:
        found = markdown_manuscript(given, "-") if isinstance(given, str) else read_manuscript(given)

        def verify(text: str) -> QuoteReport:
            return self.verify(text, document, older_versions=more["older_versions"])

        return check_manuscript(found, verify, min_words=min_words, progress=more["progress"])


class FakeLibrary:
    """One document, and quotes."""

    def __init__(self) -> None:
        self.quotes = FakeQuotes()
        self.documents = SimpleNamespace(find=self._find)

    def _find(self, reference: str) -> SimpleNamespace:
        if reference != "pools":
            raise NotFoundError(f"Nothing in the library answers to {reference}.", "Look again.")
        return SimpleNamespace(id=ID)


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    fake = FakeLibrary()

    @contextmanager
    def opened() -> Iterator[FakeLibrary]:
        yield fake

    monkeypatch.setattr(verifying, "open_library", opened)
    return fake


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    content = io.BytesIO()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    return content


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_an_exact_quotation_is_reported_with_every_place(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    library.quotes.reports[TIDE] = exact(places=2, more=3)
    assert run(["verify", TIDE]) == 0
    assert printed(capsys) == [
        "Exact: the source has it letter for letter.",
        "",
        " 1. Tide pools 1 — Low tide",
        f"    “{TIDE}”",
        "    https://example.org/pools#low-tide",
        "    version 1",
        "",
        " 2. Tide pools 2 — Low tide",
        f"    “{TIDE}”",
        "    https://example.org/pools#low-tide",
        "    version 1",
        "",
        "3 more places are not listed.",
    ]


def test_what_only_reads_the_same_is_verified_with_its_markdown_and_page(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    library.quotes.reports[TIDE] = rendered()
    assert run(["verify", TIDE]) == 0
    lines = printed(capsys)
    assert lines[0].startswith("Exact as rendered: ")
    assert lines[2:4] == [
        " 1. Tide pools — Low tide, p. 12",
        "    “Limpets clamp their **shells** to the rock.”",
    ]


def test_a_near_quotation_fails_and_marks_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", NEARLY]) == 1
    reported = capsys.readouterr()
    lines = reported.out.splitlines()
    assert lines[0].startswith("Near: this is not verified.")
    assert lines[3:6] == [
        f"    “{TIDE}”",
        "    Limpets clamp their shells to the [-stones-]{+rock+}.",
        "    86% of the words are the same",
    ]
    assert "--older" in reported.err


def test_what_is_not_found_fails_and_names_the_older_texts(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "Snails fly."]) == 1
    reported = capsys.readouterr()
    assert reported.out == "Not found: it is nowhere in the library.\n"
    assert "--older" in reported.err
    assert run(["verify", "--older", "--document", "pools", "Snails fly."]) == 1
    reported = capsys.readouterr()
    assert reported.out == "Not found: it is not in this document.\n"
    assert reported.err == ""
    assert library.quotes.asked == [("Snails fly.", None, False), ("Snails fly.", ID, True)]
    assert run(["verify", "--document", "unknown", "Snails fly."]) == 2


def test_an_older_version_says_so(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    library.quotes.reports[TIDE] = older()
    assert run(["verify", "--older", TIDE]) == 0
    assert printed(capsys)[-1] == "    version 2, which the document no longer shows"


def test_json_is_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "--json", NEARLY]) == 1
    reported = json.loads(capsys.readouterr().out)
    assert QuoteReport.model_validate(without_cite_ids(reported)) == near()
    assert (reported["grade"], len(reported["places"])) == ("near", 1)


def test_a_quotation_comes_from_words_or_standard_input(
    library: FakeLibrary, standard_input: io.BytesIO
) -> None:
    standard_input.write(f"\ufeff{TIDE}".encode())
    for given in ([], ["-"]):
        standard_input.seek(0)
        assert run(["verify", *given]) == 0
    assert run(["verify", *TIDE.split()]) == 0
    assert run(["verify", f"“{TIDE}” (Ada 1843)"]) == 0
    assert [asked for asked, *_ in library.quotes.asked] == [TIDE] * 4


def test_input_that_is_no_text_is_refused(
    standard_input: io.BytesIO, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input.write(b"\xff\xfe\xff")
    standard_input.seek(0)
    assert run(["verify", "-"]) == 2
    assert "not in UTF-8" in capsys.readouterr().err


def test_with_nothing_given_on_a_terminal_it_says_what_to_give(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    assert run(["verify"]) == 2
    assert "Give a quotation" in capsys.readouterr().err


DRAFT = f"""On “so” much:

> {TIDE}

He says “{NEARLY}” and “snails fly at night” and an “open one.
"""


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "my draft.md"
    path.write_text(DRAFT, "utf-8")
    return path


def test_a_manuscript_is_reported_quotation_by_quotation(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(draft)]) == 1
    assert printed(capsys) == [
        f"line 3: exact  block quotation “{TIDE}”",
        "    Tide pools 1 — Low tide",
        "    https://example.org/pools#low-tide",
        f"line 5: near  “{NEARLY}”",
        "    Tide pools — Low tide",
        "    https://example.org/pools#low-tide",
        "    Limpets clamp their shells to the [-stones-]{+rock+}.",
        "line 5: not found  “snails fly at night”",
        "",
        "3 quotations in my draft.md: 1 exact, 1 near, 1 not found.",
        "1 quotation is too short to be looked for (line 1); --min-words 1 looks for all.",
        "1 quotation mark has no partner, so what it quotes was not looked for (line 5).",
    ]


def test_a_manuscript_whose_quotations_all_stand_there_is_well(
    draft: Path, library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    draft.write_text(f"> {TIDE}\n\nand “{TIDE}”", "utf-8")
    assert run(["verify", "--document", "pools", "--older", str(draft)]) == 0
    assert printed(capsys)[-1] == "2 quotations in my draft.md: 2 exact."
    assert library.quotes.asked == [(TIDE, ID, True)]
    draft.write_text("Nothing is quoted.", "utf-8")
    assert run(["verify", str(draft)]) == 0
    assert printed(capsys) == ["No quotation to look for in my draft.md."]


def test_the_json_of_a_manuscript_is_its_report(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "--json", "--min-words", "1", str(draft)]) == 1
    report = ManuscriptReport.model_validate(without_cite_ids(json.loads(capsys.readouterr().out)))
    assert [(one.place, one.report.grade) for one in report.quotations] == [
        (1, "none"),
        (3, "exact"),
        (5, "near"),
        (5, "none"),
    ]
    assert (report.skipped, report.unpaired) == ([], [5])


def test_what_a_path_is_goes_by_its_ending(
    draft: Path, library: FakeLibrary, standard_input: io.BytesIO, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", f"I wrote {draft.name}"]) == 1  # no such file: words that end so
    assert library.quotes.asked[-1][0] == f"I wrote {draft.name}"
    assert run(["verify", "chapte.md"]) == 2
    assert "no file" in capsys.readouterr().err
    assert run(["verify", str(draft), str(draft)]) == 2
    other = draft.rename(draft.with_suffix(".chapter"))
    library.quotes.asked.clear()
    assert run(["verify", "--file", str(other)]) == 1
    assert [asked for asked, *_ in library.quotes.asked] == [TIDE, NEARLY, "snails fly at night"]
    assert run(["verify", "--file", str(other), "words"]) == 2
    standard_input.write(DRAFT.encode())
    standard_input.seek(0)
    library.quotes.asked.clear()
    assert run(["verify", "--file", "-"]) == 1
    assert len(library.quotes.asked) == 3
