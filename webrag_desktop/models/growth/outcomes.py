"""What became of a page that a link led to."""

from typing import Literal

# "known": the library had it before, and links were followed from it; it was not fetched. "forbidden": the site's
# robots.txt asks not to fetch it.
VisitOutcome = Literal["known", "new", "unchanged", "changed", "failed", "forbidden"]
