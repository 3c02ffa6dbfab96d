"""Where an expansion ends; gathered from the settings and passed in."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_settings

MOST_PAGES = 10_000
MOST_DEPTH = 50  # links in a row; nobody looks further by hand
MOST_SECONDS = 86_400.0  # a day
MOST_BYTES = 1_000_000_000_000


@dataclass(frozen=True)
class ExpansionLimits:
    """Where an expansion ends, whatever it found; the ``EXPAND_*`` settings hold it.

    At most so many ``pages`` are fetched, ``bytes`` of them in all, within ``seconds``. ``depth`` is how many links
    lie between a page that the library had before and the furthest one that is followed. With ``same_site`` no link
    leads to another site than that of its page.
    """

    pages: int = bounded(20, least=1, most=MOST_PAGES)
    depth: int = bounded(2, least=1, most=MOST_DEPTH)
    seconds: float = bounded(120.0, above=0, most=MOST_SECONDS)
    bytes: int = bounded(50_000_000, least=1, most=MOST_BYTES)
    same_site: bool = True

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_settings(self, "EXPAND")
