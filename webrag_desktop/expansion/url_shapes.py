"""Addresses that differ only in what a trap counts up: dates, numbers, sessions, orders, repeated folders.

A calendar links to every day there will be, a shop to every choice of its filters, a broken link to /a/a/a. Whoever
follows links visits only a few pages of such a shape. A plain number is no trap: it may be the name of a page.
"""

import re
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from webrag_desktop.ingestion.addresses import only_tracks

MOST_OF_A_SHAPE = 4  # pages of the usual twenty: enough to see whether such pages help
MOST_NUMBERED = 10  # of them whose addresses differ in plain numbers alone
LONGEST_PATH = 12  # segments; sites that people made are not so deep

NUMBER, DATE, ID, VALUE, AGAIN = "{number}", "{date}", "{id}", "{value}", "{again}"
_PLACEHOLDER = re.compile(r"\{(?:number|date|id|value|again)\}")

# Parameters of the same page: who asks for it, in which order, or where to go from there.
_SAME_PAGE = frozenset(
    """
    sid sessid sessionid session_id phpsessid jsessionid aspsessionid cfid cftoken zenid oscsid csrf nonce
    sort sortby sort_by sortorder sort_order orderby order_by asc desc
    print printable highlight limit per_page perpage pagesize page_size
    replytocom share returnto return_to returnurl redirect_to redirect_uri referer referrer
    """.split()
)
# Parameters that may be the same page in another layout, or pages of their own: a few are visited to see.
_LAYOUT = frozenset(
    """
    order dir direction view display layout theme mode preview session token return redirect continue next
    """.split()
)
_DATE_NAMES = frozenset("date day week month year yr mo time timestamp".split())
_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?]*|/\([A-Z]\([^/()]*\)\)", re.IGNORECASE)

# No part of these can be read in two ways: addresses are hostile, and backtracking would never end.
_YEAR, _MONTH, _DAY = r"(?:19|20|21)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_TIME = r"(?:[t\ ]\d\d[:.]?\d\d(?:[:.]?\d\d)?(?:\.\d{1,9})?(?:z|[-+\ ]\d\d:?\d\d)?)?"
_DATE = re.compile(
    rf"""(?<![^\W_])(?:
    {_YEAR}[-_]{_MONTH}(?:[-_]{_DAY}{_TIME})? | {_YEAR}[.]{_MONTH}[.]{_DAY} | {_DAY}[-_.]{_MONTH}[-_.]{_YEAR}
    | {_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]){_TIME} | {_YEAR}-?w\d\d?(?:-\d)? | {_YEAR}-?q[1-4]
    | {_NAME}[-_.]?(?:{_DAY}[-_.])?{_YEAR} | {_DAY}[-_.]?{_NAME}(?:[-_.]?{_YEAR})?
    | {_YEAR}[-_.]?{_NAME}(?:[-_.]?{_DAY})?
    )(?![^\W_])""",
    re.IGNORECASE | re.VERBOSE,
)
_IS_YEAR, _IS_MONTH, _IS_DAY = (
    re.compile(one, re.IGNORECASE) for one in (_YEAR, f"{_MONTH}|{_NAME}", r"\d\d?")
)
_NUMBERS = re.compile(r"\d+(?:[-_.:,tz]\d+)*z?", re.IGNORECASE)
_NAMED_NUMBER = re.compile(r"(?:[-_.]?[^\W\d_]+[-_.]?\d+){1,2}(?:[-_.]\d+)*")  # ch01s02, photo-0001, page-3.2
_DIGITS = re.compile(r"\d+")
_ID = re.compile(r"(?=\D*\d)(?:[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
_TOKEN = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9]{16,}")
_MANY_PARAMETERS = 2  # more are filters put together


