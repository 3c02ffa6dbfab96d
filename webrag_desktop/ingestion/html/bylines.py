"""Authors named in a page's body: by its marks (microdata, microformats, ``rel=author``) and by the words of a byline.

A page of several articles names the authors of each; none of them is the page's.
"""

import re
from collections.abc import Iterator, Sequence, Set

from turbohtml import Document, Element

_LONGEST = 200  # characters of a byline
_MARKED = (
    "[itemprop~=author],[itemprop~=creator]",
    ".h-card.p-author,.p-author,.vcard .fn,.hcard .fn",
    "a[rel~=author],span[rel~=author],[rel~=author]",
)
_BYLINES = (
    ".byline-name,.byline__name,.author-name,.author__name,.entry-author-name,.article-author-name,.post-author-name,"
    ".byline-author,.byline__author,.article__author,.article-author,.post-author,.entry-author,.story-author,"
    ".blog-author,.news-author,.contributor-name,.ArticleAuthor,.author-link,.authorName",
    ".byline,.by-line,.Byline,.c-byline,.article-byline,.post-byline,.entry-byline,.story-byline,.article__byline,"
    "[class*=byline i],[id*=byline i],.dateline",
    ".author,.authors,#author,.writer,.posted-by,.postedby,.post-meta .by,address.author,.meta-author,.autor,.auteur,"
    "[data-testid*=author i]",
)
# What each of these has a part of; a page is asked for this once, since every selector is asked of every element.
_LIKELY = (
    "[class*=aut i],[class*=by i],[id*=aut i],[id*=byline i],[rel*=author],[itemprop~=author],[itemprop~=creator],.fn,"
    ".writer,.contributor-name,.dateline,[data-testid*=author i],address"
)
_NAME_INSIDE = "[itemprop~=name],.fn,.p-name,.name,a[rel~=author],.author-name"
_ELSEWHERE = (
    "aside,nav,footer,[itemprop=comment],[itemtype$=Comment],.comment,.comments,.comment-body,#comments,"
    "#disqus_thread,blockquote,pre,table.infobox,"
    ":is([class*=related i],[class*=recommend i],[class*=comment i],[class*=sidebar i],[id*=sidebar i],"
    "[id*=comment i],[class*=teaser i],[class*=popular i],[class*=trending i],"
    "[class*=more-stor i],[class*=more-from i],[class*=read-more i],[class*=promo i]):not(html,body,main,article)"
)
_ARTICLE = "article,.post,.hentry,.h-entry,[itemtype$=Article],[itemtype$=BlogPosting]"
_TEXTS = frozenset(
    "p div span address li small em i b strong h2 h3 h4 h5 h6 dd td font cite time".split(),
)
_MOST_TEXTS = 25  # behind the headline
_SPOKEN = re.compile(
    r"^\W*(?:(?:written|posted|words|story|text|article|reported)?\s*by|author\(?s?\)?:|von|par|por|text:|autor:|"
    r"auteur\s*:|作者|文[:：／/])\s*[:：]?\s*\S",
    re.IGNORECASE,
)
_FEWEST_OF_SENTENCE = 4  # words in small letters
_CAPITAL = re.compile(r"(?i:by|von|par|por)\s+[^\W\d_a-zà-ÿ]")


class NamedPlaces:
    """The elements of a page that are marked or named as where its authors stand, found in one walk over it."""

    def __init__(self, document: Document) -> None:
        """Look through a page; must be done before the tree is cleaned."""
        found = document.select(_LIKELY)
        self._found = [one for one in found if one.tag not in {"meta", "link", "body", "html"}]

    def marked(self) -> list[str]:
        """What elements that are marked as authors say, in order; empty where none or several articles' are marked."""
        return self._first(_MARKED)

    def named(self) -> list[str]:
        """What an element says that is named as a byline."""
        return self._first(_BYLINES)

    def _first(self, selectors: Sequence[str]) -> list[str]:
        groups = ([one for one in self._found if one.matches(selector)] for selector in selectors)
        return next(filter(None, map(_names, groups)), [])


def _names(found: Sequence[Element]) -> list[str]:
    own = [one for one in found if one.closest(_ELSEWHERE) is None and 1 < len(one.text.strip()) <= _LONGEST]
    among = {*own}
    outer = [one for one in own if not _is_inside(one, among)]
    if not outer or _are_of_several(outer):
        return []
    first = outer[0]
    place = _place(first)
    return [
        _name_of(one) for one in outer if one == first or (place is not None and _is_inside(one, {place}))
    ]


def _is_inside(one: Element, others: Set[Element]) -> bool:
    return any(around in others for around in one.ancestors)


def _place(first: Element) -> Element | None:
    """The element around a first name that holds those of the others: of a line, not of the whole page."""
    for above in list(first.ancestors)[:3]:
        if isinstance(above, Element) and len(above.text) > 3 * _LONGEST:
            return None
        if isinstance(above, Element) and above.tag not in {"li", "span", "a", "dd"}:
            return above
    return None


def _are_of_several(found: Sequence[Element]) -> bool:
    """Whether articles of a list are named: several, of which the first is not the one with the headline."""
    articles = [article for one in found if (article := one.closest(_ARTICLE)) is not None]
    return len({*articles}) > 1 and articles[0].select_one("h1") is None


def _name_of(element: Element) -> str:
    """The words of a name; what is marked as the name within it alone, where there is one such mark."""
    inside = [one for one in element.select(_NAME_INSIDE) if one.text.strip()]
    if element.attr("itemprop") and inside:
        names = [one.text for one in inside if one.tag != "meta"]
        return "; ".join(dict.fromkeys(" ".join(name.split()) for name in names))
    return element.text


def spoken_authors(document: Document, headlines: Sequence[Element]) -> Iterator[str]:
    """The first line below the headline that begins as a byline does."""
    headline = headlines[0] if headlines else document.select_one("h1")
    if headline is None:
        return
    seen = 0
    for one in headline.following:
        if not isinstance(one, Element) or one.tag not in _TEXTS:
            continue
        text = " ".join(one.text[: 2 * _LONGEST].split())
        if not text or len(text) > _LONGEST:
            continue
        seen += 1
        if seen > _MOST_TEXTS:
            return
        home = one.closest(_ARTICLE)
        if home is not None and not _is_inside(headline, {home}):
            continue  # a teaser of another page
        begins = _SPOKEN.match(text) and (not text[:3].isascii() or ":" in text[:12] or _CAPITAL.search(text))
        if begins and not _is_sentence(text) and one.closest(_ELSEWHERE) is None:
            yield one.text
            return


def _is_sentence(text: str) -> bool:
    """Whether a line is one of the text that happens to begin as a byline does: “By Monday, the water was gone.”"""
    return (
        text.endswith((".", "!", "?", "…", ":"))
        and sum(map(str.islower, text.split())) >= _FEWEST_OF_SENTENCE
    )
