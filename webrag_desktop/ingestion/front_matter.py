"""What a Markdown file says about itself before its text: front matter in YAML (``---``) or TOML (``+++``)."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date

import yaml

_KEYS = frozenset("title date published updated modified lastmod lang language description summary".split())
_YAML = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$", re.DOTALL | re.MULTILINE)
_PLAIN_LINE = re.compile(r"^([A-Za-z]++):[ \t]++([^ \t\n][^\n]*+)(?!\n[ \t]++\S)", re.MULTILINE)
_NOT_PLAIN = "|>[{&*!%@`\"'#-?"  # what begins other than a plain text in YAML
_COMMENT = re.compile(r"[ \t]#.*")
_NULL = "tag:yaml.org,2002:null"
_LONGEST = 20_000  # characters


def front_matter_fields(markdown: str) -> dict[str, str]:
    """The fields of the front matter that say what a document is, by their names in lower case; empty without one.

    Only texts and dates are read, each as one line. Of what is no YAML, such as an unquoted colon in a title makes of
    it, the plain lines are read that name such a field and its value; what is no TOML says nothing.
    """
    head = markdown[:_LONGEST]
    fields: dict[str, str] = {}
    if found := _YAML.match(head):
        pairs = _of_yaml(found[1])
    elif found := _TOML.match(head):
        pairs = _of_toml(found[1])
    else:
        return fields
    for key, value in pairs:
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
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode) and value.tag != _NULL:
            yield key.value, value.value


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
