"""Whether the statements of a search are planned for their values, or once for all questions.

What is the same for every question is planned once; PostgreSQL does so anew when its statistics change. Filters and
nearest vectors are planned each time, since a plan for any value may leave the index of the vectors aside.
"""

from webrag_desktop.storage.database import Connection

# What the server calls them.
ONCE, ANEW = "force_generic_plan", "force_custom_plan"


def plan_once(conn: Connection) -> None:
    """What follows in this transaction is planned once for all values, where it is prepared."""
    conn.execute(_SET_MODE, [ONCE], prepare=True)


def plan_anew(conn: Connection) -> None:
    """What follows in this transaction is planned for its values."""
    conn.execute(_SET_MODE, [ANEW], prepare=True)


_SET_MODE = b"SELECT set_config('plan_cache_mode', %s, true)"
