"""The Map's texts: about pages, the state and end of an expansion, and links."""

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.map import (
    EarlierExpansion,
    EndReason,
    Limit,
    LinkedPage,
    LinkMap,
    MapPage,
    PageState,
    PageToFetch,
    ShownExpansion,
    SiteRule,
)
from webrag_desktop.gui.kit.quantities import counted, long_time, number, pages, passages
from webrag_desktop.gui.kit.theme.direction import isolated
from webrag_desktop.gui.kit.theme.tokens import Role

STATE_SIGNS: dict[PageState, tuple[str, Role]] = {
    "gave": ("text-quote", "text2"),
    "opened": ("check", "text3"),
    "waiting": ("circle-dashed", "accent_text"),
    "opening": ("circle-dot", "accent_text"),
    "failed": ("lock", "bad"),
}
STATES: tuple[PageState, ...] = ("gave", "opened", "waiting", "opening", "failed")


def column_names(column: int) -> tuple[str, str]:
    """The title of a column, and the small text beside it."""
    if column == 0:
        return _tr("Question"), ""
    beside = _tr("already in your library") if column == 1 else _tr("linked pages")
    return _tr("Depth {0}").format(number(column)), beside


def page_detail(page: MapPage) -> str:
    """The line under a page's label."""
    if page.state == "failed":
        return page.problem or _tr("Could not be opened")
    if page.state == "opened":
        return _tr("{0}, nothing found").format(isolated(page.host))
    return _tr("{0}, opening").format(isolated(page.host)) if page.state == "opening" else page.host


def state_words(page: MapPage) -> str:
    """What became of a page."""
    if page.state == "gave":
        return _tr("gave {0}").format(passages(page.passages)) if page.passages else _tr("gave passages")
    return {
        "opened": _tr("opened, nothing found"),
        "waiting": _tr("waits for your approval"),
        "opening": _tr("is being opened"),
        "failed": page.problem or _tr("could not be opened"),
    }[page.state]


def page_tooltip(page: MapPage) -> str:
    """All that is known of a page."""
    return f"{isolated(page.label)}\n{page.address}\n{state_words(page)}"


def page_sentence(page: MapPage) -> str:
    """A page as it is read out."""
    return ", ".join(part for part in (page.label, page.host, state_words(page)) if part)


def state_count(state: PageState, count: int) -> str:
    """``4 gave passages``."""
    said = {
        "gave": _tr("{0} gave passages"),
        "opened": _tr("{0} opened, nothing found"),
        "waiting": _tr("{0} wait for your approval") if count != 1 else _tr("{0} waits for your approval"),
        "opening": _tr("{0} being opened"),
        "failed": _tr("{0} could not be opened"),
    }
    return said[state].format(number(count))


def reach(shown: ShownExpansion) -> str:
    """``7 of 40 pages opened, depth 2 of 3``; empty where there is nothing to count."""
    if not shown.most_pages:
        return ""
    return _tr("{0} of {1} opened, depth {2} of {3}").format(
        number(shown.fetched), pages(shown.most_pages), number(shown.depth), number(shown.most_depth)
    )


def to_fetch_detail(found: int, ticked: int) -> str:
    """``4 found, 3 ticked``."""
    return _tr("{0} found, {1} ticked").format(number(found), number(ticked)) if found else ""


def fetch_words(ticked: int) -> str:
    """What the button says."""
    return _tr("Fetch {0}").format(pages(ticked)) if ticked else _tr("Fetch")


def candidate_sentence(page: PageToFetch, *, ticked: bool) -> str:
    """The accessible name of a row of the pages to fetch."""
    score = _tr("score {0}").format(f"{page.score:.2f}")
    parts = (
        page.title,
        page.why,
        page.host,
        page.kind,
        score,
        _tr("ticked") if ticked else _tr("not ticked"),
    )
    return ", ".join(part for part in parts if part)


RULES: tuple[SiteRule, ...] = ("ask", "fetch", "never")


def rule_words(rule: SiteRule) -> str:
    """A rule for a site."""
    return {
        "ask": _tr("Always ask"),
        "fetch": _tr("Fetch without asking"),
        "never": _tr("Never"),
    }[rule]


