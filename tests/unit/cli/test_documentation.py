import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import BaseModel, TypeAdapter

from tests.support.links import without_cite_ids
from webrag_desktop.cli.cite_ids import with_cite_ids
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import COMMANDS, commands
from webrag_desktop.cli.output import plain_data
from webrag_desktop.cli.shapes import documents, reports, upkeep
from webrag_desktop.expansion.events import Expansion
from webrag_desktop.maintenance.checks import CHECKS
from webrag_desktop.models.links import SiteCapture, SitePreview
from webrag_desktop.models.quotes import ManuscriptReport, QuoteReport
from webrag_desktop.models.sources import CollectionRow, LabelCount
from webrag_desktop.models.versions import VersionRow
from webrag_desktop.retrieval.contracts.answer_events import KeptAnswer
from webrag_desktop.retrieval.contracts.answers import AnswerContext, GroundedResponse
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import RetrievalResult

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"`(\w+)`(?: of the list)?:\n\n```json\n(.*?)```", PAGE, re.DOTALL))
# What of these tells versions and offsets is printed with cite ids.
CITED: list[type[BaseModel]] = [RetrievalResult, QuoteReport, KeptAnswer]
# Printed as the library has it, and called otherwise in the documentation.
ROWS: dict[str, type] = {"Version": VersionRow, "Label": LabelCount, "Collection": CollectionRow}
TOP_LEVEL: list[type[BaseModel]] = [
    RetrievalBundle,
    ContextPack,
    GroundedResponse,
    AnswerContext,
    ManuscriptReport,
    Expansion,
    SitePreview,
    SiteCapture,
    documents.Document,
    documents.DocumentText,
    documents.ChunkOfDocument,
    documents.LinksReport,
    reports.Report,
    reports.RereadReport,
    reports.QueueReport,
    documents.HistoryReport,
    reports.StackReport,
    reports.StatusReport,
    documents.ScheduleReport,
    documents.DifferenceReport,
    documents.Citation,
    documents.PlaceReport,
    documents.LabelledDocument,
    documents.SavedSearch,
    documents.BinDocument,
    upkeep.BackupReport,
    upkeep.RestoreReport,
    reports.SpaceReport,
    reports.FetchedWeightsReport,
    upkeep.DoctorReport,
    reports.ListedSetting,
    reports.ErrorReport,
]


def test_every_document_has_an_example() -> None:
    assert set(EXAMPLES) == {shape.__name__ for shape in (*TOP_LEVEL, *CITED)} | ROWS.keys()


@pytest.mark.parametrize("shape", TOP_LEVEL, ids=lambda shape: shape.__name__)
def test_example_has_every_field_and_no_other(shape: type[BaseModel]) -> None:
    example = json.loads(EXAMPLES[shape.__name__])
    printed = plain_data(shape.model_validate(example))
    assert printed == example
    assert list(printed) == list(example)


@pytest.mark.parametrize("name", ROWS)
def test_example_of_a_row_has_every_field_and_no_other(name: str) -> None:
    example = json.loads(EXAMPLES[name])
    assert plain_data(TypeAdapter(ROWS[name]).validate_python(example)) == example


@pytest.mark.parametrize("shape", CITED, ids=lambda shape: shape.__name__)
def test_example_has_the_cite_id_of_everything_that_is_cited(shape: type[BaseModel]) -> None:
    example = json.loads(EXAMPLES[shape.__name__])
    printed = shape.model_validate(without_cite_ids(example)).model_dump(mode="json")
    assert with_cite_ids(printed) == example != printed


def test_the_plain_data_of_a_context_pack_has_every_field_and_no_other() -> None:
    pack = ContextPack.model_validate_json(EXAMPLES["ContextPack"])
    assert [chunk.model_dump(mode="json") for chunk in pack.chunks] == pack.selected_chunks
    assert pack.explanation.model_dump(mode="json") == pack.trace


def test_every_command_and_option_is_named() -> None:
    context = click.Context(commands, info_name="webrag")
    for name in COMMANDS:
        command = commands.get_command(context, name)
        assert command is not None
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `webrag {name}"))
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                names = option.opts + option.secondary_opts
                assert any(f"`{name}" in row for name in names if name.startswith("--")), (name, names)


def test_summaries_are_those_of_the_commands() -> None:
    context = click.Context(commands, info_name="webrag")
    for name, entry in COMMANDS.items():
        command = commands.get_command(context, name)
        assert command is not None
        assert command.short_help == entry.summary


def test_exit_codes_are_listed_in_their_words() -> None:
    for code in ExitCode:
        assert f"| {int(code)} | {code.meaning} |" in PAGE


# Words of our own or out of use, which nothing that a user reads has; the JSON key `told` stands in quotation marks.
UNUSUAL = re.compile(r"(?<![`\"])\b(?:told|anew|stretch(?:es)?|postings?|warden|keeper)\b", re.IGNORECASE)


def helps(command: click.Command) -> Iterator[str]:
    yield command.help or ""
    yield from (one.help or "" for one in command.params if isinstance(one, click.Option) and not one.hidden)
    for part in getattr(command, "commands", {}).values():
        yield from helps(part)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_is_in_plain_words(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    assert UNUSUAL.findall(" ".join(helps(command))) == []


@pytest.mark.parametrize(
    "page", ["api.md", "cli.md", "mcp.md", "settings.md", "integrations.md", "hostile-input.md"]
)
def test_the_documentation_is_in_plain_words(page: str) -> None:
    assert UNUSUAL.findall((ROOT / "docs" / page).read_text("utf-8")) == []


def test_the_checks_of_the_doctor_are_in_plain_words() -> None:
    said = " ".join(f"{check.name.replace('-', ' ')} {check.sentence}" for check in CHECKS)
    assert UNUSUAL.findall(said) == []


# The same in what developers read: names and comments of the code, and the documents beside it.
FORMER = re.compile(
    r"(?<![`\"a-z])(?:anew|stretch(?:es)?|swept|sweep(?:s|ing|er)?|warden|keeper|told_\w+|(?:set|put)_aside)(?![a-z\".])"
)
WRITTEN = re.compile(r"\b(?:def|class) +\w+|^ *\w+(?=:? .*= )|(?<=\s)# .*", re.MULTILINE)


@pytest.mark.parametrize("folder", ["webrag_desktop", "benchmarks", "tests"])
def test_names_and_comments_are_in_plain_words(folder: str) -> None:
    found = {
        (str(path.relative_to(ROOT)), part)
        for path in (ROOT / folder).rglob("*.py")
        for part in WRITTEN.findall(path.read_text("utf-8"))
        if FORMER.search(part)
    }
    assert found == set()


def test_the_documents_of_developers_are_in_plain_words() -> None:
    pages = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "decisions").glob("*.md")]
    assert {page.name: FORMER.findall(page.read_text("utf-8")) for page in pages} == {
        page.name: [] for page in pages
    }
