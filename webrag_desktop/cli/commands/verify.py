"""``webrag verify``: whether quotations stand in the library, word for word, and where."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from webrag_desktop.cli.cite_ids import links_option, with_cite_ids
from webrag_desktop.cli.commands.add import STANDARD_INPUT
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.quote_text import tell_manuscript, tell_report
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.steps import showing_steps
from webrag_desktop.errors import InputError
from webrag_desktop.models.formats import suffixes_of
from webrag_desktop.models.quotes import LEAST_WORDS, ManuscriptReport, QuoteReport
from webrag_desktop.text.quotation_marks import unquoted

MOST_READ = 16_000_000  # bytes on standard input
_ENDINGS = (*suffixes_of("markdown"), *suffixes_of("text"), *suffixes_of("docx"))


@click.command(
    short_help="Tell whether quotations stand in the library, and where.",
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

    Exact: it stands there letter for letter. Exact as rendered: it reads the same; markup, spacing and the ways to
    write the same character differ. Near: something like it stands there, and the words that differ are marked
    [-so-] where they are only in the quotation and {+so+} where they are only there. Only the first two are verified.

    An ellipsis (… or […]) stands for words left out; marks around the whole quotation are no part of it. A QUOTE of -,
    or none in a pipe, is read from standard input.

    The path of a Markdown, Word or text file is a manuscript: each pair of quotation marks and each block quotation in
    it is looked for, and told by its line (in a Word file by its paragraph).

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
        tell_manuscript(output, report, links=links)
    return _code(report)


def _verify_quote(output: Output, quote: str, document: str | None, *, older: bool, links: bool) -> ExitCode:
    with open_library() as library, showing_steps() as show:
        within = library.documents.find(document).id if document else None
        report = library.quotes.verify(quote, within, older_versions=older, progress=show)
    if output.as_json:
        output.document(report, with_cite_ids)
    else:
        tell_report(output, report, in_one_document=within is not None, links=links)
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
    if not text.lower().endswith(_ENDINGS):
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
        raise InputError("What came in is longer than 16 MB.", "Give the part that is to be looked for.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("What came in is not in UTF-8.", "Save it as plain text in UTF-8.") from error
