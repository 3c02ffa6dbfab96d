"""Write ``schema.sql`` again from the migrations: ``python -m tests.support.write_schema``."""

from tests.support.schema import SCHEMA_FILE, dump_schema
from tests.support.server import running_server
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema

HEADER = "-- The whole schema, for reading: what the migrations add up to. Written by `make schema`, never by hand.\n\n"


def main() -> None:
    """Migrate an empty database and dump what came of it."""
    with running_server() as server:
        address = server.keywords()
        conn = Database.plain_connection(address)
        init_schema(conn)
        conn.close()
        SCHEMA_FILE.write_text(HEADER + dump_schema(address), encoding="utf-8")


if __name__ == "__main__":
    main()
