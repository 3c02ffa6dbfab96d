"""The shape of the ``--json`` documents about saving, restoring and mending; ``docs/cli.md`` explains each field."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self
from uuid import UUID

from webrag_desktop.cli.output import SHOWN_ID
from webrag_desktop.models.base import FrozenModel

if TYPE_CHECKING:  # every command loads this module
    from webrag_desktop.models.backups import Manifest, RestoredLibrary
    from webrag_desktop.models.checks import ConcernedDocument, Repair


class BackupReport(FrozenModel):
    """The document of ``backup``; ``rows`` counts what is in each table, ``waiting`` what was not taken in yet."""

    file: str
    size: int
    made_at: datetime
    schema_number: int
    documents: int
    sources: int
    rows: dict[str, int]
    waiting: int

    @classmethod
    def of(cls, path: Path, size: int, manifest: "Manifest") -> Self:
        """The report on a backup that was written."""
        return cls(
            file=str(path),
            size=size,
            made_at=manifest.made_at,
            schema_number=manifest.schema_number,
            documents=manifest.rows("documents"),
            sources=manifest.rows("sources"),
            rows={table.name: table.rows for table in manifest.tables},
            waiting=len(manifest.intake),
        )


class RestoreReport(FrozenModel):
    """The document of ``restore``; with ``only_checked`` nothing was done.

    ``former`` is where the library is kept whose place was taken, ``migrated`` the steps of the schema that followed.
    """

    file: str
    only_checked: bool
    made_at: datetime
    program: str
    schema_number: int
    documents: int
    sources: int
    waiting: int
    former: str | None
    migrated: tuple[int, ...]
    settings: dict[str, str]

    @classmethod
    def of(cls, path: Path, restored: "RestoredLibrary") -> Self:
        """The report on a library that was restored."""
        former = None if restored.former is None else str(restored.former.path)
        changes = {"only_checked": False, "former": former, "migrated": restored.migrated}
        return cls.checked(path, restored.manifest).model_copy(update=changes)

    @classmethod
    def checked(cls, path: Path, manifest: "Manifest") -> Self:
        """The report on a backup that was only read."""
        return cls(
            file=str(path),
            only_checked=True,
            made_at=manifest.made_at,
            program=manifest.program,
            schema_number=manifest.schema_number,
            documents=manifest.rows("documents"),
            sources=manifest.rows("sources"),
            waiting=len(manifest.intake),
            former=None,
            migrated=(),
            settings=manifest.settings,
        )


class Concerned(FrozenModel):
    """A document that damage is about; title and address are null where they are not known."""

    id: UUID
    source_url: str | None
    title: str | None

    @classmethod
    def of(cls, document: "ConcernedDocument") -> Self:
        """The shape of a document."""
        return cls(id=document.id, source_url=document.address, title=document.title)


class RepairItem(FrozenModel):
    """What was done about one damage, or why nothing could be; ``subject`` is an id, a table or a count of rows.

    ``document`` is the one that it is about, ``command`` what goes on from there; null where there is none.
    """

    check: str
    subject: str
    mended: bool
    told: str
    document: Concerned | None
    command: str | None

    @classmethod
    def of(cls, repair: "Repair") -> Self:
        """The item about one repair."""
        return cls(
            check=repair.check,
            subject=repair.subject,
            mended=repair.mended,
            told=repair.told,
            document=None if repair.document is None else Concerned.of(repair.document),
            command=_command(repair),
        )


def _command(repair: "Repair") -> str | None:
    if repair.remedy == "work":
        return "webrag work"
    if repair.remedy == "uncite":
        return f"webrag uncite {repair.subject[:SHOWN_ID]}"
    if repair.remedy is None or repair.document is None:
        return None
    return f"webrag {repair.remedy} {str(repair.document.id)[:SHOWN_ID]}"
