"""The spool: whether anything lies in it is told without understanding what it is."""

from pathlib import Path
from uuid import uuid4

from webrag_desktop.storage.spool import Spool


def test_it_is_empty_before_its_first_entry_and_after_its_last(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "intake")
    assert spool.is_empty
    entry = spool.put_removal([uuid4()])
    assert not spool.is_empty
    entry.unlink()
    assert spool.is_empty


def test_what_somebody_is_taking_in_lies_there_still(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    batch = spool.put_batch(["https://example.org/"])
    assert not spool.is_empty
    batch.done()
    assert spool.is_empty
