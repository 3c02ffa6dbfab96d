"""There is one table of file types, and everything that depends on the type of a file is derived from it."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

import webrag_desktop
from webrag_desktop.gui.adding.dropped import READABLE_NAMES
from webrag_desktop.gui.adding.link_text import is_bare
from webrag_desktop.gui.library.operations.document_rows import kind_of
from webrag_desktop.ingestion import extract
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.models import formats
from webrag_desktop.models.formats import (
    DOC_TYPE_LOOKS,
    DOC_TYPES,
    FILE_TYPES,
    FORMAT_BY_SUFFIX,
    READABLE_SUFFIXES,
    Format,
    doc_type_of,
)

PACKAGE = Path(webrag_desktop.__file__).parent
# Names of formats are names of much else.
TELLING = {suffix.removeprefix(".") for suffix in READABLE_SUFFIXES} - {*get_args(Format)}


@pytest.mark.parametrize("suffix", READABLE_SUFFIXES)
def test_every_ending_is_known_everywhere(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    absent = f"notes{suffix.upper()}"
    assert parse_source(absent) == ("file", (tmp_path / absent).as_uri())
    source: Any = SimpleNamespace(doc_type=None, url=(tmp_path / absent).as_uri(), source_url=None)
    assert kind_of(source) == doc_type_of(FORMAT_BY_SUFFIX[suffix])
    assert not is_bare(absent)
    assert f"*{suffix}" in READABLE_NAMES.split()


def test_names_of_other_documents_are_no_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("letter.doc", "letter.odt", "letter.rtf"):
        assert parse_source(name)[0] == "file"
        assert not is_bare(name)
    assert parse_source("example.pl") == ("url", "https://example.pl")


def _endings_in(node: ast.AST) -> set[str]:
    """The endings that a literal lists: as elements or keys, or as alternatives of an expression."""
    texts: list[object] = []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        texts = [getattr(element, "value", None) for element in node.elts]
    elif isinstance(node, ast.Dict):
        texts = [getattr(key, "value", None) for key in node.keys]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        texts = list(re.split(r"[|,\s()*\\]+", node.value)) if "|" in node.value or "*." in node.value else []
    return {text.removeprefix(".").lower() for text in texts if isinstance(text, str)} & TELLING


def test_no_other_module_lists_them() -> None:
    listing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if len(_endings_in(node)) > 1
    }
    assert listing == {Path(formats.__file__).relative_to(PACKAGE).as_posix()}


def test_every_format_has_a_line_a_reader_and_a_type_with_a_name_and_an_icon() -> None:
    assert set(FILE_TYPES) == set(get_args(Format)) == {*extract._PAGES, *extract._READERS}
    assert {one.doc_type for one in FILE_TYPES.values()} == set(DOC_TYPES) == set(DOC_TYPE_LOOKS)
    for found, one in FILE_TYPES.items():
        assert (doc_type_of(found) == "html") == (found in extract._PAGES)
        assert one.is_text or one.start or one.zipped or found == "mhtml"  # whose headers are looked for
