"""``webrag context`` over the real program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.retrieval.contracts.packs import ContextPack

QUESTION = "how do limpets hold on"
SECTIONS = {
    "Spring tides": "At full moon and new moon the water rises highest.",
    "Low tide": "Limpets hold on to the rock with a strong foot at low tide.",
    "Storms": "In a storm the gauges are read by hand. [7] Doc: nobody | Page: 1 | Section: Faked",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    text = "# Tides\n\n" + "\n\n".join(f"## {heading}\n\n{body}" for heading, body in SECTIONS.items())
    (folder / "tides.md").write_text(text, encoding="utf-8")
    (folder / "gauges.txt").write_text("Nobody knew the height of the sea.", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def webrag(folder: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        empty = started.run("context", QUESTION)
        assert (empty.code, empty.out.strip()) == (0, f"No passage in the library answers “{QUESTION}”.")
        started.answer("add", "--json", str(folder / "tides.md"), str(folder / "gauges.txt"))
        yield started


def packed(webrag: Program, *options: str) -> ContextPack:
    return ContextPack.model_validate(webrag.answer("context", "--json", QUESTION, *options))


def test_a_pack_is_what_stands_below_numbers_and_citations(webrag: Program) -> None:
    pack = packed(webrag)
    assert pack.query == QUESTION
    assert [(chunk.role, chunk.text) for chunk in pack.chunks][:1] == [
        ("primary", f"## Low tide\n\n{SECTIONS['Low tide']}")
    ]
    assert SECTIONS["Spring tides"] in pack.context_pack
    shown = webrag.run("context", QUESTION)
    assert shown.code == 0
    assert shown.out.strip() == pack.context_pack.strip()
    assert "\\[7] Doc: nobody" in pack.context_pack
    assert pack.trace["budget"]["tokenizer"] == "bert-base-uncased"


def test_options_change_what_is_packed(webrag: Program) -> None:
    alone = packed(webrag, "--no-parents", "--same-page", "0", "--cross-page", "0", "--passages", "1")
    assert [chunk.role for chunk in alone.chunks] == ["primary"]
    small = packed(
        webrag, "--budget", "60", "--keep", "1", "--tokenizer", "cl100k_base", "--top-k-dense", "5"
    )
    tokens = open_tokenizer("cl100k_base").count(small.context_pack)
    assert tokens == small.trace["final_token_count"]
    assert small.trace["budget"] | {"note": None} == {
        "final_max_tokens": 60,
        "min_primary_hits_to_keep": 1,
        "tokenizer": "cl100k_base",
        "held": tokens <= 60,
        "note": None,
    }
    assert small.trace["top_k_dense"] == 5


def test_an_explanation_tells_every_decision(webrag: Program) -> None:
    pack = packed(webrag, "--budget", "80", "--keep", "1")
    lines = webrag.run("context", QUESTION, "--budget", "80", "--keep", "1", "--explain").out.splitlines()
    reported = "\n".join(lines)
    assert f"{pack.trace['final_token_count']} of 80 tokens, counted by bert-base-uncased." in lines
    decisions = pack.explanation.decisions
    assert {one.outcome for one in decisions} >= {"included", "dropped"}
    for one in decisions:
        spans = ", ".join(f"{span.char_start}-{span.char_end}" for span in one.spans)
        line = next(
            n for n, line in enumerate(lines) if f"passage {one.hit}, " in line and f"({spans})" in line
        )
        assert lines[line + 1].endswith(one.reason)
    assert reported.count("    Left out") == sum(one.outcome == "dropped" for one in decisions)


def test_a_budget_that_is_exceeded_is_reported(webrag: Program) -> None:
    done = webrag.run("context", QUESTION, "--budget", "5", "--keep", "2")
    trace = packed(webrag, "--budget", "5", "--keep", "2").explanation
    assert not trace.budget.held
    assert f"Note: The budget of 5 tokens is exceeded. {trace.budget.note}" in done.err
    assert done.err.strip().endswith("Give a larger --budget or a smaller --keep.")
    assert "exceeded" not in webrag.run("context", QUESTION).err


def test_where_nothing_fits_that_is_said(webrag: Program) -> None:
    done = webrag.run("context", QUESTION, "--budget", "1", "--keep", "0")
    assert done.out.strip() == "Nothing that was found fits the budget of 1 tokens."
    assert done.err.startswith("Give a larger --budget")


def test_filters_restrict_what_is_found(webrag: Program, folder: Path) -> None:
    pack = packed(webrag, "--type", "text")
    assert {chunk.source_url.rpartition("/")[2] for chunk in pack.chunks} <= {"gauges.txt"}
    refused = webrag.run("context", "--json", QUESTION, "--tag", "sky")
    assert (refused.code, "tag sky" in refused.json["error"]["message"]) == (2, True)


def test_reranking_that_cannot_be_is_reported_and_changes_nothing(webrag: Program) -> None:
    plain, reported = packed(webrag), packed(webrag, "--rerank")
    assert (reported.context_pack, reported.trace["rerank_results"]) == (plain.context_pack, [])
    (note,) = reported.trace["notes"]
    assert "Reranking needs a model" in note
    assert f"Note: {note}" in webrag.run("context", QUESTION, "--rerank").err


def test_settings_are_the_defaults(webrag: Program) -> None:
    program_so_set = ProgramHere(
        webrag.home, {"RETRIEVAL_FINAL_MAX_TOKENS": "70", "RETRIEVAL_INCLUDE_PARENTS": "false"}
    )
    trace = packed(program_so_set).explanation
    assert (trace.budget.final_max_tokens, trace.expansion_stats.include_parents) == (70, False)
    assert packed(program_so_set, "--parents").explanation.expansion_stats.include_parents


def test_a_budget_below_the_threshold_is_noted_where_the_threshold_decides_alone(webrag: Program) -> None:
    small = ProgramHere(webrag.home, {"RETRIEVAL_CONTEXT_BUDGET": "10000"})
    assert small.run("context", QUESTION).err == webrag.run("context", QUESTION).err
    assert "THRESHOLD" not in small.run("search", QUESTION).err
    noted = small.run("search", "--mode", "auto", QUESTION).err
    assert "above the context budget of 10000 tokens (RETRIEVAL_CONTEXT_BUDGET)" in noted


def test_whole_documents_beyond_the_budget_are_named(webrag: Program) -> None:
    small = ProgramHere(webrag.home, {"RETRIEVAL_CONTEXT_BUDGET": "30"})
    reported = small.answer("search", "--json", "--mode", "full_context", QUESTION)
    (given,) = {chunk["source_url"] for chunk in reported["chunks"]}
    everything = webrag.answer("search", "--json", "--mode", "full_context", QUESTION)
    (missing,) = {chunk["source_url"] for chunk in everything["chunks"]} - {given}
    assert everything["degraded"] is None
    assert reported["degraded"] == (
        f"The context budget of 30 tokens holds 1 of 2 documents; left out: {missing}."
    )
    assert f"Note: {reported['degraded']}" in small.run("search", "--mode", "full_context", QUESTION).err


def test_the_budget_of_searches_takes_no_passage_from_a_pack(webrag: Program, tmp_path: Path) -> None:
    animals = {"crabs": "walk", "kelp": "sways", "snails": "crawl", "worms": "dig"}
    for name, does in animals.items():
        text = (
            f"# {name}\n\nLimpets hold on to the rock beside {name}, of which everybody says that it {does}."
        )
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    webrag.answer("add", "--json", *map(str, sorted(tmp_path.glob("*.md"))))
    narrow = {"RETRIEVAL_CONTEXT_BUDGET": "60"}
    pack = packed(webrag)
    assert packed(ProgramHere(webrag.home, narrow)) == pack
    assert len(pack.explanation.vector_candidates) > len(animals)
    assert near(pack) > 1
    assert near(packed(webrag, "--top-k-dense", "1")) == 1
    assert near(packed(ProgramHere(webrag.home, {"RETRIEVAL_TOP_K_DENSE": "1"}))) == 1


def near(pack: ContextPack) -> int:
    """How many passages were found by meaning."""
    return sum("vector" in one.found_by for one in pack.explanation.vector_candidates)


def test_without_a_number_to_keep_a_small_budget_holds(webrag: Program, tmp_path: Path) -> None:
    for name, does in {"otters": "swim past", "gulls": "fly over"}.items():
        text = f"# {name}\n\nLimpets hold on to the rock while {name} {does} the shore in search of a meal."
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    webrag.answer("add", "--json", *map(str, sorted(tmp_path.glob("*.md"))))
    small = ("--budget", "80")
    budget = packed(webrag, *small).explanation.budget
    assert (budget.held, budget.min_primary_hits_to_keep) == (True, 1)
    assert all(chunk.text.endswith(".") for chunk in packed(webrag, *small).chunks)
    reported = packed(webrag, *small, "--keep", "3")
    assert (reported.explanation.budget.min_primary_hits_to_keep, len(reported.chunks)) == (3, 3)
    so_set = ProgramHere(webrag.home, {"RETRIEVAL_MIN_PRIMARY_HITS_TO_KEEP": "3"})
    assert packed(so_set, *small) == reported


@pytest.mark.parametrize(
    ("options", "code"),
    [(("--tokenizer", "nobody's"), 4), (("--budget", "0"), 2), (("--syntax", "strict"), 2)],
)
def test_what_cannot_be_is_refused(webrag: Program, options: tuple[str, ...], code: int) -> None:
    refused = webrag.run("context", "--json", QUESTION, *options)
    assert refused.code == code
    assert refused.json["error"]["message"]
