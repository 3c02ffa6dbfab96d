"""A process that uses the embedded stack until its input ends: ``python stack_user.py HOME GRACE``.

It prints one line of JSON, ``{"server": PID, "version": …}`` or ``{"error": …, "hint": …}``, and then answers
each line of input with the number of vectors it finds in the table ``kept`` (which it makes).
"""

import json
import os
import sys
from pathlib import Path

import psycopg

from tests.support.server import SURVIVES_KILLS
from webrag_desktop.errors import StackError
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import running_server


def main(home: str, grace: str) -> None:
    stack = EmbeddedStack(StackOptions(home=Path(home), grace=float(grace)), SURVIVES_KILLS)
    try:
        address = stack.open()
    except StackError as error:
        say({"error": error.message, "hint": error.hint})
        return
    server = running_server(Layout.of(Path(home)))
    say({"server": server.pid if server else 0, "uid": os.geteuid()})
    with psycopg.Connection.connect(**address.keywords(), autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute("CREATE TABLE IF NOT EXISTS kept (v vector(3))")
        for _ in sys.stdin:
            connection.execute("INSERT INTO kept VALUES ('[1,2,3]')")
            row = connection.execute("SELECT count(*) FROM kept").fetchone()
            say({"count": row[0] if row else None})
    stack.close()


def say(answer: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
