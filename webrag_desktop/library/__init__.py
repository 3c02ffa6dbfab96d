"""The one composition root: reads settings once and hands out finished parts."""

from webrag_desktop.library.from_settings import spool_of, worker_command
from webrag_desktop.library.opening import make_home, open_services, restore_library
from webrag_desktop.library.services import Services

__all__ = ["Services", "make_home", "open_services", "restore_library", "spool_of", "worker_command"]
