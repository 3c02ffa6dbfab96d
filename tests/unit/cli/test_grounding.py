"""``webrag ground`` with a selected text, which opens no library."""

from pathlib import Path

import pytest

from tests.support.command_line import ProgramHere
from webrag_desktop.answering.evidence import SELECTION_ALONE
from webrag_desktop.retrieval.contracts.answers import AnswerContext

QUESTION = "What do limpets do?"
LETTER = "Limpets clamp.\r\n\n[Source 2: x] “tight”\n"


@pytest.fixture
def webrag(tmp_path: Path) -> ProgramHere:
    """A data folder that is not there, and a database that does not answer."""
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"
    return ProgramHere(tmp_path / "home", {"WEBRAG_DATABASE_URL": nowhere, "CHUNK_PARENT_TOKENS": "wrong"})


def test_a_selected_text_is_all_there_is_and_no_library_is_opened(
    webrag: ProgramHere, tmp_path: Path
) -> None:
    letter = tmp_path / "my letter.txt"
    letter.write_bytes(LETTER.encode())
    about = ("--source-path", str(letter), "--source-section", "Low tide")
    response = webrag.answer("ground", "--json", *QUESTION.split(), "--selected-text", str(letter), *about)
    assert response == {
        "question": QUESTION,
        "mode": "selected_text_only",
        "sufficient_context": True,
        "system_instruction": SELECTION_ALONE,
        "context": LETTER,
        "citations": [
            {
                "title": None,
                "section": "Low tide",
                "url": f"{letter.as_uri()}#low-tide",
                "doc_path": letter.as_uri(),
                "page": None,
                "document_id": None,
                "version_id": None,
                "char_start": None,
                "char_end": None,
            }
        ],
        "notices": [],
    }
    assert not webrag.home.exists()
    # The same call does open it where the library is asked, and then the settings count.
    assert webrag.run("ground", QUESTION).code == 4


def test_as_text_the_instruction_comes_first_and_nothing_steers_the_terminal(webrag: ProgramHere) -> None:
    done = webrag.run(
        "ground", QUESTION, "--selected-text", "-", "--source-path", "https://a.org/p", given="a\x1b[31m\nb"
    )
    assert done.out.splitlines() == [
        SELECTION_ALONE,
        "",
        "a\N{REPLACEMENT CHARACTER}[31m",
        "b",
        "",
        " 1. https://a.org/p",
        "",
        f"Question: {QUESTION}",
    ]
    assert (done.code, done.err) == (0, "")


def test_a_path_that_leads_nowhere_is_reported_as_it_is(webrag: ProgramHere) -> None:
    options = ("--selected-text", "-", "--source-path", "notes/no\x1b such.md", "--source-section", "S")
    done = webrag.run("ground", QUESTION, *options, given="t")
    assert done.out.splitlines()[-4:-2] == [" 1. S", "    notes/no\N{REPLACEMENT CHARACTER} such.md"]
    citation = webrag.answer("ground", "--json", QUESTION, *options[2:], "--selected-text", __file__)[
        "citations"
    ][0]
    assert (citation["url"], citation["doc_path"]) == (None, "notes/no\x1b such.md")


@pytest.mark.parametrize("path", [300 * "n", "https://a.org/" + 5000 * "p"])
def test_what_is_too_long_for_a_file_is_none(webrag: ProgramHere, path: str) -> None:
    response = webrag.answer("ground", "--json", QUESTION, "--selected-text", __file__, "--source-path", path)
    assert response["citations"][0]["doc_path"] == path


def test_a_path_becomes_the_page_that_is_made_of_it_below_a_base(webrag: ProgramHere) -> None:
    path, base = "website/docs/module-1/index.md", "/physical-ai-robotics-textbook/docs/"
    about = ("--source-path", path, "--source-base", base, "--source-section", "Embodiment")
    response = webrag.run("ground", "--json", QUESTION, "--selected-text", "-", *about, given="t").json
    (citation,) = response["citations"]
    assert (citation["url"], citation["doc_path"]) == (f"{base}module-1/#embodiment", path)


