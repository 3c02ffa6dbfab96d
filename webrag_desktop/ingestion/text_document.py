"""Markdown and plain text files read: text kept as it is, blocks found in it."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date
from operator import itemgetter

import yaml
from turbohtml import parse_fragment

from webrag_desktop.ingestion.assembly import AssembledText, HeadingStack, ReadDocument
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.ingestion.facts import Facts
from webrag_desktop.ingestion.text_decoding import strip_line_ends
from webrag_desktop.models.documents import Block, Link
from webrag_desktop.models.metadata import FACT_NAMES, DocumentMetadata
from webrag_desktop.text.markdown_blocks import MarkdownBlock, scan_blocks
from webrag_desktop.text.markdown_grammar import front_matter_source
from webrag_desktop.text.plain_blocks import link_definitions, visible_groups
from webrag_desktop.text.plain_inline import inline_markup

_KEYS = frozenset(
    "title date published updated modified lastmod lang language description summary author authors publisher journal "
    "volume issue pages doi isbn arxiv license licence".split()
)
_LISTED = frozenset(("author", "authors"))
_PLAIN_LINE = re.compile(r"^([A-Za-z]++):[ \t]++([^ \t\n][^\n]*+)(?!\n[ \t]++\S)", re.MULTILINE)
_NOT_PLAIN = "|>[{&*!%@`\"'#-?"  # what begins other than a plain text in YAML
_COMMENT = re.compile(r"[ \t]#.*")
_NULL = "tag:yaml.org,2002:null"
_LONGEST = 20_000  # characters


def front_matter_fields(markdown: str) -> dict[str, str]:
    """The fields of the front matter that say what a document is, by their names in lower case; empty without one.

    Only texts and dates are read, each as one line, and lists of authors, who may be described by their ``name``; they
    are joined by semicolons. Of what is no YAML, such as an unquoted colon in a title makes of
    it, the plain lines are read that name such a field and its value; what is no TOML says nothing.
    """
    fields: dict[str, str] = {}
    found = front_matter_source(markdown[:_LONGEST])
    if found is None:
        return fields
    language, source = found
    for key, value in _of_yaml(source) if language == "yaml" else _of_toml(source):
        if key.lower() in _KEYS and (words := " ".join(value.split())):
            fields.setdefault(key.lower(), words)
    return fields


def _of_yaml(text: str) -> Iterator[tuple[str, str]]:
    """The plain values as they are written: from nodes, so that ``no`` is a language and an alias costs nothing."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        yield from _plain_lines(text)
        return
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if not isinstance(key, yaml.ScalarNode):
            continue
        if isinstance(value, yaml.ScalarNode) and value.tag != _NULL:
            yield key.value, value.value
        elif key.value.lower() in _LISTED:
            yield key.value, "; ".join(_names_in(value))


def _names_in(node: yaml.Node) -> Iterator[str]:
    """The names in a list of texts or of mappings with a ``name``, or in one such mapping."""
    for item in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        if isinstance(item, yaml.ScalarNode) and item.tag != _NULL:
            yield item.value
        for key, value in item.value if isinstance(item, yaml.MappingNode) else ():
            if (
                isinstance(key, yaml.ScalarNode)
                and key.value == "name"
                and isinstance(value, yaml.ScalarNode)
            ):
                yield value.value


def _plain_lines(text: str) -> Iterator[tuple[str, str]]:
    """``key: value`` lines at the margin whose value ends with the line, as people mean them."""
    for key, value in _PLAIN_LINE.findall(text):
        if key.lower() not in _KEYS:
            continue
        try:
            node = yaml.compose(value, Loader=yaml.SafeLoader)
        except (yaml.YAMLError, RecursionError):
            node = None
        if isinstance(node, yaml.ScalarNode):
            if node.tag != _NULL:
                yield key, node.value
        elif value[0] not in _NOT_PLAIN:
            yield key, _COMMENT.sub("", value)


def _of_toml(text: str) -> Iterator[tuple[str, str]]:
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError):  # numbers of thousands of digits are a plain ValueError
        return
    for key, value in values.items():
        if isinstance(value, (str, date)):
            yield key, value.isoformat() if isinstance(value, date) else value
        elif key.lower() in _LISTED and isinstance(value, list):
            yield key, "; ".join(name for name in value if isinstance(name, str))


