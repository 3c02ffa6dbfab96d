"""A row of the cache gives back what was put into it, for just the text it was made of, and nothing else."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.models.documents import Block, ChunkSpan
from webrag_desktop.retrieval.late_chunking.cache import EmbeddedChunks, RowFormat
from webrag_desktop.storage.searching.items import ItemText

SEALING = RowFormat("recursive-1/24-0/header-32", "space", 3)
ITEM = ItemText(
    UUID(int=1), UUID(int=2), "hash", "Rivers", "Rivers carry sand.", (Block(char_start=0, char_end=18),)
)
SPANS = (ChunkSpan(0, 6, 1, ("Rivers",), "rivers", 2), ChunkSpan(7, 18, 3))
VECTORS = [np.array([1, 0, 0], dtype=np.float32), np.array([0, 0.6, 0.8], dtype=np.float32)]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def kept() -> EmbeddedChunks:
    return EmbeddedChunks(ITEM, SPANS, list(VECTORS))


@given(
    st.lists(
        st.builds(
            ChunkSpan,
            st.integers(0, 9),
            st.integers(9, 99),
            st.integers(0, 9),
            st.lists(TEXTS, max_size=3).map(tuple),
            st.none() | TEXTS,
            st.none() | st.integers(1, 9),
        ),
        max_size=6,
    ),
    st.data(),
)
def test_a_row_gives_back_what_it_was_made_of(spans: list[ChunkSpan], data: st.DataObject) -> None:
    floats = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3)
    vectors = data.draw(st.lists(floats, max_size=len(spans)))
    made = EmbeddedChunks(ITEM, tuple(spans), [np.asarray(vector, dtype=np.float32) for vector in vectors])
    opened = SEALING.opened(SEALING.row(made), ITEM)
    assert opened is not None
    assert opened.spans == made.spans
    assert [vector.tolist() for vector in opened.vectors] == [vector.tolist() for vector in made.vectors]
    assert opened.whole == (len(vectors) == len(spans))


@pytest.mark.parametrize(
    "changed",
    [
        {"document_id": UUID(int=3)},
        {"content_hash": "other"},
        {"title": None},
        {"markdown": "Rivers carry mud."},
        {"blocks": ()},
        {"blocks": (Block(char_start=0, char_end=18, anchor="rivers"),)},
        {"blocks": (Block(char_start=0, char_end=18, heading_path=("Rivers",)),)},
    ],
    ids=str,
)
def test_a_row_of_anything_else_is_not_opened(changed: dict[str, Any]) -> None:
    row = SEALING.row(kept())
    assert SEALING.opened(row, ITEM) is not None
    assert SEALING.opened(row, ITEM._replace(**changed)) is None


@pytest.mark.parametrize("changed", [{"chunker": "recursive-2"}, {"fingerprint": "another"}])
def test_a_row_of_another_chunker_or_space_is_not_opened(changed: dict[str, Any]) -> None:
    assert replace(SEALING, **changed).opened(SEALING.row(kept()), ITEM) is None


@pytest.mark.parametrize(
    "changed", [{"spans": "{}"}, {"vectors": b""}, {"vectors": b"\x00"}, {"seal": b"\x00" * 32}], ids=str
)
def test_a_damaged_row_is_not_opened(changed: dict[str, Any]) -> None:
    assert SEALING.opened(replace(SEALING.row(kept()), **changed), ITEM) is None


def test_the_version_and_nothing_else_of_an_item_may_differ() -> None:
    assert SEALING.opened(SEALING.row(kept()), ITEM._replace(version_id=UUID(int=9))) is not None
