"""A data folder whose library is saved and restored as the program does it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import Address
from tests.support.library_content import content
from webrag_desktop.maintenance import backup
from webrag_desktop.models.backups import RestoredLibrary, SavedLibrary
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Connection, Database


@dataclass(frozen=True)
class Home:
    """A data folder whose library answers at an address."""

    address: Address
    folder: Path

    def connect(self) -> Connection:
        return Database.plain_connection(self.address)

    @property
    def spool(self) -> Spool:
        return Spool(self.folder / "intake")

    @property
    def copies(self) -> list[Path]:
        return sorted((self.folder / "backups").glob("*"))

    def save(self, path: Path, **options: Any) -> SavedLibrary:
        return backup.save(self.connect, path, "a test", **options)

    def restore(self, path: Path, **options: Any) -> RestoredLibrary:
        return backup.restore_library(self.connect, path, self.folder, self.spool, **options)

    def content(self) -> dict[str, Any]:
        opened = Database(self.address)
        try:
            return content(opened)
        finally:
            opened.close()

    def run(self, statement: str) -> None:
        with self.connect() as conn:
            conn.execute(statement)
