"""The ``--json`` documents of ``doctor``, ``backup`` and ``restore``; ``docs/cli.md`` explains each field."""

from datetime import datetime
from pathlib import Path
from typing import Self

from webrag_desktop.cli.output import SHOWN_ID
from webrag_desktop.cli.shapes.derived import Shape, derived
from webrag_desktop.cli.shapes.reports import EmbeddingReport, StackReport
from webrag_desktop.models.backups import Manifest, RestoredLibrary
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.checks import Finding, Repair


@derived(Repair, renamed={"message": "told"}, without=("remedy",), last={"command": str | None})
class RepairItem(Shape):
    """What was done about one damage, or why nothing could be; ``subject`` is an id, a table or a count of rows.

    ``document`` is the affected one, ``command`` the next step; null where there is none.
    """

    @classmethod
    def about(cls, repair: Repair) -> Self:
        """The item about one repair."""
        return cls.of(repair, told=repair.message, command=next_step(repair))


def next_step(repair: Repair) -> str | None:
    """The command that goes on where a repair ends."""
    if repair.remedy == "work":
        return "webrag work"
    if repair.remedy == "uncite":
        return f"webrag uncite {repair.subject[:SHOWN_ID]}"
    if repair.remedy is None or repair.document is None:
        return None
    return f"webrag {repair.remedy} {str(repair.document.id)[:SHOWN_ID]}"


@derived(
    Finding,
    without=("to_refresh",),
    order=("check", "promise", "ok"),
    last={"ok": bool, "commands": tuple[str, ...]},
)
class CheckResult(Shape):
    """One check and whether it passed; ``examples`` names some of the ``broken`` rows, in these ``documents``.

    ``commands`` are what mends some of them where ``doctor --repair`` can do nothing more.
    """

    @classmethod
    def about(cls, finding: Finding) -> Self:
        """The result of one check."""
        return cls.of(finding, commands=refreshing(finding))


def refreshing(finding: Finding) -> tuple[str, ...]:
    """The commands that mend what a check found."""
    return tuple(f"webrag refresh {str(one.id)[:SHOWN_ID]}" for one in finding.to_refresh)


class DoctorReport(FrozenModel):
    """The document of ``doctor``: stack and embedding model first, then what was repaired, then the library's checks.

    ``deep``: every text was checked, not a sample.
    ``read_by_older`` counts documents read by an older version of the reader, which is no damage.
    """

    ok: bool
    stack: StackReport
    embedding: EmbeddingReport
    deep: bool
    repairs: tuple[RepairItem, ...]
    checks: tuple[CheckResult, ...]
    read_by_older: int


class BackupReport(FrozenModel):
    """The document of ``backup``; ``rows`` counts those of each table, ``waiting`` what is not in the database yet.

    ``documents`` have a text; ``in_bin`` is part of ``sources``.
    """

    file: str
    size: int
    made_at: datetime
    schema_number: int
    documents: int
    sources: int
    in_bin: int
    rows: dict[str, int]
    waiting: int

    @classmethod
    def of(cls, path: Path, size: int, manifest: Manifest) -> Self:
        """The report on a backup that was written."""
        return cls(
            file=str(path),
            size=size,
            made_at=manifest.made_at,
            schema_number=manifest.schema_number,
            documents=manifest.rows("documents"),
            sources=manifest.rows("sources"),
            in_bin=manifest.in_bin,
            rows={table.name: table.rows for table in manifest.tables},
            waiting=len(manifest.intake),
        )


class RestoreReport(FrozenModel):
    """The document of ``restore``; with ``only_checked`` nothing was done.

    ``former`` is where the replaced library is kept, ``migrated`` the steps of the schema that followed. ``documents``
    have a text; ``in_bin`` is part of ``sources``.
    """

    file: str
    only_checked: bool
    made_at: datetime
    program: str
    schema_number: int
    documents: int
    sources: int
    in_bin: int
    waiting: int
    former: str | None
    migrated: tuple[int, ...]
    settings: dict[str, str]

    @classmethod
    def of(cls, path: Path, restored: RestoredLibrary) -> Self:
        """The report on a library that was restored."""
        former = None if restored.former is None else str(restored.former.path)
        changes = {"only_checked": False, "former": former, "migrated": restored.migrated}
        return cls.checked(path, restored.manifest).model_copy(update=changes)

    @classmethod
    def checked(cls, path: Path, manifest: Manifest) -> Self:
        """The report on a backup that was only read."""
        return cls(
            file=str(path),
            only_checked=True,
            made_at=manifest.made_at,
            program=manifest.program,
            schema_number=manifest.schema_number,
            documents=manifest.rows("documents"),
            sources=manifest.rows("sources"),
            in_bin=manifest.in_bin,
            waiting=len(manifest.intake),
            former=None,
            migrated=(),
            settings=manifest.settings,
        )
