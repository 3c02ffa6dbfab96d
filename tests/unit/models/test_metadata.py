"""A document's metadata are declared once: everything between a reader and the window has each of their fields."""

import json
import re
from dataclasses import fields
from pathlib import Path

import webrag_desktop
from tests.unit.cli.test_progress import SOURCE
from webrag_desktop.cli.shapes.documents import document_of
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.models.metadata import METADATA_FIELDS, metadata_values
from webrag_desktop.models.sources import NO_LABELS
from webrag_desktop.storage import document_columns as metadata

SCHEMA = Path(webrag_desktop.__file__).parent / "storage" / "schema.sql"


def test_every_field_has_a_column() -> None:
    table = re.search(r"CREATE TABLE \w+\.documents \((.*?)\n\);", SCHEMA.read_text("utf-8"), re.DOTALL)
    assert table is not None
    assert set(METADATA_FIELDS) <= set(re.findall(r"^    (\w+) ", table[1], re.MULTILINE))
    for part in (metadata.SELECTED, metadata.COLUMNS, metadata.PARAMETERS, metadata.EXCLUDED):
        assert set(METADATA_FIELDS) <= set(re.findall(r"\w+", part.as_string()))


def test_every_field_is_printed() -> None:
    printed = document_of(SOURCE, NO_LABELS).model_dump(mode="json")
    assert "metadata" not in printed
    as_json = json.loads(json.dumps(metadata_values(SOURCE)))  # whose lists are no tuples
    assert {name: printed[name] for name in as_json} == as_json


def test_every_field_comes_from_the_reading_process() -> None:
    assert set(METADATA_FIELDS) <= {field.name for field in fields(NormalizedDocument)}
