"""The shape of every ``--json`` document; ``docs/cli.md`` explains each field."""
