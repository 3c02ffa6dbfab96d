from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.office_files import docx, paragraph
from webrag_desktop.errors import Cancelled, InputError
from webrag_desktop.models.quotes import QuoteReport
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.retrieval.quotes.manuscripts import check_manuscript, markdown_manuscript, read_manuscript
from webrag_desktop.retrieval.quotes.passages import LONGEST_QUOTE

TEXT = 'On “limpets clamp down” and “so” and\n\n> a block\n\nand "limpets clamp down" again, “not there at all”.\n'


def verifier(known: str, asked: list[str]) -> Callable[[str], QuoteReport]:
    """Calls exact what stands in ``known``, and notes what it is asked."""

    def verify(text: str) -> QuoteReport:
        asked.append(text)
        return QuoteReport(quote=text, grade="exact" if text in known else "none")

    return verify


def test_every_quotation_is_verified_and_the_same_words_once() -> None:
    asked: list[str] = []
    report = check_manuscript(markdown_manuscript(TEXT, "draft.md"), verifier("limpets clamp down", asked))
    assert [(one.place, one.block, one.report.grade) for one in report.quotations] == [
        (1, False, "exact"),
        (3, True, "none"),
        (5, False, "exact"),
        (5, False, "none"),
    ]
    assert asked == ["limpets clamp down", "a block", "not there at all"]
    assert [(one.place, one.quote) for one in report.skipped] == [(1, "so")]
    assert not report.is_verified
    assert (report.name, report.unit, report.unpaired) == ("draft.md", "line", [])


def test_with_one_word_as_the_least_nothing_is_skipped() -> None:
    report = check_manuscript(markdown_manuscript(TEXT, "draft.md"), verifier(TEXT, []), min_words=1)
    assert report.skipped == []
    assert len(report.quotations) == 5
    assert report.is_verified


def test_a_reference_behind_a_block_quotation_is_no_part_of_it() -> None:
    def check(known: str) -> list[QuoteReport]:
        text = "> limpets clamp down (Ada 1843, p. 3).\n"
        report = check_manuscript(markdown_manuscript(text, "draft.md"), verifier(known, []))
        return [one.report for one in report.quotations]

    (without,) = check("limpets clamp down")
    assert (without.grade, without.quote) == ("exact", "limpets clamp down")
    (whole,) = check("limpets clamp down (Ada 1843, p. 3).")
    assert (whole.grade, whole.quote) == ("exact", "limpets clamp down (Ada 1843, p. 3).")
    (neither,) = check("snails")
    assert (neither.grade, neither.quote) == ("none", "limpets clamp down (Ada 1843, p. 3).")


def test_what_is_too_long_is_listed_and_not_verified() -> None:
    text = "> " + "word " * (LONGEST_QUOTE // 4)
    asked: list[str] = []
    report = check_manuscript(markdown_manuscript(text, "draft.md"), verifier("", asked))
    assert [one.reason for one in report.skipped] == ["long"]
    assert (asked, report.is_verified) == ([], False)


def test_a_long_manuscript_tells_how_far_it_is_and_stops_when_asked() -> None:
    text = "\n\n".join(f"“quotation number {number}”" for number in range(500))
    token, steps, asked = CancelToken(), list[Step](), list[str]()

    def progress(step: Step) -> None:
        steps.append(step)
        if step.done == 3:
            token.cancel()

    with pytest.raises(Cancelled):
        check_manuscript(
            markdown_manuscript(text, "draft.md"), verifier("", asked), cancel=token, progress=progress
        )
    assert [(step.done, step.total) for step in steps] == [(0, 500), (1, 500), (2, 500), (3, 500)]
    assert len(asked) == 4


def test_files_are_read_by_their_kind(tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text("One *“two three four”*.", "utf-8")
    (tmp_path / "draft.txt").write_text("One\n\n“two * three four”.", "utf-16")
    (tmp_path / "draft.docx").write_bytes(docx(paragraph("One.") + paragraph("A quotation.", "Zitat")))
    found = {name: read_manuscript(tmp_path / f"draft.{name}") for name in ("md", "txt", "docx")}
    assert [one.text for one in found["md"].quotations.found] == ["two three four"]
    assert [(one.text, one.place) for one in found["txt"].quotations.found] == [("two * three four", 3)]
    assert [tuple(one) for one in found["docx"].quotations.found] == [("A quotation.", 2, True)]
    assert (found["md"].unit, found["docx"].unit) == ("line", "paragraph")


def test_what_is_no_manuscript_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html><body>Hello.</body></html>", "utf-8")
    with pytest.raises(InputError, match=r"page\.html is no Markdown"):
        read_manuscript(tmp_path / "page.html")
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 nothing of it")
    for name, reason in (("missing.md", "no file"), ("", "is a folder"), ("broken.docx", "damaged")):
        with pytest.raises(InputError, match=reason):
            read_manuscript(tmp_path / name)
