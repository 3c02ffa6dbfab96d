"""``webrag show``, ``chunks`` and ``describe``: look at a document, and say who wrote it."""

from collections.abc import Iterator

import click

from webrag_desktop.cli.document_words import labelled, name_of, state_words
from webrag_desktop.cli.facts_text import said_facts
from webrag_desktop.cli.output import (
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    sentences,
)
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import LinksReport, chunk_of, document_of, document_text_of
from webrag_desktop.cli.subresources_text import said_subresources
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.models.documents import ChunkRow, DocumentVersion
from webrag_desktop.models.links import PageLink
from webrag_desktop.models.metadata import FACT_NAMES, FactName
from webrag_desktop.models.sources import SourceRow

_FACT_COLUMN = 11


@click.command()
@click.argument("reference", metavar="ID")
@click.option(
    "--links",
    "only_links",
    is_flag=True,
    help="Show where it links to and which documents link to it, instead of its text.",
)
@json_option
@pass_output
def show(output: Output, reference: str, only_links: bool) -> None:
    """Show a document's facts and its text as Markdown, the text that all offsets count in.

    With --links, show its links: those in its text under their headings, then those of menus and edges of the page;
    ● marks what is in the library. The documents that link to it follow.
    """
    if only_links:
        _show_links(output, reference)
        return
    with open_library() as library:
        source = library.documents.find(reference)
        version = library.documents.text(source.id)
        labels = library.labels.of(source.id)
        kept = library.page_looks.kept(source.id)
    if output.as_json:
        markdown = version.markdown if version else None
        output.document(document_text_of(source, labels, version.id if version else None, markdown, kept))
        return
    output.say(Styled(name_of(source), bold=True))
    for name, value in (*_facts(source), *labelled(labels)):
        output.say(f"{name:<{_FACT_COLUMN}}", one_line(value))
    for number, words in enumerate(said_subresources(kept)):
        output.say(
            f"{'' if number else 'as it looked':<{_FACT_COLUMN}}", " " if number == 0 else "", one_line(words)
        )
    _say_text(output, version)


def _facts(source: SourceRow) -> Iterator[tuple[str, str]]:
    yield "id", str(source.id)
    yield "address", source.source_url or source.url
    if source.source_url not in (None, source.url):
        yield "given as", source.url
    yield "state", state_words(source)
    if any(source.note):
        yield "reason", sentences(*source.note)
    yield "added", day_and_minute(source.added_at)
    if source.fetched_at:
        yield "fetched", day_and_minute(source.fetched_at)
    if source.checked_at and source.checked_at != source.fetched_at:
        yield "checked", day_and_minute(source.checked_at)
    yield from said_facts(source)
    if source.saved_from:
        yield "saved from", source.saved_from
    if source.page_count:
        yield "pages", str(source.page_count)
    if source.searchable:
        chunks = f"{source.parent_chunks} sections, {source.child_chunks} passages"
        yield "text", f"{source.tokens} tokens in {chunks}"


def _say_text(output: Output, version: DocumentVersion | None) -> None:
    output.say()
    output.say(version.markdown if version else "There is no text yet.")


def _show_links(output: Output, reference: str) -> None:
    with open_library() as library:
        source = library.documents.find(reference)
        links, back_links = library.links.of(source.id), library.links.to(source.id)
        left_out = library.links.left_out(source.id)
        linking = library.documents.rows([link.source_id for link in back_links])
    if output.as_json:
        output.document(
            LinksReport(id=source.id, links=tuple(links), left_out=left_out, back_links=tuple(back_links))
        )
        return
    output.say(Styled(name_of(source), bold=True))
    if not source.searchable:
        output.say("There is no text yet.")
    for words, place in (("Links in the text", "content"), ("Links around it", "navigation")):
        _say_links(output, words, [link for link in links if link.place == place])
    if left_out:
        output.say(f"{left_out} more links were too many to keep.")
    if back_links:
        output.say()
        output.say(Styled(f"Linked from ({len(back_links)})", bold=True))
    for link in back_links:
        name = name_of(linking[link.source_id]) if link.source_id in linking else str(link.source_id)
        output.say("  ", one_line(name), _said(link))


def _say_links(output: Output, words: str, links: list[PageLink]) -> None:
    if not links:
        return
    output.say()
    output.say(Styled(f"{words} ({len(links)})", bold=True))
    heading: str | None = None
    for link in links:
        if link.heading != heading and link.heading is not None:
            output.say(f"  {one_line(link.heading)}")
        heading = link.heading
        output.say("  ● " if link.document_id else "    ", one_line(link.url), _said(link))


