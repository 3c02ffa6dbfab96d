"""Documents and evidence from the command line, over the real program."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from webrag_desktop.indexing.chunkers import RULES
from webrag_desktop.library.hybrid import LibraryRetriever
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle

TIDES = (
    "# Tides\n\n## Low tide\n\nLimpets clamp their shells to the rock at low tide. They wait for the water.\n\n"
    "## High tide\n\nCrabs come out of the weed and feed."
)
GAUGES = "Limpets sat on the tide gauge. They had been there for years."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "tides.md").write_text(TIDES, encoding="utf-8")
    (folder / "gauges.txt").write_text(GAUGES, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def webrag(folder: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        started.answer("add", "--json", "--tag", "sea", str(folder / "tides.md"), str(folder / "gauges.txt"))
        yield started


def bundle(webrag: Program, *options: str) -> RetrievalBundle:
    return RetrievalBundle.model_validate(webrag.answer("search", "--json", "limpets at low tide", *options))


@pytest.mark.parametrize("strategy", ["precomputed", "late", "mixed"])
def test_every_strategy_gives_documents_and_their_evidence(webrag: Program, strategy: str) -> None:
    found = bundle(webrag, "--strategy", strategy)
    best = found.candidates[0]
    assert best.kind == "markdown"
    assert best.source == "file"
    assert best.source_ref
    assert best.source_ref.endswith("/tides.md")
    assert best.snippet
    assert "Limpets clamp their shells" in best.snippet
    assert found.evidence[0].item_id == best.item_id
    markdown = webrag.answer("show", "--json", best.item_id)["markdown"]
    for one in found.evidence:
        if one.item_id == best.item_id:
            assert one.text == markdown[one.start_idx : one.end_idx]
    assert found.stats.model_dump() == {"timing_ms": {}, "counts": {}, "params": {}}


def test_another_chunker_cuts_otherwise_and_an_unknown_one_is_refused(webrag: Program) -> None:
    windows = bundle(webrag, "--strategy", "late", "--chunker", "sentence_window", "--stats")
    assert all(one.chunk_id is None for one in windows.evidence)
    assert windows.stats.params["chunking"]["chunker_id"] == "sentence_window"
    assert windows.stats.counts["late_documents"] == 2
    assert windows.stats.timing_ms["total"] > 0
    refused = webrag.run("search", "limpets", "--strategy", "late", "--chunker", "guess")
    assert refused.code == 2
    assert "There is no chunker 'guess'." in refused.err
    assert "sentence_window" in refused.err


def test_the_settings_say_how_words_are_read_and_scored(webrag: Program) -> None:
    params = bundle(webrag, "--strategy", "precomputed", "--stats").stats.params
    assert params["fts"]["rank_func"] == "bm25"
    assert params["scoring"]["blend"] == "linear"
    assert (
        bundle(webrag, "--strategy", "precomputed", "--stats", "--syntax", "plain").stats.params["fts"][
            "mode"
        ]
        == "plain"
    )


def test_a_limit_is_of_documents(webrag: Program) -> None:
    assert len(bundle(webrag, "--strategy", "precomputed").candidates) == 2
    assert len(bundle(webrag, "--strategy", "precomputed", "--limit", "1").candidates) == 1


def test_filters_hold(webrag: Program) -> None:
    found = bundle(
        webrag, "--strategy", "precomputed", "--type", "text", "--tag", "sea", "--fetched-from", "2020"
    )
    assert [item.kind for item in found.candidates] == ["text"]
    nothing = webrag.run("search", "limpets", "--strategy", "precomputed", "--tag", "nowhere")
    assert nothing.code == 2
    assert "no text in the library that meets this" in nothing.err


def test_as_text_documents_come_first_and_evidence_names_them(webrag: Program) -> None:
    shown = webrag.run("search", "limpets", "at", "low", "tide", "--strategy", "late").out
    documents, _, evidence = shown.partition("\nEvidence\n")
    assert documents.startswith("Documents\n 1. Tides\n    ")
    assert "tides.md" in documents
    assert "similarity 0." in documents
    assert "word score " in documents
    assert evidence.startswith(" 1. Tides › Low tide (from document 1)\n    ")
    assert "Limpets clamp their shells to the rock at low tide." in evidence
    assert "/tides.md#low-tide\n" in evidence
    assert "\n 2. " in evidence
    assert "word share " in evidence
    assert "word score" not in evidence
    indexed = webrag.run("search", "limpets", "at", "low", "tide", "--strategy", "precomputed").out
    assert "word share" not in indexed


def test_without_evidence_there_is_no_heading_for_it(
    webrag: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bundle(webrag, "--strategy", "precomputed", "--stats").model_copy(update={"evidence": []})
    monkeypatch.setattr(LibraryRetriever, "search", lambda *_, **__: found)
    shown = webrag.run("search", "limpets", "--strategy", "precomputed").out
    assert shown.startswith("Documents\n 1. Tides\n")
    assert "Evidence" not in shown


def test_who_has_reranking_set_is_warned_that_strategies_have_none(webrag: Program) -> None:
    reranking = replace(webrag, extra={"RETRIEVAL_RERANK_ENABLED": "true"})
    assert "nothing is reranked" in reranking.run("search", "limpets", "--strategy", "precomputed").err
    assert "rerank" not in webrag.run("search", "limpets", "--strategy", "precomputed").err


def test_the_help_names_every_chunker(webrag: Program) -> None:
    shown = webrag.run("search", "--help").out
    assert [name for name in RULES if name not in shown] == []


def test_finding_nothing_is_no_failure(webrag: Program) -> None:
    nothing = webrag.run("search", "quarks", "--strategy", "precomputed")
    assert (nothing.code, nothing.out) == (0, "No document in the library answers “quarks”.\n")


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (("--chunker", "recursive"), "add --strategy late or mixed"),
        (("--max-seconds", "5", "--strategy", "precomputed"), "add --strategy late or mixed"),
        (("--chunker", "recursive", "--strategy", "precomputed"), "add --strategy late or mixed"),
        (("--stats",), "add --strategy"),
        (("--strategy", "late", "--mode", "auto"), "leave --mode out"),
        (("--strategy", "late", "--embedding"), "leave --embedding out"),
        (("--strategy", "late", "--stats"), "add --json"),
        (("--mode", "full_context", "--rerank"), "leave --rerank out"),
        (("--strategy", "later"), "'later'"),
    ],
    ids=str,
)
def test_options_that_do_not_go_together_are_refused(
    webrag: Program, options: tuple[str, ...], reported: str
) -> None:
    refused = webrag.run("search", "limpets", *options)
    assert refused.code == 2
    assert reported in refused.err
