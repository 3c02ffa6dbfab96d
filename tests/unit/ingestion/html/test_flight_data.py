"""Pages whose text stands only in the data from which React makes them (``self.__next_f``)."""

import base64
import json
from typing import Any

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

LINES = [
    f"On day {day} the keeper read the staff at noon and wrote the level of the water down."
    for day in range(40)
]
NAVIGATION = "<header><nav><a href='/'>Home</a> <a href='/tides'>Tides</a></nav></header>"
LOADING = "<main><div class=spinner></div></main><footer>© Harbour office</footer>"


def element(tag: str, children: Any = None, **props: Any) -> list[Any]:
    return ["$", tag, None, {**props, "children": children}]


STORY = [element("p", line) for line in LINES]


def row(number: str, value: Any) -> str:
    return f"{number}:{json.dumps(value)}\n"


def pushed(data: str, size: int = 1_000) -> str:
    """Scripts that add the data in parts, cut anywhere, as a server sends them."""
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    scripts = (f"<script>self.__next_f.push([1,{json.dumps(part)}])</script>" for part in parts)
    first = "<script>(self.__next_f=self.__next_f||[]).push([0])</script>"
    return first + "".join(script.replace("</p", "\\u003c/p") for script in scripts)


def read(
    scripts: str, body: str = NAVIGATION + LOADING, head: str = "<title>The gauge</title>"
) -> NormalizedDocument:
    document = extract(
        page_capture(f"<!DOCTYPE html><html lang=en><head>{head}</head><body>{body}{scripts}</body></html>")
    )
    check_document(document)
    return document


def assert_story(document: NormalizedDocument) -> None:
    assert "\n\n".join(LINES) in document.markdown
    assert document.incomplete is None


@pytest.mark.parametrize("body", ["", NAVIGATION + LOADING, "<main>Loading…</main>"])
def test_the_text_of_flight_data_is_read_where_the_page_shows_none(body: str) -> None:
    assert_story(read(pushed(row("0", ["$", "main", None, {"children": STORY}])), body))


def test_rows_are_read_where_they_are_referred_to() -> None:
    data = (
        '1:"$Sreact.suspense"\n2:I[339,["app/page.js"],"Shell"]\n:HL["/style.css","style"]\n'
        + row("0", {"b": "build", "f": [["", {"children": ["tides", "$L4"]}], {"children": "no text"}]})
        + row("4", element("main", [element("h1", "The gauge"), ["$", "$1", None, {"children": "$L5"}]]))
        + row("6", element("h2", "Behind it"))
        + row("5", ["$", "$L2", None, {"theme": "dark", "aside": None, "children": [STORY, "$6"]}])
    )
    document = read(pushed(data))
    assert_story(document)
    assert document.markdown.startswith("# The gauge\n\nOn day 0")
    assert document.markdown.endswith("\n\n## Behind it")
    assert "dark" not in document.markdown
    assert "no text" not in document.markdown


def test_headings_lists_tables_and_code_keep_their_form() -> None:
    code = element("pre", element("code", "level = 3\nif level:\n    wait()", className="language-python"))
    table = element(
        "table",
        [
            element("thead", element("tr", [element("th", "Gauge"), element("th", "Level")])),
            element("tbody", element("tr", [element("td", "Lock"), element("td", 1874)])),
        ],
    )
    steps = element(
        "ol", [element("li", "Read it."), element("li", ["Write ", element("em", "it"), " down."])]
    )
    document = read(
        pushed(row("0", element("article", [element("h1", "Levels"), STORY, steps, table, code])))
    )
    assert_story(document)
    assert "1. Read it.\n2. Write *it* down." in document.markdown
    assert "| Gauge | Level |\n| --- | --- |\n| Lock | 1874 |" in document.markdown
    assert "```python\nlevel = 3\nif level:\n    wait()\n```" in document.markdown


def test_long_texts_and_markup_stand_in_rows_of_their_own() -> None:
    written = "".join(f"<p>{line}</p>" for line in LINES)
    costs = "$5 – über alles: 5:{}\n6:T3,"
    data = (
        f"7:T{len(written.encode()):x},{written}8:T{len(costs.encode()):x},{costs}"
        + row("0", element("main", [["$", "div", None, {"dangerouslySetInnerHTML": {"__html": "$7"}}], "$9"]))
        + row("9", element("p", ["It costs ", "$8", " or ", "$$6."]))
    )
    document = read(pushed(data, 777))
    assert_story(document)
    assert "It costs $5 – über alles: 5:{} 6:T3, or $6." in document.markdown.replace("\\", "")