_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*+")
_ON_THE_WEB = re.compile(r"https?://\S+\Z", re.IGNORECASE)
_NO_TEXT = frozenset(("fence", "indented code", "front matter"))
_MARKUP = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_LINK_WORDS = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")


def read_markdown(text: str) -> ReadDocument:
    """A markdown text; blanks at line ends and around the text are dropped, all else stays as written."""
    markdown = strip_line_ends(text)
    found = list(scan_blocks(markdown))
    fields = _front_matter(markdown, found)
    blocks = tuple(_markdown_blocks(markdown, found))
    metadata = DocumentMetadata(
        title=fields.get("title") or next((plain_words(b.heading) for b in found if b.heading), None),
        description=fields.get("description") or fields.get("summary"),
        language=fields.get("language") or fields.get("lang"),
    )
    text_read = AssembledText(markdown, blocks, tuple(_links(markdown, found, blocks)))
    return ReadDocument(text_read, _facts(fields).added_to(metadata))


def _facts(fields: Mapping[str, str]) -> Facts:
    """What the front matter says of who wrote a text, and where it appeared."""
    facts = Facts()
    facts.state_authors("front matter", [fields.get("authors"), fields.get("author")])
    for name in FACT_NAMES:
        if name not in _FIELDS_OF_THEIR_OWN:
            facts.state(name, "front matter", fields.get(name))
    facts.state("arxiv_id", "front matter", fields.get("arxiv"))
    facts.state("licence", "front matter", fields.get("license"))
    published = fields.get("date") or fields.get("published")
    modified = fields.get("updated") or fields.get("modified") or fields.get("lastmod")
    facts.state_time("published_time", "front matter", published)
    facts.state_time("modified_time", "front matter", modified)
    return facts


_FIELDS_OF_THEIR_OWN = frozenset(("authors", "published_time", "modified_time"))


def read_plain_text(text: str) -> ReadDocument:
    """A plain text: paragraphs end at blank lines, and nothing is taken for a heading."""
    markdown = strip_line_ends(text)
    found = (match for match in _PARAGRAPH.finditer(markdown) if match[0].strip())
    blocks = (Block(char_start=match.start(), char_end=match.end()) for match in found)
    return ReadDocument(AssembledText(markdown, tuple(blocks)))


def plain_words(markdown: str) -> str:
    """The words of a short inline markdown text, without emphasis, code marks and link targets."""
    return _MARKUP.sub("", _LINK_WORDS.sub(r"\1", markdown)).strip()


def _markdown_blocks(markdown: str, found: list[MarkdownBlock]) -> Iterator[Block]:
    headings = HeadingStack()
    for block in found:
        if block.heading:
            headings.push(block.level, plain_words(block.heading))
        text = markdown[block.start : block.end]
        html = parse_fragment(text, positions=False).inner_html if block.kind == "html" else ""
        yield Block(
            char_start=block.start,
            char_end=block.end,
            heading_path=headings.path,
            flags=detect_flags(text, html),
        )


def _front_matter(markdown: str, found: list[MarkdownBlock]) -> dict[str, str]:
    if found and found[0].kind == "front matter":
        return front_matter_fields(markdown[: found[0].end])
    return front_matter_fields(markdown) if markdown.startswith("+++") else {}


def _links(markdown: str, found: list[MarkdownBlock], blocks: tuple[Block, ...]) -> Iterator[Link]:
    """The links to pages as the text is read, wherever their addresses are written: ``[words][label]`` as well."""
    starts = [block.start for block in found]
    targets = link_definitions(markdown)
    for group in visible_groups(markdown):
        styles = inline_markup(markdown, group.ranges, targets).styles if group.inline else []
        for link in sorted((one for one in styles if one.style == "link"), key=itemgetter(0)):
            at = bisect_right(starts, link.start) - 1
            if at < 0 or found[at].kind in _NO_TEXT or not _ON_THE_WEB.match(link.target or ""):
                continue
            path, words = blocks[at].heading_path, markdown[link.start : link.end]
            yield Link(
                url=link.target or "",
                text=words if words == link.target else " ".join(plain_words(words).split()),
                char_start=found[at].start,
                heading=path[-1] if path else None,
            )
