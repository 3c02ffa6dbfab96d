"""The variables of the environment by which libpq, the driver's library, lets a user steer connections.

They have a say about a server that somebody else runs, and none about ours: there everything is known.
"""

import os
from collections.abc import Collection, Mapping
from functools import cache

from psycopg import pq

from webrag_desktop.stack.base import DatabaseAddress

# libpq tells those that stand for a keyword, and reads these besides (a test compares them with the library).
_WITHOUT_KEYWORD = (
    *("PGDATESTYLE", "PGGEQO", "PGLOCALEDIR", "PGOAUTHDEBUG", "PGREALM", "PGREQUIRESSL"),
    *("PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ"),
)

# A server that asks for no password is not ours. TLS, Kerberos and channel binding have no place on this computer.
_OURS: Mapping[str, str | int] = {
    "require_auth": "scram-sha-256",
    "sslmode": "disable",
    "gssencmode": "disable",
    "channel_binding": "disable",
    "client_encoding": "utf8",
    "options": "-c search_path=public",
}


@cache
def _keywords() -> Mapping[str, str]:
    """The keyword that each variable stands for, or none (an empty text)."""
    defaults = pq.Conninfo.get_defaults()
    told = {one.envvar.decode("ascii"): one.keyword.decode("ascii") for one in defaults if one.envvar}
    return dict.fromkeys(_WITHOUT_KEYWORD, "") | told


def libpq_variables() -> frozenset[str]:
    """Every variable that libpq reads."""
    return frozenset(_keywords())


def variables_given(besides: Collection[str] = ()) -> tuple[str, ...]:
    """Those of them that are set, by name, ``besides`` the ones whose keyword is among these."""
    set_ = (name for name in libpq_variables() if os.environ.get(name))
    return tuple(sorted(name for name in set_ if _keywords()[name] not in besides))


def address_of_ours(host: str, port: int, user: str, dbname: str, password: str) -> DatabaseAddress:
    """Where a server answers that we run; from here on no variable of libpq's is in this process's environment.

    Keywords alone would not do: an empty one counts as none, so that there is none against PGHOSTADDR or PGSERVICE.
    """
    for name in libpq_variables() & os.environ.keys():
        os.environ.pop(name, None)
    return DatabaseAddress(host, port, user, dbname, password, _OURS)
