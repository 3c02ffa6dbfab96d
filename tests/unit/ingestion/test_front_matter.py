"""Front matter of Markdown files."""

from datetime import UTC, datetime

import pytest

from tests.support.office_files import file_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.text_document import front_matter_fields
from webrag_desktop.models.documents import Capture


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        ("title: Tides", {"title": "Tides"}),
        ("Title: 'It: tides'", {"title": "It: tides"}),
        ('title: "Tides # of the sea"  # a comment', {"title": "Tides # of the sea"}),
        ("date: 2024-01-02 # when it was", {"date": "2024-01-02"}),
        ("title: C# for all", {"title": "C# for all"}),
        ("description: >-\n  folded\n  text\nlang: de", {"description": "folded text", "lang": "de"}),
        ("summary: |\n  line one\n\n  line two", {"summary": "line one line two"}),
        ("description:\n  text below\ntitle: T", {"description": "text below", "title": "T"}),
        ("description:\n  - a\n  - list", {}),
        ("params:\n  title: inner", {}),
        ("title:", {}),
        ("title: first\ntitle: second", {"title": "first"}),
        ("titles: none", {}),
        ("title: 'It''s here'", {"title": "It's here"}),
        (r'title: "A \"b\" c"', {"title": 'A "b" c'}),
        ('title: "a" # "b"', {"title": "a"}),
        ("title: plain\n  continued", {"title": "plain continued"}),
        ("date:\n  # later\ntitle: x", {"title": "x"}),
        ('"title": of a quoted key', {"title": "of a quoted key"}),
        ("title: ~\ndescription: null\nlang: no", {"lang": "no"}),
        ("title: '~'", {"title": "~"}),
        ("title: 1984\ndate: 2024-13-45", {"title": "1984", "date": "2024-13-45"}),
        ("title: &name Tides\ndescription: *name", {"title": "Tides", "description": "Tides"}),
        ("- title: in a list", {}),
        ("title: [never ended", {}),
    ],
)
def test_fields_of_yaml(lines: str, fields: dict[str, str]) -> None:
    assert front_matter_fields(f"---\n{lines}\n---\ntitle: of the text\n") == fields


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (
            "title: Git: an intro\ndate: 2024-01-02\nlang: en\ndescription: Of git",
            {"title": "Git: an intro", "date": "2024-01-02", "lang": "en", "description": "Of git"},
        ),
        ("title: A: b # a comment", {"title": "A: b"}),
        ("title: C# for all: part 2", {"title": "C# for all: part 2"}),
        ("editor: a: b\ntitle: 'It: tides'  # quoted", {"title": "It: tides"}),
        ("editor: a: b\ntitle: plain\n  continued\nlang: de", {"lang": "de"}),
        ("editor: a: b\nsummary: >-\n  folded\ndescription: |", {}),
        ("editor: a: b\ntitle: [a, list]\ndescription: {a: b}\nlang: ~", {}),
        ("title: a: b\nparams:\n  title: inner\n  lang: de", {"title": "a: b"}),
        ("Title: first: one\ntitle: second", {"title": "first: one"}),
        ("\tweight: 3\ntitle: Tides", {"title": "Tides"}),
        ("title: 'never: ended\nlang: en", {"lang": "en"}),
    ],
)
def test_plain_lines_of_what_is_no_yaml(lines: str, fields: dict[str, str]) -> None:
    assert front_matter_fields(f"---\n{lines}\n---\ntitle: of the text\n") == fields


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (
            'title = "Tides"\ndate = 2024-01-02T03:04:05Z',
            {"title": "Tides", "date": "2024-01-02T03:04:05+00:00"},
        ),
        ('lastmod = 2024-01-02\ntags = ["a"]', {"lastmod": "2024-01-02"}),
        ('[params]\ntitle = "inner"', {}),
        ("title = 7", {}),
        ("not toml at all", {}),
        (f"title = 'x'\nweight = {'9' * 5000}", {}),
        ('summary = """\nline one\nline two"""', {"summary": "line one line two"}),
    ],
)
def test_fields_of_toml(lines: str, fields: dict[str, str]) -> None:
    assert front_matter_fields(f"+++\n{lines}\n+++\n# Text\n") == fields


@pytest.mark.parametrize(
    "text", ["title: Tides\n", "", "+++\ntitle = 'never ended'\n", "# Head\n---\ntitle: x\n---"]
)
def test_text_without_front_matter_has_no_fields(text: str) -> None:
    assert front_matter_fields(text) == {}


ENTITIES = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40))


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (f"a0: &a0 x\n{ENTITIES}\ntitle: Tides\ndescription: *a39", {"title": "Tides"}),
        (f"title: Tides\ntags: {'[' * 10_000}", {"title": "Tides"}),
        (f"a: b: c\ntitle: {'[' * 10_000}", {}),
        ("title: a: b\n" * 1500, {"title": "a: b"}),
        (f"title: Tides\nx: {'y' * 100_000}", {}),
    ],
    ids=[
        "aliases of aliases",
        "thousands deep",
        "deep in the line itself",
        "the same again and again",
        "long",
    ],
)
def test_yaml_made_to_hurt_says_little(lines: str, fields: dict[str, str]) -> None:
    assert front_matter_fields(f"---\n{lines}\n---\n") == fields


def test_a_markdown_file_is_called_and_dated_by_its_front_matter() -> None:
    body = '+++\ntitle = "Tides"\ndate = 2024-01-02\ndescription = "Of the sea"\n+++\n\n# Head\n\nText.\n'
    document = extract(file_capture(body.encode(), "tides.md"))
    assert (document.title, document.published_time, document.description) == (
        "Tides",
        "2024-01-02",
        "Of the sea",
    )


def test_a_rule_at_the_start_begins_no_front_matter_that_never_ends() -> None:
    assert extract(file_capture(b"---\ntitle: Tides\n\nText.\n", "notes.md")).title == "notes"


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        ("---\nauthor: Jane Doe\n---\n", ("Jane Doe",)),
        ("---\nauthors: [Jane Doe, 'Roe, John']\n---\n", ("Jane Doe", "John Roe")),
        (
            "---\nauthors:\n  - name: Jane Doe\n    url: x\n  - name: John Roe\n---\n",
            ("Jane Doe", "John Roe"),
        ),
        ("---\nauthor:\n  name: Jane Doe\n---\n", ("Jane Doe",)),
        ("+++\nauthors = ['Jane Doe', 'John Roe']\n+++\n", ("Jane Doe", "John Roe")),
        ("---\ntitle: Tides\n---\n", ()),
    ],
)
def test_authors(lines: str, authors: tuple[str, ...]) -> None:
    capture = Capture(
        url="file:///a.md",
        final_url="file:///a.md",
        filename="a.md",
        body=f"{lines}\n# Tides\n\nThey rise.\n".encode(),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    document = extract(capture)
    assert document.authors == authors
    assert document.fact_sources.get("authors") == ("front matter" if authors else None)
