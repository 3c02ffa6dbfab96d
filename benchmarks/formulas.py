"""Formulas: how many of real ones are drawn and how fast, and whether the reader stays fluid with hundreds of them.

``python -m benchmarks.formulas [FOLDER]``: a folder of web pages with formulas or of Markdown; without one the pages
of the tests are taken. Processor time of the drawing process, and milliseconds by which the window is late.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from benchmarks.measuring import table
from webrag_desktop.gui.kit.mathematics.drawings import Drawable

REPOSITORY = Path(__file__).parent.parent
PAGES = REPOSITORY / "tests" / "data"
SHOWN = 500  # formulas on the page that is scrolled
STEP, MOST_STEPS = 60, 400  # pixels at a time


def markdown_of(path: Path) -> str:
    """A page's markdown as it is stored."""
    from webrag_desktop.ingestion.extract import extract
    from webrag_desktop.models.documents import Capture

    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    headers = (("content-type", "text/html; charset=utf-8"),)
    address, now = f"https://pages.example/{path.name}", datetime.now(UTC)
    capture = Capture(
        url=address,
        final_url=address,
        status_code=200,
        headers=headers,
        body=path.read_bytes(),
        fetched_at=now,
    )
    return extract(capture).markdown


def corpus(folder: Path) -> list[Drawable]:
    """Every formula of the pages in a folder, once."""
    from webrag_desktop.text.mathematics import formulas

    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".html", ".md"})
    found = (formula for path in paths for formula in formulas(markdown_of(path)))
    return list(dict.fromkeys(Drawable(*formula[2:]) for formula in found))


def drawing(formulas: list[Drawable]) -> str:
    began = time.process_time()
    from webrag_desktop.gui.kit.mathematics.outlines import outline

    imported = time.process_time() - began
    spent: list[float] = []
    drawn = 0
    for formula in formulas:
        began = time.process_time()
        try:
            outline(formula.source, formula.kind, display=formula.display)
            drawn += 1
        except Exception as error:  # noqa: BLE001 - as in the drawing process: the source is shown
            print(f"not drawn ({type(error).__name__}): {formula.source[:100]}", file=sys.stderr)
        spent.append((time.process_time() - began) * 1000)
    spent.sort()
    rows = [
        ["import", f"{imported * 1000:.0f} ms"],
        ["formulas", str(len(formulas))],
        ["drawn", f"{drawn / len(formulas):.2%}"],
        ["median", f"{statistics.median(spent):.1f} ms"],
        ["95 of 100 within", f"{spent[int(len(spent) * 0.95)]:.0f} ms"],
        ["longest", f"{spent[-1]:.0f} ms"],
    ]
    return table("Drawing", ["of formulas", ""], rows)


def scrolling(formulas: list[Drawable]) -> str:
    """How late the event loop comes to a timer while a page of formulas is opened, drawn and scrolled."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from benchmarks.gui_parts.heartbeat import Heart
    from benchmarks.gui_parts.window_at_work import wait
    from webrag_desktop.gui.kit.mathematics.drawings import Drawings
    from webrag_desktop.gui.kit.theme.colours import prepare
    from webrag_desktop.gui.reader.operations.reader_document import reader_document
    from webrag_desktop.gui.reader.text import ReaderText
    from webrag_desktop.models.documents import DocumentVersion

    prepare(QApplication([]))
    several = [formula for formula in formulas if formula.kind == "latex" and "\n" not in formula.source]
    page = "\n\n".join(
        f"Line {n} says that $${f.source}$$ holds."
        if f.display
        else f"Line {n} says that ${f.source}$ holds."
        for n, f in zip(range(SHOWN), several * (SHOWN // max(len(several), 1) + 1), strict=False)
    )
    version = DocumentVersion(
        id=UUID(int=1), document_id=UUID(int=1), source_url="file:///page.md", title=None, markdown=page,
        html=None, content_hash="", fetched_at=datetime.now(UTC), blocks=(),
    )  # fmt: skip
    shown = reader_document(version, title="T", place="", address="")
    text = ReaderText()
    text.resize(700, 900)
    text.show()
    wait(lambda: False, 1)
    heart = Heart()
    rows = []

    def note(name: str) -> None:
        late = sorted(heart.late)
        rows.append([name, *(f"{late[int((len(late) - 1) * share)]:.1f}" for share in (0.5, 0.99, 1))])
        heart.fresh()

    heart.fresh()
    began = time.perf_counter()
    text.show_document(shown)
    wait(lambda: text.is_complete and not Drawings.of_window().is_busy, 300)
    took = time.perf_counter() - began
    note("opened and drawn")
    bar = text.verticalScrollBar()
    for _step in range(MOST_STEPS):
        bar.setValue(bar.value() + STEP)
        QApplication.processEvents()
    note("scrolled")
    text.show_document(shown)
    wait(lambda: text.is_complete, 300)
    note("opened again")
    Drawings.of_window().close()
    rows.append([f"all {SHOWN} drawn after {took:.1f} s", "", "", ""])
    return table("The window meanwhile", ["late by, ms", "median", "99 of 100", "most"], rows)


def run() -> str:
    """Both with the pages of the tests, each in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.formulas"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=PAGES)
    formulas = corpus(parser.parse_args().folder)
    print(drawing(formulas))
    print(scrolling(formulas))


if __name__ == "__main__":
    main()
