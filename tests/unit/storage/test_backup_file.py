"""Whatever byte of a backup is not as it was written: that is found, or nothing in it is another."""

import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.models.backups import Manifest, TableContent
from webrag_desktop.storage.backups import restore
from webrag_desktop.storage.backups.backup_file import BackupReader, BackupWriter

CONTENT = {"intake/one": b"the first"}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A backup of hardly anything: one table and two files."""
    path = tmp_path / "tiny.webrag"
    with BackupWriter(path) as writer:
        members = []
        for name, content in {"tables/t.copy.zst": b"rows", **CONTENT}.items():
            with writer.member(name) as member:
                member.write(content)
            members.append(member.member)
        table = TableContent(name="t", columns=(), rows=1, next_ids={}, content=members[0])
        manifest = Manifest(
            program="1", made_at=datetime(2026, 1, 1, tzinfo=UTC), reason="a test", server="18.0",
            migrations=(), tables=(table,), intake=tuple(members[1:]), settings={},
        )  # fmt: skip
        writer.finish(manifest, overwrite=False)
    return path


@pytest.fixture
def unsealed(saved: Path) -> Path:
    """The same as it was written before there were seals."""
    path = saved.with_name("unsealed.webrag")
    with zipfile.ZipFile(saved) as new, zipfile.ZipFile(path, "w") as old:
        for info in new.infolist():
            old.writestr(info, new.read(info))
    return path


def read(path: Path) -> tuple[Manifest, list[bytes]]:
    """All that a restored library would be made of."""
    with BackupReader(path) as reader:
        restore.check(reader)
        return reader.manifest, [b"".join(reader.content(one)) for one in reader.manifest.members]


def flipped(whole: bytes) -> Iterator[tuple[int, bytes]]:
    """Each byte with one bit flipped; of the end, which tells where all is, also each as zero and as its opposite."""
    end = len(whole) - 200
    for place, byte in enumerate(whole):
        for flip in {1 << place % 8} | ({0xFF, byte} - {0} if place > end else set()):
            yield place, whole[:place] + bytes([byte ^ flip]) + whole[place + 1 :]


def test_every_byte_that_differs_is_found(saved: Path, tmp_path: Path) -> None:
    assert read(saved)[1] == [b"rows", *CONTENT.values()]
    whole, broken = saved.read_bytes(), tmp_path / "broken.webrag"
    called_whole = []
    for place, content in flipped(whole):
        broken.write_bytes(content)
        try:
            read(broken)
        except InputError:
            continue
        called_whole.append(place)
    assert called_whole == []


def test_without_a_seal_it_is_found_or_nothing_that_is_restored_differs(
    unsealed: Path, tmp_path: Path
) -> None:
    held = read(unsealed)
    broken = tmp_path / "broken.webrag"
    found = 0
    for _place, content in flipped(unsealed.read_bytes()):
        broken.write_bytes(content)
        try:
            assert read(broken) == held
        except InputError:
            found += 1
    assert found > 500


@pytest.mark.parametrize("added", [b"\0", b"PK\x05\x06" + bytes(18), b"x" * 100_000])
def test_bytes_behind_or_before_a_backup_are_found(
    saved: Path, unsealed: Path, tmp_path: Path, added: bytes
) -> None:
    changed = tmp_path / "changed.webrag"
    for content in (saved.read_bytes() + added, added + saved.read_bytes(), unsealed.read_bytes() + added):
        changed.write_bytes(content)
        with pytest.raises(InputError):
            read(changed)


def test_a_backup_cut_short_anywhere_is_found(saved: Path, tmp_path: Path) -> None:
    whole, cut = saved.read_bytes(), tmp_path / "cut.webrag"
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        with pytest.raises(InputError):
            read(cut)
