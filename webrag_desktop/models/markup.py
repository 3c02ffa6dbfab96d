"""Pages and stylesheets made harmless, as they come out of the reading process."""

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.subresources import SubresourceKind


class Reference(FrozenModel):
    """Where a page or a stylesheet refers to: an absolute web address without its fragment."""

    url: str
    kind: SubresourceKind


class Markup(FrozenModel):
    """A page or a stylesheet that runs nothing and loads nothing but what is named by ``name_of`` its address.

    ``references`` are those addresses, each once, stylesheets first.
    """

    text: str
    references: tuple[Reference, ...] = ()
