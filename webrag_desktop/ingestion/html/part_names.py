"""What the class and the id of a part of a page say of it: the text itself, or something beside it."""

import re
from enum import IntEnum
from functools import lru_cache
from itertools import islice

from turbohtml import Element

from webrag_desktop.ingestion.html.segments import HEADINGS


class Part(IntEnum):
    """Kinds of parts, from what belongs to no article to what names itself the text of one."""

    COMMENTS = -3
    BESIDE = -2  # teasers, advertisements, columns, boxes about the author
    CONTROLS = -1  # what is no text as long as it is short: tags, buttons, dates
    UNNAMED = 0
    TEXT = 1


_WHOLE = frozenset({"html", "body", "main"})  # their names tell of the layout
_LONGEST = 300  # characters of names that are looked at
_NEAR = 10  # nodes before and behind a part
# Names are cut where small letters end ("relatedPosts"); "has-sidebar" tells of another part than the one it names.
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_ANOTHER = re.compile(r"\b(?:has|no|not|with|without|is)-[\w-]+")


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\s_-])(?:{words})(?![^\s_-])")


_COMMENTS = _any_of(
    r"comments?|comment-?\w+|respond|disqus\w*|trackbacks?|pingbacks?|kommentar\w*|commentaires?|coment[aá]rios?|commenti"
)
_BESIDE = _any_of(
    r"related\w*|recommend\w*|recirc\w*|outbrain\w*|taboola\w*|zergnet|more-?(?:from|stories|news|on|articles|links|like)|"
    r"(?:read|see)-?(?:next|also)|also-?(?:on|read)|you-?may-?(?:also-?)?like|most-?(?:read|popular|viewed|shared|recent)|"
    r"popular|trending|top-?stories|latest-?\w+|promo\w*|sponsor\w*|advert\w*|ads?|newsletters?|subscri\w*|sign-?up|"
    r"side-?bar\w*|widgets?|(?:left|right)-?(?:bar|rail|col|column)|rail|footer|author|author-?\w+|"
    r"about-?(?:the-?)?author|bio|teasers?|cookies?|cookie-?\w+|consent|gdpr|popup|modal|poll|copyright|sitemap|verwandte\w*|aehnliche\w*|weitere-?\w*|mehr-?zum-?thema|"
    r"relacionad[oa]s?|similaires|a-?lire-?aussi|correlati|anzeigen?|werbung|publicit[eé]|publicidad"
)
_CONTROLS = _any_of(
    r"shar(?:e|es|ing)\w*|social\w*|tags?|tag-?list|keywords|breadcrumbs?|pag(?:er|ination)|nav\w*|menu|toolbar|tools|"
    r"masthead|print|login|register|rating|votes?|follow\w*|banner|paywall|disclaimer|meta|byline|dateline|timestamp|"
    r"credit|next|prev|previous|read-?more|post-?navigation|foot|post-?footer|buttons?|controls|teilen|compartir|partager"
)
_TEXT = re.compile(r"article|(?<![^\s_-])post|entry|story|content|text|body|main|blog|hentry|prose")
_AROUND = re.compile(r"article|content|story|entry|main|(?<!re)post|body|column")


def part_of(element: Element) -> Part:
    """The kind of a part by its class and id, or by its element's name.

    An id that a program made of the heading of a section, as it did beside it, says what the text there is about.
    """
    if element.tag in _WHOLE:
        return Part.UNNAMED
    if element.tag == "article":
        return Part.TEXT
    part = _part_named(_names(element))
    if part < Part.UNNAMED and _is_named_by_heading(element) and _is_among_sections(element):
        return _part_named((element.attr("class") or "")[:_LONGEST])
    return part


def _is_named_by_heading(element: Element) -> bool:
    name = element.attr("id")
    first = next((child for child in element.children if isinstance(child, Element)), None) if name else None
    if first is None or first.tag not in HEADINGS or len(first.text) > _LONGEST:
        return False
    return _letters(name or "") == _letters(first.text) != ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _is_among_sections(element: Element) -> bool:
    """Whether a part beside it is named by its heading, too, with a name that could be no other part's."""
    near = [*islice(element.next_siblings, _NEAR), *islice(element.previous_siblings, _NEAR)]
    return any(
        one.tag == element.tag and _part_named(_names(one)) >= Part.UNNAMED and _is_named_by_heading(one)
        for one in near
        if isinstance(one, Element)
    )


def may_hold_text(element: Element) -> bool:
    """Whether a part that is named like something beside the text is named like what is around both, too."""
    return _AROUND.search(_names(element).lower()) is not None


def _names(element: Element) -> str:
    return f"{element.attr('class') or ''} {element.attr('id') or ''}"[:_LONGEST]


@lru_cache(maxsize=4096)
def _part_named(names: str) -> Part:
    names = _OF_ANOTHER.sub(" ", _HUMP.sub("-", names).lower())
    for part, pattern in (
        (Part.COMMENTS, _COMMENTS),
        (Part.BESIDE, _BESIDE),
        (Part.CONTROLS, _CONTROLS),
        (Part.TEXT, _TEXT),
    ):
        if pattern.search(names):
            return part
    return Part.UNNAMED