def test_an_unknown_source_is_not_reported(webrag: ProgramHere) -> None:
    done = webrag.run("ground", QUESTION, "--selected-text", "-", given="t")
    assert done.out.splitlines() == [SELECTION_ALONE, "", "t", "", f"Question: {QUESTION}"]


@pytest.mark.parametrize("options", [(), ("--evidence",)])
def test_line_breaks_of_other_systems_are_line_breaks(
    webrag: ProgramHere, tmp_path: Path, options: tuple[str, ...]
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_bytes(b"One\r\ntwo\rthree\x07\r\n")
    done = webrag.run("ground", QUESTION, "--selected-text", str(letter), *options)
    assert "\nOne\ntwo\nthree\N{REPLACEMENT CHARACTER}\n" in done.out
    assert webrag.answer("ground", "--json", QUESTION, "--selected-text", str(letter))["context"] == (
        "One\r\ntwo\rthree\x07\r\n"
    )


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (("--selected-text", "-"), "", "No text is selected"),
        (("--selected-text", "-"), " \n", "No text is selected"),
        (("--selected-text", "-", "--tag", "sea"), "t", "nothing is searched"),
        (("--selected-text", "-", "--max-depth", "0"), "t", "nothing is searched"),
        (("--selected-text", "-", "--source-path", "http://[::1"), "t", "no address"),
        (("--selected-text", "/nowhere/at all"), "", "No such file"),
        (("--selected-text", "-", "--limit", "3"), "t", "nothing is searched"),
        (("--source-path", "a.md"), "", "tell of a --selected-text"),
        (("--source-section", "S"), "", "tell of a --selected-text"),
        (("--source-base", "/docs/"), "", "tell of a --selected-text"),
        (("--selected-text", "-", "--source-base", "/docs/"), "t", "add --source-path"),
        (
            ("--selected-text", "-", "--source-path", "a.md", "--source-base", "//["),
            "t",
            "“//[” is no address",
        ),
    ],
)
def test_what_cannot_be_is_said_and_ends_with_2(
    webrag: ProgramHere, arguments: tuple[str, ...], given: str, said: str
) -> None:
    done = webrag.run("ground", "--json", QUESTION, *arguments, given=given)
    assert done.code == 2
    assert said in done.json["error"]["message"]
    assert not webrag.home.exists()


def test_the_evidence_itself_is_reported_on_demand(webrag: ProgramHere) -> None:
    options = ("--evidence", QUESTION, "--selected-text", "-", "--source-section", "Low tide")
    found = webrag.run("ground", "--json", *options, given="Limpets clamp.").json
    assert AnswerContext.model_validate(found).model_dump(mode="json") == found
    assert (found["mode"], len(found["citations"])) == ("selected_text_only", 1)
    assert [(one["chunk_id"], one["text"], one["score"]) for one in found["chunks"]] == [
        ("selection", "Limpets clamp.", 1.0)
    ]
    done = webrag.run("ground", *options, given="Limpets clamp.")
    assert done.out.splitlines() == [" 1. Low tide", "    score 1.00", "Limpets clamp."]


def test_an_empty_question_is_refused(webrag: ProgramHere) -> None:
    done = webrag.run("ground", "--json", " ", "--selected-text", "-", given="t")
    assert (done.code, done.json["error"]["message"]) == (2, "There is no question to answer.")


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe\x00", "not in UTF-8"), (b"x" * (4 * 1024 * 1024 + 1), "longer than 4 MB")],
)
def test_what_no_model_reads_is_refused(
    webrag: ProgramHere, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    done = webrag.run("ground", "--json", QUESTION, "--selected-text", str(file))
    assert done.code == 2
    assert said in done.json["error"]["message"]


def test_the_mark_at_the_start_of_a_file_is_no_text(webrag: ProgramHere, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes("\ufefft".encode())
    assert webrag.answer("ground", "--json", QUESTION, "--selected-text", str(file))["context"] == "t"
