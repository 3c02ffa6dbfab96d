"""What the blocks of a page may show, asked of the whole page once, so that not every block is looked through."""

from collections.abc import Sequence

from turbohtml import Element

from webrag_desktop.ingestion.content_flags import Signs, names_admonition
from webrag_desktop.ingestion.html.names import PageNames

# Each finds at least the pages in which content_flags would find something.
_TEXT_LIKE_TAGS = ("xmp", "plaintext", "noembed", "noframes")  # what stands in these is written as it is
_MATH = ("math", "webrag-math", *_TEXT_LIKE_TAGS)
_ADMONITIONS = ("[role=note]", *_TEXT_LIKE_TAGS)
_CLASSES_OF_MATH = ("math", "katex")


def signs_of(root: Element, names: PageNames) -> Signs:
    """What may stand in the HTML of the blocks of a tree, which is all or a part of the page with these ``names``."""
    return Signs(
        names.any_class(_may_be_math) or _holds_any(root, _MATH),
        names.any_class(names_admonition) or _holds_any(root, _ADMONITIONS),
    )


def _holds_any(root: Element, selectors: Sequence[str]) -> bool:
    """Asked one by one: elements of one name are found by an index, those of a list by a walk over the tree."""
    return any(root.select_one(selector) is not None for selector in selectors)


def _may_be_math(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _CLASSES_OF_MATH)
