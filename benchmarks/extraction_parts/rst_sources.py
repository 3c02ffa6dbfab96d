"""The prose of reStructuredText sources that Sphinx ships beside its pages: gold that no HTML rule has touched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction_parts.scoring import words

_ROLE = re.compile(r":([\w:.+-]+):`([^`<]*)(<[^`>]*>)?`")
_AS_WRITTEN = frozenset(
    (
        "attr", "class", "code", "command", "const", "data", "envvar", "exc", "file", "func", "keyword", "meth", "mod",
        "module", "option", "program", "py:class", "py:func", "py:meth", "py:mod", "variable", "prop_tgt", "prop_gbl",
    )
)  # fmt: skip
_TARGET = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{1,2}")
_REFERENCE = re.compile(r"`([^`]+)`_{1,2}|(?<![\w`])(\w[\w-]*)_{1,2}(?!\w)")
_MARKUP = re.compile(r"``|\*\*|(?<!\w)\*|\*(?!\w)|`|\|")
_SUBSTITUTED = re.compile(r"[|\\]|:\w+:|[`\]]_|\d`")
_RULE = re.compile(r"([^\w\s])\1{2,}")
_LEAST = 12  # words in a paragraph worth looking for


@dataclass(frozen=True)
class Source:
    """A page, and the paragraphs its source says it holds."""

    page: Path
    paragraphs: tuple[str, ...]


def sources(folder: Path) -> Iterator[Source]:
    """Every page below ``folder`` whose source stands in Sphinx's ``_sources``, with at least one paragraph."""
    for path in sorted(folder.rglob("*.rst.txt")):
        parts = list(path.parts)
        if "_sources" not in parts:
            continue
        parts.remove("_sources")
        page = Path(*parts).with_name(path.name.removesuffix(".rst.txt") + ".html")
        paragraphs = tuple(prose(path.read_text("utf-8", "replace")))
        if page.is_file() and paragraphs:
            yield Source(page, paragraphs)


def prose(source: str) -> Iterator[str]:
    """Plain paragraphs at the margin: no directives, lists, tables or literal blocks, and roles as their words."""
    for block in re.split(r"\n\s*\n", source):
        lines = block.split("\n")
        if any(line.startswith((" ", "\t")) for line in lines if line):
            continue
        first = lines[0]
        if block.rstrip().endswith("::") or not first[:1].isalpha() or _is_ruled(lines):
            continue
        text = _plain(" ".join(lines))
        if text is not None and len(text.split()) >= _LEAST:
            yield text


def _is_ruled(lines: list[str]) -> bool:
    """Whether it is a heading or a table."""
    return any(_RULE.match(line) for line in lines)


def _plain(text: str) -> str | None:
    """None for a paragraph whose words the page may show otherwise: substitutions, and roles without a title."""
    roles = list(_ROLE.finditer(text))
    named = all(
        (role[3] or role[1] in _AS_WRITTEN) and role[2].strip() and role[2][0] not in "~!" for role in roles
    )
    text = _ROLE.sub(lambda role: role[2].strip(), text)
    if not named or _SUBSTITUTED.search(text):
        return None
    text = _TARGET.sub(r"\1", text)
    text = _REFERENCE.sub(lambda match: match[1] or match[2], text)
    return _MARKUP.sub("", text)


def kept_paragraphs(source: Source, text: str) -> int:
    """How many of a source's paragraphs a text holds, word for word."""
    held = f" {' '.join(words(text))} "
    return sum(f" {' '.join(words(paragraph))} " in held for paragraph in source.paragraphs)
