"""``webrag show`` and ``chunks``: look at a document without changing anything."""

from collections.abc import Iterator
from datetime import datetime

import click

from webrag_desktop.cli.output import (
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    sentences,
)
from webrag_desktop.cli.progress import name_of, state_words
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import LinksReport, chunk_of, document_text_of
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.models.documents import ChunkRow, DocumentVersion
from webrag_desktop.models.links import PageLink
from webrag_desktop.models.sources import Labels, SourceRow

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
    if output.as_json:
        markdown = version.markdown if version else None
        output.document(document_text_of(source, labels, version.id if version else None, markdown))
        return
    output.say(Styled(name_of(source), bold=True))
    for name, value in (*_facts(source), *labelled(labels)):
        output.say(f"{name:<{_FACT_COLUMN}}", one_line(value))
    _say_text(output, version)


def _facts(source: SourceRow) -> Iterator[tuple[str, str]]:
    yield "id", str(source.id)
    yield "address", source.source_url or source.url
    if source.source_url not in (None, source.url):
        yield "given as", source.url
    yield "state", state_words(source)
    if source.state_reason:
        yield "reason", sentences(source.state_reason, source.state_hint)
    yield "added", day_and_minute(source.added_at)
    if source.fetched_at:
        yield "fetched", day_and_minute(source.fetched_at)
    if source.checked_at and source.checked_at != source.fetched_at:
        yield "checked", day_and_minute(source.checked_at)
    if source.published_time:
        yield "published", stated_date(source.published_time, guessed=source.published_guessed)
    if source.modified_time:
        yield "changed", stated_date(source.modified_time, guessed=source.modified_guessed)
    if source.saved_from:
        yield "saved from", source.saved_from
    if source.page_count:
        yield "pages", str(source.page_count)
    if source.searchable:
        chunks = f"{source.parent_chunks} sections, {source.child_chunks} passages"
        yield "text", f"{source.tokens} tokens in {chunks}"


def labelled(labels: Labels) -> Iterator[tuple[str, str]]:
    """Its tags and collections, each with what it is called."""
    if labels.tags:
        yield "tags", ", ".join(labels.tags)
    if labels.collections:
        yield "in", ", ".join(labels.collections)


def stated_date(date: str, *, guessed: bool) -> str:
    """A document's date in words, as exact as it is: ``3 May 2021 (guessed)``."""
    return f"{_date_words(date)} (guessed)" if guessed else _date_words(date)


def _date_words(date: str) -> str:
    if len(date) == len("2021"):
        return date
    try:
        moment = datetime.fromisoformat(f"{date}-01" if len(date) == len("2021-05") else date)
    except ValueError:  # a library from before dates were made uniform
        return date
    month = f"{moment:%B} {moment.year}"
    if len(date) == len("2021-05"):
        return month
    zone = f" {moment:%Z}" if moment.tzinfo else ""
    return f"{moment.day} {month}" if "T" not in date else f"{moment.day} {month}, {moment:%H:%M}{zone}"


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
