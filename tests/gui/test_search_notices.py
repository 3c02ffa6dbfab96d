"""What the results pane says above its results."""

from webrag_desktop.gui.research.operations.passages import search_results
from webrag_desktop.retrieval.contracts.results import CorpusStats, Correction, RetrievalResult, TimingInfo

READ = Correction(word="galciers", read_as="glaciers")
NOTICE = "No text holds “galciers”, so it was read as “glaciers”."


def reported(degraded: str | None, corrections: list[Correction]) -> tuple[str | None, str | None]:
    result = RetrievalResult(
        mode="chunk",
        chunks=[],
        query_embedding=[],
        corpus_stats=CorpusStats(
            total_documents=0, total_parent_chunks=0, total_tokens=0, documents_matched=[]
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
        degraded=degraded,
        corrections=corrections,
    )
    shown = search_results("galciers", result, {}, {}, 1)
    return shown.degraded, shown.spelling


def test_a_word_that_was_read_as_another_is_reported_beside_what_is_less() -> None:
    assert reported(None, []) == (None, None)
    assert reported(None, [READ]) == (None, NOTICE)
    assert reported("The model is down.", [READ]) == ("The model is down.", NOTICE)


def test_several_readings_of_a_word_are_reported_in_one_sentence() -> None:
    readings = [Correction(word="limpits", read_as=word) for word in ("limits", "limpets", "limpid")]
    expected = "No text holds “limpits”, so it was read as “limits”, “limpets” or “limpid”."
    assert (
        reported(None, readings[:2])[1] == "No text holds “limpits”, so it was read as “limits” or “limpets”."
    )
    assert reported(None, readings)[1] == expected
    assert reported(None, [READ, *readings])[1] == f"{NOTICE} {expected}"
