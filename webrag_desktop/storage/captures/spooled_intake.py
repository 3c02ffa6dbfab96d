"""One thing that waits beside the database to be taken in, as it is written to its file."""

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.sources import SourceKind


class SpooledIntake(FrozenModel):
    """Something the user gave: an address to fetch, or a file already read (``capture`` is then set); its labels.

    ``depth`` is how many links it is away from what the user chose himself.
    """

    kind: SourceKind
    url: str
    url_key: str
    capture: Capture | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    depth: int = Field(default=0, ge=0)