def _said(link: PageLink) -> str:
    return f"  “{one_line(link.text)}”" if link.text else ""


@click.command()
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def chunks(output: Output, reference: str) -> None:
    """Show how a document was cut: parent chunks (sections) and child chunks (what is searched).

    Offsets are [start, end) in code points of the text that `webrag show` prints.
    """
    with open_library() as library:
        source = library.documents.find(reference)
        found = library.documents.chunks(source.id) if source.searchable else []
    if output.as_json:
        output.documents([chunk_of(source, row) for row in found])
    elif not found:
        output.say("There is no text yet, so there are no chunks.")
    for chunk in found if not output.as_json else ():
        _say_chunk(output, chunk)


def _say_chunk(output: Output, chunk: ChunkRow) -> None:
    place = " › ".join(chunk.heading_path) or "(no heading)"
    span = f"[{chunk.char_start}, {chunk.char_end})"
    size = f"{chunk.token_end - chunk.token_start} tokens"
    vector = "" if chunk.embedded or chunk.chunk_level == "parent" else ", no vector yet"
    output.say(
        Styled(f"{chunk.chunk_level} {chunk.chunk_index}", bold=True),
        f"  {span}  {size}{vector}  ",
        one_line(place),
    )
    output.say("  ", one_line(chunk.chunk_text)[:200])


_OPTIONS: dict[str, FactName] = {
    name.removesuffix("_time").removesuffix("_id"): name for name in FACT_NAMES if name != "authors"
}


@click.command()
@click.argument("reference", metavar="ID")
@click.option("--title", metavar="TITLE", help="Its title; empty: the one it states.")
@click.option(
    "--author", "authors", multiple=True, metavar="NAME", help="An author; repeat it, in their order."
)
@click.option("--publisher", metavar="NAME", help="Who published it, or the name of its site.")
@click.option("--published", metavar="DATE", help="When: a year, a month or a day, such as 2024-05.")
@click.option("--modified", metavar="DATE", help="When it was last changed.")
@click.option("--journal", metavar="NAME", help="What it appeared in.")
@click.option("--volume", metavar="N", help="The volume of the journal.")
@click.option("--issue", metavar="N", help="The issue of the journal.")
@click.option("--pages", metavar="N–N", help="Its pages there.")
@click.option("--doi", metavar="DOI", help="Its DOI, or an address that holds it.")
@click.option("--isbn", metavar="ISBN", help="Its ISBN, of 10 or 13 digits.")
@click.option("--arxiv", metavar="ID", help="Its arXiv id, or the address there.")
@click.option("--licence", metavar="NAME", help="Its licence: a name or an address.")
@click.option(
    "--none",
    "absent",
    multiple=True,
    type=click.Choice(["author", *_OPTIONS]),
    help="It has none, whatever its page says.",
)
@click.option(
    "--forget",
    multiple=True,
    type=click.Choice(["author", *_OPTIONS, "all"]),
    help="Let what its page says count again.",
)
@json_option
@pass_output
def describe(
    output: Output,
    /,
    reference: str,
    authors: tuple[str, ...],
    absent: tuple[str, ...],
    forget: tuple[str, ...],
    title: str | None,
    **given: str | None,
) -> None:
    """Say who wrote a document and where it appeared, where its page says nothing or something else.

    What is set here stays when the document is refreshed or read again. Without options it shows what is known, and
    where each fact was read.

    \b
    webrag describe 44d9c4b5 --author "Jane Doe" --author "John Roe" --published 2021-05
    """
    facts: dict[FactName, tuple[str, ...] | str | None] = {
        _OPTIONS[name]: value for name, value in given.items() if value is not None
    }
    facts |= {_fact_of(name): None for name in absent}
    if authors:
        facts["authors"] = authors
    forgotten = FACT_NAMES if "all" in forget else tuple(map(_fact_of, forget))
    with open_library() as library:
        source = library.documents.find(reference)
        if facts or forgotten or title is not None:
            library.bibliography.change(source.id, facts, forgotten, title)
            source = library.documents.find(str(source.id))
        labels = library.labels.of(source.id)
    if output.as_json:
        output.document(document_of(source, labels))
        return
    output.say(Styled(name_of(source), bold=True))
    said = [*said_facts(source, with_sources=True)]
    for name, value in said:
        output.say(f"{name:<{_FACT_COLUMN}}", one_line(value))
    if not said:
        output.say("Nothing is known of who wrote it: `webrag describe ID --author NAME` sets it.")


def _fact_of(option: str) -> FactName:
    return "authors" if option == "author" else _OPTIONS[option]
