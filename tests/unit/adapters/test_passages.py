"""What adapters give of a passage, what they refuse, and what they say where their framework is missing."""

import importlib
import json
import sys

import pytest

from tests.support.found_chunks import found_chunk
from webrag_desktop.adapters.passages import Passage, PassageSearch
from webrag_desktop.errors import InputError, MissingExtraError, WebragError


def test_a_passage_tells_where_it_stands_in_plain_data() -> None:
    chunk = found_chunk("Limpets 🐚 hold on.", start=120, rank=0.75).model_copy(
        update={"heading_path": ["Shore", "Limpets"], "page": 3, "selected_text": "<p>Limpets hold on.</p>"}
    )
    passage = Passage.of(chunk)
    assert passage.text == "Limpets 🐚 hold on."
    version = chunk.version_id.hex[:16]
    assert passage.metadata == {
        "title": "A",
        "source_url": "https://example.org/a",
        "heading_path": ["Shore", "Limpets"],
        "page": 3,
        "cite_id": f"{version}.120-138",
        "link": f"webrag://cite/{version}.120-138",
        "document_id": str(chunk.document_id),
        "version_id": str(chunk.version_id),
        "char_start": 120,
        "char_end": 138,
        "score": 0.5,
        "rank_score": 0.75,
    }
    assert json.loads(json.dumps(passage.metadata)) == passage.metadata


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "3"])
def test_a_limit_that_no_search_has_is_refused_before_anything_is_asked(limit: object) -> None:
    with pytest.raises(InputError, match="The limit cannot be"):
        PassageSearch(None, limit)  # type: ignore[arg-type]


def test_an_unknown_mode_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(InputError, match="no mode 'fast'"):
        PassageSearch(None, mode="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("module", "framework", "extra"),
    [("langchain", "langchain_core", "langchain"), ("llama_index", "llama_index", "llama-index")],
)
def test_a_missing_framework_names_the_extra_that_brings_it(
    module: str, framework: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"webrag_desktop.adapters.{module}", raising=False)
    for name in [framework, *sys.modules]:
        if name == framework or name.startswith(f"{framework}."):
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError) as raised:
        importlib.import_module(f"webrag_desktop.adapters.{module}")
    assert f"webrag-desktop[{extra}]" in raised.value.hint
    assert "is not installed" in raised.value.message
    assert isinstance(raised.value, WebragError)
    assert isinstance(raised.value, ImportError)
