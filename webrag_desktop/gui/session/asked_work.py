"""Work on the library, as it was asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:
    from webrag_desktop import Library


@dataclass(frozen=True, slots=True)
class AskedWork:
    """What :meth:`LibrarySession.call` was given; kept while the library is not open."""

    work: Callable[["Library", Task], Any]
    on_success: Callable[[Any], None]
    on_error: Callable[[Exception], None] | None
    on_step: Callable[[Step], None] | None
    on_cancel: Callable[[], None] | None
    replaces: str
    essential: bool
    repeat: bool
    own_thread: str
    token: CancelToken = field(default_factory=CancelToken)
