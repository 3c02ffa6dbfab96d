"""What is no whole backup that this program can follow is refused, and changes nothing."""

import json
import struct
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.support.backup_home import Home
from webrag_desktop.errors import InputError
from webrag_desktop.maintenance import backup

# -- Files that cannot be restored -------------------------------------------------------------------------------------


def refused(home: Home, path: Path, words: str) -> None:
    before = home.content()
    with pytest.raises(InputError, match=words) as reported:
        home.restore(path, replace=True)
    assert reported.value.hint or "cannot be read" in reported.value.message
    assert home.content() == before
    assert home.copies == []


def place_in(whole: bytes, info: zipfile.ZipInfo) -> int:
    """Where the middle of a member's content is in the file."""
    name, extra = struct.unpack_from("<HH", whole, info.header_offset + 26)
    return info.header_offset + 30 + int(name) + int(extra) + info.compress_size // 2


def test_a_damaged_file_is_refused_wherever_the_damage_is(full: Home, saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        places = [place_in(whole, info) for info in archive.infolist()]
    assert len(places) > 10
    before = full.content()
    broken = tmp_path / "broken.webrag"
    for place in places:
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"damaged|no whole backup"):
            backup.check_backup(broken)
    with pytest.raises(InputError, match="no whole backup"):
        full.restore(broken, replace=True)  # the manifest, which comes last
    assert full.content() == before


def test_damage_to_what_tells_where_members_are_is_no_fault_of_ours(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        first, last = archive.start_dir, archive.infolist()[-1]
        places = [*range(first, first + 60), *range(len(whole) - 22 - 46 - len(last.filename), len(whole))]
    broken, refusals = tmp_path / "broken.webrag", 0
    for place, bit in product(places, (0x01, 0x80)):
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            backup.check_backup(broken)  # much of it, such as the times, tells nothing that is needed
        except InputError:
            refusals += 1
    assert refusals > 20


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_cut_short_is_refused(full: Home, saved: Path, share: float) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(len(whole) * share)])
    refused(full, saved, "damaged|no whole backup")


def test_another_kind_of_file_is_refused(full: Home, tmp_path: Path) -> None:
    other = tmp_path / "book.epub"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
    refused(full, other, "no whole backup")
    refused(full, tmp_path / "absent", "cannot be read")


def rewritten(saved: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The backup with another manifest."""
    path = saved.with_name("rewritten.webrag")
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            held = old.read(info)
            if info.filename == "manifest.json":
                manifest = json.loads(held)
                change(manifest)
                held = json.dumps(manifest).encode()
            new.writestr(info, held)
    return path


def _of_a_newer_format(manifest: dict[str, Any]) -> None:
    manifest.update(format_version=2, program="9.0", unheard_of=True)


def _of_a_newer_schema(manifest: dict[str, Any]) -> None:
    manifest["migrations"].append({"number": 9999, "checksum": "x"})


def _of_another_schema(manifest: dict[str, Any]) -> None:
    manifest["migrations"][0]["checksum"] = "x"


def _with_another_count(manifest: dict[str, Any]) -> None:
    manifest["tables"][-1]["rows"] += 1


def _with_another_column(manifest: dict[str, Any]) -> None:
    manifest["tables"][1]["columns"][0]["type"] = "integer"


def _without_a_counter(manifest: dict[str, Any]) -> None:
    next(table for table in manifest["tables"] if table["name"] == "jobs")["next_ids"] = {}


def _without_a_table(manifest: dict[str, Any]) -> None:
    next(table for table in manifest["tables"] if table["name"] == "jobs")["name"] = "pg_authid"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_of_a_newer_format, "newer WebRAG Desktop"),
        (_of_a_newer_schema, "newer WebRAG Desktop"),
        (_of_another_schema, "another schema"),
        (_with_another_count, "does not fit"),
        (_with_another_column, "does not fit"),
        (_without_a_table, "does not fit"),
        (_without_a_counter, "does not fit"),
    ],
)
def test_a_backup_of_another_program_is_refused(
    full: Home, saved: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    before = full.content()
    with pytest.raises(InputError, match=words):
        full.restore(rewritten(saved, change), replace=True)
    assert full.content() == before
