"""``webrag verify``: whether quotations are in the library, word for word, and where."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from webrag_desktop.cli.cite_ids import links_option, say_link, with_cite_ids
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import (
    INDENT,
    STANDARD_INPUT,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
)
from webrag_desktop.cli.session import open_library, showing_steps
from webrag_desktop.errors import InputError
from webrag_desktop.models.formats import MANUSCRIPT_SUFFIXES
from webrag_desktop.models.quotes import (
    LEAST_WORDS,
    CheckedQuotation,
    ManuscriptReport,
    QuoteGrade,
    QuotePlace,
    QuoteReport,
)
from webrag_desktop.models.versions import RunKind
from webrag_desktop.text.citation_formats import reference
from webrag_desktop.text.quotation_marks import unquoted

GRADES: dict[QuoteGrade, str] = {
    "exact": "exact",
    "exact_as_rendered": "exact as rendered",
    "near": "near",
    "none": "not found",
}
_COLOURS: dict[QuoteGrade, str] = {
    "exact": "green",
    "exact_as_rendered": "green",
    "near": "yellow",
    "none": "red",
}
_MEANINGS: dict[QuoteGrade, str] = {
    "exact": "the source has it letter for letter.",
    "exact_as_rendered": "it reads the same; markup, spacing or ways to write the same character differ.",
    "near": "this is not verified. [-So-] is only in the quotation, {+so+} only in the source.",
    "none": "it is nowhere in the library.",
}
_NOT_IN_DOCUMENT = "it is not in this document."
_MARKS: dict[RunKind, tuple[str, str, str | None]] = {
    "same": ("", "", None),
    "removed": ("[-", "-]", "red"),
    "added": ("{+", "+}", "yellow"),
}
_MOST_LISTED = 12  # lines named of what is only counted
_SHOWN_OF_MANUSCRIPT = 3  # places of each quotation; JSON holds all


def print_report(output: Output, report: QuoteReport, *, in_one_document: bool, links: bool = False) -> None:
    """Tell how one quotation stands, and every place where it does, with its link if ``links``."""
    meaning = _NOT_IN_DOCUMENT if in_one_document and report.grade == "none" else _MEANINGS[report.grade]
    output.say(_grade(report.grade, capital=True), f": {meaning}")
    for number, place in enumerate(report.places, 1):
        output.say()
        output.say(f"{number:>2}. ", Styled(place_words(place), bold=True))
        _print_place(output, report, place, links=links)
    if report.more:
        more = _counted(report.more, "more place is", "more places are")
        output.say()
        output.say(Styled(f"{more if report.complete else f'At least {more}'} not listed.", dim=True))
    if not report.is_verified and not report.older_versions:
        output.note("Texts that documents no longer show were not searched; --older searches them, too.")


def _print_place(output: Output, report: QuoteReport, place: QuotePlace, *, links: bool) -> None:
    output.indented(Styled(f"“{one_line(place.verbatim)}”"))
    if place.grade == "near":
        output.say(INDENT, *_compared(report, place))
        output.say(INDENT, Styled(f"{place.similarity:.0%} of the words are the same", dim=True))
    output.say(INDENT, readable_address(place.url or place.source_url))
    if links:
        say_link(output, place.version_id, place.char_start, place.char_end)
    other = "" if place.grade == report.grade else f"{GRADES[place.grade]}, "
    output.say(INDENT, Styled(f"{other}{_version(place)}", dim=True))


def place_words(place: QuotePlace) -> str:
    """Title — section, page; the address where there is no title."""
    headings = place.heading_path[-1:] or ([place.section_heading] if place.section_heading else [])
    return one_line(reference(place.title or readable_address(place.source_url), *headings, page=place.page))


def _version(place: QuotePlace) -> str:
    number = f"version {place.version_number}"
    return number if place.shown else f"{number}, which the document no longer shows"


def _compared(report: QuoteReport, place: QuotePlace) -> Iterator[str | Styled]:
    for part in report.compared(place):
        before, after, colour = _MARKS[part.kind]
        text = _blanks_kept(part.text)
        yield Styled(f"{before}{text}{after}", colour=colour) if before else text


def _blanks_kept(text: str) -> str:
    """The text on one line, a blank at its ends kept."""
    inner = one_line(text)
    return f"{' ' * text[:1].isspace()}{inner}{' ' * (text[-1:].isspace() and bool(inner))}"


def _grade(grade: QuoteGrade, *, capital: bool = False, width: int = 0) -> Styled:
    words = GRADES[grade].capitalize() if capital else GRADES[grade]
    return Styled(f"{words:<{width}}", bold=True, colour=_COLOURS[grade])


# -- Manuscripts -----------------------------------------------------------------------------------------------------


def print_manuscript(output: Output, report: ManuscriptReport, *, links: bool = False) -> None:
    """Tell every quotation of a manuscript by its place, then how many there are of each kind."""
    for one in report.quotations:
        _print_quotation(output, report, one, links=links)
    if report.quotations:
        output.say()
    output.say(Styled(_summary(report), bold=True))
    if short := [one.place for one in report.skipped if one.reason == "short"]:
        words = _counted(len(short), "quotation is", "quotations are")
        where = _places(short, report.unit)
        output.say(f"{words} too short to be looked for ({where}); --min-words 1 looks for all.")
    if long := [one.place for one in report.skipped if one.reason == "long"]:
        words = _counted(len(long), "quotation is", "quotations are")
        output.say(f"{words} too long to be looked for ({_places(long, report.unit)}).")
    if report.unpaired:
        words = _counted(len(report.unpaired), "quotation mark has", "quotation marks have")
        output.say(
            f"{words} no partner, so what it quotes was not looked for ({_places(report.unpaired, report.unit)})."
        )


def _print_quotation(output: Output, report: ManuscriptReport, one: CheckedQuotation, *, links: bool) -> None:
    found = one.report
    block = "block quotation " if one.block else ""
    place = f"{report.unit} {one.place}"
    output.say(f"{place}: ", _grade(found.grade), f"  {block}“{one_line(found.quote)}”")
    for at in found.places[:_SHOWN_OF_MANUSCRIPT]:
        older = "" if at.shown else f" ({_version(at)})"
        output.say(INDENT, place_words(at), Styled(older, dim=True))
        output.say(INDENT, Styled(readable_address(at.url or at.source_url), dim=True))
        if links:
            say_link(output, at.version_id, at.char_start, at.char_end)
        if at.grade == "near":
            output.say(INDENT, *_compared(found, at))
    if more := len(found.places[_SHOWN_OF_MANUSCRIPT:]) + found.more:
        output.say(INDENT, Styled(f"and {_counted(more, 'more place', 'more places')}", dim=True))


def _summary(report: ManuscriptReport) -> str:
    if not report.quotations:
        return f"No quotation to look for in {one_line(report.name)}."
    counts = Counter(one.report.grade for one in report.quotations)
    words = ", ".join(f"{counts[grade]} {words}" for grade, words in GRADES.items() if counts[grade])
    return (
        f"{_counted(len(report.quotations), 'quotation', 'quotations')} in {one_line(report.name)}: {words}."
    )


def _places(places: Sequence[int], unit: str) -> str:
    different = list(dict.fromkeys(places))
    shown = ", ".join(map(str, different[:_MOST_LISTED])) + (", …" if len(different) > _MOST_LISTED else "")
    return f"{unit} {shown}" if len(different) == 1 else f"{unit}s {shown}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


MOST_READ = 16_000_000  # bytes on standard input


@click.command(
    epilog="Exit codes: 0 verified, 1 something is not (near, or not found), 2 what was given cannot be used.",
)
@click.argument("given", nargs=-1, metavar="QUOTE|FILE|-")
@click.option("--document", metavar="ID", help="Look in this document alone.")
@click.option("--older", is_flag=True, help="Look also in texts that documents do not show any more.")
@click.option(
    "--file",
    type=click.Path(allow_dash=True, path_type=Path),
    metavar="FILE",
    help="A manuscript, whatever its name ends in; - reads Markdown from standard input.",
)
@click.option(
    "--min-words",
    type=click.IntRange(min=1),
    default=LEAST_WORDS,
    show_default=True,
    metavar="N",
    help="Of a manuscript: only list what stands between quotation marks and has fewer words.",
)
@links_option
@json_option
@pass_output
def verify(
    output: Output,
    given: tuple[str, ...],
    document: str | None,
    older: bool,
    file: Path | None,
    min_words: int,
    links: bool,
) -> ExitCode:
    """Look for a quotation in the whole library, or for every quotation of a manuscript.

    Exact: the source has it letter for letter. Exact as rendered: it reads the same; markup, spacing and the ways to
    write the same character differ. Near: something like it stands there, and the words that differ are marked
    [-so-] where they are only in the quotation and {+so+} where they are only there. Only the first two are verified.

    An ellipsis (… or […]) stands for words left out; marks around the whole quotation are no part of it. A QUOTE of -,
    or none in a pipe, is read from standard input.

    The path of a Markdown, Word or text file is a manuscript: each pair of quotation marks and each block quotation in
    it is looked for, and reported by its line (in a Word file by its paragraph).

    \b
    webrag verify "Limpets clamp their shells to the rock"
    webrag verify --older --document 44d9 "Limpets clamp"
    webrag verify chapter.docx
    """
    manuscript = _manuscript(given, file)
    if manuscript is None:
        return _verify_quote(output, _quote(given), document, older=older, links=links)
    with open_library() as library, showing_steps() as show:
        report = library.quotes.check(
            manuscript,
            document=library.documents.find(document).id if document else None,
            older_versions=older,
            min_words=min_words,
            progress=show,
        )
    if output.as_json:
        output.document(report, with_cite_ids)
    else:
        print_manuscript(output, report, links=links)
    return _code(report)


def _verify_quote(output: Output, quote: str, document: str | None, *, older: bool, links: bool) -> ExitCode:
    with open_library() as library, showing_steps() as show:
        within = library.documents.find(document).id if document else None
        report = library.quotes.verify(quote, within, older_versions=older, progress=show)
    if output.as_json:
        output.document(report, with_cite_ids)
    else:
        print_report(output, report, in_one_document=within is not None, links=links)
    return _code(report)


def _code(report: QuoteReport | ManuscriptReport) -> ExitCode:
    return ExitCode.OK if report.is_verified else ExitCode.FAILED


def _manuscript(given: Sequence[str], file: Path | None) -> Path | str | None:
    """The file that is to be looked through, or the Markdown on standard input; None for a quotation."""
    if file is not None:
        if given:
            raise click.UsageError("With --file, nothing else is looked for.")
        return _standard_input() if str(file) == STANDARD_INPUT else file
    named = [text for text in given if _names_manuscript(text)]
    if not named or len(named) < len(given):
        return None
    if len(named) > 1:
        raise click.UsageError("Give one manuscript at a time.")
    return Path(named[0])


def _names_manuscript(text: str) -> bool:
    """Whether this is the path of a manuscript: it ends so, and is a file or one word.

    A single word that ends so is a slip in a path rather than a quotation, and says so when it is opened.
    """
    if not text.lower().endswith(MANUSCRIPT_SUFFIXES):
        return False
    try:
        return len(text.split()) == 1 or Path(text).expanduser().is_file()
    except OSError:  # longer than the name of any file
        return False


def _quote(given: Sequence[str]) -> str:
    if not given and sys.stdin.isatty():
        raise click.UsageError(
            "Give a quotation, a manuscript, or - to read the quotation from standard input."
        )
    text = _standard_input() if not given or list(given) == [STANDARD_INPUT] else " ".join(given)
    return unquoted(text)


def _standard_input() -> str:
    content = sys.stdin.buffer.read(MOST_READ + 1)
    if len(content) > MOST_READ:
        raise InputError("Standard input is longer than 16 MB.", "Give the part to look for.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("Standard input is not in UTF-8.", "Save it as plain text in UTF-8.") from error
