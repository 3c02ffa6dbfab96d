"""What the blocks of a page may show, asked of the whole page once, so that not every block is looked through."""

from turbohtml import Element

from webrag_desktop.ingestion.content_flags import Signs, names_admonition
from webrag_desktop.ingestion.html.names import PageNames

# Each finds at least the pages in which content_flags would find something.
_TEXT_LIKE_TAGS = "xmp,plaintext,noembed,noframes"  # what stands in these is written as it is
_MATH = f"math,webrag-math,{_TEXT_LIKE_TAGS}"
_ADMONITIONS = f"[role=note],{_TEXT_LIKE_TAGS}"
_CLASSES_OF_MATH = ("math", "katex")


def signs_of(root: Element, names: PageNames) -> Signs:
    """What may stand in the HTML of the blocks of a tree, which is all or a part of the page with these ``names``."""
    return Signs(
        names.any_class(_may_be_math) or root.select_one(_MATH) is not None,
        names.any_class(names_admonition) or root.select_one(_ADMONITIONS) is not None,
    )


def _may_be_math(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _CLASSES_OF_MATH)
