"""``webrag open``: the place that a cite id or a link names, in the window or printed."""

from collections.abc import Iterator

import click

from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output, readable_address
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import PlaceReport
from webrag_desktop.cli.window_usage import run_window
from webrag_desktop.models.citations import CitedPlace, parse_link

_FACT_COLUMN = 11


@click.command("open", short_help="Open the place that a link names in the window, or print it.")
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
        output.document(PlaceReport.at(place))
    elif printed:
        _tell(output, place)
    else:
        return run_window(named.link)  # as we write it, whatever was given
    return 0


def _tell(output: Output, place: CitedPlace) -> None:
    output.say(Styled(one_line(place.title or readable_address(place.source_url)), bold=True))
    for name, value in _facts(place):
        output.say(f"{name:<{_FACT_COLUMN}}", one_line(value))
    output.say()
    output.say(place.text)


def _facts(place: CitedPlace) -> Iterator[tuple[str, str]]:
    yield "address", readable_address(place.source_url)
    if place.heading_path:
        yield "heading", " › ".join(place.heading_path)
    if place.page is not None:
        yield "page", str(place.page)
    older = "" if place.is_current else ", which the document does not show any more"
    yield "version", f"{place.version_number}{older}"
    yield "characters", f"{place.char_start} to {place.char_end}"
    yield "link", place.cite_id.link
