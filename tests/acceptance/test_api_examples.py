"""The examples of ``docs/api.md``, run one after the other as they stand there."""

import re
import types
from pathlib import Path
from typing import Any

import webrag_desktop
from tests.support.command_line import Program

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIDES = """# Tide pools

When the water leaves, animals of the tide pools survive by closing their shells and by staying wet under weeds.
Limpets hold on to the rock with a force that nobody would expect of them.
"""
RIVERS = "# Rivers\n\nA river carries sand and mud to the sea, and drops them where it slows down.\n"
COAST = "# Coasts\n\nMore of them is told [elsewhere](https://example.org/coasts).\n"


def test_the_examples_do_what_they_say(home: Program, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tides.md").write_text(TIDES, encoding="utf-8")
    (notes / "rivers.md").write_text(RIVERS, encoding="utf-8")
    (notes / "coast.md").write_text(COAST, encoding="utf-8")
    document = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    examples = EXAMPLE.findall(document)
    assert len(examples) > 8
    names: dict[str, Any] = {"home": home.home, "notes": notes}
    try:
        for number, example in enumerate(examples, start=1):
            exec(compile(example, f"docs/api.md, example {number}", "exec"), names)
    finally:
        if "library" in names:
            names["library"].close()
    assert names["document"].title == "Tide pools"
    assert "closing their shells" in names["best"].chunk_text
    assert "[1]" in names["pack"].context_pack
    assert names["bundle"].candidates


def test_every_method_that_the_table_names_is_there() -> None:
    from webrag_desktop import Library
    from webrag_desktop.library.asking import Answers
    from webrag_desktop.library.citation_list import CitationList, Cited
    from webrag_desktop.library.documents import Bin, Documents
    from webrag_desktop.library.expansion.runs import Expansions
    from webrag_desktop.library.expansion.sites import SiteCaptures
    from webrag_desktop.library.links import Links
    from webrag_desktop.library.pages.looks import PageLooks
    from webrag_desktop.library.parts import BibliographyEditing, Labelling, Queue, RefreshSchedule, Versions
    from webrag_desktop.library.quotes import Quotes
    from webrag_desktop.library.searches import Searches
    from webrag_desktop.library.worker import LibraryWorker
    from webrag_desktop.maintenance.checkup import Checkup
    from webrag_desktop.maintenance.move_control import MoveControl

    parts = {
        "documents": Documents,
        "queue": Queue,
        "bin": Bin,
        "citations": CitationList,
        "cited": Cited,
        "quotes": Quotes,
        "links": Links,
        "answers": Answers,
        "searches": Searches,
        "expansions": Expansions,
        "sites": SiteCaptures,
        "bibliography": BibliographyEditing,
        "labels": Labelling,
        "versions": Versions,
        "page_looks": PageLooks,
        "schedule": RefreshSchedule,
        "space`, `moves": MoveControl,
        "worker": LibraryWorker,
        "doctor": Checkup,
        "of the library itself": Library,
    }
    table = (
        (ROOT / "docs" / "api.md").read_text(encoding="utf-8").partition("| part |")[2].partition("\n\n")[0]
    )
    rows = re.findall(r"^\| `?(.+?)`? \| (.+) \|$", table, re.MULTILINE)
    reported = {part: set(re.findall(r"`(\w+)`", offers)) for part, offers in rows}
    assert reported.keys() == parts.keys()
    for part, names in reported.items():
        offered = {name for name in dir(parts[part]) if not name.startswith("_")}
        assert names <= offered, (part, names - offered)
        unreported = offered - names
        if part == "of the library itself":  # its parts have rows of their own
            unreported -= {name for row in parts for name in row.split("`, `")}
        public = {
            name
            for name in unreported
            if not isinstance(getattr(parts[part], name), types.MemberDescriptorType)
        }
        assert public == set(), (part, public)


def test_all_that_the_module_offers_is_reported() -> None:
    reported = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    offered = [name for name in webrag_desktop.__all__ if name != "__version__"]
    assert [name for name in offered if f"`{name}" not in reported] == []
