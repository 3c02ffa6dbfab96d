"""The table of builders: each of its selectors is tried on an element made after it."""

import re
from dataclasses import dataclass

import pytest

from tests.support.captures import page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.html.builders import BUILDERS, Builder, PageNames, builder_of
from webrag_desktop.ingestion.html_parsing import parse_html

TEXT = "<p>The gauge is read twice a day, and what it shows is written down by hand.</p>"
FURNITURE = "<b>Menu words</b>"
STEP = re.compile(r"\s*([>+])\s*|\s+")
PART = re.compile(
    r"""(?P<tag>^[a-z][a-z0-9]*)|\#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)|\[(?P<name>[a-z]+)\*?="?(?P<value>[^\]"]+)"?\]"""
    r"""|:has\([>\s]*(?P<inner>[^()]+)\)|(?P<rest>:[\w-]+(?:\([^()]*\))?)"""
)


@dataclass(frozen=True)
class Compound:
    """One step of a selector as a start tag; ``inner`` is what it must hold."""

    tag: str
    attributes: str
    inner: str

    def around(self, content: str) -> str:
        """The element with ``content``."""
        held = self.inner + content
        if self.tag == "table":
            held = f"<tr><td>{held}</td></tr>"
        return f"<{self.tag}{self.attributes}>{held}</{self.tag}>"


def compound(text: str, tag: str = "div") -> Compound:
    """A simple selector read; what it says of its place is left out."""
    parts = list(PART.finditer(text))
    assert "".join(part[0] for part in parts) == text
    values = {name: [part[name] for part in parts if part[name]] for name in PART.groupindex}
    attributes = "".join(f' id="{value}"' for value in values["id"])
    attributes += f' class="{" ".join(values["class"])}"' if values["class"] else ""
    pairs = zip(values["name"], values["value"], strict=True)
    attributes += "".join(f' {name}="{value}"' for name, value in pairs)
    inner = "".join(compound(selector, "a").around("x") for selector in values["inner"])
    return Compound((values["tag"] or [tag])[0], attributes, inner)


def made(selector: str, content: str) -> str:
    """HTML that ``selector`` matches, with ``content`` in the element it means."""
    tokens = re.split(r"\s*([>+ ])\s*(?![^(\[]*[)\]])", selector)
    html = compound(tokens[-1]).around(content)
    for step, before in zip(reversed(tokens[1::2]), reversed(tokens[:-1:2]), strict=True):
        outer = compound(before)
        html = outer.around("") + html if step == "+" else outer.around(html)
    return html


def split_body(selector: str) -> tuple[str, str]:
    """What a selector asks of the body, and the rest of it."""
    match = re.match(r"body((?:[.#\[][^\s>]*)?)(?:\s*>?\s+|$)", selector)
    return (match[1], selector[match.end() :]) if match else ("", selector)


def page_of(builder: Builder, content: str, furniture: str = "") -> str:
    """A page of a builder: its mark, the one part of its content, and one piece of its furniture."""
    head, body_parts, mark = "", [], ""
    if builder.mark.isalnum():
        head = f'<meta name="generator" content="{builder.mark} 1.0">'
    else:
        asked, rest = split_body(builder.mark)
        body_parts.append(asked)
        mark = made(rest, "") if rest else ""
    asked, rest = split_body(content)
    body_parts.append(asked)
    beside, inside = "", ""
    if furniture.startswith("body > "):
        beside = made(split_body(furniture)[1], FURNITURE)
    elif furniture:
        inside = made(furniture, FURNITURE)
    main = made(rest, TEXT + inside) if rest else TEXT + inside
    attributes = compound("body" + "".join(dict.fromkeys(body_parts))).attributes
    return f"<head>{head}</head><body{attributes}>{mark}{beside}{main}</body>"


CASES = [
    pytest.param(builder, content or "main", furniture, id=f"{builder.mark} {content} {furniture}")
    for builder in BUILDERS
    for content in (builder.content or ("",))
    for furniture in ("", *builder.furniture)
]


@pytest.mark.parametrize(("builder", "content", "furniture"), CASES)
def test_selector(builder: Builder, content: str, furniture: str) -> None:
    page = page_of(builder, content, furniture)
    document = parse_html(page_capture(page))
    assert builder_of(document, PageNames(document)) is builder
    assert not furniture or document.select_one(furniture) is not None
    markdown = extract(page_capture(page)).markdown
    assert "The gauge is read twice a day" in markdown
    assert "Menu words" not in markdown


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.mark)
def test_a_mark_without_a_name_is_a_word_of_the_generator(builder: Builder) -> None:
    assert bool(set(builder.mark) & set(".#[")) is not builder.mark.isalnum()


def test_a_page_of_no_builder() -> None:
    document = parse_html(page_capture(f"<body><div class=page>{TEXT}</div>"))
    assert builder_of(document, PageNames(document)) is None
