"""``verify_quote``: whether words stand in the library as they are quoted, and where."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.cursors import digest
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, harmless, name_of, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import CiteId
from webrag_desktop.models.quotes import QuotePlace, QuoteReport
from webrag_desktop.text.citation_formats import reference

_SAID = {
    "exact": "It stands there letter for letter.",
    "exact_as_rendered": "It reads the same there; only markup and spacing differ.",
    "near": "It does NOT stand there so; this is what is nearest. Do not quote it as it was given.",
    "none": "It stands nowhere in the library. Do not present it as a quotation.",
}

_TELLS = ("verified",)


class Difference(FrozenModel):
    """Where a near quotation and the stored text say something else."""

    quoted: str
    stored: str


class Place(FrozenModel):
    """Where the quotation stands, or what is nearest to it; ``verbatim`` is what stands there.

    ``is_current`` tells that the document shows this text.
    """

    cite: str
    grade: str
    title: str
    source_url: str
    is_current: bool
    section_heading: str | None = None
    differences: tuple[Difference, ...] = ()
    verbatim: str = ""
    part: list[int] | None = None


class VerifyReply(FrozenModel):
    """Whether a quotation may be shown as one."""

    grade: str
    verified: bool
    places: tuple[Place, ...] = ()
    more: int = 0
    notice: str
    cursor: str | None = None


def verify_quote_tool(calls: Calls) -> Tool:
    """The tool."""

    async def verify_quote(
        context: Context,
        quote: str,
        document: str | None = None,
        older_versions: bool = False,
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, VerifyReply]:
        """Where a quotation stands word for word. Verify before quoting."""

        def work(call: Call) -> Reply:
            report = call.library.quotes.verify(
                quote, document, older_versions=older_versions, cancel=call.cancel, progress=call.progress
            )
            return _reply(report)

        asked = {"quote": quote, "document": document, "older_versions": older_versions}
        return await calls.answer(context, "verify_quote", asked, work, max_tokens, cursor)

    return tool_of(verify_quote, _TELLS)


def _reply(report: QuoteReport) -> Reply:
    items = [_item(place) for place in report.places]
    facts: dict[str, Any] = {"grade": report.grade, "verified": report.is_verified}
    if report.more:
        facts["more"] = report.more
    said = f"{'Verified' if report.is_verified else 'Not verified'}: {report.grade}. {_SAID[report.grade]}"
    return Reply(facts, said, items, "places", digest([item.facts for item in items]))


def _item(place: QuotePlace) -> Item:
    name = name_of(place.title, place.source_url)
    heading = short_line(place.section_heading or "")
    cite = CiteId.of(place.version_id, place.char_start, place.char_end)
    differences = [
        Difference(quoted=harmless(one.quoted), stored=harmless(one.stored)) for one in place.differences
    ]
    facts = Place(
        cite=str(cite),
        grade=place.grade,
        title=name,
        source_url=place.source_url,
        is_current=place.shown,
        section_heading=heading or None,
        differences=tuple(differences),
    ).model_dump(mode="json", exclude_none=True)
    lines = [reference(name, heading, page=place.page), place.source_url]
    if not place.shown:
        lines.append(f"In version {place.version_number}, which the document does not show any more.")
    lines += [f"quoted “{short_line(one.quoted)}”, stored “{short_line(one.stored)}”" for one in differences]
    return Item(facts, "\n".join(lines), harmless(place.verbatim), "verbatim", cite)