def standing(shown: ShownExpansion) -> tuple[str, str]:
    """The state of an expansion as a title and sentences."""
    title, sentence = _standing(shown)
    return title, " ".join(filter(None, (sentence, left_out_words(shown.left_out))))


def left_out_words(count: int) -> str:
    """That pages are not offered for their addresses; empty where there are none."""
    if not count:
        return ""
    return _tr("Left out: {0} whose addresses seem to go on without end.").format(pages(count))


def _standing(shown: ShownExpansion) -> tuple[str, str]:
    if not shown.question:
        return "", _tr("What may be fetched for a question is listed here, before anything is.")
    if shown.problem is not None:
        return shown.problem, shown.hint or _tr("Fetched pages are in your library.")
    if shown.stage == "listing":
        return _tr("Searching your library"), ""
    if shown.stage == "running":
        return _tr("Fetching and searching"), _tr("Fetched pages are kept, even if you stop.")
    if shown.to_fetch:
        kept = _tr(
            "Nothing is sent from this computer until you fetch. Each page is requested once and kept in Inbox."
        )
        return "", kept
    return _rest(shown)


def _rest(shown: ShownExpansion) -> tuple[str, str]:
    """The same where nothing runs and nothing is offered."""
    if shown.stage == "ended":
        return end_words(shown.reason, shown.limit_met), _tr("Fetched pages are in your library.")
    if shown.covered:
        return _tr("Your library covers this question."), shown.explanation
    return _tr("No page to follow."), shown.explanation or _tr("The pages found link to nothing new.")


def end_words(reason: EndReason | None, limit_met: Limit | None = None) -> str:
    """Why an expansion ended; None where it was cut off."""
    if reason is None:
        return _tr("Interrupted.")
    if limit_met is not None:
        return {
            "pages": _tr("The limit of pages was reached."),
            "seconds": _tr("The time limit was reached."),
            "bytes": _tr("The size limit was reached."),
        }[limit_met]
    return {
        "covered": _tr("The question is covered now."),
        "no_gain": _tr("The last pages added nothing new."),
        "limits": _tr("The limits were reached."),
        "stopped": _tr("Stopped."),
        "nothing_to_follow": _tr("There was no link left to follow."),
        "failed": _tr("It failed."),
    }[reason]


def earlier_words(earlier: EarlierExpansion) -> str:
    """A line of the menu of earlier expansions."""
    return _tr("{0}, {1}. {2}").format(
        long_time(earlier.started_at), pages(earlier.pages), end_words(earlier.reason)
    )


def link_detail(page: LinkedPage) -> str:
    """``4 link here, 7 onwards``."""
    return _tr("{0} in, {1} out").format(number(page.links_in), number(page.links_out))


def link_sentence(page: LinkedPage) -> str:
    """A page of the library among its links as it is read out."""
    links = _tr("{0} link to it, it links to {1}").format(pages(page.links_in), pages(page.links_out))
    return ", ".join(part for part in (page.label, page.host, links) if part)


def link_tooltip(page: LinkedPage) -> str:
    """The same when pointed at."""
    return f"{isolated(page.label)}\n{page.address}\n{link_detail(page)}"


def link_counts(shown: LinkMap) -> str:
    """``120 pages, 352 links in their texts``; empty where there are none."""
    if not shown.pages:
        return ""
    links = counted(len(shown.edges), _tr("link"), _tr("links"))
    where = (
        _tr("{0}, {1}, including menus and footers") if shown.navigation else _tr("{0}, {1} in their texts")
    )
    return where.format(pages(len(shown.pages)), links)


def no_links(shown: LinkMap) -> str:
    """Why there are none, and what to do."""
    if shown.navigation:
        return _tr("Add web pages that link to each other; this map then shows how.")
    return _tr("Add web pages whose texts link to each other; this map then shows how.")


def limited(count: int) -> str:
    """That a library is too large for one drawing."""
    return _tr("The {0} with the most links are shown; your library has more.").format(pages(count))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Map", text)