def test_parts_that_are_no_text_are_written_in_base_64() -> None:
    data = row("0", element("main", [*STORY, element("p", "The keeper’s name was Zoë.")])).encode()
    data = data.replace(b"\\u2019", "’".encode()).replace(b"\\u00eb", "ë".encode())
    cut = data.index("ë".encode()) + 1
    parts = (base64.b64encode(part).decode() for part in (data[:cut], data[cut:]))
    document = read("".join(f'<script>self.__next_f.push([3,"{part}"])</script>' for part in parts))
    assert_story(document)
    assert document.markdown.endswith("The keeper’s name was Zoë.")


def test_nothing_of_scripts_styles_names_and_stand_ins_is_text() -> None:
    beside = [
        element("script", "window.secret = 'A sentence of a script. It goes on.'"),
        element("style", ".secret { color: red }"),
        element("p", "Hidden secret.", hidden=True),
        element("p", "Hidden secret.", style={"display": "none"}),
        [
            "$",
            "$L2",
            "secret-key",
            {"className": "secret-class", "label": "secret label", "children": "$undefined"},
        ],
        ["$", "$1", None, {"fallback": element("p", "secret loading"), "children": element("p", "Shown.")}],
        ["$", "$L2", None, {"notFound": element("h2", "secret 404"), "children": None}],
        {"secret": "object"},
        "$Ssecret",
        "$D2024-01-01secret",
        "$5:secret:path",
        True,
        None,
    ]
    document = read(pushed('1:"$Sreact.suspense"\n' + row("0", element("main", [*STORY, *beside]))))
    assert_story(document)
    assert "Shown." in document.markdown
    assert "secret" not in document.markdown.casefold() + (document.html or "").casefold()


def test_components_are_parts_of_their_own_and_links_lead_where_they_lead() -> None:
    words = [element("p", ["Read ", ["$", "$L2", None, {"href": "/tides", "children": "the tides"}], "."])]
    parts = [["$", "$L3", None, {"children": text}] for text in ("One part.", "Another part.")]
    given = ["$", "$L3", None, {"left": element("p", "Given to a component."), "right": "no text"}]
    document = read(pushed(row("0", element("main", [*STORY, *words, *parts, given]))))
    assert "Read [the tides](https://example.org/tides)." in document.markdown
    assert "One part.\n\nAnother part.\n\nGiven to a component." in document.markdown
    assert "no text" not in document.markdown


def test_the_title_stands_in_the_data_where_the_page_has_none() -> None:
    data = row("0", [[element("title", "Levels of the lock"), element("main", STORY)]])
    assert read(pushed(data), head="").title == "Levels of the lock"


def test_a_page_that_shows_its_text_is_read_as_it_shows_it() -> None:
    shown = "".join(f"<p>{line}</p>" for line in LINES[:3])
    document = read(pushed(row("0", element("main", STORY))), f"<main>{shown}</main>")
    assert document.markdown == "\n\n".join(LINES[:3])


def test_rows_of_a_page_without_its_first_are_read_in_their_order() -> None:
    rows = [row(f"{number:x}", paragraph) for number, paragraph in enumerate(STORY, 1)]
    assert_story(read(pushed("".join(rows))))


def test_deep_elements_give_their_words() -> None:
    data = "".join(row(f"{number:x}", element("div", f"$L{number + 1:x}")) for number in range(1_000))
    assert " ".join(LINES) in read(pushed(data + row("3e8", STORY))).markdown


@pytest.mark.parametrize(
    "scripts",
    [
        "<script>self.__next_f.push([1,</script>",
        '<script>self.__next_f.push([1,"0:[\\"$\\",\\"p\\"</script>',
        '<script>self.__next_f.push([3,"%%%"])</script>',
        pushed("0:[broken\n"),
        pushed("0:" + "[" * 100_000 + "\n"),
        pushed("0:Tffffffff,short"),
        pushed(row("0", "$L0")),
        pushed(row("0", element("p", "$0:props:children"))),
        pushed(row("0", {"P": None, "title": "A sentence that nobody sees. It goes on."})),
    ],
)
def test_damaged_data_holds_nothing(scripts: str) -> None:
    with pytest.raises(ExtractionError, match="only with JavaScript"):
        read(scripts, "")
