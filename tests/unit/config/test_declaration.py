"""Settings are declared once: their defaults and bounds are those of the stages, and the documents follow."""

import ast
import math
import os
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from tests.support.write_settings import FILES, ROOT
from webrag_desktop.bounds import bounds_of
from webrag_desktop.config import SECTIONS, Setting, Settings, declared_settings, setting_of
from webrag_desktop.config.declaration import StageOption
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.retrieval.contracts.options import LARGEST_EF_SEARCH, ContextOptions, RetrievalOptions
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig

DECLARED = {one.name: one for one in declared_settings()}
STAGED = [(one, stage) for one in declared_settings() for stage in one.stages]
NUMBERS = [one for one in declared_settings() if one.kind in ("number", "whole number")]
# Options that are made of settings in a way of their own, and those that no setting says.
MADE_OTHERWISE = {
    "StackOptions": {"home", "database_url"},
    "EmbeddingOptions": {"dimensions", "locks", "model_folder"},
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_documents_are_those_of_the_declaration(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == FILES[file](), "run `make settings`"


@pytest.mark.parametrize(("one", "stage"), STAGED, ids=lambda given: getattr(given, "name", None))
def test_default_and_bounds_are_the_stages_own(one: Setting, stage: StageOption) -> None:
    (option,) = (option for option in fields(stage.options) if option.name == stage.name)
    assert stage.value(one.default) == option.default
    bounds, each = bounds_of(stage.options, stage.name), stage.each
    assert (one.bounds.least * each, one.bounds.above * each) == (bounds.least, bounds.above)
    narrowed = one.name == "RETRIEVAL_TOP_K_CHILDREN_LIMIT"
    assert one.bounds.most * each == (LARGEST_EF_SEARCH if narrowed else bounds.most)


def test_no_default_or_bound_of_a_stage_is_written_down_again() -> None:
    """What lies between the smallest numbers, which say many things, stands in no module of the declaration."""
    stages = {
        value
        for one, _stage in STAGED
        for value in (one.default, one.bounds.least, one.bounds.most)
        if isinstance(value, int | float) and value not in (0, 1) and math.isfinite(value)
    }
    written = {
        node.value
        for file in (ROOT / "webrag_desktop" / "config").glob("*s.py")
        if file.name != "files.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    }
    assert len(stages) > 20
    assert written & stages == set()


def test_settings_make_the_very_options_that_a_stage_has_by_itself() -> None:
    settings = Settings.of(WEBRAG_HOME="/tmp/library")
    for made in (
        settings.fetch_options(),
        settings.reading_options(),
        settings.chunk_targets(),
        settings.retrieval_options(),
        settings.context_options(),
        settings.rerank_config(),
    ):
        assert made == type(made)()
    for other in (settings.stack_options(), settings.embedding_options()):
        own = MADE_OTHERWISE[type(other).__name__]
        taken = [one for one in fields(other) if one.name not in own and one.default is not MISSING]
        assert [one.name for one in taken if getattr(other, one.name) != one.default] == []


def test_what_two_stages_share_is_one() -> None:
    assert ContextOptions().return_top_n == RerankConfig().return_top_n
    assert ChunkingOptions(window_tokens=500).child_tokens == ChunkTargets().child_tokens
    assert ChunkingOptions(window_tokens=500).parent_tokens == ChunkTargets().parent_tokens


@pytest.mark.parametrize("one", NUMBERS, ids=lambda one: one.name)
def test_every_number_has_bounds_and_is_refused_beyond_them(one: Setting) -> None:
    bounds = one.bounds
    assert math.isfinite(bounds.least) != math.isfinite(bounds.above)
    step = 1 if one.kind == "whole number" else 0.5
    below = bounds.above if math.isfinite(bounds.above) else bounds.least - step
    beyond = [below, bounds.most + step] if math.isfinite(bounds.most) else [below]
    for value in beyond:
        with pytest.raises(ConfigurationError) as refused:
            Settings.of(**{one.name: f"{value:.16g}"})
        assert refused.value.message == f"The setting {one.name} cannot be used: it must be {bounds}."
    nearest = bounds.above + step if math.isfinite(bounds.above) else bounds.least
    assert getattr(Settings.of(**{one.name: f"{nearest:g}"}), one.name.lower()) == nearest


@pytest.mark.parametrize("one", DECLARED.values(), ids=lambda one: one.name)
def test_every_setting_tells_what_it_is(one: Setting) -> None:
    assert one.description.endswith(".")
    assert one.section in {section.title for section in SECTIONS}
    assert bool(one.choices) == (one.kind == "choice")
    if one.kind in ("number", "whole number"):
        assert one.unit or (one.bounds.least, one.bounds.most) == (0, 1)  # a share has no unit


@pytest.mark.parametrize("one", DECLARED.values(), ids=lambda one: one.name)
def test_a_default_that_is_written_out_is_the_default(one: Setting) -> None:
    if one.written_default:
        name = one.name.lower()
        assert (
            getattr(Settings.of(**{one.name: one.written_default}), name)
            == getattr(Settings(), name)
            == one.default
        )


def test_secrets_are_those_that_hold_keys() -> None:
    assert {one.name for one in DECLARED.values() if one.secret} == {
        "WEBRAG_DATABASE_URL",
        "EMBEDDING_API_KEY",
        "RETRIEVAL_RERANK_API_KEY",
        "CHAT_API_KEY",
    }


def test_what_is_said_to_do_nothing_is_what_nothing_uses() -> None:
    staged = {one.name for one, _ in STAGED}
    code = "\n".join(
        file.read_text(encoding="utf-8")
        for file in (ROOT / "webrag_desktop").rglob("*.py")
        if file.name not in ("sections.py", "search_sections.py")
    )
    unread = {
        name
        for name in DECLARED
        if name not in staged and not re.search(rf"(self|settings)\.{name.lower()}\b", code)
    }
    assert unread == {one.name for one in DECLARED.values() if one.unused}


def test_the_setting_of_an_option_is_found() -> None:
    assert setting_of(RetrievalOptions, "hnsw_ef_search").name == "RETRIEVAL_HNSW_EF_SEARCH"
    assert setting_of(ContextOptions, "return_top_n").name == "RETRIEVAL_RERANK_RETURN_TOP_N"


def test_all_that_is_wrong_is_reported_at_once_and_no_value_with_it() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.of(CHUNK_CHILD_TOKENS="hunter2", RETRIEVAL_BLEND="hunter2", EMBEDDING_API_KEY="hunter2")
    assert "CHUNK_CHILD_TOKENS" in refused.value.message
    assert "RETRIEVAL_BLEND" in refused.value.message
    assert "hunter2" not in refused.value.message
    assert refused.value.__cause__ is None


def test_making_settings_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNK_CHILD_TOKENS", "64")
    monkeypatch.chdir(os.sep)
    assert Settings().chunk_child_tokens == Settings.of().chunk_child_tokens == ChunkTargets().child_tokens
    assert Settings.of(CHUNK_PARENT_TOKENS=500).given == {"chunk_parent_tokens"}


def test_a_number_that_no_column_holds_is_refused() -> None:
    for digits in (30, 400, 5000):
        with pytest.raises(ConfigurationError, match="RETRIEVAL_CONTEXT_BUDGET"):
            Settings.of(RETRIEVAL_CONTEXT_BUDGET="1" + "0" * digits)
