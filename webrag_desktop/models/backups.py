"""Backups: the manifest of the file, and the results of saving and restoring."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from webrag_desktop.models.base import FrozenModel

FORMAT_VERSION = 1


class Member(FrozenModel):
    """One member of the file; size and hash are those of its content, not of what compressing made of it."""

    name: str
    size: int
    sha256: str


class Column(FrozenModel):
    """A column as the database names its type."""

    name: str
    type: str


class TableContent(FrozenModel):
    """All rows of one table in PostgreSQL's binary COPY format; ``next_ids`` are its counters by column."""

    name: str
    columns: tuple[Column, ...]
    rows: int
    next_ids: dict[str, int]
    content: Member


class AppliedMigration(FrozenModel):
    """A step of the schema that the saved library had."""

    number: int
    checksum: str


class Manifest(FrozenModel):
    """What a backup holds. ``settings`` are those of the settings file that are no secrets, for people to read.

    ``in_bin`` counts the sources in the bin; of a library older than its bin that is 0.
    """

    format: Literal["webrag-backup"] = "webrag-backup"
    format_version: int = FORMAT_VERSION
    program: str
    made_at: datetime
    reason: str
    server: str
    migrations: tuple[AppliedMigration, ...]
    tables: tuple[TableContent, ...]
    intake: tuple[Member, ...]
    settings: dict[str, str]
    in_bin: int = 0

    @property
    def held(self) -> int:
        """How many documents there are, as the window counts them: with or without a text, but not in the bin."""
        return self.rows("sources") - self.in_bin

    @property
    def without_text(self) -> int:
        """How many of those have no text yet; what is in the bin has none at all."""
        return self.held - self.rows("documents")

    @property
    def schema_number(self) -> int:
        """The last step of the schema that the saved library had."""
        return max((migration.number for migration in self.migrations), default=0)

    def rows(self, table: str) -> int:
        """How many rows of a table are saved."""
        return sum(one.rows for one in self.tables if one.name == table)

    @property
    def members(self) -> tuple[Member, ...]:
        """Everything beside the manifest."""
        return (*(table.content for table in self.tables), *self.intake)


class ManifestHead(FrozenModel):
    """The fields that every version of the format has."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal["webrag-backup"]
    format_version: int
    program: str


@dataclass(frozen=True, slots=True)
class SavedLibrary:
    """A backup: its path, its size in bytes, and its manifest."""

    path: Path
    size: int
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class RestoredLibrary:
    """What was restored; ``former`` is the copy of the library whose place it took, None if that was empty.

    ``migrated`` are the steps that brought it up to date, ``intake`` counts what waits to be taken in with it.
    """

    manifest: Manifest
    former: SavedLibrary | None
    migrated: tuple[int, ...]
    intake: int
