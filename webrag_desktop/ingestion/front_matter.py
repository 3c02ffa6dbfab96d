"""What a Markdown file says about itself before its text: front matter in YAML (``---``) or TOML (``+++``)."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date

_KEYS = (
    "title", "date", "published", "updated", "modified", "lastmod", "lang", "language", "description", "summary",
)  # fmt: skip
_FIELD = re.compile(rf"^({'|'.join(_KEYS)})\s*:(?:[ \t]+(.*))?$", re.IGNORECASE)
_FOLDED = re.compile(r"[>|][-+\d]{0,2}")
_QUOTED = re.compile(r"([\"'])(.*)\1")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$", re.DOTALL | re.MULTILINE)
_LONGEST = 20_000  # characters


def front_matter_fields(markdown: str) -> dict[str, str]:
    """The fields of the front matter that say what a document is, by their names in lower case; empty without one.

    Only plain values are read, and texts over several lines; of the rest of YAML nothing is needed.
    """
    head = markdown[:_LONGEST]
    if head.startswith("+++"):
        return _of_toml(head)
    fields: dict[str, str] = {}
    for key, value in _of_yaml(head.split("\n")) if head.startswith("---") else ():
        if value:
            fields.setdefault(key, value)
    return fields


def _of_yaml(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() in {"---", "..."}:
            return
        field = _FIELD.match(line)
        if field is None:
            continue
        value = (field[2] or "").strip()
        quoted = _QUOTED.match(value)
        plain = quoted[2] if quoted else _COMMENT.sub("", value)
        if not quoted and (_FOLDED.fullmatch(plain) or not plain):
            plain = _indented(lines[index + 1 :])
        yield field[1].lower(), plain.strip()


def _indented(lines: list[str]) -> str:
    """The text that stands indented below a field; a list is none."""
    text: list[str] = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            break
        text.append(line.strip())
    return "" if text and text[0].startswith("- ") else " ".join(filter(None, text))


def _of_toml(head: str) -> dict[str, str]:
    found = _TOML.match(head)
    try:
        values = tomllib.loads(found[1]) if found else {}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    fields = {key.lower(): value for key, value in values.items() if key.lower() in _KEYS}
    return {
        key: (value.isoformat() if isinstance(value, date) else value).strip()
        for key, value in fields.items()
        if isinstance(value, (str, date)) and str(value).strip()
    }
