"""Labels and filters from the command line, over the real program."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Program, ProgramHere, program

GAUGES = (
    "Limpets sat on the tide gauge. They had been there for years, and nobody knew the height of the sea."
)
TIDES = "# Tides\n\n## Low tide\n\nLimpets clamp their shells to the rock at low tide."
CODE = "# Gauges\n\n## Calibration\n\nLimpets on a tide gauge:\n\n```py\nlevel = read_gauge()\n```\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "tides.md").write_text(TIDES, encoding="utf-8")
    (folder / "gauges.txt").write_text(GAUGES, encoding="utf-8")
    (folder / "code.md").write_text(CODE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def webrag(folder: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        started.answer(
            "add", "--json", "--tag", "Sea", "--collection", "Field notes", str(folder / "tides.md")
        )
        started.answer("add", "--json", str(folder / "gauges.txt"), str(folder / "code.md"))
        yield started


def found(webrag: Program, *options: str) -> set[str]:
    result = webrag.answer("search", "--json", "limpets at low tide", *options)
    names = {chunk["source_url"].rpartition("/")[2] for chunk in result["chunks"]}
    assert result["corpus_stats"]["total_documents"] == len(names)
    return names


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["code.md", "gauges.txt", "tides.md"]),
        (("--tag", "sea"), ["tides.md"]),
        (("--collection", "FIELD NOTES", "--type", "markdown"), ["tides.md"]),
        (("--type", "text", "--type", "markdown", "--max-depth", "0"), ["code.md", "gauges.txt", "tides.md"]),
        (("--has", "code"), ["code.md"]),
        (("--section", "low tide", "--section", "calibration"), ["code.md", "tides.md"]),
        (("--fetched-from", "2020", "--language", "en", "--type", "text"), ["gauges.txt"]),
    ],
    ids=str,
)
def test_search_finds_exactly_what_the_filters_leave(
    webrag: Program, options: tuple[str, ...], names: list[str]
) -> None:
    assert sorted(found(webrag, *options)) == names


def test_a_document_tells_its_labels(webrag: Program, folder: Path) -> None:
    listed = {one["url"].rpartition("/")[2]: one for one in webrag.answer("list", "--json")}
    reported = {name: (one["tags"], one["collections"]) for name, one in listed.items()}
    assert reported == {"tides.md": (["Sea"], ["Field notes"]), "gauges.txt": ([], []), "code.md": ([], [])}
    shown = webrag.answer("show", "--json", str(folder / "tides.md"))
    assert (shown["tags"], shown["collections"]) == (["Sea"], ["Field notes"])
    rows = [line.strip() for line in webrag.run("list").out.splitlines()]
    assert (rows.count("tags: Sea"), rows.count("in: Field notes")) == (1, 1)
    facts = webrag.run("show", str(folder / "tides.md")).out.partition("\n\n")[0].splitlines()
    assert facts[-2:] == ["tags       Sea", "in         Field notes"]


def test_a_document_is_named_as_everywhere(webrag: Program, folder: Path) -> None:
    assert found(webrag, "--document", str(folder / "code.md")) == {"code.md"}
    assert found(webrag, "--source", str(folder / "code.md"), "--has", "code") == {"code.md"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tag", "sky"), "tag sky"),
        (("--tag", "sea", "--has", "code"), "tag sea, with code"),
        (("--published-from", "2020"), "published from 2020-01-01"),
        (("--site", "//"), "is not a site"),
        (("--max-depth", "-1"), "depth"),
        (("--fetched-from", "2021", "--fetched-to", "2020"), "does not end after it begins"),
        (("--document", "0000"), "0000"),
    ],
    ids=str,
)
def test_what_nothing_can_meet_is_reported(webrag: Program, options: tuple[str, ...], words: str) -> None:
    refused = webrag.run("search", "--json", "limpets", *options)
    assert refused.code == 2
    assert words in refused.json["error"]["message"]
    assert refused.json["error"]["hint"]


def test_tags_are_put_on_and_taken_off(webrag: Program, folder: Path) -> None:
    gauges, code = str(folder / "gauges.txt"), str(folder / "code.md")
    tagged = webrag.answer("tag", "--json", gauges, code, "+to read", "+Sea", "-none")
    assert [document["tags"] for document in tagged] == [["Sea", "to read"]] * 2
    assert webrag.answer("tag", "--json") == [
        {"name": "Sea", "documents": 3},
        {"name": "to read", "documents": 2},
    ]
    assert "2  to read" in webrag.run("tag").out
    webrag.answer("tag", "--json", gauges, code, "-SEA", "-to read")
    (shown,) = webrag.answer("tag", "--json", code)
    assert shown["tags"] == []
    assert webrag.run("tag", "+x").code == 2
    unknown = webrag.run("tag", code, "0000", "+lost")
    assert (unknown.code, webrag.answer("tag", "--json", code)[0]["tags"]) == (2, [])


def test_a_tag_that_begins_like_an_option_can_be_taken_off(webrag: Program, folder: Path) -> None:
    (shown,) = webrag.answer("tag", "--json", str(folder / "code.md"), "+help", "+hot")
    assert shown["tags"] == ["help", "hot"]
    (shown,) = webrag.answer("tag", "--json", str(folder / "code.md"), "-hot", "-help")
    assert shown["tags"] == []


def counted(collections: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(one["name"], one["documents"]) for one in collections]


def test_a_search_in_a_collection_includes_those_within_it(webrag: Program, folder: Path) -> None:
    code = str(folder / "code.md")
    webrag.answer("collection", "create", "--json", "Shore")
    webrag.answer("collection", "create", "--json", "Gauges", "--in", "shore")
    webrag.answer("collection", "add", "--json", "gauges", code)
    assert found(webrag, "--collection", "Shore") == {"code.md"}
    webrag.answer("collection", "colour", "--json", "Gauges", "teal")
    webrag.answer("collection", "rename", "--json", "Gauges", "Tide gauges")
    shown = webrag.run("collection").out.splitlines()
    assert [line.split(maxsplit=1)[1] for line in shown] == ["Field notes", "Shore", "Tide gauges  (teal)"]
    refused = webrag.run("collection", "move", "Shore", "--in", "Tide gauges")
    assert (refused.code, "which is within it" in refused.err) == (2, True)
    webrag.answer("collection", "move", "--json", "Tide gauges")
    assert webrag.answer("collection", "delete", "--json", "Shore")
    assert counted(webrag.answer("collection", "delete", "--json", "Tide gauges")) == [("Field notes", 1)]


def test_collections_are_filled_and_deleted(webrag: Program, folder: Path) -> None:
    code = str(folder / "code.md")
    (shown,) = webrag.answer("collection", "add", "--json", "field Notes", code)
    assert shown["collections"] == ["Field notes"]
    assert counted(webrag.answer("collection", "--json")) == [("Field notes", 2)]
    webrag.answer("collection", "add", "--json", "Empty soon", code)
    assert "Field notes\n" in webrag.run("collection", "remove", "empty soon", code).out
    assert counted(webrag.answer("collection", "delete", "--json", "Empty Soon")) == [("Field notes", 2)]
    webrag.answer("collection", "remove", "--json", "field notes", code)
    assert webrag.run("collection", "delete", "no such").code == 2
