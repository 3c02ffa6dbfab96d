"""``webrag tag`` and ``webrag collection``: what the user calls documents, and where he puts them."""

from collections.abc import Sequence
from typing import Literal

import click

from webrag_desktop import Library
from webrag_desktop.cli.document_words import name_of
from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import LabelledDocument
from webrag_desktop.models.sources import (
    COLLECTION_COLOURS,
    NO_LABELS,
    CollectionColour,
    LabelCount,
    Labels,
    SourceRow,
    in_tree_order,
)

# What is not an option is an argument, so that -old can be a tag to take off; hence no short -h here either.
_CHANGES = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


@click.command(context_settings=_CHANGES)
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar="ID… +TAG -TAG…")
@json_option
@pass_output
def tag(output: Output, given: tuple[str, ...]) -> None:
    """Tag documents (+TAG), take tags off them (-TAG), and tell how they are labelled then.

    Without arguments it lists all tags. Case does not count. `webrag search --tag TAG` searches what has one.

    \b
    webrag tag 44d9c4b5 +thesis +"to read" -draft
    """
    references = [text for text in given if not text.startswith(("+", "-"))]
    added = Labels.of(tags=[text[1:] for text in given if text.startswith("+")])
    removed = Labels.of(tags=[text[1:] for text in given if text.startswith("-")])
    if given and not references:
        raise click.UsageError("No document was named.")
    with open_library() as library:
        if not given:
            _print_all(output, library.labels.tags(), "No document is tagged: `webrag tag ID +TAG`.")
            return
        _change(output, library, references, added, removed)


@click.group(
    invoke_without_command=True,
)
@json_option
@click.pass_context
def collection(ctx: click.Context) -> None:
    """List collections. A document can be in several; `webrag search --collection NAME` searches one."""
    if ctx.invoked_subcommand is None:
        with open_library() as library:
            _print_collections(ctx.ensure_object(Output), library)


@collection.command()
@click.argument("name")
@click.argument("references", nargs=-1, required=True, metavar="ID…")
@json_option
@pass_output
def add(output: Output, name: str, references: tuple[str, ...]) -> None:
    """Put documents into a collection, which comes into being by that."""
    with open_library() as library:
        _change(output, library, references, Labels.of(collections=[name]), NO_LABELS)


@collection.command()
@click.argument("name")
@click.argument("references", nargs=-1, required=True, metavar="ID…")
@json_option
@pass_output
def remove(output: Output, name: str, references: tuple[str, ...]) -> None:
    """Take documents out of a collection; they stay in the library."""
    with open_library() as library:
        _change(output, library, references, NO_LABELS, Labels.of(collections=[name]))


@collection.command()
@click.argument("name")
@click.option("--in", "parent", metavar="PARENT", help="Create it within this collection.")
@json_option
@pass_output
def create(output: Output, name: str, parent: str | None) -> None:
    """Create an empty collection. A search in a collection also searches those within it."""
    with open_library() as library:
        library.labels.create_collection(name, library.labels.find_collection(parent).id if parent else None)
        _print_collections(output, library)


@collection.command()
@click.argument("name")
@click.argument("new_name", metavar="NEW-NAME")
@json_option
@pass_output
def rename(output: Output, name: str, new_name: str) -> None:
    """Give a collection another name."""
    with open_library() as library:
        library.labels.rename_collection(library.labels.find_collection(name).id, new_name)
        _print_collections(output, library)


@collection.command()
@click.argument("name")
@click.option("--in", "parent", metavar="PARENT", help="Into this collection; without it, to the top.")
@json_option
@pass_output
def move(output: Output, name: str, parent: str | None) -> None:
    """Put a collection, with those within it, into another one or to the top."""
    with open_library() as library:
        found = library.labels.find_collection
        library.labels.nest_collection(found(name).id, found(parent).id if parent else None)
        _print_collections(output, library)


@collection.command()
@click.argument("name")
@click.argument("to", metavar="COLOUR", type=click.Choice([*COLLECTION_COLOURS, "none"]))
@json_option
@pass_output
def colour(output: Output, name: str, to: CollectionColour | Literal["none"]) -> None:
    """Give a collection a colour in the window, or none."""
    with open_library() as library:
        found = library.labels.find_collection(name)
        library.labels.colour_collection(found.id, None if to == "none" else to)
        _print_collections(output, library)


@collection.command()
@click.argument("name")
@json_option
@pass_output
def delete(output: Output, name: str) -> None:
    """Delete a collection. Its documents stay in the library, the collections within it move up."""
    with open_library() as library:
        library.labels.delete_collection(library.labels.find_collection(name).id)
        _print_collections(output, library)


def _change(
    output: Output, library: Library, references: Sequence[str], added: Labels, removed: Labels
) -> None:
    """Label documents, all that were named or none, and tell how they are labelled then."""
    found = {source.id: source for source in map(library.documents.find, references)}
    if added or removed:
        library.labels.change(list(found), added, removed)
    labelled = [(source, library.labels.of(source.id)) for source in found.values()]
    if output.as_json:
        output.documents([LabelledDocument.labelled(source, labels) for source, labels in labelled])
        return
    for source, labels in labelled:
        _say_labels(output, source, labels)


def _say_labels(output: Output, source: SourceRow, labels: Labels) -> None:
    output.say(Styled(name_of(source), bold=True))
    output.say("  tags         ", one_line(", ".join(labels.tags) or "none"))
    output.say("  collections  ", one_line(", ".join(labels.collections) or "none"))


def _print_collections(output: Output, library: Library) -> None:
    """Collections as a tree; as JSON in one list, each after the one it is in."""
    found = in_tree_order(library.labels.collections())
    if output.as_json:
        output.documents([row for row, _ in found])
        return
    if not found:
        output.say("There is no collection: `webrag collection create NAME`.")
    for row, level in found:
        said = f"  ({row.colour})" if row.colour else ""
        output.say(f"{row.documents:>6}  ", "  " * level, one_line(row.name), said)


def _print_all(output: Output, found: Sequence[LabelCount], none: str) -> None:
    if output.as_json:
        output.documents(found)
        return
    if not found:
        output.say(none)
    for count in found:
        output.say(f"{count.documents:>6}  ", one_line(count.name))
