"""Waiting for a statement that another connection holds up."""

from psycopg import sql


def wait_until_blocked(table: str) -> sql.Composed:
    """Returns once somebody waits for a lock of that table; fails after half a minute."""
    return sql.SQL(
        """
        SET LOCAL statement_timeout = '30s';
        DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = {}::regclass AND NOT granted) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
        END $$;
        """
    ).format(sql.Literal(table))
