"""ZIP archives written by hand, with the lies that libraries will not write."""

import io
import zipfile
from collections.abc import Mapping


def zipped(entries: Mapping[str, bytes | str], *, store: tuple[str, ...] = ()) -> bytes:
    """An archive of these entries; those in ``store`` are not packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name)
            archive.writestr(info, content, zipfile.ZIP_STORED if name in store else zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def flagged(archive: bytes, bit: int) -> bytes:
    """The archive with a general purpose flag set on every entry."""
    changed = bytearray(archive)
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        position = archive.find(mark)
        while position >= 0:
            changed[position + offset] |= bit
            position = archive.find(mark, position + 4)
    return bytes(changed)


def renamed(archive: bytes, old: bytes, new: bytes) -> bytes:
    """The archive with an entry under another name of the same length, everywhere."""
    assert len(old) == len(new)
    assert old in archive
    return archive.replace(old, new)
