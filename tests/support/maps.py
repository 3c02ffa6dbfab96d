"""Expansions and links as the Map is given them: invented pages, and builders for many."""

from dataclasses import replace
from uuid import UUID

from tests.support.shown import QUESTION, named_id
from webrag_desktop.gui.data.map import LinkedPage, LinkMap, MapPage, PageState, PageToFetch, ShownExpansion
from webrag_desktop.gui.map.operations.link_map import lay_out


def page(
    address: str,
    label: str,
    state: PageState,
    parent: str | None = None,
    *,
    passages: int = 0,
    problem: str = "",
) -> MapPage:
    """A page of the map; one that was opened is a document."""
    host = address.partition("/")[0]
    is_there = state in {"gave", "opened"}
    return MapPage(
        f"https://{address}",
        None if parent is None else f"https://{parent}",
        label,
        host,
        state,
        passages,
        problem,
        named_id(address) if is_there else None,
    )


def offered(
    address: str, title: str, why: str, score: float, kind: str = "Web page", *, ticked: bool = True
) -> PageToFetch:
    """A page that may be fetched."""
    return PageToFetch(f"https://{address}", title, why, score, kind, address.partition("/")[0], ticked)


COILS, REPORT = "telegraphquarterly.net/coils", "archive.org/report"
SHORT, LOGS = "cablehistory.org/short", "cablehistory.org/logs"
APPENDIX, REPLY = "archive.org/details/jointcommittee/app9", "archive.org/details/recentphases"
LETTERS, DECK = "fieldphysics.org/letters/1858", "cablehistory.org/ships/agamemnon"
PAGES = (
    page(COILS, "Induction coils, re-examined", "gave", passages=4),
    page(REPORT, "Report of the Joint Committee on Submarine Telegraph Cables", "gave", passages=7),
    page(SHORT, "A short life of the 1858 cable", "gave", passages=3),
    page(LOGS, "Cable-ship logbooks: an index", "opened"),
    page("telegraphquarterly.net/bench", "Bench tests on shore ends", "gave", COILS, passages=2),
    page(REPLY, "Whitehouse’s reply, 1858", "waiting", COILS),
    page(APPENDIX, "Appendix 9: core samples", "waiting", REPORT),
    page(
        "cablehistory.org/minutes",
        "Minutes, Atlantic Telegraph Co.",
        "failed",
        REPORT,
        problem="Asks for a sign-in",
    ),
    page("cablehistory.org/1866", "How the 1866 cable was different", "opened", SHORT),
    page(LETTERS, "Thomson’s letters to the board", "waiting", SHORT),
    page(DECK, "HMS Agamemnon, deck log", "waiting", LOGS),
)
TO_FETCH = (
    offered(
        APPENDIX, "Appendix 9: core samples", "Linked as “the defective core, see Appendix 9”", 0.83, "PDF"
    ),
    offered(REPLY, "Whitehouse’s reply, 1858", "Cited 6 times in passages you were shown", 0.78),
    offered(LETTERS, "Thomson’s letters to the board", "Linked as “what Thomson told the directors”", 0.71),
    offered(DECK, "HMS Agamemnon, deck log", "Few shared terms: ship, cable", 0.34, "PDF", ticked=False),
)
ASKING = ShownExpansion(
    QUESTION,
    "asking",
    PAGES,
    TO_FETCH,
    fetched=7,
    most_pages=40,
    depth=2,
    most_depth=3,
    run_id=named_id("run"),
)
LIBRARY_PAGES = PAGES[:4]
PREVIEW = replace(
    ASKING,
    stage="preview",
    pages=tuple(one for one in PAGES if one in LIBRARY_PAGES or one.state == "waiting"),
    fetched=0,
    depth=1,
    run_id=None,
)
RUNNING = replace(
    ASKING,
    stage="running",
    pages=tuple(replace(one, state="opening") if one.state == "waiting" else one for one in PAGES),
    to_fetch=(),
)
ENDED = replace(
    ASKING,
    stage="ended",
    reason="limits",
    pages=tuple(one for one in PAGES if one.state != "waiting"),
    to_fetch=(),
    can_resume=True,
)
RIGHT_TO_LEFT = replace(
    ASKING,
    question="لماذا فشل كابل 1858 الأطلسي؟",
    pages=(
        page("مكتبة.مثال/الكابل", "تاريخ الكابل الأطلسي: ثلاثة أسابيع من الإشارات", "gave", passages=4),
        page("مكتبة.مثال/السفن", "سفن الكابلات", "opened"),
        page("מוזיאון.example/cable", "הכבל נפל בגלל מתח גבוה מדי: 2000 V", "waiting", "مكتبة.مثال/الكابل"),
        page("例え.jp/ケーブル", "大西洋電信ケーブルの歴史", "gave", "مكتبة.مثال/الكابل", passages=1),
    ),
    to_fetch=(offered("מוזיאון.example/cable", "הכבל נפל בגלל מתח גבוה מדי", "Linked as “המתח”", 0.66),),
)


def many(count: int) -> ShownExpansion:
    """An expansion of ``count`` pages over three columns, in all states."""
    states: tuple[PageState, ...] = ("gave", "opened", "opened", "waiting", "failed", "opening")
    pages: list[MapPage] = []
    for number in range(count):
        parent = None if number < 6 else f"site{(number // 7) % 6}.example/page/{number // 7}"
        state: PageState = "gave" if number < 6 else states[number % len(states)]
        pages.append(
            page(
                f"site{number % 6}.example/page/{number}",
                f"Page {number}: what was said of the cable that year",
                state,
                parent,
                passages=1 + number % 5 if state == "gave" else 0,
                problem="The site did not answer in 30 s" if state == "failed" else "",
            )
        )
    addresses = {one.address: f"site{at % 6}.example/page/{at}" for at, one in enumerate(pages)}
    by_number = list(addresses)
    placed = [
        one if number < 6 else replace(one, parent=by_number[number // 7]) for number, one in enumerate(pages)
    ]
    waiting = [one for one in placed if one.state == "waiting"]
    return replace(
        ASKING,
        pages=tuple(placed),
        to_fetch=tuple(
            PageToFetch(one.address, one.label, "Linked as “see also”", 0.9 - at / 100, "Web page", one.host)
            for at, one in enumerate(waiting[:50])
        ),
        fetched=count - len(waiting),
        most_pages=count,
        most_depth=6,
        depth=4,
    )


def links(count: int, sites: int = 12) -> LinkMap:
    """A library of ``count`` pages whose links go to pages nearby and to a few hubs."""
    pages = [
        LinkedPage(
            UUID(int=number + 1),
            f"Page {number} of the manual",
            f"site{(number * number) % sites}.example",
            f"https://site{(number * number) % sites}.example/{number}",
        )
        for number in range(count)
    ]
    edges = [
        (number, other)
        for number in range(count)
        for other in ((number + sites) % count, number // 9, (number * 7 + 3) % count)
    ]
    return lay_out(pages, edges)