def url_shape(url: str) -> str:
    """The address with a placeholder for each part that a trap counts up, and without what leads to the same page.

    ``/node/17`` becomes ``/node/{number}``, ``/calendar/2024/05`` ``/calendar/{date}/{date}``, ``/a/a/a``
    ``/a/{again}``; session ids, sorting and tracking parameters, fragment, scheme and a slash at the end are dropped.
    Of one parameter the words of its value stay, since ``?title=Cable`` is a page; of two only their names, unless both
    are numbers; of many nothing.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    segments = [segment for segment in _SESSION.sub("", parts.path).split("/") if segment]
    path = "/".join(_without_repetition(_shapes([unquote(segment) for segment in segments])))
    query = _query_shape(parts.query)
    return f"{parts.netloc.rpartition('@')[2].lower()}/{path}{'?' if query else ''}{query}"


def most_of(shape: str, most: int = MOST_OF_A_SHAPE, numbered: int = MOST_NUMBERED) -> int:
    """How many pages of a shape are visited: ``most``, or as many as ``numbered`` where only plain numbers differ.

    One where nothing in it was counted up: all addresses of that shape are one page.
    """
    found = set(_PLACEHOLDER.findall(shape))
    if not found:
        return 1
    return numbered if found == {NUMBER} else most


def _shapes(segments: list[str]) -> list[str]:
    """Each segment by itself, but year, month and day as a date, also where they are folders of their own."""
    shapes = [_shape(segment) for segment in segments]
    stems = [segment.partition(".")[0] for segment in segments]
    for at, (one, other) in enumerate(pairwise(stems)):
        if shapes[at] == DATE and _IS_DAY.fullmatch(other):
            shapes[at + 1] = DATE
        elif _are_year_and_month(one, other) or _are_year_and_month(other, one):
            shapes[at] = shapes[at + 1] = DATE
    return shapes


def _are_year_and_month(one: str, other: str) -> bool:
    return bool(_IS_YEAR.fullmatch(one) and _IS_MONTH.fullmatch(other))


def _shape(part: str) -> str:
    """A segment or value with a placeholder where it says nothing but which one of many."""
    stem, dot, ending = part.partition(".")
    name, rest = (stem, dot + ending) if dot and ending.isalpha() else (part, "")
    if not name.isdigit() and (_ID.fullmatch(name) or _TOKEN.fullmatch(name)):
        return ID + rest
    if (dated := _DATE.sub(DATE, name)) != name:
        return dated + rest
    if _NUMBERS.fullmatch(name):
        return NUMBER + rest
    return (_DIGITS.sub(NUMBER, name) if _NAMED_NUMBER.fullmatch(name) else name) + rest


def _without_repetition(segments: list[str]) -> list[str]:
    """Folders that repeat those right before them, once; and what is deeper than any site, as one."""
    kept: list[str] = []
    for segment in segments:
        if len(kept) > LONGEST_PATH:
            return [*kept[:LONGEST_PATH], AGAIN]
        kept.append(segment)
        for length in range(1, len(kept) // 2 + 1):
            if kept[-length:] == kept[-2 * length : -length] and not all(
                map(_PLACEHOLDER.search, kept[-length:])
            ):
                kept[-length:] = [AGAIN]
                break
            if kept[-1 - length] == AGAIN and kept[-2 * length - 1 : -length - 1] == kept[-length:]:
                del kept[-length:]
                break
    return kept


def _query_shape(query: str) -> str:
    pairs = sorted(
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if name.lower() not in _SAME_PAGE and not only_tracks(name)
    )
    if len(pairs) > _MANY_PARAMETERS:
        return VALUE
    shapes = [(name, _value_shape(name.lower(), value)) for name, value in pairs]
    if len(shapes) > 1 and any(shape != NUMBER for _, shape in shapes):
        shapes = [(name, VALUE) for name, _ in shapes]
    return "&".join(f"{name}={shape}" for name, shape in shapes)


def _value_shape(name: str, value: str) -> str:
    shape = DATE if name in _DATE_NAMES and _DIGITS.search(value) else _shape(value)
    return VALUE if name in _LAYOUT and shape != NUMBER else shape
