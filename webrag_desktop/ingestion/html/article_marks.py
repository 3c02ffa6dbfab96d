"""How far a page says of itself that it is an article."""

from enum import IntEnum
from itertools import islice
from typing import Any

from turbohtml import Document

from webrag_desktop.ingestion.html.metadata import linked_objects, named_values

_MOST_OBJECTS = 1_000  # of linked data; what a page says of itself comes first
_KINDS = ("Article", "BlogPosting", "Report", "Review")  # ends of the kinds that schema.org knows
_NOT_PROSE = frozenset({"TechArticle", "APIReference"})
_SOCIAL = ("og:", "twitter:")
_BODY = "[itemprop~=articleBody]"


class Claim(IntEnum):
    """From nothing said, over tags for social networks, to an article or a post."""

    NONE = 0
    SHARED = 1
    SOCIAL = 2
    ARTICLE = 3


def article_claim(document: Document) -> Claim:
    """What the page's metadata claim; must be asked before the tree is cleaned.

    Tags for social networks say little: many sites call every page of theirs an article there.
    """
    named = named_values(document)
    if named.get("article:published_time") or document.select_one(_BODY) is not None:
        return Claim.ARTICLE
    if any(_is_article(item.get("@type")) for item in islice(linked_objects(document), _MOST_OBJECTS)):
        return Claim.ARTICLE
    if any(_is_article(part.attr("itemtype")) for part in document.select("[itemscope][itemtype]")):
        return Claim.ARTICLE
    if named.get("og:type", "").casefold() == "article":
        return Claim.SOCIAL
    return Claim.SHARED if any(name.startswith(_SOCIAL) for name in named) else Claim.NONE


def _is_article(kind: Any) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    names = (str(one).rpartition("/")[2] for one in kinds)
    return any(name.endswith(_KINDS) and name not in _NOT_PROSE for name in names)
