"""``webrag citations``, ``cite`` and ``uncite``: what the user cites; ``webrag open``: what a link names."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.cite_ids import links_option, say_link
from webrag_desktop.cli.output import (
    SHOWN_ID,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
)
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import citation_of, place_of
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.cli.window_usage import run_window
from webrag_desktop.models.citations import CitedPlace, StoredCitation, parse_link
from webrag_desktop.models.versions import VersionRow
from webrag_desktop.text.citation_formats import FORMATS, Quotation

_NOTHING = "Nothing is cited yet. `webrag cite ID QUOTE` does, and so does the window."
_INDENT = " " * 5


@click.command()
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    help="Print the quotes with their references instead, to be pasted elsewhere.",
)
@links_option
@json_option
@pass_output
def citations(output: Output, format_name: str | None, links: bool) -> None:
    """List what is cited, in its order, and whether the text that its document shows now still has it.

    Exact: the words are where they were. Moved: they are elsewhere in the text. Lost: they are no longer in it; the
    text that they were taken from is kept, and so is the quotation. The characters before a title begin the
    citation's id.
    """
    if format_name is not None and (links or output.as_json):
        raise click.UsageError(
            "--format prints nothing but quotes and references; leave --links and --json out."
        )
    with open_library() as library:
        found = library.citations.all()
        taken_from = {} if output.as_json else _versions(library, found)
    if output.as_json:
        output.documents(list(map(citation_of, found)))
        return
    if not found:
        output.say(_NOTHING)
    elif format_name is not None:
        output.say(FORMATS[format_name].listed([Quotation.of(one) for one in found]).rstrip("\n"))
        return
    for one in found:
        _say(output, one, taken_from.get(one.version_id))
        if links:
            say_link(output, one.version_id, one.char_start, one.char_end)


@click.command()
@click.argument("reference", metavar="ID")
@click.argument("quote", metavar="QUOTE")
@click.option(
    "--occurrence", type=click.IntRange(min=1), metavar="N", help="Which of several places is meant, from 1."
)
@json_option
@pass_output
def cite(output: Output, reference: str, quote: str, occurrence: int | None) -> None:
    """Cite words that stand in a document's text, exactly as they are read; only spacing may differ.

    They are cited from the text that the document shows now, last in the list of citations. What is cited already
    stays as it is.

    \b
    webrag cite 44d9c4b5 "an object capable of returning its members one at a time"
    """
    with open_library() as library:
        source = library.documents.find(reference)
        stored = library.citations.cite_quote(source.id, quote, occurrence)
    if not stored.is_new:
        output.note("It was cited already.")
    _print(output, stored)


@click.command(short_help="Take a citation out of the list.")
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def uncite(output: Output, reference: str) -> None:
    """Take a citation out of the list. ID is the citation's id, or its first characters (at least four)."""
    with open_library() as library:
        stored = library.citations.find(reference)
        library.citations.remove(stored.id)
    if not output.as_json:
        output.say("Not cited any more:")
    _print(output, stored)


def _print(output: Output, stored: StoredCitation) -> None:
    if output.as_json:
        output.document(citation_of(stored))
    else:
        _say(output, stored, None)


def _say(output: Output, one: StoredCitation, taken_from: VersionRow | None) -> None:
    output.say(Styled(f"{one.position:>3}  {state_words(one)}", bold=True), f"  “{one_line(one.quote)}”")
    named = f"{one_line(one.title or '')} — {readable_address(one.source_url)}".removeprefix(" — ")
    output.say(_INDENT, f"{str(one.id)[:SHOWN_ID]}  ", named)
    if taken_from is not None:
        fetched = day_and_minute(taken_from.fetched_at)
        output.say(_INDENT, Styled(f"taken from version {taken_from.number}, of {fetched}", dim=True))


def _versions(library: Library, found: Sequence[StoredCitation]) -> Mapping[UUID | None, VersionRow]:
    """The versions that quotations were taken from which do not stand where they stood."""
    changed = dict.fromkeys(one.document_id for one in found if one.state != "exact" and one.document_id)
    rows = (row for document in changed for row in library.versions.of(document))
    quoted = {one.version_id for one in found if one.state != "exact"}
    return {row.id: row for row in rows if row.id in quoted}


def state_words(one: StoredCitation) -> str:
    """``exact``, ``moved by 212``, ``lost, 75% of its words are there``, ``exact, its document is in the bin``."""
    return f"{_state_in_text(one)}, its document is in the bin" if one.in_bin else _state_in_text(one)


def _state_in_text(one: StoredCitation) -> str:
    rendered = " as rendered" if one.as_rendered else ""
    if one.state == "moved":
        return f"moved by {one.moved_by}{rendered}"
    if one.state == "lost" and one.similarity:
        return f"lost, {one.similarity:.0%} of its words are there"
    return f"{one.state}{rendered}"


_FACT_COLUMN = 11


@click.command(
    "open",
)
@click.argument("link", metavar="LINK")
@click.option("--print", "printed", is_flag=True, help="Print the place instead; no window is needed.")
@json_option
@pass_output
def open_link(output: Output, link: str, printed: bool) -> int:
    """Open the window at the very characters that LINK names, also where the document has changed since.

    LINK is a link as the window copies it (webrag://cite/…, webrag://document/…) or the cite id in it. Where a window
    of this library is open, it goes there, and the command ends at once; otherwise the window is started, and the
    command ends with it.

    \b
    webrag open webrag://cite/0f3a91b20d4c7e18.1200-1352
    webrag open --print 0f3a91b20d4c7e18.1200-1352
    """
    named = parse_link(link)
    with open_library() as library:
        place = library.cited.place(named)
    if output.as_json:
        output.document(place_of(place))
    elif printed:
        _say_place(output, place)
    else:
        return run_window(named.link)  # as we write it, whatever was given
    return 0


def _say_place(output: Output, place: CitedPlace) -> None:
    output.say(Styled(one_line(place.title or readable_address(place.source_url)), bold=True))
    for name, value in _place_facts(place):
        output.say(f"{name:<{_FACT_COLUMN}}", one_line(value))
    output.say()
    output.say(place.text)


def _place_facts(place: CitedPlace) -> Iterator[tuple[str, str]]:
    yield "address", readable_address(place.source_url)
    if place.heading_path:
        yield "heading", " › ".join(place.heading_path)
    if place.page is not None:
        yield "page", str(place.page)
    older = "" if place.is_current else ", which the document no longer shows"
    yield "version", f"{place.version_number}{older}"
    if place.in_bin:
        yield "document", f"in the bin: `webrag bin restore {str(place.document_id)[:8]}` takes it out"
    yield "characters", f"{place.char_start} to {place.char_end}"
    yield "link", place.cite_id.link
